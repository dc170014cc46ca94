"""Rows of README.md from the kept record of the study, the results of its confirmations on the finer mesh, and those of
the large-eddy simulations:

python3 validation/t106-study/rows.py
"""
import json
import math
from pathlib import Path

KEPT = Path(__file__).resolve().parent / "kept"
BEST = "d_0047"
LOSS = "traverses.wake.omega"


def fine(design):
    """The values of a design on the finer mesh."""
    return json.loads((KEPT / f"fine-{design}.json").read_text())["values"]


def les(design):
    """The means of the large-eddy simulation of a design."""
    return json.loads((KEPT / f"les-{design}.json").read_text())["results"]


def best_of(designs):
    """The design with the least loss among those that keep the constraint, or break it by as little as one can."""
    least = min(design["violation"] for design in designs)
    return min((design for design in designs if design["violation"] == least), key=lambda one: one["values"]["loss"])


def cells(title, values):
    return title, f"{values['loss']:.5f}", f"{values['angle']:.2f}"


def change(title, values, before):
    return title, f"{100 * (values['loss'] / before['loss'] - 1):+.1f} %", ""


def rows():
    """The cells of the rows of the steady designs."""
    designs = [json.loads(line) for line in (KEPT / "study.jsonl").read_text().splitlines()]
    baseline, first = designs[0], [one for one in designs if one["origin"] in ("baseline", "doe")]
    best = best_of(designs)
    assert best["id"] == BEST, f"the best design is {best['id']}"
    yield cells("baseline", baseline["values"])
    yield cells(f"best of the baseline and the Latin hypercube ({len(first)} runs)", best_of(first)["values"])
    yield cells(f"best of all {len(designs)} runs ({BEST})", best["values"])
    yield change("change", best["values"], baseline["values"])
    yield cells("baseline on a mesh finer by 1.4", fine("d_0000"))
    yield cells(f"{BEST} on that mesh", fine(BEST))
    yield change("change on that mesh", fine(BEST), fine("d_0000"))
    yield from large_eddies({"baseline": (baseline, les("d_0000")), BEST: (best, les(BEST))})


def large_eddies(blades):
    """The cells of the rows of the large-eddy simulations of both blades beside their steady solutions."""

    def mean(results, name, digits):
        of = results[name]
        bound = " (at least)" if of["error-is"] == "at-least" else ""
        return f"{of['value']:.{digits}f} +- {of['error']:.{digits}f}{bound}"

    for name, (steady, results) in blades.items():
        yield f"loss of the {name}".replace("the d_", "d_"), f"{steady['values']['loss']:.4f}", mean(results, LOSS, 4)
    (steady, before), (other, after) = blades.values()
    ratio = after[LOSS]["value"] / before[LOSS]["value"]
    error = ratio * math.hypot(*(of[LOSS]["error"] / of[LOSS]["value"] for of in (before, after)))
    gain = 100 * (other["values"]["loss"] / steady["values"]["loss"] - 1)
    yield "change of the loss", f"{gain:+.1f} %", f"{100 * (ratio - 1):+.0f} % +- {100 * error:.0f} %"
    for name, (steady, results) in blades.items():
        title = f"exit angle of the {name}, degrees".replace("the d_", "d_")
        yield title, f"{steady['values']['angle']:.2f}", mean(results, "traverses.wake.angle_mixed", 2)
    for name, (_, results) in blades.items():
        place = "blades.blade.suction_separation_1_x_over_C"
        yield f"separation on the suction side, {name}, x/C_ax", "", mean(results, place, 3)


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |")
