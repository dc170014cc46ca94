#!/usr/bin/env python3
"""Lift, drag, separation and reattachment of the run in DIR beside published simulations. Prints the rows of README.md.

python3 validation/sd7003/compare.py DIR [figure.png]      (needs matplotlib for the figure)

Reads results.json and blade_airfoil.csv of the run. Errors are two standard errors of the means; (at least) marks those
that are lower bounds."""
import csv
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))
from series import input_errors, series  # noqa: E402

MACH = 0.2
PRESSURE = 1 / (1.4 * MACH**2)  # of the free stream, whose dynamic pressure is 1/2
BLADE = "blades.airfoil.suction_"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def shown(result, digits):
    """A mean with two standard errors."""
    value = f"{result['value']:.{digits}f}"
    if result["error"] is None:
        return value + " (error not known)"
    bound = " (at least)" if result["error-is"] == "at-least" else ""
    return f"{value} +- {2 * result['error']:.{digits}f}{bound}"


def crossings(results, what):
    """All places of separation or reattachment on the suction side, or a word where there are none."""
    names = [f"{BLADE}{what}_{n}_x_over_C" for n in range(1, 20)]
    return ", ".join(shown(results[name], 3) for name in names if name in results) or "none"


def sides(blade):
    """Of both sides from the stagnation point on, the places along the chord, the pressure coefficient and the friction
    coefficient with the double of its error."""
    columns = [blade(name) for name in ("side", "s_over_S", "x", "p", "tau", "tau_error")]
    for side in (1, 2):
        points = sorted(of[1:] for of in zip(*columns) if of[0] == side)
        yield [list(values) for values in zip(*((x, 2 * (p - PRESSURE), 2 * tau, 4 * e) for _, x, p, tau, e in points))]


def cells(results):
    """The row of a run: lift, drag, separation, reattachment."""
    of = lambda name: results["coefficients.airfoil_" + name]
    forces = shown(of("lift"), 3), shown(of("drag"), 4)
    return ("fr-les", *forces, crossings(results, "separation"), crossings(results, "reattachment"))


def main(directory, path=None):
    directory = Path(directory)
    results = json.loads((directory / "results.json").read_text())["results"]
    upper, lower = sides(series(directory / "blade_airfoil.csv"))
    of = lambda name: results["coefficients.airfoil_" + name]
    row("", "C_L", "C_D", "x_s/c", "x_r/c")
    row(*["---"] * 5)
    row(*cells(results))
    with open(HERE / "published.csv") as file:
        for known in csv.DictReader(line for line in file if not line.startswith("#")):
            row(*known.values())
    print()
    friction = of("friction_drag")["value"]
    print(f"drag of friction {friction:.4f}, of pressure {of('drag')['value'] - friction:.4f}")
    least = min(range(len(upper[0])), key=lambda n: upper[1][n])
    print(f"least pressure coefficient {upper[1][least]:.3f} at x/c = {upper[0][least]:.4f}")
    for name in ("y_plus_mean", "y_plus_max"):
        print(f"{name} {of(name)['value']:.2f}")
    if path:
        draw(upper, lower, path)


def draw(upper, lower, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(8, 7), sharex=True, layout="constrained")
    for (x, pressure, friction, error), name in ((upper, "suction side"), (lower, "pressure side")):
        axes[0].plot(x, pressure, lw=1, label=name)
        axes[1].plot(x, friction, lw=1, label=name)
        band = [[f + sign * e for f, e in zip(friction, error)] for sign in (-1, 1)]
        axes[1].fill_between(x, *band, alpha=0.3, lw=0)
    axes[0].invert_yaxis()
    axes[0].set(ylabel="C_p")
    axes[0].legend(frameon=False)
    axes[1].axhline(0, color="0.7", lw=0.8)
    axes[1].set(xlabel="x/c", ylabel="C_f", ylim=(-0.02, 0.04))
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with input_errors():
        main(*sys.argv[1:])
