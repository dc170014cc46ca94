"""Draws the picture of README.md, surfaces of constant Q-criterion of the Taylor-Green vortex, from a solution file of
the run that README.md beside this file describes:

    .venv/bin/python docs/images/taylor-green.py FILE.vtkhdf PICTURE.png [LEVEL]

Needs vtk and numpy, which `make test` installs in .venv. The run covers an eighth of the box, between symmetry planes;
the picture mirrors it."""

import sys

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

SAMPLES = 7  # points of the picture in each direction of a cell


def lagrange(nodes, at):
    """Values and derivatives of the Lagrange polynomials of `nodes` at the points `at`: arrays [point][polynomial]."""
    n = len(nodes)
    value, slope = np.ones((len(at), n)), np.zeros((len(at), n))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for j in others:
            value[:, i] *= (at - nodes[j]) / (nodes[i] - nodes[j])
        for j in others:
            term = np.full(len(at), 1 / (nodes[i] - nodes[j]))
            for k in others:
                if k != j:
                    term *= (at - nodes[k]) / (nodes[i] - nodes[k])
            slope[:, i] += term
    return value, slope


def sampled(path):
    """Q and speed on a uniform grid of the octant [0, pi]^3: two arrays [z][y][x]."""
    reader = vtk.vtkHDFReader()
    reader.SetFileName(path)
    reader.Update()
    grid = reader.GetOutput()
    while grid.IsA("vtkDataObjectTree") or grid.IsA("vtkPartitionedDataSet"):
        grid = grid.GetPartition(0)
    points = vtk_to_numpy(grid.GetPoints().GetData()).astype(float)
    cells = vtk_to_numpy(grid.GetCells().GetConnectivityArray())
    number = grid.GetNumberOfCells()
    n = round((len(cells) / number) ** (1 / 3))
    cells = cells.reshape(number, n**3)
    across = round(number ** (1 / 3))
    h = np.pi / across
    corners = points[cells].min(axis=1)
    # Nodes of a cell in the order [z][y][x], whatever VTK's own is.
    index = np.rint((points[cells] - corners[:, None]) / h * (n - 1)).astype(int)
    order = np.argsort(index[..., 2] * n * n + index[..., 1] * n + index[..., 0], axis=1)
    nodes = np.take_along_axis(cells, order, axis=1)
    velocity = vtk_to_numpy(grid.GetPointData().GetArray("velocity"))[nodes].astype(float)
    velocity = velocity.reshape(number, n, n, n, 3)
    value, slope = lagrange(np.linspace(0, 1, n), (np.arange(SAMPLES) + 0.5) / SAMPLES)
    slope = slope / h
    along = lambda x, y, z: np.einsum("ak,bj,ci,ekjiv->eabcv", z, y, x, velocity, optimize=True)
    u = along(value, value, value)
    gradient = np.stack([along(slope, value, value), along(value, slope, value), along(value, value, slope)], axis=-1)
    q = -0.5 * np.einsum("...ij,...ji->...", gradient, gradient)
    m = across * SAMPLES
    place = np.rint(corners / h).astype(int)
    out = np.empty((2, m, m, m), dtype=np.float32)
    for cell, (i, j, k) in enumerate(place):
        box = tuple(slice(p * SAMPLES, (p + 1) * SAMPLES) for p in (k, j, i))
        out[(0, *box)] = q[cell]
        out[(1, *box)] = np.linalg.norm(u[cell], axis=-1)
    return out


def mirrored(octant):
    """The whole box from its octant."""
    for axis in range(3):
        octant = np.concatenate([np.flip(octant, axis), octant], axis)
    return octant


