#!/usr/bin/env python3
"""Flow over periodic hills: keeps the friction of the lower wall and the means at the measured places, prints the rows
of README.md that follow from them, and draws them.

python3 validation/periodic-hill/compare.py DIR NAME [figure.png]     (needs numpy and h5py; matplotlib for the figure)

DIR has the results of a run, and NAME is that of its tables in `kept`. Profiles are means over span and time at the
lines of points nearest to the stations on both sides, interpolated in x. Friction is that of the gradient between the
wall and the first point off it, which lies within the viscous sublayer."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
from mesh import hill  # noqa: E402
from rows import MEANS, STATIONS, measured, rows  # noqa: E402
from series import input_errors, series  # noqa: E402

RE = 10595


class Run:
    def __init__(self, directory):
        import h5py

        with h5py.File(Path(directory) / "statistics.h5") as file:
            of = {name: data[:] for name, data in file.items() if getattr(data, "shape", ())}
            self.head = file.attrs["provenance"]
            self.head += "".join(f"# {name}: {file.attrs[name]:.6g}\n" for name in ("from", "to"))
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


def keep(run, friction, name):
    """Writes the friction, and the means at the measured heights."""
    profiles = []
    for x in STATIONS:
        heights = [row[0] for row in measured(x)]
        means = (run.profile(x, heights, mean) for mean in MEANS)
        profiles += zip([x] * len(heights), heights, *means)
    tables = {
        "friction": [("x", "cf"), ("h", "-"), *zip(run.x, friction)],
        "profiles": [("x", "y", *MEANS), ("h", "h", "u_b", "u_b^2", "u_b^2"), *profiles],
    }
    text = lambda value: value if isinstance(value, str) else f"{value:.6g}"
    for part, lines in tables.items():
        path = HERE / f"kept/{name}-{part}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text(run.head + "".join(",".join(map(text, line)) + "\n" for line in lines))


def main():
    arguments = sys.argv[1:]
    figure = arguments.pop() if len(arguments) == 3 else None
    if len(arguments) != 2:
        sys.exit(__doc__)
    run, name = Run(arguments[0]), arguments[1]
    friction = run.friction()
    keep(run, friction, name)
    for row in (("", "fr-les", "reference", "difference"), ("---",) * 4, *rows(name)):
        print("| " + " | ".join(row) + " |")
    if figure:
        draw(run, friction, figure)


def draw(run, friction, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    known = series(HERE / "friction.csv")
    _, (top, bottom) = plt.subplots(2, 1, figsize=(9, 8), layout="constrained")
    for x in STATIONS:
        heights, *means = zip(*measured(x))
        there = dict(zip(MEANS, map(np.array, means)))
        y = np.linspace(hill(x), 3.035, 300)
        for name, factor, color in (("u", 1, "C0"), ("uu", 8, "C1"), ("uv", -15, "C2")):
            label = {"u": "u", "uu": "8 uu", "uv": "-15 uv"}[name] if x == 1 else None
            top.plot(x + factor * run.profile(x, y, name), y, color=color, label=label)
            top.plot(x + factor * there[name], heights, "o", ms=2.5, color=color)
    floor = np.linspace(0, 9, 400)
    top.fill_between(floor, [hill(x) for x in floor], color="0.8")
    top.set(xlabel="x/h", ylabel="y/h", xlim=(0, 9), title="means (lines) and measurements at x/h = 1, 2, 4")
    top.legend(frameon=False)
    bottom.plot(run.x, friction, label="fr-les")
    bottom.plot(known("x_over_h"), known("cf"), "o", ms=3, label="simulation of Breuer et al., read from a figure")
    bottom.axhline(0, color="0.7", lw=0.8)
    bottom.set(xlabel="x/h", ylabel="c_f", ylim=(-0.006, 0.03))
    bottom.legend(frameon=False)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    with input_errors():
        main()
