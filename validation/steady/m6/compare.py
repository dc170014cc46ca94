#!/usr/bin/env python3
"""Pressures at the seven stations of the taps, from a steady solution, beside the measured ones.

In the folder of this file:

    python3 compare.py keep results/NAME/steady/steady.vtkhdf kept/NAME-cp.csv    (numpy, h5py)
    python3 compare.py draw cp.png                                                (matplotlib)

The first command keeps the pressure coefficients at the vertices of the stations, which are layers of the mesh; the
second one draws those of all meshes with kept files. `scripts/validation` has the numbers of README.md."""
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent.parent))
from series import between, input_errors, series  # noqa: E402

# As in mesh.py and run.yaml, in chords of the root.
ROOT = 2 * 0.7532 / 1.1963 / 1.562
SPAN, TAPER, SWEEP = 1.1963 / ROOT, 0.562, math.tan(math.radians(30))
STATIONS = (0.20, 0.44, 0.65, 0.80, 0.90, 0.96, 0.99)
MACH, ALPHA, AREA = 0.8395, math.radians(3.06), 0.7532 / ROOT**2
DYNAMIC = MACH**2 / 2
MESHES = {"coarse": "108 933", "medium": "442 837", "fine": "1 041 248"}  # with their vertices


def keep(solution, target):
    """Writes the pressure coefficients of a solution on the wall at the stations."""
    import h5py
    import numpy as np

    with h5py.File(solution) as file:
        data = file["VTKHDF"]
        points, fields = data["Points"][:], data["PointData"]
        on_wall = fields["wall_distance"][:] == 0
        points, pressure = points[on_wall].astype(float), fields["pressure"][:][on_wall].astype(float)
    rows = {}
    for station in STATIONS:
        chord = 1 - (1 - TAPER) * station
        for (x, _, z), p in zip(*(of[abs(points[:, 1] - station * SPAN) < 1e-5] for of in (points, pressure))):
            along = (x - station * SPAN * SWEEP) / chord
            # Both sides have the points of the edges.
            for upper in {z >= -1e-7, z > 1e-7}:
                rows[station, int(upper), f"{abs(along):.5f}"] = (p - 1 / 1.4) / DYNAMIC
    with open(target, "w") as file:
        file.write(f"# Pressure coefficients on the wing, from {Path(solution).name} of fr-les.\n")
        file.write("y_over_b,upper,x_over_c,cp\n")
        file.writelines(f"{y:.2f},{upper},{x},{rows[y, upper, x]:.4f}\n" for y, upper, x in sorted(rows))


def sides(path):
    """The points of a table, by station and side, with x rising."""
    columns = series(path)
    table = {}
    for y, upper, x, cp in sorted(zip(*map(columns, ("y_over_b", "upper", "x_over_c", "cp")))):
        table.setdefault((y, upper), []).append((x, cp))
    return {side: tuple(zip(*points)) for side, points in table.items()}


def difference(computed, taps, stations):
    """The root mean square of the difference of the pressure coefficients at the taps of stations behind x/c = 0.01,
    ahead of which the pressure changes as fast as at a shock."""
    squares = [
        (between(*computed[side], x) - cp) ** 2
        for side, points in taps.items()
        if side[0] in stations
        for x, cp in zip(*points)
        if x > 0.01
    ]
    return math.sqrt(sum(squares) / len(squares))


def shock(points):
    """The place between x = 0.12 and 0.9 of the chord where the pressure coefficient of the upper side rises fastest
    from point to point: the middle of both, and half of their distance."""
    x, cp = points
    behind = [n for n in range(1, len(x)) if 0.12 < x[n - 1] < 0.9]
    n = max(behind, key=lambda n: (cp[n] - cp[n - 1]) / (x[n] - x[n - 1]))
    return (x[n] + x[n - 1]) / 2, (x[n] - x[n - 1]) / 2


def forces(convergence):
    """Lift and drag coefficients and the part of the drag that is friction, at the end of convergence.csv."""
    x, z = (sum(convergence(f"{part}_{axis}")[-1] for part in ("pressure", "friction")) for axis in "xz")
    friction = [convergence(f"friction_{axis}")[-1] for axis in "xz"]
    along = lambda x, z: (x * math.cos(ALPHA) + z * math.sin(ALPHA)) / (DYNAMIC * AREA)
    return (z * math.cos(ALPHA) - x * math.sin(ALPHA)) / (DYNAMIC * AREA), along(x, z), along(*friction)


def kept():
    """The meshes with kept files."""
    return {name: n for name, n in MESHES.items() if (HERE / f"kept/{name}-cp.csv").exists()}


def draw(path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    taps = sides(HERE / "taps.csv")
    figure, axes = plt.subplots(2, 4, figsize=(13, 6.5), sharex=True, sharey=True, layout="constrained")
    flat = axes.ravel()
    for station, axis in zip(STATIONS, flat):
        for (name, vertices), colour in zip(kept().items(), ("tab:orange", "tab:green", "tab:blue")):
            table = sides(HERE / f"kept/{name}-cp.csv")
            for upper in (1, 0):
                label = f"{name}, {vertices} vertices" if upper else None
                axis.plot(*table[station, upper], lw=1, color=colour, label=label)
        for upper, marker in ((1, "o"), (0, "s")):
            label = f"measured, {'upper' if upper else 'lower'} side"
            axis.plot(*taps[station, upper], marker, ms=3.5, mfc="none", color="black", label=label)
        axis.set_title(f"y/b = {station:.2f}", fontsize=10)
    flat[0].invert_yaxis()
    for axis in axes[:, 0]:
        axis.set_ylabel("C_p")
    for axis in (*axes[1, :3], axes[0, 3]):
        axis.set_xlabel("x/c")
    handles = flat[0].get_legend_handles_labels()
    flat[-1].axis("off")
    flat[-1].legend(*handles, frameon=False, loc="center")
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    with input_errors():
        if len(sys.argv) == 4 and sys.argv[1] == "keep":
            keep(*sys.argv[2:])
        elif len(sys.argv) == 3 and sys.argv[1] == "draw":
            draw(sys.argv[2])
        else:
            sys.exit(__doc__)
