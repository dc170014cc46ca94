#!/usr/bin/env python3
"""A rotating channel: the friction of both walls, where the mean velocity is largest, the slope of the mean velocity
over 2 Omega, and the balance of momentum. Prints the rows of README.md.

python3 validation/rotating-channel/compare.py ROTATING [RESTING] [figure.png]

It needs numpy, and matplotlib for the figure. ROTATING and RESTING are the directories of runs with Ro = 0.15 and
without rotation. Errors are two standard errors."""
import sys
from pathlib import Path

import numpy as np

RE, RO = 2900, 0.15


def row(*cells):
    print("| " + " | ".join(cells) + " |")


class Run:
    def __init__(self, directory):
        lines = (Path(directory) / "statistics.csv").read_text().splitlines()
        head = [line[2:] for line in lines if line.startswith("#")]
        names, _, *rows = [line.split(",") for line in lines if not line.startswith("#")]
        columns = dict(zip(names, np.array(rows, dtype=float).T))
        self.y, self.u, self.uv = columns["y"], columns["u"], columns["uv"]
        self.walls = {}
        for line in head:
            if line.startswith("wall "):
                name, parts = line[5:].split(": ", 1)
                self.walls[name] = {key: float(v.split()[0]) for key, v in (p.split(" = ") for p in parts.split(", "))}
        known = dict(line.split(": ", 1) for line in head if ": " in line and not line.startswith("wall "))
        self.time = float(known["to"]) - float(known["from"])
        # u_tau of the force, which is that of the mean of both walls.
        taus = [wall["tau"] / wall["rho"] for wall in self.walls.values()]
        self.u_tau = np.sqrt(np.mean(taus))

    def friction(self, name):
        """u_tau of a wall and its error."""
        wall = self.walls[name]
        u_tau = np.sqrt(wall["tau"] / wall["rho"])
        return u_tau, 0.5 * u_tau * wall.get("tau_error", np.nan) / wall["tau"]


def slope(run):
    """The slope of the mean velocity where it is straight: a line through the points from y/h = -0.6 to 0.2."""
    there = (run.y > -0.6) & (run.y < 0.2)
    return np.polyfit(run.y[there], run.u[there], 1)[0]


def main():
    figure = sys.argv.pop() if sys.argv[-1].endswith(".png") else None
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    run = Run(sys.argv[1])
    rest = Run(sys.argv[2]) if len(sys.argv) == 3 else None
    print(f"means over {run.time:.0f} h/U_b = {run.time * run.u_tau:.1f} h/u_tau")
    row("", "fr-les")
    row("---", "---")
    (pressure, error_p), (suction, error_s) = run.friction("y-"), run.friction("y+")
    row("Re_tau of the pressure side", f"{RE * pressure:.1f} +- {2 * RE * error_p:.1f}")
    row("Re_tau of the suction side", f"{RE * suction:.1f} +- {2 * RE * error_s:.1f}")
    row("Re_tau of the force", f"{RE * run.u_tau:.1f}")
    error = pressure / suction * np.hypot(error_p / pressure, error_s / suction)
    row("u_tau of the pressure side over that of the suction side", f"{pressure / suction:.3f} +- {2 * error:.3f}")
    row("tau of the pressure side over that of the suction side", f"{(pressure / suction) ** 2:.3f}")
    if rest:
        row("Re_tau without rotation", f"{RE * rest.u_tau:.1f}")
        row("u_tau over that without rotation, pressure and suction side",
            f"{pressure / rest.u_tau:.3f}, {suction / rest.u_tau:.3f}")
    n = int(np.argmax(run.u))
    a, b, _ = np.polyfit(run.y[n - 2 : n + 3], run.u[n - 2 : n + 3], 2)
    row("largest mean velocity over U_b, at y/h", f"{run.u[n]:.4f} at {-b / (2 * a):.3f}")
    row("slope of the mean velocity over 2 Omega, y/h -0.6 to 0.2", f"{slope(run) / RO:.3f}")
    quarter, three = np.interp([-0.5, 0.5], run.y, run.u)
    row("U at y/h = 0.5 less U at -0.5, over U_b", f"{three - quarter:+.4f}")
    gradient = np.gradient(run.u, run.y) / RE
    total = gradient - run.uv
    linear = 0.5 * (pressure**2 * (1 - run.y) - suction**2 * (1 + run.y))
    away = np.abs(run.y) < 0.85
    row("total stress less the straight line between the walls, over u_tau^2",
        f"{np.abs((total - linear)[away]).max() / run.u_tau**2:.3f}")
    if figure:
        draw(run, rest, figure)


def draw(run, rest, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for of, label in ((run, f"Ro = {RO}"), (rest, "Ro = 0")):
        if of:
            left.plot(of.y, of.u, label=label)
            right.plot(of.y, -of.uv / of.u_tau**2, label=label)
    y = np.array([-0.75, 0.35])
    left.plot(y, np.interp(-0.2, run.y, run.u) + RO * (y + 0.2), "k--", lw=1, label="slope 2 Omega")
    left.set(xlabel="y/h (pressure side left)", ylabel="U/U_b")
    right.set(xlabel="y/h", ylabel="-uv/u_tau^2")
    left.legend(frameon=False)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
