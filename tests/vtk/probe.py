"""Probes a solution on straight sub-cells with VTK's filters; called by tests/output/sub_cells.rs.

usage: probe.py FILE XMIN YMIN ZMIN XMAX YMAX ZMAX

The file fills the box, and its density is 1 + 0.1 x - 0.05 y + 0.02 z. Every point of the box must be found, with that
density, and no sub-cell may be turned inside out.
"""

import sys

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

POINTS = 500


def density(at):
    return 1 + at @ [0.1, -0.05, 0.02]


def probe(grid, points):
    """Returns where VTK finds the points, and the density there."""
    cloud = vtk.vtkPoints()
    cloud.SetData(numpy_to_vtk(points, deep=True))
    data = vtk.vtkPolyData()
    data.SetPoints(cloud)
    filter = vtk.vtkProbeFilter()
    filter.SetInputData(data)
    filter.SetSourceData(grid)
    filter.Update()
    found = filter.GetOutput().GetPointData()
    return vtk_to_numpy(found.GetArray("vtkValidPointMask")), vtk_to_numpy(found.GetArray("density"))


def main(path, low, high):
    reader = vtk.vtkHDFReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    at = np.random.default_rng(1).uniform(low, high, (POINTS, 3))
    there, values = probe(grid, at)
    assert there.all(), f"only {there.sum()} of {POINTS} points are found"
    error = float(np.max(np.abs(values - density(at))))
    assert error < 1e-9, f"the density differs by {error:.1e}"

    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    volumes = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume"))
    box = float(np.prod(np.subtract(high, low)))
    assert volumes.min() > 0 and abs(volumes.sum() - box) < 1e-3 * box, f"{volumes.min()}, {volumes.sum()} of {box}"
    print(f"{POINTS} points in {grid.GetNumberOfCells()} sub-cells, error {error:.1e}, volume {volumes.sum():.6f}")


if __name__ == "__main__":
    numbers = [float(word) for word in sys.argv[2:]]
    main(sys.argv[1], numbers[:3], numbers[3:])
