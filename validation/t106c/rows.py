"""Rows of README.md of the runs on coarser meshes, with inflow turbulence and with bars, from their kept results:

python3 validation/t106c/rows.py
"""
import json
import math
from pathlib import Path

KEPT = Path(__file__).resolve().parent / "kept"
MACH = 0.65
P2 = 1 / (1.4 * MACH**2)
P01 = P2 * (1 + 0.2 * MACH**2) ** 3.5
PLANE, BLADE = "traverses.exit.", "blades.blade."


class Run:
    """The results of a run, as the page writes them."""

    def __init__(self, name):
        self.results = json.loads((KEPT / f"{name}.json").read_text())["results"]

    def mean(self, name, digits, factor=1.0):
        of = self.results[name]
        bound = " (at least)" if of["error-is"] == "at-least" else ""
        return f"{factor * of['value']:.{digits}f} +- {abs(factor) * of['error']:.{digits}f}{bound}"

    def ratio(self, upper, lower):
        """A ratio of two means, and the error that follows from theirs."""
        up, low = self.results[upper], self.results[lower]
        ratio = up["value"] / low["value"]
        return ratio, abs(ratio) * math.hypot(up["error"] / up["value"], low["error"] / low["value"])

    def mass(self):
        ratio, error = self.ratio(PLANE + "mass_flux", PLANE + "inlet_mass_flux")
        return f"{1e4 * (ratio - 1):.0f}e-4 +- {1e4 * error:.0f}e-4"

    def force(self, side):
        return self.ratio(f"{BLADE}force_{side}", f"{PLANE}force_{side}")[0]

    def forces(self):
        return f"{self.force('x'):.3f}, {self.force('y'):.3f}"

    def last_reattachment(self):
        places = [name for name in self.results if "suction_reattachment" in name and name.endswith("x_over_C")]
        return self.mean(max(places), 3)


def turned(run, name):
    return run.mean(name, 2, -1)


# Title, value of a run, and what is set or follows by conservation.
MASS = ("mass flux at x = 1.6 over that at x = -0.5, less 1", Run.mass, "1e-4")
FORCES = ("force on the blade over the momentum balance, x, y", Run.forces, "1 %")
MACH_2IS = ("M_2is of the planes, x = 1.6", lambda run: run.mean(PLANE + "mach_is", 4), "0.650 +- 0.003")
SEPARATION = ("separation, x/C_ax", lambda run: run.mean(BLADE + "suction_separation_1_x_over_C", 3), "")
REATTACHMENT = ("last reattachment, x/C_ax", Run.last_reattachment, "")
ANGLE = ("exit angle at x = 1.6, degrees", lambda run: turned(run, PLANE + "angle_mixed"), "")
LOSS = ("loss omega at x = 1.6", lambda run: run.mean(PLANE + "omega", 3), "")
WAKE = ("loss omega at x = 1.289", lambda run: run.mean("traverses.wake.omega", 3), "")
INLET_ANGLE = ("angle at x = -0.5, degrees", lambda run: run.mean(PLANE + "inlet_angle_mixed", 2), "32.7 +- 0.1")
INLET_TOTAL = (
    "total pressure at x = -0.5 over p01",
    lambda run: run.mean(PLANE + "inlet_p0_mass", 4, 1 / P01),
    "1e-3",
)


def table(names, quantities, expected=True):
    runs = [Run(name) for name in names]
    for title, value, wanted in quantities:
        yield (title, *map(value, runs), *([wanted] if expected else []))


def rows():
    """The cells of the rows of the three tables."""
    flow = (MACH_2IS, SEPARATION, REATTACHMENT, ANGLE, WAKE, LOSS)
    inlet = (INLET_TOTAL, INLET_ANGLE)
    yield from table(("unsteady", "unsteady-turbulence", "unsteady-p2"), (MASS, *inlet, FORCES, *flow))
    yield from table(("unsteady-re140", "coarse-p2"), (MASS, FORCES, *flow))
    yield from table(("bars", "unsteady"), (MACH_2IS, INLET_ANGLE, ANGLE, WAKE, LOSS, FORCES, MASS), expected=False)


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |")
