#!/usr/bin/env python3
"""Writes the flat mesh around the SD7003 airfoil as a file of Gmsh: quadrilaterals of order 3 with curved edges on the
airfoil. Needs numpy and the module gmsh (pip install gmsh); seconds.

python3 validation/sd7003/mesh.py [--size 1] [--first 0.0014] [--layers 12] [--output sd7003.msh]

Around the airfoil and a short piece of its wake lies a structured block in the shape of a C, 0.09 c thick. The rest, up
to a circle of 30 c about mid-chord, is filled by Gmsh with triangles and quadrilaterals of twice the size, which are
then divided into three and four quadrilaterals each. `--size` multiplies all sizes but those across the block."""
import argparse
import csv
import math
from pathlib import Path

import numpy as np

THICKNESS, FAR = 0.09, 30.0
WAKE, WAKE_THICKNESS = 0.4, 0.15  # length of the block behind the trailing edge, and its thickness at the end
ORDER = 3


class Spline:
    """The cubic spline through points, over the length of their chords, with natural ends."""

    def __init__(self, points):
        self.s = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
        self.points = points
        h, n = np.diff(self.s), len(points)
        matrix, right = np.eye(n), np.zeros((n, 2))
        for k in range(1, n - 1):
            matrix[k, k - 1 : k + 2] = h[k - 1], 2 * (h[k - 1] + h[k]), h[k]
            right[k] = 6 * ((points[k + 1] - points[k]) / h[k] - (points[k] - points[k - 1]) / h[k - 1])
        self.second = np.linalg.solve(matrix, right)

    def at(self, s):
        """The point and the unit tangent at a length."""
        k = int(np.clip(np.searchsorted(self.s, s) - 1, 0, len(self.s) - 2))
        h, t = self.s[k + 1] - self.s[k], s - self.s[k]
        (p, q), (a, b) = self.points[k : k + 2], self.second[k : k + 2]
        first = (q - p) / h - h * (2 * a + b) / 6
        slope = first + t * (a + t * (b - a) / (2 * h))
        return p + t * (first + t * (a / 2 + t * (b - a) / (6 * h))), slope / np.linalg.norm(slope)


def airfoil():
    """The spline from the trailing edge along the lower side, around the nose and along the upper side."""
    with open(Path(__file__).resolve().parent / "sd7003.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    return Spline(np.array([[float(row["x_over_c"]), float(row["y_over_c"])] for row in rows[::-1]]))


def spread(length, size):
    """Places from 0 to `length` of an even number of cells, whose sizes follow the function `size` of the place."""
    fine = np.linspace(0, length, 20001)
    density = 1 / np.array([size(s) for s in fine])
    sums = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2 * np.diff(fine))])
    cells = 2 * max(1, round(sums[-1] / 2))
    return np.interp(np.linspace(0, sums[-1], cells + 1), sums, fine)


def geometric(first, total, cells):
    """Places from 0 to `total` of cells in geometric progression, and the ratio of neighbours."""
    low, high = 1 + 1e-9, 10.0
    for _ in range(100):
        ratio = (low + high) / 2
        low, high = (ratio, high) if first * (ratio**cells - 1) / (ratio - 1) < total else (low, ratio)
    places = first * (ratio ** np.arange(cells + 1) - 1) / (ratio - 1)
    return places * total / places[-1], ratio


def smooth(t):
    """A step from 0 to 1 between 0 and 1 without kinks."""
    t = np.clip(t, 0, 1)
    return t * t * (3 - 2 * t)


def wake_line(length):
    """The point and the unit tangent of the line behind the trailing edge: along the mean of both sides at first, then
    towards the free stream."""
    slope = -0.066 + 0.4 * length
    return np.array([1 + length, -0.066 * length + 0.2 * length**2]), np.array([1, slope]) / math.hypot(1, slope)


def thirds(places):
    """The places with those that divide each interval into as many parts as the order."""
    between = np.linspace(places[:-1], places[1:], ORDER, endpoint=False).T.ravel()
    return np.append(between, places[-1])


