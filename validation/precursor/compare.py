#!/usr/bin/env python3
"""The time that a start takes away from a simulation: how long a force takes to stay near its mean.

python3 validation/precursor/compare.py COLUMNS WINDOW FROM NEAR DIR...
python3 validation/precursor/compare.py --keep FILE STEP COLUMNS NAME=DIR...

COLUMNS are those of DIR/boundaries.csv: sums `a,b`, and the components of a force `a/b`. DIR,DIR,... are realisations
of one start, whose force at each time is averaged. The final mean is that over all runs from the time FROM on. A run is
settled at the first time t from which on every mean over [t, t + WINDOW] is within the share NEAR of the final mean:
the means of a simulation may begin there. The largest difference of such means after FROM is printed beside it: where
it is not well below NEAR, the window is too short to judge by. `--keep` writes the impulses at multiples of STEP, from
which `rows.py` computes the rows of README.md."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from rows import Settling, at, ensemble, final_mean, impulse  # noqa: E402
from series import input_errors, series  # noqa: E402


def run_of(directory, columns):
    """Times, and the impulses of the components of a force."""
    of = series(directory.rstrip("/") + "/boundaries.csv")
    components = [component.split(",") for component in columns.split("/")]
    return impulse(of("time"), [[sum(values) for values in zip(*map(of, names))] for names in components])


def name(runs):
    """The last part of the path of the first realisation, and how many there are."""
    first, *others = runs.split(",")
    return first.rstrip("/").split("/")[-1] + (f" and {len(others)} more" if others else "")


def keep(path, step, columns, named):
    """Writes the impulses of runs at multiples of a time."""
    runs = {label: run_of(directory, columns) for label, directory in (entry.split("=") for entry in named)}
    end = min(time[-1] for time, _ in runs.values())
    axes = [""] if "/" not in columns else ["_x", "_y"]
    lines = ["time," + ",".join(label + axis for label in runs for axis in axes)]
    for n in range(int(end / step + 1e-9) + 1):
        values = [value for run in runs.values() for value in at(run, n * step)]
        lines.append(",".join(f"{value:.8g}" for value in [n * step, *values]))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("\n".join(lines) + "\n")


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    if sys.argv[1] == "--keep":
        keep(sys.argv[2], float(sys.argv[3]), sys.argv[4], sys.argv[5:])
        return
    columns, (window, begin, near), runs = sys.argv[1], map(float, sys.argv[2:5]), sys.argv[5:]
    realisations = [[run_of(directory, columns) for directory in run.split(",")] for run in runs]
    final, length = final_mean(sum(realisations, []), begin)
    print(f"final mean {final}, over {length:.4g} units of time; within {100 * near:.0f} % of it:")
    print(f"{'run':24} {'to':>7} {'first mean':>11} {'settled at':>11} {'largest later difference':>25}")
    for run, of_start in zip(runs, realisations):
        mean = ensemble(of_start)
        of = Settling(mean, final, window, begin, near)
        later = "-" if of.later is None else f"{100 * of.later:.2f} %"
        print(f"{name(run):24} {mean[0][-1]:7.2f} {100 * of.first:10.2f}% {of.when():>11} {later:>25}")


with input_errors():
    main()
