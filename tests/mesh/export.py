"""Prints what Gmsh and VTK find in exported meshes, for tests/mesh/export.rs.

usage: export.py FILE...      .msh files for Gmsh, .vtkhdf files for VTK

A line for each file: its name, the number of cells, their volume, and the names and areas of its boundaries. Sizes are
integrals of the Jacobian with Gmsh's or VTK's own shape functions.
"""

import pathlib
import sys

import numpy as np

POINTS = 6  # of Gauss in each direction of a VTK cell
CURVED_PRISMS = (90, 91)  # numbers of Gmsh's types of order 3 and 4


def of_gmsh(path):
    import gmsh

    gmsh.initialize()
    gmsh.option.setNumber("General.Terminal", 0)
    gmsh.open(str(path))

    def size(dimension, group):
        total, count = 0.0, 0
        for entity in gmsh.model.getEntitiesForPhysicalGroup(dimension, group):
            kinds, tags, _ = gmsh.model.mesh.getElements(dimension, entity)
            for kind, cells in zip(kinds, tags):
                count += len(cells)
                if kind in CURVED_PRISMS:
                    # "FaceClosureFull not implemented for prisms of order 3": Gmsh itself knows no shape functions.
                    total = float("nan")
                    continue
                places, weights = gmsh.model.mesh.getIntegrationPoints(int(kind), "Gauss12")
                _, determinants, _ = gmsh.model.mesh.getJacobians(int(kind), places, entity)
                total += float(np.sum(determinants.reshape(-1, len(weights)) @ weights))
        return total, count

    volumes = [size(3, group) for _, group in gmsh.model.getPhysicalGroups(3)]
    areas = {gmsh.model.getPhysicalName(2, g): size(2, g)[0] for _, g in gmsh.model.getPhysicalGroups(2)}
    gmsh.finalize()
    return sum(count for _, count in volumes), sum(volume for volume, _ in volumes), areas


def grid_of(path):
    import vtk

    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.Update()
    output = reader.GetOutputDataObject(0)
    if output.IsA("vtkPartitionedDataSet"):
        assert output.GetNumberOfPartitions() == 1
        output = output.GetPartition(0)
    return output


def rule(sides, dimension):
    """Gauss points and weights on the unit square or cube, or on triangles and wedges by collapsing a side."""
    at, weight = np.polynomial.legendre.leggauss(POINTS)
    at, weight = (at + 1) / 2, weight / 2
    grids = list(np.meshgrid(*[at] * dimension, indexing="ij"))
    weights = np.ones_like(grids[0])
    for w in np.meshgrid(*[weight] * dimension, indexing="ij"):
        weights = weights * w
    if sides == "triangle":
        x, y = grids[0], grids[1]
        grids[0], weights = x * (1 - y), weights * (1 - y)
    elif sides == "tetrahedron":
        x, y, z = grids
        grids = [x * (1 - y) * (1 - z), y * (1 - z), z]
        weights = weights * (1 - y) * (1 - z) ** 2
    return np.stack([g.ravel() for g in grids], axis=-1), weights.ravel()


def sizes_of(grid, numbers=None):
    """Sum of the sizes of the cells, or of those of each number."""
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    rules = {
        vtk.VTK_LAGRANGE_TETRAHEDRON: rule("tetrahedron", 3),
        vtk.VTK_LAGRANGE_HEXAHEDRON: rule("cube", 3),
        vtk.VTK_LAGRANGE_WEDGE: rule("triangle", 3),
        vtk.VTK_LAGRANGE_TRIANGLE: rule("triangle", 2),
        vtk.VTK_LAGRANGE_QUADRILATERAL: rule("square", 2),
    }
    points = vtk_to_numpy(grid.GetPoints().GetData())
    shapes, sums = {}, {}
    for i in range(grid.GetNumberOfCells()):
        cell = grid.GetCell(i)
        kind, nodes = grid.GetCellType(i), cell.GetNumberOfPoints()
        places, weights = rules[kind]
        dimension = places.shape[1]
        if kind not in shapes:
            shape, derivatives = np.zeros((len(places), dimension, nodes)), np.zeros(dimension * nodes)
            for q, place in enumerate(places):
                cell.InterpolateDerivs([*place, 0.0][:3], derivatives)
                # Interleaved in hexahedra and quadrilaterals, else component by component.
                tensor = kind in (vtk.VTK_LAGRANGE_HEXAHEDRON, vtk.VTK_LAGRANGE_QUADRILATERAL)
                shape[q] = derivatives.reshape(nodes, dimension).T if tensor else derivatives.reshape(dimension, nodes)
            shapes[kind] = shape
        jacobian = shapes[kind] @ points[[cell.GetPointId(a) for a in range(nodes)]]
        if dimension == 3:
            determinant = np.linalg.det(jacobian)
            assert determinant.min() > -1e-12, f"cell {i} is turned inside out"
        else:
            determinant = np.linalg.norm(np.cross(jacobian[:, 0], jacobian[:, 1]), axis=1)
        key = 0 if numbers is None else int(numbers[i])
        sums[key] = sums.get(key, 0.0) + float(weights @ determinant)
    return sums


def of_vtk(path):
    from vtk.util.numpy_support import vtk_to_numpy

    grid = grid_of(path)
    volume = sizes_of(grid)[0]
    beside = path.with_name(path.stem + "_boundaries.vtkhdf")
    areas = {}
    if beside.exists():
        faces = grid_of(beside)
        found = sizes_of(faces, vtk_to_numpy(faces.GetCellData().GetArray("boundary")))
        areas = {str(number): area for number, area in found.items()}
    return grid.GetNumberOfCells(), volume, areas


for path in map(pathlib.Path, sys.argv[1:]):
    count, volume, areas = of_gmsh(path) if path.suffix == ".msh" else of_vtk(path)
    words = " ".join(f"{name} {area:.15g}" for name, area in areas.items())
    print(f"{path.name} {count} {volume:.15g} {words}".strip())