def block(size, first, layers):
    """Nodes [i][j] of the block, from the lower end of the wake around the nose to the upper end, and the columns at
    which the airfoil begins and ends."""
    foil = airfoil()
    total = foil.s[-1]
    ends = np.linspace(0, total, 4001)
    nose = ends[np.argmax([np.hypot(*(foil.at(s)[0] - [1, 0])) for s in ends])]
    edge, tip = 0.01 * size, 0.006 * size

    def lower(s):
        return min(edge + 0.12 * s, 0.05 * size, tip + 0.15 * (nose - s))

    def upper(s):
        return min(tip + 0.12 * s, 0.018 * size, edge + 0.1 * (total - nose - s))

    def behind(s):
        return min(edge + 0.15 * s, 0.04 * size)

    wall = np.concatenate([spread(nose, lower), nose + spread(total - nose, upper)[1:]])
    wake = spread(WAKE, behind)
    stations = [("wake", s) for s in thirds(wake)[:0:-1]]
    begin = len(wake) - 1
    stations += [("wall", s) for s in thirds(wall)]
    end = begin + len(wall) - 1
    stations += [("wake", s) for s in thirds(wake)[1:]]
    thin, ratio = geometric(first, THICKNESS, layers)
    thin, even = thirds(thin), thirds(np.linspace(0, WAKE_THICKNESS, layers + 1))
    at_edge = math.atan(-0.066)
    offset = np.empty((len(stations), len(thin), 2))
    for i, (where, s) in enumerate(stations):
        if where == "wake":
            point, tangent = wake_line(s)
            side = -1 if i < ORDER * begin else 1
            angle, share = math.atan2(side * tangent[1], side * tangent[0]), smooth(s / WAKE)
        else:
            point, tangent = foil.at(s)
            angle, share = math.atan2(tangent[1], tangent[0]), 0
            # Near the trailing edge the lines turn to the one that leaves it.
            for near, goal in ((s, at_edge + math.pi), (total - s, at_edge)):
                turn = (goal - angle + math.pi) % (2 * math.pi) - math.pi
                if near < 0.08:
                    angle += (1 - smooth(near / 0.08)) * turn
        normal = np.array([-math.sin(angle), math.cos(angle)])
        offset[i] = point + np.outer((1 - share) * thin + share * even, normal)
    # Edges become straight towards the outside, where straight cells follow.
    corners = offset[::ORDER]
    straight = np.concatenate([np.linspace(corners[:-1], corners[1:], ORDER, endpoint=False).swapaxes(0, 1).reshape(
        -1, len(thin), 2), corners[-1:]])
    share = smooth(np.arange(len(thin)) / (len(thin) - 1))[None, :, None]
    nodes = (1 - share) * offset + share * straight
    sizes = np.diff(wall)
    print(f"airfoil: {len(wall) - 1} cells along, {sizes.min():.4f} to {sizes.max():.4f} c; {layers} layers from "
          f"{first} c on, each {ratio:.3f} times as high as the one below")
    return nodes, begin, end


