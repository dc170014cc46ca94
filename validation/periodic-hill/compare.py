#!/usr/bin/env python3
"""Flow over periodic hills: where it separates and reattaches, and its profiles beside the measured ones. Prints the
rows of README.md.

python3 validation/periodic-hill/compare.py DIR [figure.png]       (needs numpy and h5py; matplotlib for the figure)

Profiles are means over span and time at the lines of points nearest to the stations on both sides, interpolated in x.
Friction is that of the gradient between the wall and the first point off it, which lies within the viscous sublayer."""
import csv
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from mesh import hill  # noqa: E402
from series import input_errors  # noqa: E402

RE = 10595


def table(path):
    """Columns of a table of this folder."""
    with open(path) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


class Run:
    def __init__(self, directory):
        import h5py

        with h5py.File(Path(directory) / "statistics.h5") as file:
            of = {name: data[:] for name, data in file.items() if getattr(data, "shape", ())}
        # Lines of the mesh are vertical: points of a line have one x.
        lines = {}
        for n, x in enumerate(np.round(of["x"], 7)):
            lines.setdefault(x, []).append(n)
        self.x = np.array(sorted(lines))
        names = [name for name in ("u", "v", "uu", "vv", "uv") if name in of]
        self.lines = []
        for x in self.x:
            at = np.array(lines[x])
            at = at[np.argsort(of["y"][at])]
            self.lines.append({name: of[name][at] for name in ("y", *names)})

    def profile(self, x, y, name):
        """A mean at heights above the floor, at a station."""
        right = int(np.clip(np.searchsorted(self.x, x), 1, len(self.x) - 1))
        share = (x - self.x[right - 1]) / (self.x[right] - self.x[right - 1])
        both = [np.interp(y, self.lines[n]["y"], self.lines[n][name]) for n in (right - 1, right)]
        return (1 - share) * both[0] + share * both[1]

    def friction(self):
        """The friction coefficient along the lower wall: the velocity along the wall over the distance from it."""
        values = []
        for x, line in zip(self.x, self.lines):
            step = 1e-4
            slope = (hill(x + step) - hill(x - step)) / (2 * step)
            length = np.hypot(1, slope)
            along = (line["u"][1] + slope * line["v"][1]) / length
            distance = (line["y"][1] - line["y"][0]) / length
            values.append(2 * along / distance / RE)
        return np.array(values)


def crossings(x, values, upwards):
    """Places where values change sign."""
    sign = 1 if upwards else -1
    at = np.flatnonzero((sign * values[:-1] < 0) & (sign * values[1:] >= 0))
    return [x[n] - values[n] * (x[n + 1] - x[n]) / (values[n + 1] - values[n]) for n in at]


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def main():
    figure = sys.argv.pop() if sys.argv[-1].endswith(".png") else None
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run = Run(sys.argv[1])
    friction = run.friction()
    known = table(HERE / "friction.csv")
    row("", "fr-les", "reference", "difference")
    row("---", "---", "---", "---")
    for what, upwards, first, last in (("separation", False, 0.05, 1.5), ("reattachment", True, 2.5, 6.8)):
        mine = [x for x in crossings(run.x, friction, upwards) if first < x < last]
        theirs = [x for x in crossings(known["x_over_h"], known["cf"], upwards) if first < x < last]
        shown = ", ".join(f"{x:.2f}" for x in mine) or "none"
        difference = f"{mine[-1] - theirs[-1]:+.2f}" if mine else ""
        row(f"{what}, x/h", shown, f"{theirs[-1]:.2f} (simulation)", difference)
    row("largest friction coefficient", f"{friction.max():.4f} at {run.x[np.argmax(friction)]:.2f}",
        f"{known['cf'].max():.4f} at {known['x_over_h'][np.argmax(known['cf'])]:.2f} (simulation)", "")
    measured = table(HERE / "profiles.csv")
    for x in (1, 2, 4):
        there = measured["x_over_h"] == x
        y = measured["y_over_h"][there]
        for name in ("u", "uu", "uv"):
            values = measured[name][there]
            mine = run.profile(x, y, name)
            # The measured lines end where the wall or the ceiling is near; all rows count.
            rms = np.sqrt(np.mean((mine - values) ** 2))
            largest = np.abs(values).max()
            n = int(np.argmax(np.abs(mine)))
            theirs = values[np.argmax(np.abs(values))]
            difference = f"rms of the difference {rms:.4f}, {100 * rms / largest:.1f} %"
            row(f"{name} at x/h = {x}, largest", f"{mine[n]:.4f}", f"{theirs:.4f} (measured)", difference)
    if figure:
        draw(run, friction, known, measured, figure)


def draw(run, friction, known, measured, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, (top, bottom) = plt.subplots(2, 1, figsize=(9, 8), layout="constrained")
    for x in (1, 2, 4):
        there = measured["x_over_h"] == x
        y = np.linspace(hill(x), 3.035, 300)
        for name, factor, color in (("u", 1, "C0"), ("uu", 8, "C1"), ("uv", -15, "C2")):
            label = {"u": "u", "uu": "8 uu", "uv": "-15 uv"}[name] if x == 1 else None
            top.plot(x + factor * run.profile(x, y, name), y, color=color, label=label)
            top.plot(x + factor * measured[name][there], measured["y_over_h"][there], "o", ms=2.5, color=color)
    floor = np.linspace(0, 9, 400)
    top.fill_between(floor, [hill(x) for x in floor], color="0.8")
    top.set(xlabel="x/h", ylabel="y/h", xlim=(0, 9), title="means (lines) and measurements at x/h = 1, 2, 4")
    top.legend(frameon=False)
    bottom.plot(run.x, friction, label="fr-les")
    bottom.plot(known["x_over_h"], known["cf"], "o", ms=3, label="simulation of Breuer et al., read from a figure")
    bottom.axhline(0, color="0.7", lw=0.8)
    bottom.set(xlabel="x/h", ylabel="c_f", ylim=(-0.006, 0.03))
    bottom.legend(frameon=False)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    with input_errors():
        main()
