"""The output directory of a run."""

import json
import re
from functools import cached_property
from pathlib import Path

from . import results
from .checkpoint import Checkpoint
from .solution import Solution
from .tables import AT_LEAST, ERROR, HALF_DIFFERENCE, read_table

# Columns over which others are drawn.
ABSCISSAE = ("time", "iteration", "frequency", "wave_number")


class Run:
    """What a run has written into its output directory. Files are read when they are asked for."""

    def __init__(self, directory, log=""):
        self.directory = Path(directory)
        self.log = log
        if not self.directory.is_dir():
            raise FileNotFoundError(f"{self.directory} is no directory: name the output directory of a run")

    def __repr__(self):
        return f"<Run {self.directory}>"

    @cached_property
    def record(self):
        """The record of the run: title, case, mesh, and device, cost and warnings of each part."""
        return self._json("run.json")

    @property
    def names(self):
        """The names of the tables that `series` reads."""
        return sorted(path.name.removesuffix(".csv") for path in self.directory.glob("*.csv"))

    def series(self, name):
        """Return a table as a DataFrame, with units and errors in `.attrs` (`read_table`)."""
        path = self.directory / f"{name}.csv"
        if not path.exists():
            raise KeyError(f"{self.directory} has no {name}.csv: there are {', '.join(self.names) or 'no tables'}")
        return read_table(path)

    @property
    def results(self):
        """All results with their errors, by name: means of series, of walls, blades and traverses."""
        return results.of_json(self._json("results.json"))

    def result(self, name):
        """Return the result of this name, or of the only name that ends in it: "wake.zeta"."""
        return results.find(self.results, name)

    @property
    def solutions(self):
        """The solution files in the order of time."""
        index = self.directory / "solution.vtkhdf.series"
        if index.exists():
            return [self.directory / file["name"] for file in json.loads(index.read_text())["files"]]
        return _numbered(self.directory, r"solution_(\d+)\.vtkhdf")

    def solution(self, step=-1):
        """Return a solution: 0 is the first file, -1 the last."""
        return Solution(self._chosen(self.solutions, step, "solution"))

    @property
    def checkpoints(self):
        """The checkpoints in the order of time."""
        return _numbered(self.directory, r"checkpoint_(\d+)\.h5")

    def checkpoint(self, step=-1):
        """Return a checkpoint: 0 is the first file, -1 the last."""
        return Checkpoint(self._chosen(self.checkpoints, step, "checkpoint"))

    def integrate(self, field, step=-1):
        """Return the integral of a field of a solution over the domain (`Solution.integrate`)."""
        return self.solution(step).integrate(field)

    def plot(self, name, *columns, axes=None):
        """Draw columns of a table, all without those of errors if none is named; return the axes of matplotlib.

        Columns are drawn over the time or, of a profile, over its first column, with a band of two standard errors to
        either side where these are known.
        """
        try:
            from matplotlib import pyplot
        except ImportError as error:
            message = "plot needs matplotlib: `pip install matplotlib`; `fr-les plot` draws figures without it"
            raise ImportError(message) from error
        table = self.series(name)
        units, errors = table.attrs["units"], table.attrs["errors"]
        over = next((known for known in ABSCISSAE if known in table), table.columns[0])
        about = (ERROR, AT_LEAST, HALF_DIFFERENCE)
        others = [of for of in table if of not in (over, "step", "dt") and not of.endswith(about)]
        columns = columns or others
        axes = axes or pyplot.subplots()[1]
        for column in columns:
            axes.plot(table[over], table[column], label=_label(column, units))
            if column in errors:
                error = 2 * table[errors[column]]
                axes.fill_between(table[over], table[column] - error, table[column] + error, alpha=0.3)
        axes.set_xlabel(_label(over, units))
        if len(columns) == 1:
            axes.set_ylabel(_label(columns[0], units))
        else:
            axes.legend()
        return axes

    def _json(self, name):
        path = self.directory / name
        if not path.exists():
            raise FileNotFoundError(f"{path} is not there: the run has not written it, or this is not its directory")
        return json.loads(path.read_text(encoding="utf-8"))

    def _chosen(self, paths, step, what):
        try:
            return paths[step]
        except IndexError:
            raise IndexError(f"{self.directory} has {len(paths)} {what} files, and no number {step}") from None


def _numbered(directory, pattern):
    """The files of a directory whose names have a number, in its order."""
    found = ((re.fullmatch(pattern, path.name), path) for path in directory.iterdir())
    return [path for _, path in sorted((int(match[1]), path) for match, path in found if match)]


def _label(column, units):
    unit = units.get(column, "-")
    return column if unit == "-" else f"{column}, {unit}"
