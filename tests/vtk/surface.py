"""Checks the files of surfaces; tests/output/vtk_reader/surface.rs has the same cells and formulas."""

import pathlib

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

ORDERS = range(1, 9)

# Shape, corner and edges.
CELLS = [
    ("triangle", [0.5, 0], [[0.5, 0], [0, 1]]),
    ("quad", [0, 0], [[0.5, 0], [0, 1]]),
    ("triangle", [1, 1], [[-0.5, 0], [0, -1]]),
]
TYPES = {"triangle": vtk.VTK_LAGRANGE_TRIANGLE, "quad": vtk.VTK_LAGRANGE_QUADRILATERAL}
NODES = {"triangle": lambda p: (p + 1) * (p + 2) // 2, "quad": lambda p: (p + 1) ** 2}


def warp(p, at):
    x, y = at
    return np.array([x + 0.1 * y**p, y + 0.05 * x ** (p - 1), 0.3 * x**p - 0.2 * x ** (p - 1) * y])


def scalar(p, at):
    x, y = at
    return 1 + x**p - 2 * y ** (p - 1) * x


def check_faces(path, grid, p, close):
    assert grid.GetNumberOfCells() == len(CELLS)
    assert grid.GetNumberOfPoints() == sum(NODES[shape](p) for shape, _, _ in CELLS)
    points = vtk_to_numpy(grid.GetPoints().GetData())
    pressure = vtk_to_numpy(grid.GetPointData().GetArray("pressure"))
    worst, random = 0.0, np.random.default_rng(p)
    for index in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(index)
        number = int(grid.GetCellData().GetArray("global_cell_id").GetValue(index)) - 1000
        assert grid.GetCellData().GetArray("boundary").GetValue(index) == number % 2
        shape, corner, edges = CELLS[number]
        name, nodes = f"{shape} of order {p}", NODES[shape](p)
        assert cell.GetCellType() == TYPES[shape] and cell.GetNumberOfPoints() == nodes, name
        assert p == (cell.GetOrder() if shape == "triangle" else cell.GetOrder(0)), name
        ids = [cell.GetPointId(a) for a in range(nodes)]
        weights = np.zeros(nodes)
        for place in [[0, 0], [1, 0], [0, 1], [0.5, 0.25], *(0.5 * random.random((8, 2)))]:
            at = np.array(corner) + np.array(place) @ np.array(edges)
            cell.InterpolateFunctions([*place, 0.0], weights)
            worst = max(worst, close(f"position in {name}", weights @ points[ids], warp(p, at), 1e-12))
            worst = max(worst, close(f"pressure in {name}", weights @ pressure[ids], scalar(p, at), 1e-12))
    print(f"{path.parent.name}/{path.name}: error {worst:.1e}")


def check(directory, open_file, close):
    """Checks surface-P.vtkhdf for all orders P, triangles.vtkhdf and nothing.vtkhdf."""
    directory = pathlib.Path(directory)
    for p in ORDERS:
        path = directory / f"surface-{p}.vtkhdf"
        check_faces(path, open_file(path)[1], p, close)
    grid = open_file(directory / "triangles.vtkhdf")[1]
    assert grid.GetNumberOfCells() == 6 and grid.GetNumberOfPoints() == 12
    assert all(grid.GetCellType(i) == vtk.VTK_TRIANGLE for i in range(6))
    close("area of the triangles", sum(grid.GetCell(i).ComputeArea() for i in range(6)), 3, 1e-14)
    points = vtk_to_numpy(grid.GetPoints().GetData())
    density = vtk_to_numpy(grid.GetPointData().GetArray("density"))
    close("density of the triangles", density, 2 * points[:, 0] - points[:, 1], 0)
    assert open_file(directory / "nothing.vtkhdf")[1].GetNumberOfCells() == 0