def outside(ring, size):
    """Vertices and quadrilaterals between the closed line `ring`, whose vertices come first, and the far field; then
    the edges of the far field."""
    import gmsh

    def cell(x, y):
        """The size of cells at a place."""
        chord = math.hypot(max(0, -0.1 - x, x - 1), max(0, abs(y) - 0.13))
        across = abs(y - 0.1 * (x - 1)) - 0.12
        wake = math.hypot(max(0, 1.2 - x, x - 1.8), max(0, across))
        return size * min(0.035 + 0.5 * chord, 0.06 + 0.5 * wake)

    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 2)
    for name, value in (("Algorithm", 6), ("RecombineAll", 1), ("RecombinationAlgorithm", 1),
                        ("MeshSizeExtendFromBoundary", 0), ("MeshSizeFromPoints", 0)):
        gmsh.option.setNumber("Mesh." + name, value)
    half = ring[::2]
    points = [gmsh.model.geo.addPoint(x, y, 0) for x, y in half]
    lines = [gmsh.model.geo.addLine(a, b) for a, b in zip(points, points[1:] + points[:1])]
    for line in lines:
        gmsh.model.geo.mesh.setTransfiniteCurve(line, 2)
    # An even number of edges in all, so that there is an even number of triangles to join in pairs.
    count = 2 * max(5, round(10 / size)) + len(half) % 2
    angles = 2 * math.pi * np.arange(count) / count
    far = [gmsh.model.geo.addPoint(0.5 + FAR * math.cos(a), FAR * math.sin(a), 0) for a in angles]
    rim = [gmsh.model.geo.addLine(a, b) for a, b in zip(far, far[1:] + far[:1])]
    for line in rim:
        gmsh.model.geo.mesh.setTransfiniteCurve(line, 2)
    gmsh.model.geo.addPlaneSurface([gmsh.model.geo.addCurveLoop(rim), gmsh.model.geo.addCurveLoop(lines)])
    gmsh.model.geo.synchronize()
    gmsh.model.mesh.setSizeCallback(lambda dimension, tag, x, y, z, lc: 2 * cell(x, y))
    gmsh.model.mesh.generate(2)
    tags, places, _ = gmsh.model.mesh.getNodes()
    place = dict(zip(tags, places.reshape(-1, 3)[:, :2]))
    coarse = []
    for kind, _, nodes in zip(*gmsh.model.mesh.getElements(2)):
        coarse += nodes.reshape(-1, {2: 3, 3: 4}[kind]).tolist()
    on_ring = [gmsh.model.mesh.getNodes(0, p)[0][0] for p in points]
    on_rim = [gmsh.model.mesh.getNodes(0, p)[0][0] for p in far]
    gmsh.finalize()

    vertices = [*ring]
    number = {tag: 2 * n for n, tag in enumerate(on_ring)}
    middles = {}
    for n, (a, b) in enumerate(zip(on_ring, on_ring[1:] + on_ring[:1])):
        middles[min(a, b), max(a, b)] = 2 * n + 1

    def add(xy):
        vertices.append(np.array(xy))
        return len(vertices) - 1

    def vertex(tag):
        if tag not in number:
            number[tag] = add(place[tag])
        return number[tag]

    for n, (a, b) in enumerate(zip(on_rim, on_rim[1:] + on_rim[:1])):
        angle = 2 * math.pi * (n + 0.5) / count
        middles[min(a, b), max(a, b)] = add([0.5 + FAR * math.cos(angle), FAR * math.sin(angle)])

    def middle(a, b):
        key = min(a, b), max(a, b)
        if key not in middles:
            middles[key] = add((place[a] + place[b]) / 2)
        return middles[key]

    # A quadrilateral that alone has a vertex of a boundary would have an angle of 180 degrees there.
    inner, outer, pieces = set(on_ring), set(on_rim), []
    for nodes in coarse:
        near = [{nodes[n - 1], nodes[n], nodes[n - 3]} for n in range(4)] if len(nodes) == 4 else []
        flat = [n for n, three in enumerate(near) if three <= inner or three <= outer]
        a, b, c, d = (nodes[flat[0] - 1 :] + nodes)[:4] if flat else (None,) * 4
        pieces += [[a, b, d], [b, c, d]] if flat else [nodes]
    quads = []
    for nodes in pieces:
        centre = add(np.mean([place[n] for n in nodes], axis=0))
        for before, n, after in zip(nodes[-1:] + nodes[:-1], nodes, nodes[1:] + nodes[:1]):
            quads.append([centre, middle(before, n), vertex(n), middle(n, after)])
    edges = []
    for a, b in zip(on_rim, on_rim[1:] + on_rim[:1]):
        edges += [(vertex(a), middle(a, b)), (middle(a, b), vertex(b))]
    fixed = set(range(len(ring))) | {n for edge in edges for n in edge}
    return relax(np.array(vertices), quads, fixed), quads, edges


def corner_sines(points):
    """The sines of the angles of a quadrilateral, negative where it is folded."""
    ahead = np.roll(points, -1, axis=0) - points
    back = np.roll(points, 1, axis=0) - points
    cross = ahead[:, 0] * back[:, 1] - ahead[:, 1] * back[:, 0]
    return cross / np.hypot(*ahead.T) / np.hypot(*back.T)


def relax(vertices, quads, fixed):
    """Turns the quadrilaterals to the left, and moves vertices to the mean of their neighbours where no quadrilateral
    becomes bad by that, or where the worst angle around them grows."""
    around, beside = {}, {}
    for quad in quads:
        if corner_sines(vertices[quad]).sum() < 0:
            quad.reverse()
        for n, a, b in zip(quad, quad[1:] + quad[:1], quad[-1:] + quad[:-1]):
            around.setdefault(n, []).append(quad)
            beside.setdefault(n, set()).update((a, b))
    directions = [np.array([math.cos(k * math.pi / 4), math.sin(k * math.pi / 4)]) for k in range(8)]

    def worst(n, place):
        vertices[n] = place
        return min(corner_sines(vertices[quad]).min() for quad in around[n])

    for _ in range(30):
        for n in sorted(around.keys() - fixed):
            old = vertices[n].copy()
            before = worst(n, old)
            centre = np.mean(vertices[list(beside[n])], axis=0)
            best = (old + centre) / 2
            quality = worst(n, best)
            if quality < min(before, 0.75):
                best, quality = old, before
            if quality < 0.6:
                reach = 0.1 * np.hypot(*(vertices[list(beside[n])] - old).T).min()
                tried = [(worst(n, best + reach * d), k) for k, d in enumerate(directions)]
                if max(tried)[0] > quality:
                    best = best + reach * directions[max(tried)[1]]
            vertices[n] = best
    return vertices


