#!/usr/bin/env python3
"""Writes the structured mesh around the ONERA M6 wing as a file of Gmsh (MSH 4.1); needs numpy, seconds.

    python3 validation/steady/m6/mesh.py SIZE m6.msh

SIZE 1 has 56 cells on each side of the section, 28 along the span, 14 over the quarter of the tip's circumference (10
at least, so that cells turn by less than 10 degrees), 64 off the wall and 24 along the wake; SIZE multiplies the sizes
of all cells, so that 2 is coarser and 0.5 finer. Lengths are in chords of the root.

The tip is half a body of revolution about the chord of the tip, whose width is 0.001 of this chord at its trailing
edge. The upper half of the mesh is one block `[i, k, j]`: i goes from the leading to the trailing edge and along the
wake, k along the span and over the tip down to its edge, and j off the wall. The lower half is its mirror image, and
both share the points of the plane z = 0 (topology C-O). Lines of j are curves of Bezier that leave the wall along its
normal."""
import csv
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from grid import geometric, two_ended  # noqa: E402

# V. Schmitt & F. Charpin, AGARD AR-138 (1979): semi-span, taper, sweep of the leading edge; area and mean chord give
# the root chord 0.80616 m.
ROOT = 2 * 0.7532 / 1.1963 / 1.562
SPAN, TAPER, SWEEP = 1.1963 / ROOT, 0.562, np.tan(np.radians(30.0))
STATIONS = [0.20, 0.44, 0.65, 0.80, 0.90, 0.96, 0.99]  # y over the span, of the pressure taps
FAR, REACH = 25.0, 2.0  # distance of the far field; length over which lines keep the direction of the wall's normal
FIRST = 3e-6  # height of the first cells at SIZE 1
TIP_WIDTH = 1e-3  # of the tip at its trailing edge, over its chord


def count(cells, size):
    return max(1, round(cells / size))


