"""Series of a run (CSV files with the column `time`), their means, and the numbers of a shedding cylinder: what the
scripts beside the cases share."""
import contextlib
import math
import sys


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
    """The mean from time `first` to `last` by the trapezoidal rule, over the intervals whose middle lies between."""
    pairs = [(n - 1, n) for n in range(1, len(time)) if first < (time[n - 1] + time[n]) / 2 < last]
    integral = sum((time[n] - time[m]) * (values[n] + values[m]) / 2 for m, n in pairs)
    return integral / sum(time[n] - time[m] for m, n in pairs)


def shedding(time, drag, lift):
    """Prints frequency, mean drag and rms lift over the whole periods after t = 100; returns where these begin and
    end."""
    upward = [
        time[n - 1] - (time[n] - time[n - 1]) * lift[n - 1] / (lift[n] - lift[n - 1])
        for n in range(1, len(time))
        if time[n] > 100 and lift[n - 1] < 0 <= lift[n]
    ]
    if len(upward) < 2:
        sys.exit("fewer than two periods after t = 100")
    first, last = upward[0], upward[-1]
    rms = math.sqrt(mean(time, [x * x for x in lift], first, last))
    print(f"periods       {len(upward) - 1}, t = {first:.1f} to {last:.1f}")
    print(f"Strouhal      {(len(upward) - 1) / (last - first):.4f}      (0.1640 to 0.1650 at M = 0)")
    print(f"mean drag     {mean(time, drag, first, last):.4f}      (1.315 to 1.33 at M = 0; about 1.345 at M = 0.2)")
    print(f"rms lift      {rms:.4f}      (0.222 to 0.230 at M = 0)")
    return first, last
