"""Draws a field on a slice of a run, as it is used in the gallery:

    .venv/bin/python docs/images/slice.py FILE.vtkhdf PICTURE.png FIELD LOW HIGH [X0 X1 Y0 Y1] [--map sequential]

FIELD is a field of the file, or a component of it such as vorticity:2. Its colours go from LOW to HIGH, by default from
blue through white to red. X0 to Y1 is the part of the plane that is shown, the horizontal direction first; without them
it is the whole slice. Needs vtk and numpy, which `make test` installs in .venv."""

import argparse

import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk, vtk_to_numpy

WIDTH = 1200
MAPS = {
    "diverging": ("053061", "2166ac", "4393c3", "92c5de", "f7f7f7", "f4a582", "d6604d", "b2182b", "67001f"),
    "sequential": ("000004", "2c115f", "721f81", "b73779", "f1605d", "feb078", "fcfdbf"),
}


def surface(path):
    """The triangles of the slice, moved into the plane z = 0 with its longer side along x."""
    reader = vtk.vtkHDFReader()
    reader.SetFileName(path)
    reader.Update()
    data = reader.GetOutput()
    while data.IsA("vtkDataObjectTree") or data.IsA("vtkPartitionedDataSet"):
        data = data.GetPartition(0)
    points = vtk_to_numpy(data.GetPoints().GetData()).astype(float)
    across = int(np.argmin(np.ptp(points, axis=0)))
    # The vertical direction is y, or z in a plane across y; across x it is y, and z goes to the right.
    right, up = {0: (2, 1), 1: (0, 2), 2: (0, 1)}[across]
    flat = np.zeros_like(points)
    flat[:, 0], flat[:, 1] = points[:, right], points[:, up]
    data.GetPoints().SetData(numpy_to_vtk(flat, deep=True))
    return data, flat


def draw(case):
    data, flat = surface(case.file)
    name, _, component = case.field.partition(":")
    values = vtk_to_numpy(data.GetPointData().GetArray(name)).astype(float)
    if component:
        values = values[:, int(component)]
    elif values.ndim > 1:
        values = np.linalg.norm(values, axis=1)
    array = numpy_to_vtk(values, deep=True)
    array.SetName("shown")
    data.GetPointData().AddArray(array)
    data.GetPointData().SetActiveScalars("shown")

    colours = vtk.vtkColorTransferFunction()
    steps = MAPS[case.map]
    for place, colour in zip(np.linspace(case.low, case.high, len(steps)), steps):
        colours.AddRGBPoint(place, *[int(colour[i : i + 2], 16) / 255 for i in (0, 2, 4)])
    mapper = vtk.vtkDataSetMapper()
    mapper.SetInputData(data)
    mapper.SetLookupTable(colours)
    mapper.InterpolateScalarsBeforeMappingOn()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().LightingOff()

    low, high = flat.min(axis=0), flat.max(axis=0)
    x0, x1, y0, y1 = case.window or (low[0], high[0], low[1], high[1])
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.AddActor(actor)
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint((x0 + x1) / 2, (y0 + y1) / 2, 0)
    camera.SetPosition((x0 + x1) / 2, (y0 + y1) / 2, 1)
    camera.SetParallelScale((y1 - y0) / 2)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    size = [WIDTH, round(WIDTH * (y1 - y0) / (x1 - x0))]
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
    colour[:] = np.where(colour > 250, 255, colour // 4 * 4 + 2)  # fewer shades make a smaller file
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(case.picture)
    writer.SetCompressionLevel(9)
    writer.SetInputData(result)
    writer.Write()
    print(f"{case.picture}: {case.field} from {values.min():.4g} to {values.max():.4g}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("picture")
    parser.add_argument("field")
    parser.add_argument("low", type=float)
    parser.add_argument("high", type=float)
    parser.add_argument("window", type=float, nargs="*")
    parser.add_argument("--map", choices=MAPS, default="diverging")
    draw(parser.parse_args())
