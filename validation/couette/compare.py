#!/usr/bin/env python3
"""Velocity, temperature, pressure, wall friction and heat flux of the last solution in DIR beside the exact ones, with
a figure.

python3 validation/couette/compare.py validation/couette/results/couette [figure.png]
(needs h5py, numpy; matplotlib for the figure)"""
import glob
import sys

import h5py
import numpy as np

U, T0, T1, R, RHO, MU, PR = 1.5, 1.0, 1.2, 1 / 1.4, 1.0, 0.1, 0.72
CP = 3.5 * R
WIDTH = 0.25


def velocity(y):
    return U * (y - 0.5)


def temperature(y):
    return T0 + (T1 - T0) * y + PR * U**2 / (2 * CP) * y * (1 - y)


# The mass is that of the start, so that the pressure follows from the mean of 1/T: by 40 Gauss points.
x, w = np.polynomial.legendre.leggauss(40)
pressure = RHO * R / np.sum(w / 2 / temperature((x + 1) / 2))

last = sorted(glob.glob(sys.argv[1] + "/solution_*.vtkhdf"))[-1]
with h5py.File(last) as file:
    data = file["VTKHDF"]
    y = data["Points"][:, 1]
    time = data["Steps/Values"][0]
    found = {name: data["PointData/" + name][:] for name in ("velocity", "temperature", "pressure", "density")}

if time < 25:
    sys.exit(f"{last} is of t = {time:g}: the flow is steady from t = 25 on")
print(f"{last}, t = {time:g}; largest errors over all points")
errors = {
    "u/U": (found["velocity"][:, 0] - velocity(y)) / U,
    "v/U, w/U": found["velocity"][:, 1:] / U,
    "T/T0": (found["temperature"] - temperature(y)) / T0,
    "p/p": found["pressure"] / pressure - 1,
    "rho": found["density"] / (pressure / R / temperature(y)) - 1,
}
for name, error in errors.items():
    print(f"{name:10} {np.abs(error).max():9.2e}")

rows = [line for line in open(sys.argv[1] + "/boundaries.csv") if not line.startswith("#")]
names, last_row = rows[0].strip().split(","), [float(x) for x in rows[-1].split(",")]
wall = lambda name: last_row[names.index(name)] / WIDTH**2
k, slope = MU * CP / PR, PR * U**2 / (2 * CP)
# Energy that leaves: conducted heat, and the work of friction on the moving wall.
exact = {
    "y-_force_x": MU * U,
    "y+_force_x": -MU * U,
    "y-_force_y": -pressure,
    "y-_energy_flux": k * (T1 - T0 + slope) - MU * U * U / 2,
    "y+_energy_flux": -k * (T1 - T0 - slope) - MU * U * U / 2,
}
for name, value in exact.items():
    print(f"{name:15} {wall(name):13.9f}  exact {value:13.9f}  error {abs(wall(name) - value):.1e}")

if len(sys.argv) > 2:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    line = np.linspace(0, 1, 200)
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), sharey=True)
    for axis, values, exact, label in (
        (axes[0], found["velocity"][:, 0] / U, velocity(line) / U, "u/U"),
        (axes[1], found["temperature"], temperature(line), "T/T0"),
    ):
        axis.plot(exact, line, color="0.6", lw=3, label="exact")
        axis.plot(values, y, "k.", ms=5, label="fr-les")
        axis.set(xlabel=label)
    axes[0].set(ylabel="y/H")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=100)
