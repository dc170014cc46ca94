"""Structured grids, one cell deep, of the bump and of the NACA 0012 airfoil of NASA's Turbulence Modeling Resource.

    python3 validation/steady/grid.py bump LEVEL bump.msh
    python3 validation/steady/grid.py naca0012 LEVEL naca.msh

Level 1 has 89 x 41 points for the bump and 225 x 65 for the airfoil; each further level halves the cells. NASA's own
grids have these numbers of points too, but other distributions of them. The README.md files beside the cases have the
extent of the grids. The file is in Gmsh's format (MSH 4.1), which `fr-les mesh import` reads; needs numpy.
"""
import sys

import numpy as np


def geometric(first, total, cells):
    """Returns the places from 0 to `total` of cells in geometric progression; the first has the size `first`."""
    low, high = 1 + 1e-12, 100.0
    for _ in range(200):
        ratio = (low + high) / 2
        log = np.log(first) + cells * np.log(ratio) - np.log(ratio - 1)  # of the sum, whose -1 is left out
        low, high = (ratio, high) if log < np.log(total) else (low, ratio)
    places = first * (ratio ** np.arange(cells + 1) - 1) / (ratio - 1)
    return places * (total / places[-1])


def two_ended(first, last, total, cells):
    """Returns the places from 0 to `total` of cells whose first and last sizes are given (M. Vinokur, J. Comput. Phys.
    50 (1983) 215)."""
    a, b = np.sqrt(last / first), total / cells / np.sqrt(first * last)
    low, high = 1e-9, 50.0
    for _ in range(200):
        delta = (low + high) / 2
        low, high = (delta, high) if np.sinh(delta) / delta < b else (low, delta)
    u = 0.5 * (1 + np.tanh(delta * (np.linspace(0, 1, cells + 1) - 0.5)) / np.tanh(delta / 2))
    return total * u / (a + (1 - a) * u)


def bump(level):
    """Returns the points `[i][j]` of the grid over the bump, and the boundaries of its lower side by x."""
    n = 2 ** (level - 1)
    size = 4 / n  # of the cells, over that of 353 x 161 points
    before = -geometric(0.002 * size, 25, 16 * n)[:0:-1]
    plate = two_ended(0.002 * size, 0.002 * size, 1.5, 56 * n)
    behind = 1.5 + geometric(0.002 * size, 25, 16 * n)[1:]
    x = np.concatenate([before, plate, behind])
    on_bump = (x > 0.3) & (x < 1.2)
    wall = np.where(on_bump, 0.05 * np.sin(np.pi * x / 0.9 - np.pi / 3) ** 4, 0)
    up = geometric(2e-6 * size, 5, 40 * n) / 5
    points = np.empty((len(x), len(up), 2))
    points[:, :, 0] = x[:, None]
    points[:, :, 1] = wall[:, None] + up[None, :] * (5 - wall[:, None])
    return points, lambda a, b: "plate" if a >= -1e-9 and b <= 1.5 + 1e-9 else "symmetry"


def thickness(x):
    """Returns half of the thickness of the airfoil and its slope: the formula of NACA, scaled to close at x = 1."""
    a = 0.594689181 * np.array([0.298222773, -0.127125232, -0.357907906, 0.291984971, -0.105174606])
    y = a[0] * np.sqrt(x) + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])))
    slope = a[0] / 2 / np.sqrt(x) + a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]))
    return y, slope