def section(size):
    """The places x, z of the upper side of the section from the leading to the trailing edge, and the normals there."""
    with open(HERE / "section.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    # Over the root of x the nose is smooth.
    given = np.array([[float(row["x_over_c"]), float(row["z_over_c"])] for row in rows])
    root = np.linspace(0, 1, 20001)
    height = spline(np.sqrt(given[:, 0]), given[:, 1], root)
    arc = np.concatenate([[0], np.cumsum(np.hypot(np.diff(root**2), np.diff(height)))])
    at = np.interp(two_ended(1.2e-3 * size, 5e-3 * size, arc[-1], count(56, size)), arc, root)
    x, z = at**2, np.interp(at, root, height)
    x[0], z[0], x[-1], z[-1] = 0, 0, 1, 0
    slope = np.interp(at, root, np.gradient(height, root))
    normal = np.stack([-slope, 2 * at], axis=1)
    return x, z, normal / np.linalg.norm(normal, axis=1, keepdims=True)


def spline(x, y, at):
    """The cubic spline through points whose slope at the first end is free, and natural at both."""
    h, n = np.diff(x), len(x)
    matrix, right = np.eye(n), np.zeros(n)
    for k in range(1, n - 1):
        matrix[k, k - 1 : k + 2] = h[k - 1], 2 * (h[k - 1] + h[k]), h[k]
        right[k] = 6 * ((y[k + 1] - y[k]) / h[k] - (y[k] - y[k - 1]) / h[k - 1])
    second = np.linalg.solve(matrix, right)
    k = np.clip(np.searchsorted(x, at) - 1, 0, n - 2)
    t, s = at - x[k], x[k + 1] - at
    return (
        (second[k] * s**3 + second[k + 1] * t**3) / (6 * h[k])
        + (y[k] / h[k] - second[k] * h[k] / 6) * s
        + (y[k + 1] / h[k] - second[k + 1] * h[k] / 6) * t
    )


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def between(a, b, t):
    """The direction at the part t of the arc from a to b."""
    angle = np.arccos(np.clip((a * b).sum(axis=-1, keepdims=True), -1, 1))
    thin = angle < 1e-6
    angle = np.where(thin, 1, angle)
    t = np.asarray(t)[..., None]
    on_arc = (np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle)
    return unit(np.where(thin, a + 0 * t, on_arc))


class Block:
    """The points of the upper half and the places of its edges."""

    def __init__(self, size):
        x, z, normal = section(size)
        y = [0.0]
        for end, cells in zip([*STATIONS, 1.0], [4, 5, 5, 4, 4, 3, 2, 1]):
            y += list(np.linspace(y[-1], end * SPAN, count(cells, size) + 1)[1:])
        around = np.linspace(0, np.pi / 2, max(10, count(14, size)) + 1)[1:]
        self.tail, self.tip, self.edge = len(x) - 1, len(y) - 1, len(y) - 1 + len(around)
        wall = np.empty((len(x), self.edge + 1, 3))
        normals = np.empty_like(wall)
        for k, at in enumerate(y):
            chord = 1 - (1 - TAPER) * at / SPAN
            wall[:, k] = np.stack([at * SWEEP + chord * x, 0 * x + at, chord * z], axis=1)
            # The vector along the span is (slope, 1, taper of the height).
            lean = SWEEP - (1 - TAPER) / SPAN * x, -(1 - TAPER) / SPAN * z
            tilt = -(normal[:, 0] * lean[0] + normal[:, 1] * lean[1])
            normals[:, k] = unit(np.stack([normal[:, 0], tilt, normal[:, 1]], axis=1))
        width = TAPER * (z + TIP_WIDTH * x**6)
        for k, angle in enumerate(around, self.tip + 1):
            wall[:, k] = wall[:, self.tip] + np.stack(
                [0 * x, np.sin(angle) * width, (np.cos(angle) - 1) * TAPER * z], axis=1
            )
            # With the sweep of the leading edge in it, as otherwise lines would meet ahead of the tip.
            ahead, out, up = normals[:, self.tip].T
            normals[:, k] = unit(np.stack([ahead, out + up * np.sin(angle), up * np.cos(angle)], axis=1))
        wall[:, self.edge, 2] = 0
        normals = self.smoothed(normals)
        base, direction, height = self.with_wake(wall, normals, size)
        outer = self.outer(normal, size, base)
        self.points = lines(base, direction, outer, height, count(64, size))
        on_plane = self.shared(self.points.shape[:3])
        self.points[on_plane, 2] = 0
        self.points[:, 0, :, 1] = 0

    def smoothed(self, normals):
        """The normals without the jumps at the tip; the lines of a point, or in a plane, stay there."""
        for _ in range(6):
            mean = normals.copy()
            mean[1:-1] += 0.5 * (normals[:-2] + normals[2:] - 2 * normals[1:-1])
            mean[:, 1:-1] += 0.5 * (normals[:, :-2] + normals[:, 2:] - 2 * normals[:, 1:-1])
            normals = unit(0.5 * normals + 0.5 * unit(mean + normals))
            normals[:, 0, 1] = 0
            normals[0, :, 2] = 0
            normals[:, self.edge, 2] = 0
            normals[0, self.tip :] = normals[0, self.tip :].mean(axis=0)
            normals = unit(normals)
        return normals

    def with_wake(self, wall, normals, size):
        """The points j = 0 on the wall and in the wake, the directions of their lines, and the heights of the cells."""
        cells = count(24, size)
        wake = np.empty((cells, *wall.shape[1:]))
        direction, height = np.empty_like(wake), np.empty(wake.shape[:2])
        for k, end in enumerate(wall[-1]):
            chord = 1 - (1 - TAPER) * min(end[1] / SPAN, 1)
            behind = geometric(5e-3 * size * chord, FAR + 1 - end[0], cells)[1:]
            wake[:, k] = end + np.outer(behind, [1, 0, 0])
            over = max(k - self.tip, 0) / (self.edge - self.tip) * np.pi / 2
            turned = (1 - np.exp(-behind))[:, None]
            direction[:, k] = unit((1 - turned) * normals[-1, k] + turned * [0, np.sin(over), np.cos(over)])
            height[:, k] = FIRST * size + 2e-3 * size * behind
        heights = np.full(wall.shape[:2], FIRST * size)
        return (np.concatenate(pair) for pair in ((wall, wake), (normals, direction), (heights, height)))

    def outer(self, normal, size, base):
        """The far ends of the lines: on a sphere around the wing, and behind it on a cylinder."""
        turn = np.arctan2(-normal[:, 0], normal[:, 1])
        turn = (turn[0] - turn) / (turn[0] - turn[-1])
        turn = 0.6 * np.maximum.accumulate(turn) + 0.4 * np.linspace(0, 1, len(turn))
        front, corner = np.array([-1.0, 0, 0]), unit(np.array([-1.0, 1.0, 0]))
        along = base[0, : self.tip + 1, 1] / SPAN
        over = np.linspace(0, 1, self.edge - self.tip + 1)[1:]
        angle = np.radians(np.concatenate([35 * along, 35 + 55 * over]))
        behind = np.stack([0 * angle, np.sin(angle), np.cos(angle)], axis=1)
        before = np.concatenate([between(front, corner, along), np.repeat(corner[None], len(over), axis=0)])
        sphere = [1, 0, 0] + FAR * np.stack([between(before, behind, np.full(len(angle), t)) for t in turn])
        cells = len(base) - len(normal)
        x = geometric(FAR * (turn[-1] - turn[-2]) * np.pi / 2, FAR, cells)[1:]
        cylinder = np.array([[[1 + at, *(FAR * way[1:])] for way in behind] for at in x])
        return np.concatenate([sphere, cylinder])

    def shared(self, shape):
        """Whether a point is in the plane z = 0, which both halves have."""
        on = np.zeros(shape, bool)
        on[0] = on[:, self.edge] = on[self.tail :, :, 0] = True
        return on


def lines(base, direction, outer, height, cells):
    """The points on curves of Bezier from the wall to the far field, whose first cells have the given heights."""
    s = np.concatenate([[0], np.geomspace(1e-8, 1, 600)])[:, None]
    points = np.empty((*base.shape[:2], cells + 1, 3))
    for i, k in np.ndindex(base.shape[:2]):
        start, end = base[i, k], outer[i, k]
        curve = start + 2 * s * (1 - s) * REACH * direction[i, k] + s**2 * (end - start)
        arc = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(curve, axis=0), axis=1))])
        places = geometric(height[i, k], arc[-1], cells)
        t = np.interp(places, arc, s[:, 0])[:, None]
        points[i, k] = start + 2 * t * (1 - t) * REACH * direction[i, k] + t**2 * (end - start)
        points[i, k, -1] = end
    return points


