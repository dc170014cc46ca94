"""Checks the solution files of tests/output/vtk_reader.rs with VTK's own reader and its own Lagrange cells.

usage: check.py DIRECTORY...      each with order-P-double.vtkhdf, order-P-single.vtkhdf and mixed-P.vtkhdf

The values that VTK reads are compared with the formulas from which the file was written: positions and fields at points
between the nodes, and the Jacobian of the mapping. They agree only if every node is where VTK expects it.
"""

import pathlib
import re
import sys

import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

import mixed
import surface

BOX = 2  # cells in each direction of the unit cube


def warp(p, at):
    x, y, z = at
    return np.array([x + 0.1 * x**p * y**p * z, y + 0.08 * z**p * x, z - 0.07 * x**p * y**p])


def jacobian(p, at):
    """Derivative of warp: row = component, column = direction."""
    x, y, z = at
    one, zero = np.ones_like(x), np.zeros_like(x)
    dx, dy, dz = (p * a ** (p - 1) for a in (x, y, z))
    return np.array([
        [one + 0.1 * dx * y**p * z, 0.1 * x**p * dy * z, 0.1 * x**p * y**p],
        [0.08 * z**p, one, 0.08 * dz * x],
        [-0.07 * dx * y**p, -0.07 * x**p * dy, one + zero],
    ])


def scalar(p, at):
    x, y, z = at
    return 1 + x**p - 2 * y**p * z + 3 * z**p * x * y


def vector(p, at):
    x, y, z = at
    return np.array([x * y, scalar(p, at) - z, -2 * z * x])


def close(name, got, expected, tolerance):
    error = float(np.max(np.abs(np.asarray(got) - np.asarray(expected))))
    assert error <= tolerance, f"{name}: differs by {error:.3e}, more than {tolerance:.1e}"
    return error


def open_file(path):
    reader = vtk.vtkHDFReader()
    assert reader.CanReadFile(str(path)), f"{path}: VTK cannot read it"
    reader.SetFileName(str(path))
    reader.Update()
    output = reader.GetOutputDataObject(0)
    if not output.IsA("vtkPartitionedDataSet"):
        return reader, output
    # There is one partition per rank. Newer readers keep them apart, older ones merge them.
    merge = vtk.vtkAppendDataSets()
    merge.SetOutputDataSetType(vtk.VTK_UNSTRUCTURED_GRID)
    for i in range(output.GetNumberOfPartitions()):
        merge.AddInputData(output.GetPartition(i))
    merge.Update()
    grid = merge.GetOutput()
    grid.SetFieldData(output.GetFieldData())
    return reader, grid


def check_meta(path, reader, grid, p, single):
    cells, nodes = BOX**3, (p + 1) ** 3
    assert grid.GetNumberOfCells() == cells and grid.GetNumberOfPoints() == cells * nodes
    assert grid.GetPoints().GetDataType() == (vtk.VTK_FLOAT if single else vtk.VTK_DOUBLE)
    for i in range(cells):
        assert grid.GetCellType(i) == vtk.VTK_LAGRANGE_HEXAHEDRON
        assert grid.GetCell(i).GetOrder(0) == p
    ids = sorted(vtk_to_numpy(grid.GetCellData().GetArray("global_cell_id")))
    assert ids == list(range(1000, 1000 + cells))

    assert reader.GetNumberOfSteps() == 1
    field = grid.GetFieldData()
    close("time in the field data", field.GetArray("time").GetValue(0), 0.1 * p, 1e-15)
    assert field.GetArray("step").GetValue(0) == 100 * p

    corners = [warp(p, at) for at in ([0, 0, 0], [1, 1, 1])]
    bounds = np.array(grid.GetBounds()).reshape(3, 2).T
    points = vtk_to_numpy(grid.GetPoints().GetData())
    close("bounds", bounds, [points.min(axis=0), points.max(axis=0)], 0)
    close("bounds of x", bounds[:, 0], [corners[0][0], corners[1][0]], 1e-7)


