#!/usr/bin/env python3
"""Counts, quality and conformity of Gmsh meshes: `python3 mesh_report.py [--png out.png] mesh.msh ...`; needs gmsh,
numpy (and matplotlib).

Conforming means here: every face (by its corner nodes, periodic nodes merged) belongs to two cells, or to one cell and
exactly one boundary face of a named surface; and all nodes of the two agree (also mid-edge and mid-face nodes)."""
import argparse
import os
import sys
from collections import Counter, defaultdict

import gmsh
import numpy as np

# Gmsh's element types (complete bases of order 1 to 4) and the numbers of corners.
SOLIDS = {}
TYPES = {"tet": (4, 11, 29, 30), "hex": (5, 12, 92, 93), "prism": (6, 13, 90, 91), "pyramid": (7, 14, 118, 119)}
for kind, types in TYPES.items():
    for order, etype in enumerate(types, 1):
        SOLIDS[etype] = (kind, order)
TRIANGLES = (2, 9, 21, 23)
CORNERS = {"hex": 8, "prism": 6, "tet": 4, "pyramid": 5}
# Corner faces in Gmsh's numbering.
FACES = {
    "hex": [(0, 3, 2, 1), (0, 1, 5, 4), (0, 4, 7, 3), (1, 2, 6, 5), (2, 3, 7, 6), (4, 5, 6, 7)],
    "prism": [(0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (0, 3, 5, 2), (1, 2, 5, 4)],
    "tet": [(0, 2, 1), (0, 1, 3), (0, 3, 2), (3, 1, 2)],
    "pyramid": [(0, 1, 4), (3, 0, 4), (1, 2, 4), (2, 3, 4), (0, 3, 2, 1)],
}


def sampled(etype, count):
    """Jacobian determinants of all pyramids at points from the base to (almost) the apex."""
    points = []
    for c in np.append(np.linspace(0, 0.95, 12), 0.9999):
        for a in np.linspace(-1, 1, 9):
            for b in np.linspace(-1, 1, 9):
                points += [a * (1 - c), b * (1 - c), c]
    return gmsh.model.mesh.getJacobians(etype, points)[1].reshape(count, -1)


def report(path):
    gmsh.clear()
    gmsh.merge(path)
    out = [f"{path}: {os.path.getsize(path)} bytes"]
    good = True
    tags, xyz, _ = gmsh.model.mesh.getNodes()
    where = np.zeros((int(tags.max()) + 1, 3))
    where[tags.astype(int)] = xyz.reshape(-1, 3)

    # Periodic images: follow links to their last master.
    master = {}
    links = Counter()
    surface_masters = {}
    for dim in range(3):
        for _, entity in gmsh.model.getEntities(dim):
            image, slaves, masters, affine = gmsh.model.mesh.getPeriodicNodes(dim, entity, includeHighOrderNodes=True)
            if image == entity or len(slaves) == 0:
                continue
            links[dim] += 1
            if dim == 2:
                surface_masters[entity] = image
                a = np.array(affine).reshape(4, 4)
                moved = where[masters.astype(int)] @ a[:3, :3].T + a[:3, 3]
                error = np.abs(moved - where[slaves.astype(int)]).max()
                if error > 1e-6:
                    good = False
                    out.append(f"  BAD periodic surface {entity}: nodes off by {error:.2e}")
            if dim == 2:
                for s, m in zip(slaves, masters):
                    master.setdefault(int(s), set()).add(int(m))
    parent = {}

    def find(i):
        while parent.get(i, i) != i:
            i = parent[i]
        return i

    for s, ms in master.items():
        for m in ms:
            a, b = find(s), find(m)
            if a != b:
                parent[max(a, b)] = min(a, b)

    faces = defaultdict(list)
    counts = Counter()
    quality = {}
    ratio = {}
    nodes_of = {}
    order = None
    for etype, elements, nodes in zip(*gmsh.model.mesh.getElements(3)):
        kind, order = SOLIDS[etype]
        counts[kind] += len(elements)
        nodes = nodes.reshape(len(elements), -1).astype(int)
        try:
            q = gmsh.model.mesh.getElementQualities(elements, "minSJ")
            j = gmsh.model.mesh.getElementQualities(elements, "minDetJac")
            quality[kind] = (q.min(), np.mean(q), j.min())
            if kind == "pyramid":  # Gmsh's figures for curved pyramids are lower bounds that can be far off: sample
                det = sampled(etype, len(elements))
                ratio[kind] = (det.min(axis=1) / det.mean(axis=1)).min()
        except Exception as error:  # Gmsh 4.15 has no quality for prisms above order 2
            out.append(f"  no quality of {kind}: {error}")
        for e, row in zip(elements, nodes):
            nodes_of[int(e)] = row
            for f in FACES[kind]:
                faces[tuple(sorted(int(row[c]) for c in f))].append((int(e), kind))
    named = {}
    for dim, tag in gmsh.model.getPhysicalGroups(2):
        name = gmsh.model.getPhysicalName(dim, tag)
        for s in gmsh.model.getEntitiesForPhysicalGroup(dim, tag):
            named.setdefault(s, []).append(name)
    boundary = defaultdict(list)
    kinds2 = Counter()
    for _, s in gmsh.model.getEntities(2):
        if s not in named:
            continue
        for etype, elements, nodes in zip(*gmsh.model.mesh.getElements(2, s)):
            corners = 3 if etype in TRIANGLES else 4
            for row in nodes.reshape(len(elements), -1).astype(int):
                boundary[tuple(sorted(row[:corners]))].append(named[s])
                for n in named[s]:
                    kinds2[(n, "tri" if corners == 3 else "quad")] += 1
    problems = Counter()
    contact = Counter()
    open_faces = []
    for key, cells in faces.items():
        if len(cells) == 2:
            contact["-".join(sorted(k for _, k in cells)) + (" tri" if len(key) == 3 else " quad")] += 1
            shared = set(nodes_of[cells[0][0]]) & set(nodes_of[cells[1][0]])
            edges = len(key)
            g = order
            inner = (g - 1) ** 2 if edges == 4 else (g - 1) * (g - 2) // 2
            if len(shared) < edges + edges * (g - 1) + inner:
                problems["neighbours that share too few curve nodes"] += 1
            if key in boundary:
                problems["named faces inside"] += 1
        elif len(cells) == 1:
            if len(boundary.get(key, [])) != 1 or len(boundary[key][0]) != 1:
                problems["open faces without exactly one name"] += 1
            open_faces.append(key)
        else:
            problems["faces of more than two cells"] += 1
    for key in boundary:
        if key not in faces:
            problems["named faces that are not a face of a cell"] += 1
    # Periodic pairs: the faces that carry links must come in twos.
    slave_nodes = set(master)
    slaves_faces = [k for k in open_faces if all(n in slave_nodes for n in k)]
    merged = Counter(tuple(sorted(find(n) for n in k)) for k in open_faces)
    histogram = Counter(merged.values())
    euler = len(faces)
    kinds = ", ".join(f"{v} {k}" for k, v in sorted(counts.items()))
    out.append(f"  order {order}, {len(tags)} nodes, cells {sum(counts.values())}: {kinds}")
    jacobians = ", ".join(f"{k} {a:.3f} / {b:.3f}" for k, (a, b, _) in sorted(quality.items()))
    out.append(f"  min / mean scaled Jacobian: {jacobians}")
    out.append("  least Jacobian: " + ", ".join(f"{k} {c:.2e}" for k, (_, _, c) in sorted(quality.items())))
    out.append(f"  faces {euler}; inside: " + ", ".join(f"{v} {k}" for k, v in sorted(contact.items())))
    out.append("  named: " + ", ".join(f"{n} {v} {k}" for (n, k), v in sorted(kinds2.items())))
    out.append(
        f"  periodic: {links[2]} surfaces, {len(slaves_faces)} faces linked; "
        f"open faces by multiplicity once merged {dict(histogram)}"
    )
    for kind, value in ratio.items():
        out.append(f"  least Jacobian / mean of the cell, sampled: {kind} {value:.3f}")
    least = {kind: c for kind, (_, _, c) in quality.items()} | ratio
    if any(c <= 0 for c in least.values()):
        problems["kinds with a cell turned inside out"] += 1
    for p, n in problems.items():
        good = False
        out.append(f"  BAD: {n} {p}")
    out.append("  conforming" if good else "  NOT GOOD")
    print("\n".join(out), flush=True)
    return good


def slice_picture(png, normal_axis, at, box, title):
    """Draws the cells cut by the plane x[normal_axis] = at (corner polyhedra, straight edges), coloured by kind."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import PolyCollection

    colours = {"hex": "#9ecae1", "prism": "#fdd0a2", "tet": "#c7e9c0", "pyramid": "#fb6a4a"}
    tags, xyz, _ = gmsh.model.mesh.getNodes()
    where = np.zeros((int(tags.max()) + 1, 3))
    where[tags.astype(int)] = xyz.reshape(-1, 3)
    keep = [d for d in range(3) if d != normal_axis]
    fig, axis = plt.subplots(figsize=(10, 10 * min(1.2, (box[3] - box[2]) / (box[1] - box[0]))))
    for etype, elements, nodes in zip(*gmsh.model.mesh.getElements(3)):
        kind, _ = SOLIDS[etype]
        polygons = []
        for row in nodes.reshape(len(elements), -1).astype(int):
            p = where[row[: CORNERS[kind]]]
            s = p[:, normal_axis] - at
            if s.min() >= 0 or s.max() <= 0:
                continue
            points = []
            for f in FACES[kind]:
                for a, b in zip(f, f[1:] + f[:1]):
                    if s[a] * s[b] < 0:
                        t = s[a] / (s[a] - s[b])
                        points.append(p[a] + t * (p[b] - p[a]))
            points = np.array(points)[:, keep]
            c = points.mean(0)
            low, high = points.min(0), points.max(0)
            if high[0] < box[0] or low[0] > box[1] or high[1] < box[2] or low[1] > box[3]:
                continue
            angle = np.arctan2(points[:, 1] - c[1], points[:, 0] - c[0])
            polygons.append(points[np.argsort(angle)])
        axis.add_collection(
            PolyCollection(polygons, facecolors=colours[kind], edgecolors="k", linewidths=0.3, label=kind)
        )
    axis.set_xlim(box[0], box[1])
    axis.set_ylim(box[2], box[3])
    axis.set_aspect("equal")
    axis.set_title(title)
    axis.legend(loc="upper right")
    fig.savefig(png, dpi=110, bbox_inches="tight")
    plt.close(fig)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("meshes", nargs="+")
    parser.add_argument("--png", help="picture of a slice of the last mesh")
    parser.add_argument("--axis", type=int, default=2, help="normal of the slice, 0..2")
    parser.add_argument("--at", type=float, default=0.0, help="position of the slice")
    parser.add_argument("--box", type=float, nargs=4, help="part shown")
    args = parser.parse_args()
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.option.setNumber("General.NumThreads", 1)
    good = True
    for path in args.meshes:
        good = report(path) and good
    if args.png:
        slice_picture(args.png, args.axis, args.at, args.box, os.path.basename(args.meshes[-1]))
    gmsh.finalize()
    sys.exit(0 if good else 1)
