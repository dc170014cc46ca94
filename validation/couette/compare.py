#!/usr/bin/env python3
"""Velocity, temperature, pressure, wall friction and heat flux of the last solution in DIR beside the exact ones, with
a figure, or with the points and the walls of the solution in two tables for `scripts/validation`.

python3 validation/couette/compare.py validation/couette/results/couette [figure.png | kept/hex]

Needs h5py, and matplotlib for the figure."""
import glob
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from series import input_errors  # noqa: E402

U, T0, T1, R, RHO, MU, PR = 1.5, 1.0, 1.2, 1 / 1.4, 1.0, 0.1, 0.72
CP = 3.5 * R
WIDTH = 0.25
END = 25.0
# Conductivity, and the part of the temperature's slope that friction makes.
K, SLOPE = MU * CP / PR, PR * U**2 / (2 * CP)
FIELDS = ("y", "u", "v", "w", "T", "p", "rho")
WALLS = ("y-_force_x", "y+_force_x", "y-_energy_flux", "y+_energy_flux")


def velocity(y):
    return U * (y - 0.5)


def temperature(y):
    return T0 + (T1 - T0) * y + SLOPE * y * (1 - y)


def mean_of_inverse_temperature():
    """The integral of 1/T over the gap: with T = c - b (y - m)^2, a difference of two inverse hyperbolic tangents."""
    middle = 0.5 * (1 + (T1 - T0) / SLOPE)
    root = math.sqrt(temperature(middle) / SLOPE)
    return (math.atanh((1 - middle) / root) + math.atanh(middle / root)) / (SLOPE * root)


# The mass is that of the start.
PRESSURE = RHO * R / mean_of_inverse_temperature()


def largest_errors(points):
    """The largest errors over points of FIELDS."""
    errors = {"u/U": 0.0, "v/U, w/U": 0.0, "T/T0": 0.0, "p": 0.0, "rho": 0.0}
    for y, u, v, w, t, p, rho in points:
        found = {
            "u/U": (u - velocity(y)) / U,
            "v/U, w/U": max(abs(v), abs(w)) / U,
            "T/T0": (t - temperature(y)) / T0,
            "p": p / PRESSURE - 1,
            "rho": rho / (PRESSURE / R / temperature(y)) - 1,
        }
        errors = {name: max(error, abs(found[name])) for name, error in errors.items()}
    return errors


def wall_errors(walls):
    """The largest errors of the friction, and of the heat into the walls and the work of the friction."""
    force = [walls[name] / WIDTH**2 for name in WALLS[:2]]
    energy = [walls[name] / WIDTH**2 for name in WALLS[2:]]
    # Energy that leaves: conducted heat, and the work of friction on the moving wall.
    work = MU * U * U / 2
    exact = (K * (T1 - T0 + SLOPE) - work, -K * (T1 - T0 - SLOPE) - work)
    return {
        "friction": max(abs(force[0] - MU * U), abs(force[1] + MU * U)),
        "heat into the walls and work of the friction": max(abs(a - b) for a, b in zip(energy, exact)),
    }


def last_solution(directory):
    """The points of the last solution of a run, and its provenance as comments."""
    import h5py

    solutions = sorted(glob.glob(directory + "/solution_*.vtkhdf"))
    if not solutions:
        sys.exit(f"{directory}: there is no solution_*.vtkhdf of a run")
    last = solutions[-1]
    with h5py.File(last) as file:
        data = file["VTKHDF"]
        if data["Steps/Values"][0] < END:
            sys.exit(f"{last} is of t = {data['Steps/Values'][0]:g}: the flow is steady from t = {END:g} on")
        fields = [data["PointData/" + name][:] for name in ("velocity", "temperature", "pressure", "density")]
        rows = zip(data["Points"][:, 1], *fields[0].T, *fields[1:])
        return [tuple(float(x) for x in row) for row in rows]


def last_walls(directory):
    """The comments of boundaries.csv, and its last row by name."""
    lines = Path(directory, "boundaries.csv").read_text().splitlines()
    names, _, *rows = [line.split(",") for line in lines if not line.startswith("#")]
    return [line for line in lines if line.startswith("#")], dict(zip(names, map(float, rows[-1])))


def keep(directory, target):
    """Writes the points, each once, and the last state of the walls, beside a name."""
    comments, walls = last_walls(directory)
    points = sorted(set(last_solution(directory)))
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    for name, names, rows in (
        ("", FIELDS, points),
        ("-walls", WALLS, [[walls[name] for name in WALLS]]),
    ):
        units = ["-"] * len(names)
        lines = [*comments, ",".join(names), ",".join(units), *(",".join(map(repr, row)) for row in rows)]
        Path(f"{target}{name}.csv").write_text("\n".join(lines) + "\n")


def draw(points, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    y, u, _, _, t, *_ = zip(*points)
    line = [n / 200 for n in range(201)]
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), sharey=True)
    for axis, values, exact, label in (
        (axes[0], [x / U for x in u], [velocity(x) / U for x in line], "u/U"),
        (axes[1], t, [temperature(x) for x in line], "T/T0"),
    ):
        axis.plot(exact, line, color="0.6", lw=3, label="exact")
        axis.plot(values, y, "k.", ms=5, label="fr-les")
        axis.set(xlabel=label)
    axes[0].set(ylabel="y/H")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(path, dpi=100)


def main(directory, target=None):
    points = last_solution(directory)
    print("largest errors over all points, and of the walls")
    for name, error in (largest_errors(points) | wall_errors(last_walls(directory)[1])).items():
        print(f"{name:44} {error:9.2e}")
    if target and target.endswith(".png"):
        draw(points, target)
    elif target:
        keep(directory, target)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with input_errors():
        main(*sys.argv[1:])