def check_places(grid, p, tolerance):
    """Compares positions and fields between the nodes in VTK's cell with the formulas."""
    random = np.random.default_rng(p)
    density = vtk_to_numpy(grid.GetPointData().GetArray("density"))
    velocity = vtk_to_numpy(grid.GetPointData().GetArray("velocity"))
    worst = 0.0
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        number = int(grid.GetCellData().GetArray("global_cell_id").GetValue(i)) - 1000
        corner = np.array([number % BOX, number // BOX % BOX, number // BOX // BOX])
        ids = [cell.GetPointId(a) for a in range(cell.GetNumberOfPoints())]
        weights = np.zeros(len(ids))
        places = [[0, 0, 0], [1, 0, 0.5], *random.random((12, 3))]
        for place in places:
            at = (corner + np.array(place)) / BOX
            position, sub = [0.0] * 3, vtk.reference(0)
            cell.EvaluateLocation(sub, list(place), position, weights)
            worst = max(worst, close(f"position in cell {i}", position, warp(p, at), tolerance))
            worst = max(worst, close(f"density in cell {i}", weights @ density[ids], scalar(p, at), tolerance))
            worst = max(worst, close(f"velocity in cell {i}", weights @ velocity[ids], vector(p, at), tolerance))
    return worst


def check_volumes(grid, p, tolerance):
    """Compares volumes from Gauss quadrature of VTK's Jacobian, of degree < 3p in each direction, with the formula."""
    places, gauss = np.polynomial.legendre.leggauss((3 * p + 1) // 2)
    places, gauss = (places + 1) / 2, gauss / 2
    weights = np.einsum("i,j,k->ijk", gauss, gauss, gauss).ravel()
    places = np.stack(np.meshgrid(places, places, places, indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = (p + 1) ** 3
    shape = np.zeros((len(places), 3, nodes))
    cell, derivatives = grid.GetCell(0), np.zeros(3 * nodes)
    for q, place in enumerate(places):
        cell.InterpolateDerivs(list(place), derivatives)
        shape[q] = derivatives.reshape(nodes, 3).T

    points = vtk_to_numpy(grid.GetPoints().GetData()).astype(float)
    volumes = []
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        ids = [cell.GetPointId(a) for a in range(nodes)]
        determinant = np.linalg.det(shape @ points[ids])
        assert determinant.min() > 0, f"cell {i} is turned inside out"
        number = int(grid.GetCellData().GetArray("global_cell_id").GetValue(i)) - 1000
        corner = np.array([number % BOX, number // BOX % BOX, number // BOX // BOX])
        exact = np.linalg.det(np.moveaxis(jacobian(p, ((corner + places) / BOX).T), -1, 0)) / BOX**3
        close(f"Jacobian in cell {i}", determinant, exact, 100 * tolerance)
        volumes.append(weights @ determinant)

    at, gauss = np.polynomial.legendre.leggauss(3 * p + 2)
    at, gauss = (at + 1) / 2, gauss / 2
    weights = np.einsum("i,j,k->ijk", gauss, gauss, gauss).ravel()
    at = np.stack(np.meshgrid(at, at, at, indexing="ij")).reshape(3, -1)
    exact = weights @ np.linalg.det(np.moveaxis(jacobian(p, at), -1, 0))
    close("sum of the volumes", sum(volumes), exact, tolerance)
    return min(volumes), sum(volumes)


def main(directories):
    files = [path for directory in directories for path in sorted(pathlib.Path(directory).glob("order-*.vtkhdf"))]
    assert len(files) == 16 * len(directories), f"only {len(files)} files"
    for path in files:
        p, precision = re.fullmatch(r"order-(\d)-(single|double)", path.stem).groups()
        p, single = int(p), precision == "single"
        reader, grid = open_file(path)
        # Interpolation from equispaced nodes amplifies rounding errors, by about a thousand at order 8.
        tolerance = 1e-4 if single else 1e-12
        check_meta(path, reader, grid, p, single)
        error = check_places(grid, p, tolerance)
        least, volume = check_volumes(grid, p, tolerance)
        print(f"{path.parent.name}/{path.name}: error {error:.1e}, least volume {least:.4f}, volume {volume:.12f}")
    for directory in directories:
        mixed.check(directory, open_file, close)
        surface.check(directory, open_file, close)


if __name__ == "__main__":
    main(sys.argv[1:])
