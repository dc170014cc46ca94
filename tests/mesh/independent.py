"""Prints what readers that know nothing of fr-les find in mesh files, for tests/mesh/table.rs.

usage: independent.py FILE...

A line for each file: its name, the reader, the number of cells and their volume, or that of a layer of thickness 1 on a
flat mesh. Gmsh reads its own formats and CGNS files of one zone; the others are read with h5py or as text, and their
cells measured with numpy. Files that none of them reads have `-` in place of the reader.
"""

import pathlib
import sys

import gmsh
import h5py
import numpy as np

CURVED_PRISMS = (90, 91)  # Gmsh itself knows no shape functions of these


def measured(dimension):
    """Cells of the present model of Gmsh and their volume."""
    cells, volume = 0, 0.0
    for _, entity in gmsh.model.getEntities(dimension):
        kinds, tags, _ = gmsh.model.mesh.getElements(dimension, entity)
        for kind, of_kind in zip(kinds, tags):
            cells += len(of_kind)
            if kind in CURVED_PRISMS:
                volume = float("nan")
                continue
            places, weights = gmsh.model.mesh.getIntegrationPoints(int(kind), "Gauss12")
            _, determinants, _ = gmsh.model.mesh.getJacobians(int(kind), places, entity)
            volume += float(np.sum(determinants.reshape(-1, len(weights)) @ weights))
    return cells, volume


def of_gmsh(path):
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    try:
        gmsh.open(str(path))
        flat = not any(len(tags) for tags in gmsh.model.mesh.getElements(3)[1])
        return ("Gmsh", *measured(2 if flat else 3))
    except Exception:
        return "-", 0, float("nan")  # "Can only read MSH 4.0 format in ASCII mode", "Unknown type of element 125"
    finally:
        gmsh.finalize()


def of_elements(dimension, nodes, elements):
    """Volume of linear elements, given as pairs of Gmsh's type and the nodes, with Gmsh's shape functions."""
    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.model.addDiscreteEntity(dimension, 1)
    gmsh.model.mesh.addNodes(dimension, 1, range(1, len(nodes) + 1), np.ravel(nodes))
    for kind in sorted({kind for kind, _ in elements}):
        tags = [1 + i for i, element in enumerate(elements) if element[0] == kind]
        gmsh.model.mesh.addElementsByType(1, kind, tags, [1 + int(node) for t in tags for node in elements[t - 1][1]])
    found = measured(dimension)
    gmsh.finalize()
    return found


# Gmsh's type and the order of its nodes, for each type of SU2 (VTK); the triangles of a prism run the other way round.
SU2_TYPES = {
    5: (2, [0, 1, 2]),
    9: (3, [0, 1, 2, 3]),
    10: (4, [0, 1, 2, 3]),
    12: (5, [0, 1, 2, 3, 4, 5, 6, 7]),
    13: (6, [0, 2, 1, 3, 5, 4]),
    14: (7, [0, 1, 2, 3, 4]),
}


def of_su2(path):
    lines = [line.split("%")[0].strip() for line in path.read_text().splitlines()]
    sections = {}
    for i, line in enumerate(lines):
        if "=" in line:
            key, value = line.split("=")
            sections[key.strip()] = (int(value.split()[0]) if value.split()[0].isdigit() else value, i + 1)
    dimension = sections["NDIME"][0]
    rows = lambda key: [lines[sections[key][1] + k].split() for k in range(sections[key][0])]
    nodes = [[float(x) for x in row[:dimension]] + [0.0] * (3 - dimension) for row in rows("NPOIN")]
    types = [(SU2_TYPES[int(row[0])], row[1:]) for row in rows("NELEM")]
    elements = [(kind, [row[i] for i in order]) for (kind, order), row in types]
    return ("text, numpy", *of_elements(dimension, nodes, elements))


def gauss_of_tetrahedron(count=6):
    """Gauss points and weights on the unit tetrahedron, by collapsing a cube."""
    at, weight = np.polynomial.legendre.leggauss(count)
    at, weight = (at + 1) / 2, weight / 2
    x, y, z = (grid.ravel() for grid in np.meshgrid(at, at, at, indexing="ij"))
    wx, wy, wz = (grid.ravel() for grid in np.meshgrid(weight, weight, weight, indexing="ij"))
    return np.stack([x * (1 - y) * (1 - z), y * (1 - z), z], axis=1), wx * wy * wz * (1 - y) * (1 - z) ** 2