class Mesh:
    """Quadrilaterals of order 3 that share vertices and the nodes on their edges."""

    def __init__(self):
        self.nodes, self.edges, self.quads, self.lines = [], {}, [], []

    def node(self, xy):
        self.nodes.append(xy)
        return len(self.nodes)

    def edge(self, a, b, places):
        """The two nodes between two vertices; the places count if the edge is new."""
        if (b, a) in self.edges:
            return self.edges[b, a][::-1]
        if (a, b) not in self.edges:
            self.edges[a, b] = [self.node(xy) for xy in places]
        return self.edges[a, b]

    def quad(self, corners, lattice):
        """A quadrilateral of vertices, with its places [a][b] from the first corner to the second and the fourth."""
        sides = (lattice[1:3, 0], lattice[3, 1:3], lattice[2:0:-1, 3], lattice[0, 2:0:-1])
        on_edges = [self.edge(a, b, places) for a, b, places in zip(corners, corners[1:] + corners[:1], sides)]
        inside = [self.node(lattice[a, b]) for a, b in ((1, 1), (2, 1), (2, 2), (1, 2))]
        self.quads.append(corners + sum(on_edges, []) + inside)

    def line(self, name, a, b):
        self.lines.append((name, [a, b, *self.edge(a, b, None)]))

    def write(self, path):
        names = ((1, 1, "airfoil"), (1, 2, "far"), (2, 3, "flow"))
        number = {name: n for _, n, name in names}
        elements = [(26, number[name], of) for name, of in self.lines] + [(36, 3, of) for of in self.quads]
        with open(path, "w") as file:
            file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(names)}\n")
            file.writelines(f'{dimension} {n} "{name}"\n' for dimension, n, name in names)
            file.write(f"$EndPhysicalNames\n$Nodes\n{len(self.nodes)}\n")
            file.writelines(f"{n + 1} {x:.15g} {y:.15g} 0\n" for n, (x, y) in enumerate(self.nodes))
            file.write(f"$EndNodes\n$Elements\n{len(elements)}\n")
            for n, (kind, name, of) in enumerate(elements):
                file.write(f"{n + 1} {kind} 2 {name} {name} {' '.join(map(str, of))}\n")
            file.write("$EndElements\n")


def main():
    parser = argparse.ArgumentParser(description="Writes the flat mesh around the SD7003 airfoil.")
    parser.add_argument("--size", type=float, default=1.0, help="factor of all sizes but those across the block")
    parser.add_argument("--first", type=float, default=0.0014, help="height of the first cell at the wall, in c")
    parser.add_argument("--layers", type=int, default=12, help="number of layers of the block, even")
    parser.add_argument("--output", default="sd7003.msh")
    options = parser.parse_args()
    if options.layers < 2 or options.layers % 2:
        parser.error(f"--layers: must be even and at least 2, found {options.layers}")
    if not options.first * options.layers < THICKNESS:
        parser.error(f"--first: {options.layers} layers must be higher than the first one in all, so that it is below "
                     f"{THICKNESS / options.layers:.4g}, found {options.first}")
    nodes, begin, end = block(options.size, options.first, options.layers)
    columns, layers = (nodes.shape[0] - 1) // ORDER, options.layers
    corners = nodes[::ORDER, ::ORDER]
    mesh = Mesh()
    vertex = np.zeros((columns + 1, layers + 1), int)
    for i in range(columns + 1):
        for j in range(layers + 1):
            # The wake has one line between its two sides.
            twin = j == 0 and i >= end
            vertex[i, j] = vertex[columns - i, 0] if twin else mesh.node(corners[i, j])
    for i in range(columns):
        for j in range(layers):
            of = [int(vertex[i + a, j + b]) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
            mesh.quad(of, nodes[3 * i : 3 * i + 4, 3 * j : 3 * j + 4])
        if begin <= i < end:
            mesh.line("airfoil", int(vertex[i, 0]), int(vertex[i + 1, 0]))
    # The outer line of the block, from the lower end of the wake to the upper one and down to the line between them.
    ring = [(i, layers) for i in range(columns + 1)] + [(columns, j) for j in range(layers - 1, -1, -1)]
    ring += [(0, j) for j in range(1, layers)]
    places, quads, rim = outside(np.array([corners[at] for at in ring]), options.size)
    number = [int(vertex[at]) for at in ring] + [mesh.node(xy) for xy in places[len(ring) :]]
    t = np.arange(ORDER + 1) / ORDER
    for quad in quads:
        a, b, c, d = places[quad]
        u, v = t[:, None, None], t[None, :, None]
        mesh.quad([number[n] for n in quad], (1 - v) * ((1 - u) * a + u * b) + v * ((1 - u) * d + u * c))
    for a, b in rim:
        mesh.line("far", number[a], number[b])
    mesh.write(options.output)
    worst = min(corner_sines(places[quad]).min() for quad in quads)
    print(f"{options.output}: {len(mesh.quads)} cells, {len(quads)} of them outside of the block, where the smallest "
          f"sine of an angle is {worst:.2f}")


if __name__ == "__main__":
    main()