def build(size):
    """The points, the cells by kind, and the faces of each boundary by kind."""
    block = Block(size)
    upper = block.points
    tail, tip, edge = block.tail, block.tip, block.edge
    # The cells at the edge of the tip become prisms from here on, where their faces are plane.
    begin = int(np.searchsorted(upper[: tail + 1, tip, 0, 0], upper[0, tip, 0, 0] + 0.15 * TAPER))
    shape = upper.shape[:3]
    number = np.arange(np.prod(shape)).reshape(shape)
    number[0, tip:] = number[0, tip]
    points = [upper.reshape(-1, 3), upper.reshape(-1, 3) * [1, 1, -1]]
    mirrored = np.where(block.shared(shape), number, number + number.size)
    mirrored[0, tip:] = mirrored[0, tip]
    cells = {"hexahedra": [], "prisms": [], "pyramids": [], "tetrahedra": []}
    quads = {"wing": [], "far": [], "symmetry": []}
    triangles = {"wing": [], "far": [], "symmetry": []}
    extra = []
    i, k, j = np.indices([n - 1 for n in shape])
    pole, cut = (i == 0) & (k >= tip), (i >= begin) & (k == edge - 1) & (j == 0)
    middle = (i == begin - 1) & (k == edge - 1) & (j == 0)
    for n in (number, mirrored):
        corner = lambda a, b, c: n[a : shape[0] - 1 + a, b : shape[1] - 1 + b, c : shape[2] - 1 + c]
        # Corners of a face i = const, and the same of the next one.
        ways = [(0, 0), (1, 0), (1, 1), (0, 1)]
        all_cells = np.stack([corner(a, b, c) for a in (0, 1) for b, c in ways], axis=-1)
        cells["hexahedra"].append(all_cells[~pole & ~cut & ~middle])
        # At the pole the lines of k begin at one point.
        a = all_cells[pole]
        cells["prisms"].append(a[:, [0, 4, 5, 3, 7, 6]])
        # Behind the trailing edge the end of the slit would have a corner of 180 degrees.
        a = all_cells[cut]
        cells["prisms"] += [a[:, [0, 1, 3, 4, 5, 7]], a[:, [1, 2, 3, 5, 6, 7]]]
        # The cell before has one face of two triangles.
        a = all_cells[middle][0]
        centre = sum(map(len, points)) + len(extra)
        extra.append((points[0] if n is number else points[1])[a % number.size].mean(axis=0))
        for face in ([0, 1, 2, 3], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]):
            cells["pyramids"].append(np.array([[*a[face], centre]]))
        cells["tetrahedra"] += [np.array([[*a[[4, 5, 7]], centre]]), np.array([[*a[[5, 6, 7]], centre]])]
        face = lambda m: np.stack([m[:-1, :-1], m[1:, :-1], m[1:, 1:], m[:-1, 1:]], axis=-1)
        quads["symmetry"].append(face(n[:, 0]).reshape(-1, 4))
        for name, of in (("wing", face(n[: tail + 1, :, 0])), ("far", face(n[:, :, -1]))):
            quads[name] += [of[1:].reshape(-1, 4), of[0, :tip]]
            triangles[name].append(of[0, tip:][:, [0, 1, 2]])
        of = face(n[-1])
        last = np.ones(of.shape[:2], bool)
        last[edge - 1, 0] = False
        quads["far"].append(of[last])
        a = of[edge - 1, 0]
        triangles["far"].append(np.array([a[[0, 1, 3]], a[[1, 2, 3]]]))
    points = np.concatenate([*points, extra])
    cells = {kind: outward(points, np.concatenate(of)) for kind, of in cells.items()}
    used = np.unique(np.concatenate([of.ravel() for of in cells.values()]))
    at = np.zeros(len(points), int)
    at[used] = np.arange(len(used))
    cells = {kind: at[of] for kind, of in cells.items()}
    faces = {name: [at[np.concatenate(of)] for of in (quads[name], triangles[name]) if of] for name in quads}
    return points[used], cells, faces


