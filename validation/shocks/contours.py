"""Pictures of the density of double Mach reflection and of the tunnel with a step, from planes of probes, and the
places of their shocks (needs h5py, matplotlib):

    python3 contours.py double-mach results/double-mach double-mach.png
    python3 contours.py step results/step step.png

The front of a shock along a line is where the density halfway between both sides is met first, coming from the gas
before it. The triple point of double Mach reflection is where the front leaves the straight incident shock: the line
through the places at which it lies 0.01 and 0.02 before that shock is carried on to distance 0."""

import sys
from pathlib import Path

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def plane(folder, name):
    """Coordinates x and y of the newest sample of a plane of probes, and its density, [y][x]."""
    with h5py.File(sorted(Path(folder).glob(f"probes_{name}_*.vtkhdf"))[-1]) as file:
        data = file["VTKHDF"]
        x, y = data["Points"][:, 0], data["Points"][:, 1]
        density = data["PointData/density"][:]
    columns = np.unique(x.round(9)).size
    shape = (-1, columns)
    return x.reshape(shape)[0], y.reshape(shape)[:, 0], density.reshape(shape)


def front(x, density, level):
    """The largest x at which the density rises above a level, linear between the points."""
    last = np.nonzero(density > level)[0][-1]
    if last + 1 == x.size:
        return np.nan
    share = (density[last] - level) / (density[last] - density[last + 1])
    return x[last] + share * (x[last + 1] - x[last])


def triple_point(x, y, density):
    """x and y at which the front leaves the incident shock of t = 0.2."""
    incident = 1 / 6 + 20 * 0.2 / 3**0.5 + y / 3**0.5
    ahead = np.array([front(x, row, 4.7) for row in density]) - incident
    heights = []
    for distance in (0.02, 0.01):
        below = np.nonzero(ahead > distance)[0][-1]
        share = (ahead[below] - distance) / (ahead[below] - ahead[below + 1])
        heights.append(y[below] + share * (y[below + 1] - y[below]))
    height = 2 * heights[1] - heights[0]
    return 1 / 6 + 20 * 0.2 / 3**0.5 + height / 3**0.5, height


def double_mach(folder, picture):
    figure, axes = plt.subplots(2, 1, figsize=(9, 9), height_ratios=(1, 1.75))
    for axis, name in zip(axes, ("whole", "jet")):
        x, y, density = plane(folder, name)
        axis.contour(x, y, density, levels=np.linspace(1.5, 21.5, 30), colors="black", linewidths=0.4)
        axis.set_aspect("equal")
    x, y, density = plane(folder, "jet")
    point = triple_point(x, y, density)
    foot = front(x, density[0], 4.7)
    print(f"triple point x = {point[0]:.4f}, y = {point[1]:.4f}; foot of the Mach stem x = {foot:.4f}")
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


def step(folder, picture):
    figure, axis = plt.subplots(figsize=(9, 3.4))
    for name in ("before", "above"):
        x, y, density = plane(folder, name)
        axis.contour(x, y, density, levels=np.linspace(0.09, 6.24, 40), colors="black", linewidths=0.4)
    axis.fill([0.6, 3, 3, 0.6], [0, 0, 0.2, 0.2], color="lightgrey")
    axis.set_aspect("equal")
    for height in (0.3, 0.5, 0.7):
        row = density[np.abs(y - height).argmin()]
        print(f"bow shock at y = {height}: x = {x[np.nonzero(row > 2.8)[0][0]]:.3f}")
    stem = density[-1]
    print(f"Mach stem at the upper wall: x = {x[np.nonzero(stem > 2.8)[0][0]]:.3f}")
    figure.tight_layout()
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    kind, results, output = sys.argv[1:]
    {"double-mach": double_mach, "step": step}[kind](results, output)
