#!/usr/bin/env python3
"""The time that a start takes away from a simulation: how long a force takes to stay near its mean.

python3 validation/precursor/compare.py COLUMNS WINDOW FROM NEAR DIR...                          (needs numpy)

COLUMNS are those of DIR/boundaries.csv: sums `a,b`, and the components of a force `a/b`. DIR,DIR,... are realisations
of one start, whose force at each time is averaged. The final mean is that over all runs from the time FROM on. A run is
settled at the first time t from which on every mean over [t, t + WINDOW] is within the share NEAR of the final mean:
the means of a simulation may begin there. The largest difference of such means after FROM is printed beside it: where
it is not well below NEAR, the window is too short to judge by."""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from series import input_errors  # noqa: E402


def table(path, columns):
    """Times, and the components of a force, [time][component]."""
    with open(path) as file:
        rows = [line.strip().split(",") for line in file if not line.startswith("#")]
    values = np.array(rows[2:], dtype=float)
    column = lambda name: values[:, rows[0].index(name)]
    components = [sum(column(name) for name in component.split(",")) for component in columns.split("/")]
    return column("time"), np.stack(components, axis=1)


def impulse(time, force):
    """Integral of a force up to each time, by the trapezoidal rule."""
    parts = 0.5 * (force[1:] + force[:-1]) * np.diff(time)[:, None]
    return np.concatenate([np.zeros((1, force.shape[1])), np.cumsum(parts, axis=0)])


def at(times, time, total):
    """An integral at other times."""
    return np.stack([np.interp(times, time, component) for component in total.T], axis=1)


def name(runs):
    """The last part of the path of the first realisation, and how many there are."""
    first, *others = runs.split(",")
    return first.rstrip("/").split("/")[-1] + (f" and {len(others)} more" if others else "")


def mean(series):
    """The mean of realisations at each time."""
    times = series[0][0][series[0][0] <= min(time[-1] for time, _ in series)]
    return times, np.mean([at(times, *one) for one in series], axis=0)


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    columns, (window, begin, near), runs = sys.argv[1], map(float, sys.argv[2:5]), sys.argv[5:]
    read = lambda directory: table(directory.rstrip("/") + "/boundaries.csv", columns)
    realisations = [[read(directory) for directory in run.split(",")] for run in runs]
    late = [(time[time >= begin], force[time >= begin]) for time, force in sum(realisations, []) if time[-1] > begin]
    if not late:
        sys.exit(f"no run goes on beyond {begin}")
    length = sum(time[-1] - time[0] for time, _ in late)
    final = sum(impulse(*part)[-1] for part in late) / length
    print(f"final mean {final}, over {length:.4g} units of time; within {100 * near:.0f} % of it:")
    print(f"{'run':24} {'to':>7} {'first mean':>11} {'settled at':>11} {'largest later difference':>25}")
    for run, (time, force) in zip(runs, map(mean, realisations)):
        begins = np.linspace(time[0], time[-1] - window, 4000)
        total = impulse(time, force)
        means = (at(begins + window, time, total) - at(begins, time, total)) / window
        away = np.linalg.norm(means - final, axis=1) / np.linalg.norm(final)
        outside = np.flatnonzero(away > near)
        settled = begins[0] if len(outside) == 0 else begins[min(outside[-1] + 1, len(begins) - 1)]
        never = len(outside) > 0 and outside[-1] == len(begins) - 1
        after = away[begins >= begin]
        later = f"{100 * after.max():.2f} %" if len(after) else "-"
        print(
            f"{name(run):24} {time[-1]:7.2f} {100 * away[0]:10.2f}% "
            f"{'never' if never else f'{settled:.2f}':>11} {later:>25}"
        )


with input_errors():
    main()