def outward(points, cells):
    """The cells numbered as Gmsh does, with their first face seen from inside."""
    nodes, volume = cells.shape[1], signed(points, cells)
    turned = cells[volume < 0]
    cells = cells.copy()
    order = {8: [4, 5, 6, 7, 0, 1, 2, 3], 6: [3, 4, 5, 0, 1, 2], 5: [0, 3, 2, 1, 4], 4: [0, 2, 1, 3]}[nodes]
    cells[volume < 0] = turned[:, order]
    return cells


def signed(points, cells):
    """Volumes of sums of tetrahedra, or something of their sign."""
    p = points[cells]
    half = {8: 4, 6: 3, 5: 4, 4: 3}[cells.shape[1]]
    base, rest = p[:, :half], p[:, half:].mean(axis=1)
    normal = sum(np.cross(base[:, m] - base[:, 0], base[:, m + 1] - base[:, 0]) for m in range(1, half - 1))
    return (normal * (rest - base.mean(axis=1))).sum(axis=1)


def write(path, points, cells, faces):
    """Writes the file."""
    names = ["gas", *faces]
    kinds = {"hexahedra": 5, "prisms": 6, "pyramids": 7, "tetrahedra": 4}
    sets = [(1, kinds[kind], of) for kind, of in cells.items()]
    sets += [(tag, {4: 3, 3: 2}[of.shape[1]], of) for tag, name in enumerate(faces, 2) for of in faces[name]]
    with open(path, "w") as file:
        file.write("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n" % len(names))
        file.writelines('%d %d "%s"\n' % (2 if tag > 1 else 3, tag, name) for tag, name in enumerate(names, 1))
        file.write("$EndPhysicalNames\n$Entities\n0 0 %d 1\n" % (len(names) - 1))
        file.writelines("%d 0 0 0 0 0 0 1 %d 0\n" % (tag, tag) for tag in range(2, len(names) + 1))
        file.write("1 0 0 0 0 0 0 1 1 0\n$EndEntities\n$Nodes\n1 %d 1 %d\n3 1 0 %d\n" % ((len(points),) * 3))
        file.writelines("%d\n" % n for n in range(1, len(points) + 1))
        file.writelines("%.17g %.17g %.17g\n" % tuple(point) for point in points)
        elements = sum(len(of) for *_, of in sets)
        file.write("$EndNodes\n$Elements\n%d %d 1 %d\n" % (len(sets), elements, elements))
        element = 0
        for tag, kind, of in sets:
            file.write("%d %d %d %d\n" % (2 if tag > 1 else 3, tag, kind, len(of)))
            for nodes in of:
                element += 1
                file.write("%d %s\n" % (element, " ".join(str(n + 1) for n in nodes)))
        file.write("$EndElements\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    write(sys.argv[2], *build(float(sys.argv[1])))
