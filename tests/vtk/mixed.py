"""Checks the files with one cell of each shape; tests/output/vtk_reader/mixed.rs has the same cells and formulas."""

import pathlib

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

ORDERS = range(1, 9)

# Shape, corner and edges; the last edge of a pyramid is its axis.
CELLS = [
    ("tet", [0.5, 0, 0.5], [[0.5, 0.25, 0], [0, 0.5, 0], [-0.25, 0.25, 0.25]]),
    ("hex", [0, 0, 0], [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]]),
    ("pyramid", [0, 0, 0.5], [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.25]]),
    ("prism", [0.5, 0, 0], [[0.5, 0.25, 0], [0, 0.5, 0], [0, 0, 0.5]]),
]
TYPES = {
    "tet": vtk.VTK_LAGRANGE_TETRAHEDRON,
    "hex": vtk.VTK_LAGRANGE_HEXAHEDRON,
    "pyramid": vtk.VTK_LAGRANGE_HEXAHEDRON,
    "prism": vtk.VTK_LAGRANGE_WEDGE,
}
NODES = {
    "tet": lambda p: (p + 1) * (p + 2) * (p + 3) // 6,
    "hex": lambda p: (p + 1) ** 3,
    "pyramid": lambda p: (p + 1) ** 3,
    "prism": lambda p: (p + 1) ** 2 * (p + 2) // 2,
}


def warp(p, at):
    x, y, z = at
    return np.array([x + 0.1 * y**p + 0.05 * x ** (p - 1) * z, y + 0.08 * z**p, z - 0.07 * x ** (p - 1) * y])


def jacobian(p, at):
    """Derivative of warp at each position: row = component, column = direction."""
    x, y, z = at
    one, zero = np.ones_like(x), np.zeros_like(x)
    slope = (p - 1) * x ** max(p - 2, 0)
    rows = [
        [one + 0.05 * slope * z, 0.1 * p * y ** (p - 1), 0.05 * x ** (p - 1)],
        [zero, one, 0.08 * p * z ** (p - 1)],
        [-0.07 * slope * y, -0.07 * x ** (p - 1), one],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def scalar(p, at):
    x, y, z = at
    return 1 + x**p - 2 * y ** (p - 1) * z + 3 * z ** (p - 1) * x + 0.5 * y**p


def collapse(shape, at):
    """Maps a cube to the unit element: positions and Jacobian determinants. VTK's own coordinates are those of the unit
    element; for a pyramid they are those of the cube."""
    a, b, c = at
    if shape == "tet":
        return np.array([a * (1 - b) * (1 - c), b * (1 - c), c]), (1 - b) * (1 - c) ** 2
    if shape == "prism":
        return np.array([a * (1 - b), b, c]), 1 - b
    if shape == "pyramid":
        return np.array([0.5 + (a - 0.5) * (1 - c), 0.5 + (b - 0.5) * (1 - c), c]), (1 - c) ** 2
    return np.array([a, b, c]), np.ones_like(a)


def cube_points(n):
    """Points of the Gauss rule in the unit cube, a row for each direction, and their weights."""
    at, gauss = np.polynomial.legendre.leggauss(n)
    at, gauss = (at + 1) / 2, gauss / 2
    weights = np.einsum("i,j,k->ijk", gauss, gauss, gauss).ravel()
    return np.stack(np.meshgrid(at, at, at, indexing="ij")).reshape(3, -1), weights


def check_cell(grid, index, p, close):
    """Position, field, Jacobian and volume of a cell by VTK's shape functions, against the formulas."""
    cell = grid.GetCell(index)
    number = int(grid.GetCellData().GetArray("global_cell_id").GetValue(index)) - 1000
    shape, corner, edges = CELLS[number]
    name, nodes = f"{shape} of order {p}", NODES[shape](p)
    assert cell.GetCellType() == TYPES[shape] and cell.GetNumberOfPoints() == nodes, name
    assert p == (cell.GetOrder() if shape == "tet" else cell.GetOrder(0)), name
    ids = [cell.GetPointId(a) for a in range(nodes)]
    points = vtk_to_numpy(grid.GetPoints().GetData())[ids]
    density = vtk_to_numpy(grid.GetPointData().GetArray("density"))[ids]

    # The Jacobian has degree 3 (p - 1) and the collapse adds 2, so this number of points is exact.
    cube, gauss = cube_points((3 * p + 1) // 2)
    unit, collapsed = collapse(shape, cube)
    at = np.array(corner)[:, None] + np.array(edges).T @ unit
    exact = np.linalg.det(jacobian(p, at)) * np.linalg.det(edges)
    # VTK treats the pyramid as a hexahedron, so the collapse is part of its Jacobian.
    own = cube if shape == "pyramid" else unit
    inside = collapsed if shape == "pyramid" else np.ones_like(collapsed)
    determinant = np.zeros(len(gauss))
    weights, derivatives = np.zeros(nodes), np.zeros(3 * nodes)
    worst = 0.0
    for q, place in enumerate(own.T):
        cell.InterpolateFunctions(list(place), weights)
        worst = max(worst, close(f"position in {name}", weights @ points, warp(p, at[:, q]), 1e-12))
        worst = max(worst, close(f"density in {name}", weights @ density, scalar(p, at[:, q]), 1e-12))
        cell.InterpolateDerivs(list(place), derivatives)
        # VTK keeps the three derivatives of a node together in hexahedra, and those of one direction in the others.
        hexahedron = cell.GetCellType() == vtk.VTK_LAGRANGE_HEXAHEDRON
        by_direction = derivatives.reshape(nodes, 3).T if hexahedron else derivatives.reshape(3, nodes)
        determinant[q] = np.linalg.det(by_direction @ points)
    assert determinant.min() > 0, f"{name} is turned inside out"
    close(f"Jacobian in {name}", determinant, exact * inside, 1e-11)
    volume = gauss @ (determinant * collapsed / inside)
    close(f"volume of {name}", volume, gauss @ (exact * collapsed), 1e-13)
    return worst, volume


def check(directory, open_file, close):
    """Checks mixed-P.vtkhdf for all orders P."""
    for p in ORDERS:
        path = pathlib.Path(directory) / f"mixed-{p}.vtkhdf"
        _, grid = open_file(path)
        count = grid.GetNumberOfCells()
        assert count == len(CELLS) and grid.GetNumberOfPoints() == sum(NODES[shape](p) for shape, _, _ in CELLS)
        errors, volumes = zip(*(check_cell(grid, index, p, close) for index in range(count)))
        volumes = " ".join(f"{volume:.6f}" for volume in volumes)
        print(f"{path.parent.name}/{path.name}: error {max(errors):.1e}, volumes {volumes}")
