#!/usr/bin/env python3
"""Writes the mesh files of the tests with Gmsh, and expected.txt with the values that Gmsh itself computes for them.

    python3 -m venv env && env/bin/pip install gmsh meshio numpy && env/bin/python generate.py
"""
import math
import os
import sys

import gmsh
import numpy as np

from gmsh_4_0 import binary_4_0

KINDS = {"Tetrahedron": "tet", "Hexahedron": "hex", "Prism": "prism", "Pyramid": "pyramid"}
# The same point in the reference elements of fr-les, inside each of them.
PLACE = {"tet": (-0.4, -0.7, -0.2), "hex": (0.3, -0.6, 0.7), "prism": (-0.5, -0.3, 0.4), "pyramid": (0.3, -0.2, 0.25)}
expected = []


def to_gmsh(kind, x):
    if kind == "tet":
        return [(c + 1) / 2 for c in x]
    if kind == "prism":
        return [(x[0] + 1) / 2, (x[1] + 1) / 2, x[2]]
    return list(x)


def kind_of(element_type):
    name = gmsh.model.mesh.getElementProperties(element_type)[0].split()[0] if element_type not in (90, 91) else "Prism"
    return KINDS[name]


def prism_places(order):
    """Local coordinates of the nodes of a prism, from a straight one: Gmsh does not provide them from order 3 on."""
    model = gmsh.model.getCurrent()
    gmsh.model.add("prism")
    gmsh.model.addDiscreteEntity(3, 1)
    gmsh.model.mesh.addNodes(3, 1, [1, 2, 3, 4, 5, 6], [0, 0, -1, 1, 0, -1, 0, 1, -1, 0, 0, 1, 1, 0, 1, 0, 1, 1])
    gmsh.model.mesh.addElementsByType(1, 6, [1], [1, 2, 3, 4, 5, 6])
    gmsh.model.mesh.setOrder(order)
    nodes = gmsh.model.mesh.getElements(3)[2][0]
    places = np.array([gmsh.model.mesh.getNode(n)[0] for n in nodes])
    gmsh.model.remove()
    gmsh.model.setCurrent(model)
    return places


def evaluate(element_type, tags, nodes, points):
    """Determinants and positions at local points, cell by cell."""
    if element_type not in (90, 91):
        _, det, at = gmsh.model.mesh.getJacobians(element_type, points)
        return np.reshape(det, (len(tags), -1)), np.reshape(at, (len(tags), -1, 3))
    order = {90: 3, 91: 4}[element_type]
    powers = [(i, j, k) for k in range(order + 1) for j in range(order + 1) for i in range(order + 1 - j)]
    power = lambda x, p: x**p if p > 0 else np.ones_like(x)
    slope = lambda x, p: p * power(x, p - 1) if p > 0 else np.zeros_like(x)

    def basis(x, d=None):
        f = [slope if d == e else power for e in range(3)]
        return np.array([f[0](x[:, 0], i) * f[1](x[:, 1], j) * f[2](x[:, 2], k) for i, j, k in powers]).T

    inverse = np.linalg.inv(basis(prism_places(order)))
    x = np.array([gmsh.model.mesh.getNode(n)[0] for n in nodes]).reshape(len(tags), -1, 3)
    points = np.reshape(points, (-1, 3))
    at = np.einsum("pm,mn,cnd->cpd", basis(points), inverse, x)
    jac = np.array([np.einsum("pm,mn,cnd->cpd", basis(points, e), inverse, x) for e in range(3)])
    return np.linalg.det(np.transpose(jac, (1, 2, 3, 0))), at


def start(order):
    gmsh.clear()
    gmsh.option.setNumber("Mesh.ElementOrder", order)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 0)
    gmsh.option.setNumber("Mesh.SaveAll", 0)


