"""A checkpoint: the state at the points of the solution, as docs/reference/restart.md lists its groups."""

import json
from pathlib import Path

import h5py
import numpy as np

# The version of the format that this package reads.
VERSION = 2
KINDS = ("hex", "prism", "tet", "pyramid")
VARIABLES = ("density", "momentum_x", "momentum_y", "momentum_z", "total_energy")


class Checkpoint:
    """A checkpoint.

    `header` is the header as read from JSON. `cells` has the numbers of the cells and `kinds` their kinds. `state` has
    for each kind an array [cell][variable][point] of the conserved variables (`VARIABLES`) at the solution points of
    its cells, and `numbers` the cells to which its rows belong. `arrays` has the numbers of parts of the program.
    """

    def __init__(self, path):
        self.path = Path(path)
        with h5py.File(self.path) as file:
            if "checkpoint" not in file:
                raise ValueError(f"{self.path}: it has no group /checkpoint: name a checkpoint of fr-les")
            group = file["checkpoint"]
            version = int(group.attrs["version"])
            if version != VERSION:
                raise ValueError(f"{self.path} has version {version} of the format, and this package reads {VERSION}")
            header = group["header"][()]
            self.header = json.loads(header.decode() if isinstance(header, bytes) else header)
            self.cells = group["cells"][:]
            self.kinds = np.array(KINDS)[group["kinds"][:]]
            self._fields = {name: data[:] for name, data in group["fields"].items()}
            self.arrays = {name: data[:] for name, data in group["arrays"].items()}
        self.step = self.header["step"]
        self.time = self.header["time"]
        self.order = self.header["order"]
        self.numbers, self.state = {}, {}
        points = {kind: _points(kind, self.order) for kind in KINDS}
        sizes = np.array([len(VARIABLES) * points[kind] for kind in self.kinds])
        first = np.cumsum(sizes) - sizes
        for kind in np.unique(self.kinds):
            rows = np.flatnonzero(self.kinds == kind)
            # In the order of the mesh, whatever ranks have written it.
            rows = rows[np.argsort(self.cells[rows])]
            at = first[rows][:, None] + np.arange(len(VARIABLES) * points[kind])
            shape = (len(rows), len(VARIABLES), points[kind])
            self.numbers[str(kind)] = self.cells[rows]
            self.state[str(kind)] = self._fields["state"][at].reshape(shape)

    def __repr__(self):
        return f"<Checkpoint {self.path}: step {self.step}, t = {self.time:g}, {len(self.cells)} cells>"


def _points(kind, p):
    n = p + 1
    return {
        "hex": n**3,
        "prism": n * n * (n + 1) // 2,
        "tet": n * (n + 1) * (n + 2) // 6,
        "pyramid": n * (n + 1) * (2 * n + 1) // 6,
    }[kind]
