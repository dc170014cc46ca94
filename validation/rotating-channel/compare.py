#!/usr/bin/env python3
"""A rotating channel: the friction of both walls, where the mean velocity is largest, the slope of the mean velocity
over 2 Omega, and the balance of momentum. Prints the rows of README.md.

python3 validation/rotating-channel/compare.py ROTATING RESTING [figure.png]

ROTATING and RESTING are the files statistics.csv of runs with Ro = 0.15 and without rotation. The figure needs
matplotlib. Errors are two standard errors."""
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from series import between, input_errors, series  # noqa: E402

RE, RO = 2900, 0.15


class Run:
    """Means over planes, and u_tau of the walls with its standard error."""

    def __init__(self, path):
        columns = series(path)
        self.y, self.u, self.uv = columns("y"), columns("u"), columns("uv")
        head = [line[2:].strip() for line in Path(path).read_text().splitlines() if line.startswith("#")]
        known = dict(line.split(": ", 1) for line in head if ": " in line)
        self.time = float(known["to"]) - float(known["from"])
        self.friction, taus = {}, []
        for name in ("y-", "y+"):
            wall = {k: float(v.split()[0]) for k, v in (p.split(" = ") for p in known["wall " + name].split(", "))}
            u_tau = math.sqrt(wall["tau"] / wall["rho"])
            self.friction[name] = u_tau, 0.5 * u_tau * wall["tau_error"] / wall["tau"]
            taus.append(u_tau**2)
        # That of the force, which is the mean of both walls.
        self.u_tau = math.sqrt(sum(taus) / 2)


def slope(run):
    """The slope of the mean velocity where it is straight: a line through the points from y/h = -0.6 to 0.2."""
    there = [(y, u) for y, u in zip(run.y, run.u) if -0.6 < y < 0.2]
    y0, u0 = (sum(values) / len(there) for values in zip(*there))
    return sum((y - y0) * (u - u0) for y, u in there) / sum((y - y0) ** 2 for y, _ in there)


def imbalance(run):
    """The largest difference between the total stress and the straight line between the walls, y/h -0.85 to 0.85."""
    (pressure, _), (suction, _) = run.friction["y-"], run.friction["y+"]
    largest = 0.0
    for n in range(1, len(run.y) - 1):
        y = run.y[n]
        before, after = ((run.u[n + k] - run.u[n + k - 1]) / (run.y[n + k] - run.y[n + k - 1]) for k in (0, 1))
        share = (y - run.y[n - 1]) / (run.y[n + 1] - run.y[n - 1])
        total = (before + share * (after - before)) / RE - run.uv[n]
        line = 0.5 * (pressure**2 * (1 - y) - suction**2 * (1 + y))
        if abs(y) < 0.85:
            largest = max(largest, abs(total - line))
    return largest / run.u_tau**2


def rows(run, rest):
    """The rows of the table."""
    (pressure, error_p), (suction, error_s) = run.friction["y-"], run.friction["y+"]
    ratio = pressure / suction
    error = 2 * ratio * math.hypot(error_p / pressure, error_s / suction)
    n = max(range(len(run.y)), key=lambda k: run.u[k])
    difference = between(run.y, run.u, 0.5) - between(run.y, run.u, -0.5)
    over = f"{pressure / rest.u_tau:.3f}, {suction / rest.u_tau:.3f}"
    return [
        ("Re_tau of the pressure side", f"{RE * pressure:.1f} +- {2 * RE * error_p:.1f}"),
        ("Re_tau of the suction side", f"{RE * suction:.0f} +- {2 * RE * error_s:.0f}"),
        ("u_tau of the pressure side over that of the suction side", f"{ratio:.2f} +- {error:.2f}"),
        ("Re_tau without rotation", f"{RE * rest.u_tau:.1f}"),
        ("u_tau over that without rotation, pressure and suction side", over),
        ("largest mean velocity over U_b, at y/h", f"{run.u[n]:.3f} at {run.y[n]:.2f}"),
        ("slope of the mean velocity over 2 Omega, y/h -0.6 to 0.2", f"{slope(run) / RO:.3f}"),
        ("U at y/h = 0.5 less U at -0.5, over U_b", f"{difference:+.3f}"),
        ("total stress less the straight line between the walls, over u_tau^2", f"{imbalance(run):.3f}"),
    ]


def main():
    figure = sys.argv.pop() if sys.argv[-1].endswith(".png") else None
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    run, rest = map(Run, sys.argv[1:])
    print(f"means over {run.time:.0f} h/U_b = {run.time * run.u_tau:.1f} h/u_tau, and {rest.time:.0f} without rotation")
    for cells in rows(run, rest):
        print("| " + " | ".join(cells) + " |")
    if figure:
        draw(run, rest, figure)


def draw(run, rest, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    for of, label in ((run, f"Ro = {RO}"), (rest, "Ro = 0")):
        left.plot(of.y, of.u, label=label)
        right.plot(of.y, [-uv / of.u_tau**2 for uv in of.uv], label=label)
    ends, middle = (-0.75, 0.35), between(run.y, run.u, -0.2)
    left.plot(ends, [middle + RO * (y + 0.2) for y in ends], "k--", lw=1, label="slope 2 Omega")
    left.set(xlabel="y/h (pressure side left)", ylabel="U/U_b")
    right.set(xlabel="y/h", ylabel="-uv/u_tau^2")
    left.legend(frameon=False)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    with input_errors():
        main()