def record(name, exact):
    """Appends the values that Gmsh computes for the present mesh."""
    lines, volume, cells = [], 0.0, 0
    for element_type, tags, nodes in zip(*gmsh.model.mesh.getElements(3)):
        kind = kind_of(element_type)
        primary = {"tet": 4, "hex": 5, "prism": 6, "pyramid": 7}[kind]
        points, weights = gmsh.model.mesh.getIntegrationPoints(primary, "Gauss12")
        det, _ = evaluate(element_type, tags, nodes, points)
        volume += float(np.sum(det * weights))
        cells += len(tags)
        _, at = evaluate(element_type, tags, nodes, to_gmsh(kind, PLACE[kind]))
        order = np.argsort(tags)
        at = at[:, 0]
        for i in order[:: max(1, len(tags) // 12)]:
            lines.append("cell %d %s %.10g %.10g %.10g" % (tags[i], kind, *at[i]))
    boundaries = sorted(gmsh.model.getPhysicalName(2, t) or str(t) for _, t in gmsh.model.getPhysicalGroups(2))
    expected.append(
        "mesh %s cells %d volume %.15g exact %.15g boundaries %s" % (name, cells, volume, exact, " ".join(boundaries))
    )
    expected.extend(lines)


def save(name, version, binary):
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    path = "%s_v%s_%s.msh" % (name, str(version).replace(".", ""), "binary" if binary else "text")
    if version == 4.0 and binary:
        binary_4_0("%s_v40_text.msh" % name, path)
    else:
        gmsh.write(path)
    size = os.path.getsize(path)
    print(path, size)
    if size > 30000:
        sys.exit("too large")


FORMATS = [(2.2, 0), (2.2, 1), (4.0, 0), (4.0, 1), (4.1, 0), (4.1, 1)]


def save_as(name, extension):
    """Writes the present mesh in the format of another program."""
    path = "%s.%s" % (name, extension)
    gmsh.write(path)
    print(path, os.path.getsize(path))


def groups(volumes=None, **names):
    gmsh.model.addPhysicalGroup(3, volumes or [v for _, v in gmsh.model.getEntities(3)], 1, "fluid")
    for name, surfaces in names.items():
        gmsh.model.addPhysicalGroup(2, surfaces, -1, name)


def sides(normals):
    """Selects surfaces of the model by a function of their centre."""
    out = {}
    for _, s in gmsh.model.getEntities(2):
        x = gmsh.model.occ.getCenterOfMass(2, s)
        out.setdefault(normals(x), []).append(s)
    return out


def cylinder(order, kind, size=1.2):
    """A quarter of a hollow cylinder (radii 1 and 2, height 1): tets, or prisms by extrusion, or hexes."""
    start(order)
    outer, inner = gmsh.model.occ.addDisk(0, 0, 0, 2, 2), gmsh.model.occ.addDisk(0, 0, 0, 1, 1)
    ring = gmsh.model.occ.cut([(2, outer)], [(2, inner)])[0]
    quarter = gmsh.model.occ.intersect(ring, [(2, gmsh.model.occ.addRectangle(0, 0, 0, 3, 3))])[0]
    layers = [] if kind == "tet" else [1]
    gmsh.model.occ.extrude(quarter, 0, 0, 1, layers, recombine=kind != "tet")
    gmsh.model.occ.synchronize()

    def which(x):
        if abs(x[2]) < 1e-6 or abs(x[2] - 1) < 1e-6:
            return "ends"
        if abs(x[0]) < 1e-6 or abs(x[1]) < 1e-6:
            return "cuts"
        return "inner" if math.hypot(x[0], x[1]) < 1.3 else "outer"

    groups(**sides(which))
    gmsh.option.setNumber("Mesh.MeshSizeMin", size)
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)
    if kind == "hex":
        for _, c in gmsh.model.getEntities(1):
            gmsh.model.mesh.setTransfiniteCurve(c, 3 if gmsh.model.getType(1, c) != "Line" else 2)
        for _, s in gmsh.model.getEntities(2):
            gmsh.model.mesh.setTransfiniteSurface(s)
            gmsh.model.mesh.setRecombine(2, s)
        for _, v in gmsh.model.getEntities(3):
            gmsh.model.mesh.setTransfiniteVolume(v)
    gmsh.model.mesh.generate(3)
    return math.pi * 3 / 4


def mixed(order, serendipity=False):
    """All four kinds in one mesh, curved by a smooth map: a hex with a pyramid on its top, tets beside it, and a
    prism. Serendipity cells have no nodes inside faces and volumes."""
    start(order)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", serendipity)
    corners = {
        1: (0, 0, 0), 2: (1, 0, 0), 3: (1, 1, 0), 4: (0, 1, 0), 5: (0, 0, 1), 6: (1, 0, 1), 7: (1, 1, 1), 8: (0, 1, 1),
        9: (0.5, 0.5, 1.6), 10: (1.4, 0.4, 1.7), 11: (2, 0.1, 0.2), 12: (2.1, 0.2, 1.1),
    }
    model = gmsh.model
    model.addDiscreteEntity(2, 1)
    model.addDiscreteEntity(2, 2)
    model.addDiscreteEntity(3, 1, [1, 2])
    model.mesh.addNodes(3, 1, list(corners), [c for x in corners.values() for c in x])
    cells = {5: [[1, 2, 3, 4, 5, 6, 7, 8]], 7: [[5, 6, 7, 8, 9]], 4: [[6, 7, 9, 10]], 6: [[2, 11, 3, 6, 12, 7]]}
    tag = 100
    for element_type, lists in cells.items():
        model.mesh.addElementsByType(1, element_type, list(range(tag, tag + len(lists))), [n for l in lists for n in l])
        tag += len(lists)
    # Everything outside: "bottom" is z = 0, the rest is "skin".
    quads = {1: [[1, 4, 3, 2]], 2: [[1, 2, 6, 5], [3, 4, 8, 7], [1, 5, 8, 4], [2, 11, 12, 6], [3, 7, 12, 11]]}
    triangles = {1: [[2, 3, 11]], 2: [[5, 6, 9], [7, 8, 9], [8, 5, 9], [6, 12, 7], [6, 10, 9], [7, 9, 10], [6, 7, 10]]}
    tag = 1
    for entity in (1, 2):
        for element_type, lists in ((3, quads[entity]), (2, triangles[entity])):
            tags = list(range(tag, tag + len(lists)))
            tag += len(lists)
            model.mesh.addElementsByType(entity, element_type, tags, [n for l in lists for n in l])
    groups([1], bottom=[1], skin=[2])
    model.mesh.setOrder(order)
    if order > 1:
        tags, xyz, _ = model.mesh.getNodes()
        for t, x in zip(tags, np.reshape(xyz, (-1, 3))):
            bent = [
                x[0] + 0.1 * math.sin(x[1] + x[2]),
                x[1] + 0.1 * math.sin(2 * x[0]),
                x[2] + 0.08 * math.cos(x[0] * x[1]),
            ]
            model.mesh.setNode(t, bent, [])
    return 0.0


def edge_functions(kind, order, x):
    """Functions of the vertices and of the edges of a cell at local points of Gmsh."""
    u, v, w = x.T
    powers = range(order - 1)
    if kind == "tet":
        l = [1 - u - v - w, u, v, w]
        pairs = [(a, b) for a in range(4) for b in range(a)]
        return l + [l[a] * l[b] * (l[b] - l[a]) ** m for a, b in pairs for m in powers]
    ends = lambda s: [(1 - s) / 2, (1 + s) / 2]
    if kind == "hex":
        c = [u, v, w]
        out = [a * b * d for a in ends(u) for b in ends(v) for d in ends(w)]
        for s, r, t in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            out += [(1 - c[s] ** 2) * c[s] ** m * a * b for a in ends(c[r]) for b in ends(c[t]) for m in powers]
        return out
    if kind == "prism":
        l = [1 - u - v, u, v]
        out = [a * e for a in l for e in ends(w)]
        for a, b in ((0, 1), (1, 2), (0, 2)):
            out += [l[a] * l[b] * (l[b] - l[a]) ** m * e for e in ends(w) for m in powers]
        return out + [a * (1 - w**2) * w**m for a in l for m in powers]
    q = 1 - w
    s, t = [np.divide(c, q, out=np.zeros_like(c), where=q > 1e-12) for c in (u, v)]
    corners = [q * a * b for a in ends(s) for b in ends(t)]
    out = corners + [w]
    for a, b in ((s, t), (t, s)):
        out += [q**2 * (1 - a**2) * (q * a) ** m * e for e in ends(b) for m in powers]
    return out + [c * w * (w - c) ** m for c in corners for m in powers]


def complete(order):
    """Moves the nodes inside faces and volumes of the present mesh to where those on edges put them. Gmsh's own
    serendipity functions on triangles depend on which vertex is the first."""
    for element_type, tags, nodes in zip(*gmsh.model.mesh.getElements(3)):
        if element_type in (90, 91):
            kind, places = "prism", prism_places(order)
        else:
            kind = kind_of(element_type)
            places = np.reshape(gmsh.model.mesh.getElementProperties(element_type)[4], (-1, 3))
        vertices, edges = {"tet": (4, 6), "hex": (8, 12), "prism": (6, 9), "pyramid": (5, 8)}[kind]
        known = vertices + edges * (order - 1)
        f = np.array(edge_functions(kind, order, places)).T
        weights = f[known:] @ np.linalg.inv(f[:known])
        for cell in np.reshape(nodes, (len(tags), -1)):
            x = np.array([gmsh.model.mesh.getNode(n)[0] for n in cell])
            x[known:] = weights @ x[:known]
            if kind == "pyramid":
                inside_pyramid(places, x, order)
            for n, at in zip(cell[known:], x[known:]):
                gmsh.model.mesh.setNode(n, at, [])


def inside_pyramid(places, x, order):
    """Fits the nodes inside a layer to those on its four sides, by products of powers one of which is linear."""
    for k in range(1, order - 1):
        q = 1 - k / order
        layer = np.where(abs(places[:, 2] - k / order) < 1e-9)[0]
        s = places[layer, :2] / q
        n = order - k
        f = np.array([s[:, 0] ** a * s[:, 1] ** b for a in range(n + 1) for b in range(n + 1) if min(a, b) < 2]).T
        side = np.max(abs(s), axis=1) > 1 - 1e-9
        x[layer[~side]] = f[~side] @ np.linalg.lstsq(f[side], x[layer[side]], rcond=None)[0]


def periodic_box(kind):
    """The unit box, periodic in x by the file."""
    start(1)
    gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    gmsh.model.occ.synchronize()
    which = lambda x: ["left", "right"][round(x[0])] if abs(x[0] - 0.5) > 0.4 else "rest"
    found = sides(which)
    groups(**found)
    shift = [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    gmsh.model.mesh.setPeriodic(2, found["right"], found["left"], shift)
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0.6)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.6)
    if kind == "hex":
        for _, c in gmsh.model.getEntities(1):
            gmsh.model.mesh.setTransfiniteCurve(c, 3)
        for _, s in gmsh.model.getEntities(2):
            gmsh.model.mesh.setTransfiniteSurface(s)
            gmsh.model.mesh.setRecombine(2, s)
        for _, v in gmsh.model.getEntities(3):
            gmsh.model.mesh.setTransfiniteVolume(v)
    gmsh.model.mesh.generate(3)
    return 1.0