def draw(path, picture, level, size):
    q, speed = (mirrored(field) for field in sampled(path))
    n, h = q.shape[0], 2 * np.pi / q.shape[0]
    image = vtk.vtkImageData()
    image.SetDimensions(n, n, n)
    image.SetSpacing(h, h, h)
    image.SetOrigin(*[-np.pi + h / 2] * 3)
    for name, field in (("Q", q), ("speed", speed)):
        array = numpy_to_vtk(field.ravel(), deep=True)
        array.SetName(name)
        image.GetPointData().AddArray(array)
    image.GetPointData().SetActiveScalars("Q")
    smooth = vtk.vtkImageGaussianSmooth()  # cells are discontinuous at their faces
    smooth.SetInputData(image)
    smooth.SetStandardDeviation(0.9)
    smooth.Update()
    data = smooth.GetOutput()
    data.GetPointData().AddArray(image.GetPointData().GetArray("speed"))
    surface = vtk.vtkFlyingEdges3D()
    surface.SetInputData(data)
    surface.SetValue(0, level)
    surface.ComputeNormalsOn()
    surface.InterpolateAttributesOn()

    colours = vtk.vtkColorTransferFunction()
    colours.SetColorSpaceToLab()
    for x, rgb in ((0.0, "1a2a6c"), (0.3, "2a7fb8"), (0.55, "7fcdbb"), (0.8, "fdd870"), (1.1, "e8602c")):
        colours.AddRGBPoint(x, *[int(rgb[i : i + 2], 16) / 255 for i in (0, 2, 4)])
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(surface.GetOutputPort())
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray("speed")
    mapper.SetLookupTable(colours)
    vortices = vtk.vtkActor()
    vortices.SetMapper(mapper)
    vortices.GetProperty().SetSpecular(0.25)
    vortices.GetProperty().SetSpecularPower(30)
    vortices.GetProperty().SetAmbient(0.15)

    outline = vtk.vtkOutlineFilter()
    outline.SetInputData(image)
    edges = vtk.vtkActor()
    edges.SetMapper(vtk.vtkPolyDataMapper())
    edges.GetMapper().SetInputConnection(outline.GetOutputPort())
    edges.GetProperty().SetColor(0.45, 0.47, 0.5)
    edges.GetProperty().SetLineWidth(1.5)

    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(vortices)
    renderer.AddActor(edges)
    renderer.GetActiveCamera().SetPosition(9.0, -13.0, 8.5)
    renderer.GetActiveCamera().SetFocalPoint(0, 0, -0.1)
    renderer.GetActiveCamera().SetViewUp(0, 0, 1)
    renderer.GetActiveCamera().SetViewAngle(24)
    renderer.ResetCamera()
    renderer.GetActiveCamera().Zoom(1.06)
    renderer.GetActiveCamera().SetWindowCenter(-0.01, -0.07)
    occlusion = vtk.vtkSSAOPass()
    occlusion.SetRadius(0.7)
    occlusion.SetBias(0.02)
    occlusion.SetKernelSize(128)
    occlusion.BlurOn()
    steps = vtk.vtkRenderStepsPass()
    occlusion.SetDelegatePass(steps)
    renderer.SetPass(occlusion)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetSize(2 * size[0], 2 * size[1])  # halved below, which smooths the edges
    window.AddRenderer(renderer)
    window.Render()
    shot = vtk.vtkWindowToImageFilter()
    shot.SetInput(window)
    shot.ReadFrontBufferOff()
    smaller = vtk.vtkImageResize()
    smaller.SetInputConnection(shot.GetOutputPort())
    smaller.SetOutputDimensions(*size, 1)
    smaller.Update()
    result = smaller.GetOutput()
    colour = vtk_to_numpy(result.GetPointData().GetScalars())
    colour[:] = np.where(colour > 250, 255, colour // 6 * 6 + 3)  # fewer shades make a smaller file
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(picture)
    writer.SetCompressionLevel(9)
    writer.SetInputData(result)
    writer.Write()
    print(f"{picture}: Q = {level} of at most {q.max():.1f}, speed to {speed.max():.2f}")


if __name__ == "__main__":
    draw(sys.argv[1], sys.argv[2], level=float(sys.argv[3]) if len(sys.argv) > 3 else 8.0, size=(640, 600))
