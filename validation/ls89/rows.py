"""Rows of README.md from the kept results of the three tests, and the comparison of a blade with the taps, which
validation/steady/cascades has too; no package is needed here."""
import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import between, series  # noqa: E402

# Isentropic exit Mach numbers of the tests.
TESTS = {"mur43": 0.84, "mur45": 0.875, "mur47": 1.02}

SUCTION, PRESSURE = 1, 2


class BesideTaps:
    """The isentropic Mach numbers of a blade and of the taps, over x/C_ax, for both sides. Both arguments are functions
    of the names of columns."""

    def __init__(self, blade, taps):
        x, mach = taps("x_over_C"), taps("M_is")
        # The taps go along the suction side, x rising, and back along the other one.
        turn = max(range(len(x)), key=lambda n: x[n]) + 1
        self.taps = {SUCTION: list(zip(x[:turn], mach[:turn])), PRESSURE: list(zip(x[turn:], mach[turn:]))}
        self.curve = {}
        for side in self.taps:
            points = zip(*map(blade, ("side", "x_over_C", "M_is")))
            self.curve[side] = list(zip(*sorted({a: m for s, a, m in points if s == side}.items())))

    def rms(self, side, first=0.0, last=1.0):
        """Root mean square of the differences at the taps between two places, as text."""
        errors = [between(*self.curve[side], a) - m for a, m in self.taps[side] if first <= a <= last]
        return f"{math.sqrt(sum(e * e for e in errors) / len(errors)):.3f}"

    def fastest(self):
        """Place and value of the largest Mach number of the suction side, and the same of its taps."""
        largest = lambda pairs: max(pairs, key=lambda pair: pair[1])
        return largest(zip(*self.curve[SUCTION])), largest(self.taps[SUCTION])


class Test:
    """The kept results of one of the tests."""

    def __init__(self, name, mach):
        self.results = json.loads((HERE / f"kept/{name}.json").read_text())["results"]
        self.blade = BesideTaps(series(HERE / f"kept/{name}-blade.csv"), series(HERE / f"{name}.csv"))
        changed = series(HERE / f"kept/{name}-changed.csv")
        self.end, self.changed = changed("time")[-1], changed("filtered_cells")
        self.total_pressure = (1 + 0.2 * mach**2) ** 3.5 / (1.4 * mach**2)

    def shown(self, name, digits, factor=1.0):
        """A result of the traverse behind the blade with its error."""
        one = self.results["traverses.wake." + name]
        bound = " (at least)" if one["error-is"] == "at-least" else ""
        return f"{factor * one['value']:.{digits}f} +- {abs(factor) * one['error']:.{digits}f}{bound}"

    def mass(self):
        """Mass flux behind the blade over that before it."""
        out, into = (self.results[f"traverses.wake.{name}"] for name in ("mass_flux", "inlet_mass_flux"))
        ratio = out["value"] / into["value"]
        error = ratio * math.hypot(*(flux["error"] / flux["value"] for flux in (out, into)))
        bound = " (at least)" if "at-least" in (out["error-is"], into["error-is"]) else ""
        return f"{ratio:.3f} +- {error:.3f}{bound}"

    def share(self):
        """Mean and largest share of the cells that the limiter or filter changed."""
        values = sum(self.changed) / len(self.changed), max(self.changed)
        text = lambda value: f"{value:.1g}" if value > 1e-3 else f"{value:.0e}".replace("e-0", "e-")
        return ", ".join(f"{text(value)} %" for value in values)


def rows():
    """The cells of each row. The last cell is what the case sets, or a bound of the page."""
    tests = [Test(*test) for test in TESTS.items()]
    row = lambda title, of, last="": (title, *map(of, tests), last)
    fastest = [test.blade.fastest() for test in tests]
    pair = lambda n, digits: [", ".join(f"{point[n]:.{digits}f}" for point in both) for both in fastest]
    yield row("end of the run", lambda test: f"{test.end:g}")
    mach = ", ".join(f"{mach:g}" for mach in TESTS.values())
    yield row("M_2is of the planes, from the mixed-out pressure", lambda test: test.shown("mach_is", 4), mach)
    pressure = lambda test: test.shown("inlet_p0_mass", 4, 1 / test.total_pressure)
    yield row("total pressure at x = -0.3 over p01", pressure, "1")
    yield row("mass flux at x = 0.75 over that at x = -0.3", Test.mass, "1")
    yield row("exit angle, mixed out at x = 0.75, degrees", lambda test: test.shown("angle_mixed", 2, -1))
    yield row("loss omega at x = 0.75", lambda test: test.shown("omega", 3))
    suction = "M_is, suction side, rms against the taps up to x/C_ax 0.86"
    yield row(suction, lambda test: test.blade.rms(SUCTION, last=0.86), "0.03")
    yield row("M_is, suction side, all taps", lambda test: test.blade.rms(SUCTION))
    yield row("M_is, pressure side, all taps", lambda test: test.blade.rms(PRESSURE), "0.02")
    yield row("the same, the five taps from x/C_ax 0.1 on", lambda test: test.blade.rms(PRESSURE, first=0.1))
    yield "largest M_is of the suction side, measured", *pair(1, 3), ""
    yield "its place x/C_ax, measured", *pair(0, 2), ""
    share = "cells that the limiter or filter changed, mean and largest share of every hundredth step"
    yield row(share, Test.share)
