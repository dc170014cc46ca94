#!/usr/bin/env python3
"""Runs of a channel beside each other: how sure their friction is, whether momentum balances over time, and how
profiles differ.

python3 validation/channel-180/compare.py DIR... [balance.csv] [figure.png]
                                                        (needs numpy; matplotlib for the figure)

The balance: what the momentum of the gas has gained since the statistics began, less the impulse of the force, plus
that of the walls' drag; over the impulse of the drag to the end. Force and drag are integrated by the trapezoidal rule
between the rows of forcing.csv and boundaries.csv; balance.csv keeps its numbers for rows.py. The error of a mean is
that of means over 20 h/U_b, taken as independent."""
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from series import input_errors  # noqa: E402

SPAN = 20.0


def table(path):
    """Columns by name, and the comments."""
    with open(path) as file:
        lines = file.read().splitlines()
    comments = [line[2:] for line in lines if line.startswith("#")]
    rows = [line.split(",") for line in lines if not line.startswith("#")]
    return dict(zip(rows[0], np.array(rows[2:], dtype=float).T)), comments


def comment(comments, name):
    """Value of one of the comments."""
    return float(next(line for line in comments if line.startswith(name + ":")).split(":")[1])


def impulse(time, force):
    """Integral of a force up to each time."""
    return np.concatenate([[0], np.cumsum(0.5 * (force[1:] + force[:-1]) * np.diff(time))])


class Run:
    def __init__(self, directory):
        self.name = directory.rstrip("/").split("/")[-1]
        profile, comments = table(directory + "/statistics.csv")
        self.re_tau = comment(comments, "re_tau")
        forcing, _ = table(directory + "/forcing.csv")
        walls, _ = table(directory + "/boundaries.csv")
        integrals, _ = table(directory + "/integrals.csv")
        _, f, w = np.intersect1d(forcing["step"], walls["step"], return_indices=True)
        sampled = forcing["time"][f] >= comment(comments, "from")
        f, w = f[sampled], w[sampled]
        time, area = forcing["time"][f], walls["y-_area"][0]
        drag = walls["y-_force_x"][w] + walls["y+_force_x"][w]
        mass = integrals["mass"]
        # The gap is 2 wide.
        volume = 2 * area
        momentum = forcing["bulk_velocity"][f] * forcing["bulk_density"][f] * volume
        lost = impulse(time, drag)
        self.time = time
        self.residual = (momentum - momentum[0] - volume * impulse(time, forcing["force"][f]) + lost) / lost[-1]
        self.mass_drift = mass[-1] / mass[0] - 1
        edges = np.arange(time[0], time[-1] - SPAN, SPAN)
        means = np.array([drag[(time >= t) & (time < t + SPAN)].mean() for t in edges])
        # Re_tau goes with the root of the drag.
        self.error = "?   (two spans at least)"
        if len(means) > 1:
            self.error = f"{0.5 * self.re_tau * means.std(ddof=1) / means.mean() / np.sqrt(len(means)):.2f}"
        # Mean of both halves, in the wall units of the run itself.
        walls = (line.split(": ", 1)[1].split(", ") for line in comments if line.startswith("wall "))
        wall = [dict(part.split(" = ") for part in parts) for parts in walls]
        u_tau = np.sqrt(np.mean([float(w["tau"]) / float(w["rho"]) for w in wall]))
        self.y = 1 - np.abs(profile["y"])
        units = {"u": u_tau, "uu": u_tau**2, "vv": u_tau**2, "ww": u_tau**2}
        self.profile = {name: 0.5 * (profile[name] + profile[name][::-1]) / unit for name, unit in units.items()}


def main():
    figure = sys.argv.pop() if sys.argv[-1].endswith(".png") else None
    kept = sys.argv.pop() if sys.argv[-1].endswith(".csv") else None
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    runs = [Run(directory) for directory in sys.argv[1:]]
    print(f"{'run':12} Re_tau          momentum: largest residual, at the end  mass drift")
    for run in runs:
        largest = np.abs(run.residual).max()
        balance = f"{largest:25.1e} {run.residual[-1]:14.1e} {run.mass_drift:+12.1e}"
        print(f"{run.name:12} {run.re_tau:.2f} +- {run.error}  {balance}")
    first = runs[0]
    for run in runs[1:]:
        if not np.array_equal(run.y, first.y):
            continue
        largest = {
            name: 100 * np.abs(run.profile[name] - first.profile[name]).max() / first.profile[name].max()
            for name in run.profile
        }
        differences = ", ".join(f"{name} {value:.2f} %" for name, value in largest.items())
        print(f"{run.name} and {first.name}, largest difference over the maximum: {differences}")
    if kept:
        rows = [f"{np.abs(run.residual).max():.3e},{run.residual[-1]:.3e},{run.mass_drift:.3e}" for run in runs]
        head = "# runs: " + ", ".join(run.name for run in runs)
        Path(kept).write_text("\n".join([head, "largest,end,mass_drift", *rows]) + "\n")
    if figure:
        draw(runs, figure)


def draw(runs, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for run in runs:
        left.plot(run.time, 1e6 * run.residual, lw=1, label=run.name)
    left.set(
        title="Momentum: gain less impulses", xlabel="time [h/U_b]", ylabel="residual over the drag's impulse [1e-6]"
    )
    left.legend(frameon=False)
    half = runs[0].y.size // 2
    for run in runs:
        if np.array_equal(run.y, runs[0].y):
            right.plot(run.y[:half], (run.profile["u"] - runs[0].profile["u"])[:half], label=run.name)
    right.set(title=f"U+ less that of {runs[0].name}", xlabel="y/h", ylabel="difference of U+")
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    with input_errors():
        main()