def periodic_wedge(order):
    """A wedge of 60 degrees of the hollow cylinder, periodic by rotation."""
    start(order)
    angle = math.pi / 3
    face = gmsh.model.occ.addRectangle(1, 0, 0, 1, 1)
    gmsh.model.occ.rotate([(2, face)], 1, 0, 0, 1, 0, 0, math.pi / 2)
    gmsh.model.occ.revolve([(2, face)], 0, 0, 0, 0, 0, 1, angle)
    gmsh.model.occ.synchronize()

    def which(x):
        phi = math.atan2(x[1], x[0])
        if phi < 1e-6:
            return "start"
        if phi > angle - 1e-6:
            return "end"
        return "walls"

    found = sides(which)
    groups(**found)
    c, s = math.cos(angle), math.sin(angle)
    gmsh.model.mesh.setPeriodic(2, found["end"], found["start"], [c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
    gmsh.option.setNumber("Mesh.MeshSizeMin", 1.0)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 1.0)
    gmsh.model.mesh.generate(3)
    return angle / 2 * 3


def plane(order, linked=False):
    """A quarter of a ring (radii 1 and 2) in the plane, half of it triangles and half quadrilaterals. If linked, its
    straight sides are periodic by the file."""
    start(order)
    geo = gmsh.model.geo
    at = lambda r, degrees: geo.addPoint(r * math.cos(math.radians(degrees)), r * math.sin(math.radians(degrees)), 0)
    centre = geo.addPoint(0, 0, 0)
    inner, outer = [at(1, a) for a in (0, 45, 90)], [at(2, a) for a in (0, 45, 90)]
    arcs = [geo.addCircleArc(p[i], centre, p[i + 1]) for p in (inner, outer) for i in (0, 1)]
    cuts = [geo.addLine(a, b) for a, b in zip(inner, outer)]
    faces = [
        geo.addPlaneSurface([geo.addCurveLoop([cuts[i], arcs[2 + i], -cuts[i + 1], -arcs[i]])]) for i in (0, 1)
    ]
    for curve in arcs + cuts:
        geo.mesh.setTransfiniteCurve(curve, 3)
    geo.mesh.setTransfiniteSurface(faces[1])
    geo.mesh.setRecombine(2, faces[1])
    geo.synchronize()
    gmsh.model.addPhysicalGroup(2, faces, 1, "fluid")
    for name, curves in [("inner", arcs[:2]), ("outer", arcs[2:]), ("start", cuts[:1]), ("end", cuts[2:])]:
        gmsh.model.addPhysicalGroup(1, curves, -1, name)
    if linked:
        gmsh.model.mesh.setPeriodic(1, cuts[2:], cuts[:1], [0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
    gmsh.option.setNumber("Mesh.MeshSizeMin", 0.7)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.7)
    gmsh.model.mesh.generate(2)


def measure(dimension, entity):
    """Length or area of the elements on an entity."""
    total = 0.0
    for element_type, _, _ in zip(*gmsh.model.mesh.getElements(dimension, entity)):
        primary = {"Line": 1, "Triangle": 2, "Quadrilateral": 3}[
            gmsh.model.mesh.getElementProperties(element_type)[0].split()[0]
        ]
        points, weights = gmsh.model.mesh.getIntegrationPoints(primary, "Gauss20")
        _, det, _ = gmsh.model.mesh.getJacobians(element_type, points, entity)
        total += float(np.sum(np.reshape(np.abs(det), (-1, len(weights))) * weights))
    return total


def record_sizes(name, dimension):
    """Appends the numbers of cells, and the size of each physical group of this dimension and the one below."""
    count = sum(len(tags) for tags in gmsh.model.mesh.getElements(dimension)[1])
    sizes = []
    for d in (dimension, dimension - 1):
        for _, group in gmsh.model.getPhysicalGroups(d):
            size = sum(measure(d, entity) for entity in gmsh.model.getEntitiesForPhysicalGroup(d, group))
            sizes.append("%s %.15g" % (gmsh.model.getPhysicalName(d, group), size))
    measured.append("%s %d %s" % (name, count, " ".join(sizes)))


gmsh.initialize()
measured = []
gmsh.option.setNumber("General.Terminal", 0)

exact = cylinder(2, "tet", 1.5)
record("cylinder_tet2", exact)
for f in FORMATS:
    save("cylinder_tet2", *f)
exact = cylinder(3, "hex")
record("cylinder_hex3", exact)
for f in FORMATS:
    save("cylinder_hex3", *f)
exact = cylinder(2, "prism", 1.5)
record("cylinder_prism2", exact)
for f in FORMATS:
    save("cylinder_prism2", *f)
for order in (1, 2, 3, 4):
    exact = mixed(order)
    record("mixed%d" % order, exact)
    for f in FORMATS if order in (1, 4) else [(4.1, 0)]:
        save("mixed%d" % order, *f)
exact = mixed(2, serendipity=True)
record("serendipity", exact)
for f in FORMATS:
    save("serendipity", *f)
for order in (3, 4):
    exact = mixed(order)
    complete(order)
    record("serendipity%d" % order, exact)
    wanted = [float(x) for x in next(line for line in reversed(expected) if " hex " in line).split()[3:]]
    mixed(order, serendipity=True)
    _, at = evaluate({3: 99, 4: 100}[order], [0], [], PLACE["hex"])
    assert np.allclose(at[0, 0], wanted, atol=1e-9), "Gmsh has other functions on hexahedra"
    for f in [(2.2, 1), (4.0, 0), (4.0, 1), (4.1, 0)]:
        save("serendipity%d" % order, *f)
for kind in ("tet", "hex"):
    exact = periodic_box(kind)
    record("periodic_%s" % kind, exact)
    for f in FORMATS if kind == "tet" else [(2.2, 0), (4.1, 0)]:
        save("periodic_%s" % kind, *f)
exact = periodic_wedge(2)
record("wedge", exact)
for f in [(2.2, 1), (4.1, 0)]:
    save("wedge", *f)

exact = periodic_box("tet")
gmsh.model.mesh.partition(3)
record("divided", exact)
for f in FORMATS:
    save("divided", *f)
for order in (1, 2, 3, 4):
    plane(order)
    record_sizes("plane%d" % order, 2)
    save("plane%d" % order, 4.1, 0)
    if order < 3:
        save("plane%d" % order, 2.2, 1)
    if order == 1:
        save_as("plane1", "su2")
plane(2, linked=True)
record_sizes("plane_linked", 2)
save("plane_linked", 4.1, 0)
with open("measured.txt", "w") as out:
    out.write("\n".join(measured) + "\n")
mixed(1)
save_as("mixed1", "su2")
# CGNS. Gmsh writes no prisms above order 2 in this format.
save_as("mixed1", "cgns")
mixed(2)
save_as("mixed2", "cgns")
cylinder(3, "hex")
save_as("cylinder_hex3", "cgns")
cylinder(4, "tet", 1.5)
save_as("cylinder_tet4", "cgns")
plane(4)
save_as("plane4", "cgns")
periodic_wedge(2)
save_as("wedge", "cgns")
periodic_box("tet")
gmsh.model.mesh.partition(3)
save_as("divided", "cgns")

with open("expected.txt", "w") as out:
    out.write("\n".join(expected) + "\n")
