"""Series of a run (CSV files with the column `time`), their means, and the numbers of a shedding cylinder: what the
scripts beside the cases share."""
import contextlib
import math
import sys
from typing import NamedTuple


@contextlib.contextmanager
def input_errors():
    """Ends the script with a sentence where a file is missing, or is not what the script reads."""
    try:
        yield
    except OSError as error:
        sys.exit(f"{sys.argv[0]}: a file cannot be read or written: {error}")
    except (ArithmeticError, LookupError, StopIteration, TypeError, ValueError) as error:
        sys.exit(
            f"{sys.argv[0]}: what was given ({' '.join(sys.argv[1:])}) is not what this script reads, or the run is "
            f"too short ({type(error).__name__}: {error}); the first lines of the script say what it needs"
        )


def numbers(row):
    """The numbers of a row, an empty list for names and units."""
    try:
        return [float(x) for x in row.split(",")]
    except ValueError:
        return []


def series(path):
    """The columns of a CSV file, as a function of their names. The row of units may be missing."""
    with open(path) as file:
        rows = [line for line in file if not line.startswith("#")]
    names = rows[0].strip().split(",")
    columns = list(zip(*filter(None, map(numbers, rows[1:]))))
    return lambda name: columns[names.index(name)]


def between(x, y, at):
    """The line through points with rising x, at a place."""
    right = min(max(1, sum(a < at for a in x)), len(x) - 1)
    share = (at - x[right - 1]) / (x[right] - x[right - 1])
    return y[right - 1] + share * (y[right] - y[right - 1])


def mean(time, values, first, last):
    """The mean of the line through the samples from time `first` to `last`.

    Raises ValueError if the samples do not reach both."""
    if not time[0] <= first < last <= time[-1]:
        raise ValueError(f"samples from t = {time[0]:g} to {time[-1]:g} have no mean from {first:g} to {last:g}")
    inside = [(t, v) for t, v in zip(time, values) if first < t < last]
    line = [(first, between(time, values, first)), *inside, (last, between(time, values, last))]
    return sum((b - a) * (v + w) / 2 for (a, v), (b, w) in zip(line, line[1:])) / (last - first)


def forces(path, *names):
    """The times, and coefficients of the named forces. These are on unit depth and over rho U^2 D/2 = 1/2."""
    column = series(path)
    return column("time"), *([2 * force for force in column(name)] for name in names)


class Shedding(NamedTuple):
    """The numbers of a shedding cylinder, and the periods that they are over."""

    periods: int
    first: float
    last: float
    strouhal: float
    drag: float
    lift: float

    def __str__(self):
        return (
            f"periods       {self.periods}, t = {self.first:.1f} to {self.last:.1f}\n"
            f"Strouhal      {self.strouhal:.4f}      (0.1640 to 0.1650 at M = 0)\n"
            f"mean drag     {self.drag:.4f}      (1.315 to 1.33 at M = 0; about 1.345 at M = 0.2)\n"
            f"rms lift      {self.lift:.4f}      (0.222 to 0.230 at M = 0)"
        )


def shedding(time, drag, lift, end=math.inf):
    """Frequency, mean drag and rms lift over the whole periods between t = 100 and `end`, with velocity and diameter
    1."""
    upward = [
        time[n - 1] - (time[n] - time[n - 1]) * lift[n - 1] / (lift[n] - lift[n - 1])
        for n in range(1, len(time))
        if 100 < time[n] < end and lift[n - 1] < 0 <= lift[n]
    ]
    periods = len(upward) - 1
    if periods < 1:
        sys.exit("fewer than two upward zeros of the lift after t = 100")
    first, last = upward[0], upward[-1]
    rms = math.sqrt(mean(time, [x * x for x in lift], first, last))
    return Shedding(periods, first, last, periods / (last - first), mean(time, drag, first, last), rms)
