#!/usr/bin/env python3
"""Errors of the vortex after one period, as root of the mean square over the box, and their rates from mesh to mesh, by
order.

python3 validation/vortex/compare.py DIR... [figure.png | kept/errors.csv]

It needs h5py and numpy, and matplotlib for the figure. The table is what `scripts/validation` reads."""
import glob
import json
import sys
from pathlib import Path

import h5py
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from series import input_errors  # noqa: E402

PERIOD = 24.0


def exact(x, y):
    """Density and velocity of the initial vortex, to which it returns after a period."""
    swirl = np.exp(0.5 * (1 - x * x - y * y)) / np.pi
    return np.stack([(1 - 0.2 * swirl**2) ** 2.5, 0.5 - y * swirl, 0.5 + x * swirl])


def interpolation(p, points):
    """Interpolation from the equally spaced points of a line of order p to others, both on [0, 1]."""
    nodes = np.linspace(0, 1, p + 1)
    others = lambda i: np.delete(nodes, i)
    return np.array([[np.prod((x - others(i)) / (nodes[i] - others(i))) for i in range(p + 1)] for x in points])


def errors(directory):
    """Order, cells a side, and the errors of density and velocity."""
    solutions = sorted(glob.glob(directory + "/solution_*.vtkhdf"))
    if not solutions:
        sys.exit(f"{directory}: there is no solution_*.vtkhdf of a run")
    last = solutions[-1]
    with h5py.File(last) as file:
        data = file["VTKHDF"]
        if data["Steps/Values"][0] != PERIOD:
            sys.exit(f"{last} is not of the end of a period, t = {PERIOD:g}: the run has not come there")
        cells = data["NumberOfCells"][0]
        p = round((len(data["Points"]) / cells) ** (1 / 3)) - 1
        # Points of a cell lie in rows along x, then y, then z; one layer of them shows all.
        layer = lambda name: data[name][:].reshape(cells, p + 1, p + 1, p + 1, -1)[:, 0]
        place = layer("Points")
        found = np.concatenate([layer("PointData/density"), layer("PointData/velocity")[..., :2]], axis=-1)
    x, w = np.polynomial.legendre.leggauss(p + 3)
    to = interpolation(p, (x + 1) / 2)
    at = lambda values: np.einsum("ij,kl,cjlv->vcik", to, to, values)
    place, found = at(place), at(found)
    square = (found - exact(place[0], place[1])) ** 2
    mean = np.einsum("i,k,vcik->v", w / 2, w / 2, square) / cells
    return p, round(cells**0.5), mean[0] ** 0.5, (mean[1] + mean[2]) ** 0.5


def main():
    picture = sys.argv[-1] if sys.argv[-1].endswith(".png") else None
    table = sys.argv[-1] if sys.argv[-1].endswith(".csv") else None
    results = sorted(errors(name) for name in sys.argv[1 : -1 if picture or table else None])
    print(" p   cells   points    density    rate   velocity    rate")
    series = {}
    for p, n, *error in results:
        before = series.setdefault(p, [])
        rates = ["", ""]
        if before:
            rates = [f"{np.log(old / new) / np.log(n / before[-1][0]):.2f}" for old, new in zip(before[-1][1:], error)]
        before.append((n, *error))
        print(f"{p:2} {n:4}^2 {(n * (p + 1)):6}^2 {error[0]:10.2e} {rates[0]:>7} {error[1]:10.2e} {rates[1]:>7}")

    if table:
        with open(sys.argv[1] + "/run.json") as file:
            part = json.load(file)["parts"][-1]
        with open(table, "w") as file:
            file.write(f"# version: fr-les {part['version']}\n# git: {part['git']}\n")
            file.write("order,cells_a_side,density,velocity\n-,-,-,-\n")
            file.writelines(f"{p},{n},{error[0]:.6e},{error[1]:.6e}\n" for p, n, *error in results)

    if picture:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        figure, axis = plt.subplots(figsize=(6, 4.2))
        for p, rows in series.items():
            n, error = np.array([row[0] for row in rows]), np.array([row[2] for row in rows])
            (line,) = axis.loglog(n * (p + 1), error, "o-", label=f"p = {p}")
            axis.loglog(n * (p + 1), error[-1] * (n[-1] / n) ** (p + 1.0), ":", color=line.get_color())
        axis.set(xlabel="points a side", ylabel="error of the velocity (dotted: order p + 1)")
        axis.legend()
        figure.tight_layout()
        figure.savefig(picture, dpi=90)


if len(sys.argv) < 2:
    sys.exit(__doc__)
with input_errors():
    main()