def of_tetrahedra(x):
    """Volume of tetrahedra of order 1 or 2, whose nodes `x` have the shape [cell][node][3]: vertices, then the middles
    of the edges 01, 12, 20, 03, 13, 23."""
    places, weights = gauss_of_tetrahedron()
    lam = np.column_stack([1 - places.sum(axis=1), places])
    dlam = np.array([[-1, -1, -1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    if x.shape[1] == 4:
        slopes = np.repeat(dlam[None], len(places), axis=0)
    else:
        vertices = [(4 * lam[:, [a]] - 1) * dlam[a] for a in range(4)]
        edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
        middles = [4 * (lam[:, [a]] * dlam[b] + lam[:, [b]] * dlam[a]) for a, b in edges]
        slopes = np.stack(vertices + middles, axis=1)
    determinants = np.linalg.det(np.einsum("qnd,cne->cqde", slopes, x))
    return float(np.sum(determinants @ weights))


# Cells with nodes on their edges only: vertices of a reference cell, and edges in the order of the CGNS standard.
TETRAHEDRON = ("000 100 010 001", "01 12 20 03 13 23")
PYRAMID = ("000 100 110 010 001", "01 12 23 30 04 14 24 34")
PRISM = ("000 100 010 001 101 011", "01 12 20 03 14 25 34 45 53")
HEXAHEDRON = ("000 100 110 010 001 101 111 011", "01 12 23 30 04 15 26 37 45 56 67 74")
# The number of CGNS's type, with its order.
OF_EDGES = {
    18: (HEXAHEDRON, 2),
    29: (TETRAHEDRON, 3),
    31: (PYRAMID, 3),
    34: (PRISM, 3),
    37: (HEXAHEDRON, 3),
    45: (TETRAHEDRON, 4),
    48: (PYRAMID, 4),
    51: (PRISM, 4),
    54: (HEXAHEDRON, 4),
}
# Gmsh's type and the number of nodes of the linear types of CGNS.
LINEAR = {10: (4, 4), 12: (7, 5), 14: (6, 6), 17: (5, 8)}
ON_SURFACES = (3, 5, 6, 7, 24, 26)  # edges, triangles and quadrilaterals


def rule_of(cell, count=6):
    """Gauss points and weights on a reference cell."""
    at, weight = np.polynomial.legendre.leggauss(count)
    at, weight = (at + 1) / 2, weight / 2
    x, y, z = (grid.ravel() for grid in np.meshgrid(at, at, at, indexing="ij"))
    weights = np.prod([grid.ravel() for grid in np.meshgrid(weight, weight, weight, indexing="ij")], axis=0)
    if cell is TETRAHEDRON:
        return gauss_of_tetrahedron()
    if cell is PRISM:
        return np.stack([x * (1 - y), y, z], axis=1), weights * (1 - y)
    if cell is PYRAMID:
        return np.stack([x * (1 - z), y * (1 - z), z], axis=1), weights * (1 - z) ** 2
    return np.stack([x, y, z], axis=1), weights


def of_edges(cell, order, x):
    """Volume of a cell from the quadratic map that goes through its nodes; there must be one."""
    vertices = np.array([[float(c) for c in vertex] for vertex in cell[0].split()])
    places = list(vertices)
    for a, b in ((int(a), int(b)) for a, b in cell[1].split()):
        places += [vertices[a] + m / order * (vertices[b] - vertices[a]) for m in range(1, order)]
    powers = [(i, j, k) for i in range(3) for j in range(3) for k in range(3) if i + j + k <= 2]
    value = lambda y: np.stack([np.prod(y ** np.array(power), axis=1) for power in powers], axis=1)
    coefficients = np.linalg.lstsq(value(np.array(places)), x, rcond=None)[0]
    assert np.abs(value(np.array(places)) @ coefficients - x).max() < 1e-13, "the map is not quadratic"

    def slope(y, d):
        lower = lambda power: np.maximum(np.array(power) - (np.arange(3) == d), 0)
        return np.stack([power[d] * np.prod(y ** lower(power), axis=1) for power in powers], axis=1)

    points, weights = rule_of(cell)
    jacobian = np.stack([slope(points, d) @ coefficients for d in range(3)], axis=-1)
    return float(weights @ np.linalg.det(jacobian))


def followed(node):
    """The node itself, or the one that it is a link to."""
    return node[" link"] if " link" in node else node


def of_zone(zone):
    """Number and volume of the cells of a zone; None if it has cells of which only Gmsh knows the shape functions."""
    label = lambda node: node.attrs.get("label", b"").decode()
    nodes = [followed(node) for node in zone.values() if isinstance(node, h5py.Group)]
    grid = next(node for node in nodes if label(node) == "GridCoordinates_t")
    x = np.stack([grid["Coordinate" + d][" data"][:].ravel() for d in "XYZ"], axis=-1)
    if zone["ZoneType"][" data"][:].tobytes() == b"Structured":
        n = zone[" data"][0]
        number = np.arange(np.prod(n)).reshape(n[::-1])
        corner = lambda i, j, k: number[k : n[2] - 1 + k, j : n[1] - 1 + j, i : n[0] - 1 + i].ravel()
        corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
        cells = np.stack([corner(*at) for at in corners], axis=1)
        return of_elements(3, x, [(5, cell) for cell in cells])
    found = np.zeros(2)
    for section in (node for node in nodes if label(node) == "Elements_t"):
        kind, list_of = int(section[" data"][0]), section["ElementConnectivity"][" data"][:]
        if kind in ON_SURFACES:
            continue
        if kind in (10, 11):
            at = list_of.reshape(-1, 4 if kind == 10 else 10) - 1
            found += len(at), of_tetrahedra(x[at])
        elif kind in OF_EDGES:
            found += 1, of_edges(*OF_EDGES[kind], x[list_of - 1])
        elif kind == 20:
            elements, rest = [], list(list_of)
            while rest:
                gmsh_kind, count = LINEAR[int(rest[0])]
                elements.append((gmsh_kind, np.array(rest[1 : 1 + count]) - 1))
                rest = rest[1 + count :]
            found += of_elements(3, x, elements)
        else:
            return None
    return found


def of_cgns(path):
    """All zones of a file; None if Gmsh is to read it."""
    label = lambda node: node.attrs.get("label", b"").decode() if isinstance(node, h5py.Group) else ""
    with h5py.File(path) as file:
        bases = [node for node in file.values() if label(node) == "CGNSBase_t"]
        if int(bases[0][" data"][0]) != 3:
            return None
        zones = [of_zone(zone) for base in bases for zone in base.values() if label(zone) == "Zone_t"]
    if any(zone is None for zone in zones):
        return None
    cells, volume = np.sum(zones, axis=0)
    return "h5py, numpy", int(cells), float(volume)


def of_hopr(path):
    """Hexahedra with nodes at equal distances."""
    with h5py.File(path) as file:
        order = int(np.ravel(file.attrs["Ngeo"])[0])
        x = file["NodeCoords"][:].reshape(-1, order + 1, order + 1, order + 1, 3)
    nodes = np.linspace(-1, 1, order + 1)
    at, weights = np.polynomial.legendre.leggauss(2 * order)
    powers = np.vander(nodes, increasing=True)
    value = np.vander(at, order + 1, increasing=True) @ np.linalg.inv(powers)
    slope = np.polynomial.polynomial.polyvander(at, order)
    slope = np.column_stack([0 * at] + [k * slope[:, k - 1] for k in range(1, order + 1)]) @ np.linalg.inv(powers)
    rows = [[slope if d == e else value for e in range(3)] for d in range(3)]
    jacobian = np.stack([np.einsum("ai,bj,ck,nkjie->ncbae", *row, x) for row in rows], axis=-1)
    determinants = np.linalg.det(jacobian)
    volume = float(np.einsum("ncba,a,b,c->", determinants, weights, weights, weights))
    return "h5py, numpy", len(x), volume


def read(path):
    if path.suffix == ".su2":
        return of_su2(path)
    if path.suffix == ".h5":
        return of_hopr(path)
    own = of_cgns(path) if path.suffix == ".cgns" else None
    return own or of_gmsh(path)


for path in map(pathlib.Path, sys.argv[1:]):
    reader, cells, volume = read(path)
    print(f"{path.name}|{reader}|{cells}|{volume:.12g}")
