"""Channels with modelled walls beside a direct simulation: friction and mean velocity of the files that are kept of the
runs, as rows of the pages channel-950, channel-2000 and channel-5200."""
import math
from pathlib import Path

from series import between, series

# Name of a kept file, mesh, and what differs from the case.
RUNS = (
    ("p3", "p 3, 48 x 24 x 32", ""),
    ("p5", "p 5, 32 x 16 x 20", ""),
    ("coarse", "p 3, 24 x 12 x 16", ""),
    ("coarse-0.1", "p 3, 24 x 12 x 16", "`exchange: 0.1`"),
    ("coarse-0.25", "p 3, 24 x 12 x 16", "`exchange: 0.25`"),
    ("coarse-vreman", "p 3, 24 x 12 x 16", "`sgs: {model: vreman}`"),
    ("coarse-wale", "p 3, 24 x 12 x 16", "`sgs: {model: wale}`"),
    ("coarse-none", "p 3, 24 x 12 x 16", "no model of the wall"),
    ("p5-coarse", "p 5, 16 x 10 x 12", ""),
    ("p5-coarse-vreman", "p 5, 16 x 10 x 12", "`sgs: {model: vreman}`"),
    ("p5-coarse-wale", "p 5, 16 x 10 x 12", "`sgs: {model: wale}`"),
    ("p5-coarse-none", "p 5, 16 x 10 x 12", "no model of the wall"),
)

# From here to the middle the mean velocity is compared, in half heights: the highest matching point but 0.25.
COMPARED_FROM = 0.2


class Run:
    """The friction of both walls, and the mean velocity of both halves over the distance from the wall. The half
    height is 1."""

    def __init__(self, path):
        head = [line[2:].strip() for line in Path(path).read_text().splitlines() if line.startswith("#")]
        known = dict(line.split(": ", 1) for line in head if ": " in line)
        walls = [value for name, value in known.items() if name.startswith("wall ")]
        walls = [dict(part.split(" = ") for part in wall.split(", ")) for wall in walls]
        tau, rho = (sum(float(wall[name]) for wall in walls) / len(walls) for name in ("tau", "rho"))
        self.u_tau = math.sqrt(tau / rho)
        self.re_tau, self.error = (float(known[name].split()[0]) for name in ("re_tau", "re_tau_error"))
        columns, halves = series(path), {}
        for y, u in zip(columns("y"), columns("u")):
            halves.setdefault(round(1 - abs(y), 6), []).append(u)
        self.profile = sorted((y, sum(values) / len(values)) for y, values in halves.items())


def rows(folder, re_tau, re_bulk):
    """The cells of each kept run beside the reference of the folder, whose Reynolds numbers are given."""
    reference = series(folder / "reference.csv")
    y_plus, u_plus = reference("y_plus"), reference("U_plus")
    percent = lambda ratio: f"{100 * (ratio - 1):+.1f} %"
    for name, mesh, differs in RUNS:
        run = Run(folder / f"kept/{name}.csv")
        ratios = [
            u / run.u_tau / between(y_plus, u_plus, y * run.re_tau)
            for y, u in run.profile
            if y > COMPARED_FROM - 1e-3
        ]
        yield (
            mesh,
            differs,
            f"{run.re_tau:.0f} +- {run.error:.0f}, {percent(run.re_tau / re_tau)}",
            percent(run.u_tau / (re_tau / re_bulk)),
            f"{percent(min(ratios)).removesuffix(' %')} to {percent(max(ratios))}",
        )
