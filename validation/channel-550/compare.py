#!/usr/bin/env python3
"""A resolved channel beside the direct simulation: friction, means, stresses, the balance of the total stress, and the
budget of the turbulent kinetic energy with its residual. Prints the rows of README.md.

python3 validation/channel-550/compare.py DIR [figure.png]          (needs numpy; matplotlib for the figure)

Profiles are means of both halves in the wall units of the run. Errors are two standard errors of the run."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import input_errors  # noqa: E402

TERMS = {
    "production": "k_production",
    "dissipation": "k_dissipation",
    "transport": "k_transport",
    "viscous_diffusion": "k_viscous_diffusion",
    "pressure_diffusion": "k_pressure_diffusion",
}


def table(path):
    """Columns by name, and the comments. The row of units may be missing."""
    lines = Path(path).read_text().splitlines()
    comments = [line[2:] for line in lines if line.startswith("#")]
    names, *rows = [line.split(",") for line in lines if line and not line.startswith("#")]

    def numbers(row):
        try:
            return [float(value) for value in row]
        except ValueError:
            return None

    rows = [row for row in map(numbers, rows) if row]
    return dict(zip(names, np.array(rows).T)), comments


def comment(comments, name):
    """Value of one of the comments."""
    return float(next(line for line in comments if line.startswith(name + ":")).split(":")[1].split()[0])


class Profile:
    """Means of both halves of a run in its wall units, from the wall to the middle."""

    def __init__(self, directory):
        columns, comments = table(Path(directory) / "statistics.csv")
        walls = (line.split(": ", 1)[1].split(", ") for line in comments if line.startswith("wall "))
        walls = [dict(part.split(" = ") for part in parts) for parts in walls]
        tau, rho = (np.mean([float(wall[name].split()[0]) for wall in walls]) for name in ("tau", "rho"))
        self.u_tau = np.sqrt(tau / rho)
        self.re_tau = comment(comments, "re_tau")
        self.re_tau_error = comment(comments, "re_tau_error")
        self.time = comment(comments, "to") - comment(comments, "from")
        # Half height 1.
        self.nu = self.u_tau / self.re_tau
        half = len(columns["y"]) // 2
        energy = tau * self.u_tau**2 / self.nu

        def fold(name, unit, sign=1.0):
            values, errors = columns[name] / unit, columns.get(f"{name}_error", 0 * columns[name]) / unit
            mean = 0.5 * (values + sign * values[::-1])[:half]
            # The halves are no independent samples: the mean of both errors bounds that of the mean.
            return mean, 0.5 * (errors + errors[::-1])[:half]

        self.y = (1 - np.abs(columns["y"]))[:half]
        self.of = {"U": fold("u", self.u_tau)}
        for name in ("uu", "vv", "ww"):
            self.of[name] = fold(name, self.u_tau**2)
        self.of["uv"] = fold("uv", self.u_tau**2, -1.0)
        if "k_production" in columns:
            for name in (*TERMS.values(), "k_residual", "k_pressure_dilatation", "k_mass_flux", "k_convection"):
                self.of[name] = fold(name, energy)

    @property
    def y_plus(self):
        return self.y * self.re_tau


def peak(y, values):
    """Place and height of the parabola through the largest sample and its neighbours."""
    n = int(np.argmax(values))
    n = min(max(n, 1), len(values) - 2)
    a, b, c = np.polyfit(y[n - 1 : n + 2], values[n - 1 : n + 2], 2)
    place = -b / (2 * a)
    return place, a * place * place + b * place + c


def percent(value, of):
    return f"{100 * (value / of - 1):+.1f} %"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def means(run, reference):
    """Rows of friction, mean velocity and stresses."""
    re = 546.74
    row("Re_tau", f"{run.re_tau:.1f} +- {2 * run.re_tau_error:.1f}", f"{re}", percent(run.re_tau, re))
    y, u = reference["y_plus"], reference["U_plus"]
    mine = np.interp(y, run.y_plus, run.of["U"][0])
    outside = (y > 5) & (y < run.y_plus.max())
    difference = np.where(outside, mine / np.maximum(u, 1e-30) - 1, 0)
    n = int(np.argmax(np.abs(difference)))
    row("U+ above y+ = 5, largest difference", "", "", f"{100 * difference[n]:+.1f} %, at y+ = {y[n]:.0f}")
    for name in ("uu", "vv", "ww"):
        place, height = peak(run.y_plus, np.sqrt(run.of[name][0]))
        at, known = peak(y, np.sqrt(reference[f"{name}_plus"]))
        row(f"peak of {name[0]}_rms, at y+", f"{height:.3f} at {place:.0f}", f"{known:.3f} at {at:.0f}",
            percent(height, known))
    place, height = peak(run.y_plus, -run.of["uv"][0])
    at, known = peak(y, -reference["uv_plus"])
    row("peak of -uv", f"{height:.3f} at {place:.0f}", f"{known:.3f} at {at:.0f}", percent(height, known))


def total_stress(run):
    """The row of the balance of momentum: the total stress falls linearly from the wall to the middle."""
    slope = np.gradient(run.of["U"][0], run.y_plus)
    viscous = np.where(run.y_plus > 30, slope, np.nan)
    balance = viscous - run.of["uv"][0] - (1 - run.y)
    n = int(np.nanargmax(np.abs(balance)))
    row("total stress less 1 - y/h above y+ = 30, largest", f"{balance[n]:+.3f} at y/h = {run.y[n]:.2f}", "0", "")


def budget(run, reference):
    """Rows of the budget."""
    y = reference["y_plus"]
    place, height = peak(run.y_plus, run.of["k_production"][0])
    at, known = peak(y, reference["production"])
    row("peak of the production, at y+", f"{height:.4f} at {place:.1f}", f"{known:.4f} at {at:.1f}",
        percent(height, known))
    inside = y <= run.y_plus.max()
    for name, column in TERMS.items():
        mine = np.interp(y, run.y_plus, run.of[column][0])
        away = inside & (y > run.y_plus.min())
        difference = (mine - reference[name])[away]
        n = int(np.argmax(np.abs(difference)))
        row(f"{name.replace('_', ' ')}, largest difference", f"{difference[n]:+.4f} at y+ = {y[away][n]:.1f}", "",
            f"{100 * difference[n] / known:+.1f} % of the peak of the production")
    for name in ("production", "dissipation"):
        mine = np.trapezoid(run.of[TERMS[name]][0], run.y_plus)
        full = np.trapezoid(np.interp(run.y_plus, y, reference[name]), run.y_plus)
        row(f"{name}, integral over half the channel", f"{mine:.3f}", f"{full:.3f}", percent(mine, full))
    residual, error = run.of["k_residual"]
    n = int(np.argmax(np.abs(residual)))
    row("residual, largest", f"{residual[n]:+.4f} +- {2 * error[n]:.4f} at y+ = {run.y_plus[n]:.1f}", "0",
        f"{100 * residual[n] / known:+.1f} % of the peak of the production")
    share = np.trapezoid(residual, run.y_plus) / np.trapezoid(run.of["k_production"][0], run.y_plus)
    row("residual, integral over that of the production", f"{100 * share:+.1f} %", "0", "")
    rest = sum(np.abs(run.of[name][0]).max() for name in ("k_pressure_dilatation", "k_mass_flux", "k_convection"))
    row("terms of compressibility and convection, sum of their largest values", f"{rest:.1e}", "0", "")


def main():
    figure = sys.argv.pop() if sys.argv[-1].endswith(".png") else None
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    run = Profile(sys.argv[1])
    print(f"means over {run.time:.1f} h/U_b = {run.time * run.u_tau:.2f} h/u_tau, u_tau {run.u_tau:.5f}")
    row("", "fr-les", "reference", "difference")
    row("---", "---", "---", "---")
    reference, _ = table(HERE / "reference.csv")
    means(run, reference)
    total_stress(run)
    terms, _ = table(HERE / "budget.csv")
    if "k_production" in run.of:
        budget(run, terms)
    if figure:
        draw(run, terms, figure)


def draw(run, reference, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for axis, factor in ((axes[0], lambda y: 1), (axes[1], lambda y: y)):
        for number, (name, column) in enumerate(TERMS.items()):
            color = f"C{number}"
            axis.plot(run.y_plus, factor(run.y_plus) * run.of[column][0], color=color, label=name.replace("_", " "))
            axis.plot(reference["y_plus"], factor(reference["y_plus"]) * reference[name], "o", ms=3, color=color)
        axis.plot(run.y_plus, factor(run.y_plus) * run.of["k_residual"][0], "k--", lw=1, label="residual")
        axis.set(xlabel="y+")
    axes[0].set(xlim=(0, 50), title="budget of k in wall units", ylabel="term nu/u_tau^4")
    axes[1].set(xscale="log", xlim=(3, 560), title="the same times y+", ylabel="y+ term nu/u_tau^4")
    axes[0].legend(frameon=False, fontsize=8)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    with input_errors():
        main()
