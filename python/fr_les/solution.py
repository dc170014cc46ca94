"""A solution file: points, fields and cells as arrays, and integrals of the polynomials."""

from pathlib import Path
from types import SimpleNamespace

import h5py
import numpy as np

from . import polynomials

# Points of rules that are evaluated at a time, which bounds the memory of an integral.
AT_A_TIME = 1 << 20


class Solution:
    """The state of a run at one time.

    `points` is [point][3], and `fields` has an array [point] or [point][component] by name. Cells share no points,
    because the solution jumps between them: the points of cell c are `first[c]` to `first[c + 1]`, in the order of its
    lattice, x fastest. `kinds` has "hex" (pyramids too, with a face collapsed to the apex), "prism" or "tet" of each
    cell, and `cell_ids` its number in the mesh. Cells are in the order of these, whatever ranks have written them.
    """

    def __init__(self, path):
        self.path = Path(path)
        with h5py.File(self.path) as file:
            if "VTKHDF" not in file:
                raise ValueError(f"{self.path}: it has no group /VTKHDF: name a solution of fr-les")
            group = file["VTKHDF"]
            types = group["Types"][:]
            unknown = set(types.tolist()) - polynomials.KINDS.keys()
            if unknown:
                raise ValueError(
                    f"{self.path}: it has cells of VTK's types {sorted(unknown)}: name a file of solutions, not one of "
                    "surfaces or slices"
                )
            cells = group["NumberOfCells"][:]
            # Each piece has offsets of its own, that begin at 0.
            ends = np.cumsum(cells + 1)
            sizes = [np.diff(group["Offsets"][end - count - 1 : end]) for count, end in zip(cells, ends)]
            sizes = np.concatenate(sizes) if sizes else np.zeros(0, int)
            connectivity = group["Connectivity"][:]
            points = group["Points"][:].astype(float)
            fields = {name: data[:].astype(float) for name, data in group["PointData"].items()}
            self.cell_ids = group["CellData/global_cell_id"][:]
            self.time = float(group["FieldData/time"][0])
            self.step = int(group["FieldData/step"][0])
            self.case = _text(file["provenance/case"][()]) if "provenance/case" in file else ""
        order = np.argsort(self.cell_ids, kind="stable")
        starts = np.concatenate([[0], np.cumsum(sizes)])
        at = _ranges(starts[:-1][order], sizes[order])
        # Nodes of a cell follow each other, so that VTK's numbers are those of its lattice from its first point on.
        piece = np.repeat(np.concatenate([[0], np.cumsum(cells)[:-1]]), cells).astype(int) if len(cells) else order
        local = connectivity - np.repeat(starts[:-1] - starts[piece], sizes)
        self.cell_ids, self._types, self._sizes = self.cell_ids[order], types[order], sizes[order]
        self.first = np.concatenate([[0], np.cumsum(self._sizes)])
        self._vtk_order = local[at]
        self.points = points[at]
        self.fields = {name: values[at] for name, values in fields.items()}
        self.kinds = np.array([polynomials.KINDS[number] for number in self._types.tolist()])

    def __repr__(self):
        return f"<Solution {self.path}: t = {self.time:g}, {len(self.kinds)} cells, p = {self.order}>"

    @property
    def order(self):
        """The degree of the polynomials."""
        return polynomials.degree_of(str(self.kinds[0]), int(self._sizes[0]))

    @property
    def cells(self):
        """Cells in VTK's terms: types, offsets, and the numbers of points in VTK's order."""
        connectivity = self._vtk_order + np.repeat(self.first[:-1], self._sizes)
        return SimpleNamespace(types=self._types, offsets=self.first, connectivity=connectivity)

    def field(self, name):
        """Return a field; an error names those that are there."""
        if name not in self.fields:
            raise KeyError(f"{self.path} has no field {name}: there are {', '.join(sorted(self.fields))}")
        return self.fields[name]

    def integrate(self, field):
        """Return the integral over the domain of the polynomials of a field.

        `field` is a name, an array of values at all points, or a function of the fields at the points of the rule, as
        in `lambda f: 0.5 * f.density * (f.velocity**2).sum(-1)`. The rule is exact for products of three fields in
        curved cells as well. Exact is that of the polynomials; a root or a quotient of fields is none.
        """
        evaluate = self._at_rule(field)
        total = 0.0
        for kind in np.unique(self.kinds):
            where = np.flatnonzero(self.kinds == kind)
            value, slopes, weight = polynomials.quadrature(str(kind), self.order)
            size = value.shape[1]
            for part in np.array_split(where, max(1, len(where) * len(weight) // AT_A_TIME)):
                at = self.first[part][:, None] + np.arange(size)
                jacobian = np.einsum("dqn,cnk->cqdk", slopes, self.points[at])
                # The sense of the axes of a cell has no meaning.
                volume = np.abs(np.linalg.det(jacobian)) * weight
                values = evaluate(lambda nodal: np.einsum("qn,cn...->cq...", value, nodal[at]), volume)
                total = total + np.einsum("cq,cq...->...", volume, values)
        return total if np.ndim(total) else float(total)

    def _at_rule(self, field):
        if callable(field):
            return lambda to_rule, _: field(_Fields(self, to_rule))
        if isinstance(field, (int, float)):
            return lambda _, volume: np.full_like(volume, field)
        nodal = self.field(field) if isinstance(field, str) else np.asarray(field, float)
        if len(nodal) != len(self.points):
            raise ValueError(f"the array has {len(nodal)} values, and the solution {len(self.points)} points")
        return lambda to_rule, _: to_rule(nodal)

    @property
    def volume(self):
        """The volume of the domain."""
        return self.integrate(1.0)

    def mean(self, field):
        """Return the mean over the domain of the polynomials of a field, as `integrate` takes it."""
        return self.integrate(field) / self.volume

    def to_pyvista(self):
        """Return the solution as a grid of pyvista, with cells of high order."""
        import pyvista

        cells = self.cells
        with_sizes = np.insert(cells.connectivity, cells.offsets[:-1], self._sizes)
        grid = pyvista.UnstructuredGrid(with_sizes, cells.types, self.points)
        for name, values in self.fields.items():
            grid.point_data[name] = values
        grid.cell_data["global_cell_id"] = self.cell_ids
        return grid


class _Fields:
    """The fields at the points of a rule, evaluated where they are asked for."""

    def __init__(self, solution, to_rule):
        self._solution = solution
        self._to_rule = to_rule

    def __getattr__(self, name):
        return self._to_rule(self._solution.field(name))

    __getitem__ = __getattr__


def _ranges(starts, sizes):
    """Concatenate ranges of numbers."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - sizes), sizes)


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)
