"""Results of a run with their errors and units, from `results.json`."""

import difflib
import math
from dataclasses import dataclass

# The version of the layout that this package reads (`schema-version`).
SCHEMA_VERSION = 1


@dataclass(frozen=True)
class Result:
    """A value with what is known of its error."""

    name: str
    value: float
    error: float  # standard error; NaN if it is not known
    unit: str
    error_is: str  # "estimated", "at-least" (a lower bound) or "unknown"
    half_difference: float  # mean of the second half of the time less that of the first
    drifts: bool  # whether this is more than chance explains

    def __float__(self):
        return self.value

    def __str__(self):
        unit = "" if self.unit == "-" else f" {self.unit}"
        if math.isnan(self.error):
            return f"{self.name} = {self.value:.6g}{unit}"
        bound = "at least " if self.error_is == "at-least" else ""
        return f"{self.name} = {self.value:.6g} +- {bound}{self.error:.2g}{unit}"


def of_json(text):
    """Return the results of the text of the file, as JSON was read, by name."""
    version = text["schema-version"]
    if version != SCHEMA_VERSION:
        raise ValueError(
            f"results.json has schema version {version}, and this package reads {SCHEMA_VERSION}: install the package "
            "of the program that wrote it"
        )
    return {name: _result(name, entry) for name, entry in text["results"].items()}


def _result(name, entry):
    def number(key):
        return math.nan if entry[key] is None else float(entry[key])

    return Result(
        name=name,
        value=number("value"),
        error=number("error"),
        unit=entry["unit"],
        error_is=entry["error-is"],
        half_difference=number("half-difference"),
        drifts=entry["drifts"],
    )


def find(results, name):
    """Return the result of this name, or of the only name that ends in it: "wake.zeta" is "traverses.wake.zeta"."""
    if name in results:
        return results[name]
    ending = [known for known in results if known.endswith("." + name)]
    if len(ending) == 1:
        return results[ending[0]]
    if ending:
        raise KeyError(f"{name} may be {' or '.join(ending)}: name one of them")
    near = difflib.get_close_matches(name, results, n=3, cutoff=0.4) or list(results)[:3]
    hint = f": did you mean {' or '.join(near)}?" if near else ": the run has no results yet"
    raise KeyError(f"there is no result {name}{hint}")