def naca0012(level):
    """Returns the points `[i][j]` of a C-grid around the airfoil. Its lines are straight and leave the airfoil along
    its normals, and the wake upwards and downwards."""
    n = 2 ** (level - 1)
    size, far = 2 / n, 500.0  # of the cells, over that of 449 x 129 points; distance of the far field
    # Points of the upper side by the length of its arc.
    fine = np.linspace(1e-5, 1, 200001) ** 2
    y, slope = thickness(fine)
    arc = np.concatenate([[0], np.cumsum(np.hypot(np.diff(fine), np.diff(y)))])
    s = two_ended(2e-4 * size, 0.002 * size, arc[-1], 64 * n)
    x = np.interp(s, arc, fine)
    x[0], x[-1] = 0, 1
    x[1:-1] = np.clip(x[1:-1], 1e-12, 1)
    y = np.zeros_like(x)
    y[1:-1], slope = thickness(x[1:-1])
    _, end = thickness(np.array(1.0))
    angle = np.concatenate([[np.pi], np.pi / 2 + np.arctan(slope), [np.pi / 2 + np.arctan(end)]])
    outer = np.stack([far * np.cos(angle), far * np.sin(angle)], axis=1)
    outer[:, 0] += x
    height = np.full(len(x), 2e-6 * size)
    # The wake: its lines become vertical, and its cells higher.
    w = geometric(0.002 * size, far, 48 * n)[1:]
    beyond = outer[-1, 0] + geometric(outer[-1, 0] - outer[-2, 0], 1 + far - outer[-1, 0], 48 * n)[1:]
    wake = np.stack([beyond, np.full(len(w), outer[-1, 1])], axis=1)
    x, y = np.concatenate([x, 1 + w]), np.concatenate([y, 0 * w])
    outer = np.concatenate([outer, wake])
    height = np.concatenate([height, (2e-6 + 1e-3 * w) * size])
    upper = np.empty((len(x), 32 * 2 * n + 1, 2))
    for i, (a, b) in enumerate(zip(np.stack([x, y], axis=1), outer)):
        reach = np.linalg.norm(b - a)
        upper[i] = a + np.outer(geometric(height[i], reach, 64 * n) / reach, b - a)
    lower = upper[:0:-1] * [1, -1]
    points = np.concatenate([lower, upper])
    return points, lambda a, b: "airfoil" if max(a, b) <= 1 + 1e-9 else None


def write(path, points, lower_side, names, depth):
    """Writes the hexahedra between two layers of points. Points of the wake, which the grid has twice, become one.
    `lower_side` names the side j = 0 between two values of x, or is None in the wake; `names` are those of the sides
    j = last, i = 0 and i = last."""
    ni, nj = points.shape[:2]
    flat = points.reshape(-1, 2)
    number = np.arange(ni * nj)
    seen = {}
    for i in range(ni):
        number[i * nj] = seen.setdefault(tuple(flat[i * nj]), i * nj)
    used, index = np.unique(number, return_inverse=True)
    index, count = index.reshape(ni, nj), len(used)
    faces = {}

    def side(name, a, b):
        faces.setdefault(name, []).append((a, b, b + count, a + count))

    for i in range(ni - 1):
        name = lower_side(points[i, 0, 0], points[i + 1, 0, 0])
        if name:
            side(name, index[i, 0], index[i + 1, 0])
        side(names[0], index[i, -1], index[i + 1, -1])
    for j in range(nj - 1):
        side(names[1], index[0, j], index[0, j + 1])
        side(names[2], index[-1, j], index[-1, j + 1])
    a, b, c, d = index[:-1, :-1].ravel(), index[1:, :-1].ravel(), index[1:, 1:].ravel(), index[:-1, 1:].ravel()
    quads = np.stack([a, b, c, d], axis=1)
    faces["front"], faces["back"] = quads, quads + count
    hexahedra = np.concatenate([quads, quads + count], axis=1)
    blocks = [(3, 5, "gas", hexahedra)] + [(2, 3, name, np.array(of)) for name, of in faces.items()]
    with open(path, "w") as file:
        file.write("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n" % len(blocks))
        file.writelines('%d %d "%s"\n' % (dim, tag, name) for tag, (dim, _, name, _) in enumerate(blocks, 1))
        file.write("$EndPhysicalNames\n$Entities\n0 0 %d 1\n" % (len(blocks) - 1))
        file.writelines("%d 0 0 0 0 0 0 1 %d 0\n" % (tag, tag) for tag in range(2, len(blocks) + 1))
        file.write("1 0 0 0 0 0 0 1 1 0\n$EndEntities\n$Nodes\n1 %d 1 %d\n3 1 0 %d\n" % ((2 * count,) * 3))
        file.writelines("%d\n" % n for n in range(1, 2 * count + 1))
        for z in (0.0, depth):
            file.writelines("%.17g %.17g %.17g\n" % (*flat[n], z) for n in used)
        elements = sum(len(of) for *_, of in blocks)
        file.write("$EndNodes\n$Elements\n%d %d 1 %d\n" % (len(blocks), elements, elements))
        element = 0
        for tag, (dim, kind, _, of) in enumerate(blocks, 1):
            file.write("%d %d %d %d\n" % (dim, tag, kind, len(of)))
            for nodes in of:
                element += 1
                file.write("%d %s\n" % (element, " ".join(str(n + 1) for n in nodes)))
        file.write("$EndElements\n")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("bump", "naca0012"):
        sys.exit(__doc__)
    _, which, level, path = sys.argv
    if which == "bump":
        write(path, *bump(int(level)), ("top", "inlet", "outlet"), 1.0)
    else:
        write(path, *naca0012(int(level)), ("far",) * 3, 100.0)
