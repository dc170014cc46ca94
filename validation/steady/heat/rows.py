"""Rows of README.md from the kept results, and what the heated plates are compared with: the laminar boundary layer
and two laws of the turbulent one. No package is needed here."""
import json
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent))
from series import between, series  # noqa: E402

# The case: Mach number, ratio of specific heats, Prandtl number, Sutherland's constant, and the temperature of the
# wall, all over values of the free stream.
MACH, GAMMA, PRANDTL, SUTHERLAND = 0.2, 1.4, 0.72, 198.6 / 540
TOTAL = 1 + (GAMMA - 1) / 2 * MACH**2
WALL = 1.05 * TOTAL


def viscosity(temperature):
    """Sutherland's law."""
    return temperature**1.5 * (1 + SUTHERLAND) / (temperature + SUTHERLAND)


class Laminar:
    """The compressible boundary layer of a flat plate, after the transformation of Illingworth and Levy:
    (C f'')' + f f'' = 0 and (C T'/Pr)' + f T' + C (gamma - 1) M^2 f''^2 = 0 with C = rho mu, f' = u, and
    d eta = rho dy sqrt(U/(2 nu x)); all values are over those of the free stream."""

    END, STEPS = 10.0, 2000

    def __init__(self, wall):
        """With the temperature of the wall, or with None for an adiabatic one."""
        self.given = wall
        # Newton's method for the shear at the wall, and for its heat flux or its temperature.
        guess = [0.47, 1.0 if wall is None else 0.3 * (1 - wall)]
        for _ in range(30):
            miss = self.miss(guess)
            columns = []
            for n in range(2):
                moved = list(guess)
                moved[n] += 1e-6
                columns.append([(a - b) / 1e-6 for a, b in zip(self.miss(moved), miss)])
            (a, c), (b, d) = columns
            step = [(d * miss[0] - b * miss[1]) / (a * d - b * c), (a * miss[1] - c * miss[0]) / (a * d - b * c)]
            guess = [value - change for value, change in zip(guess, step)]
            if max(map(abs, step)) < 1e-12:
                break
        self.shear, other = guess  # C f'' at the wall
        self.wall = other if wall is None else wall
        self.flux = 0.0 if wall is None else other  # C T'/Pr at the wall

    def miss(self, guess):
        """By how much velocity and temperature miss those of the free stream at the end."""
        shear, other = guess
        wall, flux = (other, 0.0) if self.given is None else (self.given, other)
        state, step = [0.0, 0.0, shear, wall, flux], self.END / self.STEPS
        shifted = lambda slope, by: [value + by * change for value, change in zip(state, slope)]
        for _ in range(self.STEPS):
            k1 = self.slope(state)
            k2 = self.slope(shifted(k1, step / 2))
            k3 = self.slope(shifted(k2, step / 2))
            k4 = self.slope(shifted(k3, step))
            state = [v + step / 6 * (a + 2 * b + 2 * c + d) for v, a, b, c, d in zip(state, k1, k2, k3, k4)]
        return state[1] - 1, state[3] - 1

    @staticmethod
    def slope(state):
        """Derivatives of f, f', C f'', T and C T'/Pr."""
        f, u, shear, temperature, flux = state
        product = viscosity(temperature) / temperature
        bend, warming = shear / product, PRANDTL * flux / product
        return [u, bend, -f * bend, warming, -f * warming - (GAMMA - 1) * MACH**2 * shear * bend]


def friction(wall, adiabatic):
    """C_f sqrt(Re_x) of a laminar layer, and St sqrt(Re_x) with the adiabatic wall's temperature as the reference."""
    return math.sqrt(2) * wall.shear, wall.flux / math.sqrt(2) / (adiabatic.wall - wall.wall)


class Plate:
    """Friction and heat along a plate from the kept files of one solution; `reynolds` is that of a unit of length, and
    `adiabatic` the temperature of the wall without heat."""

    def __init__(self, name, reynolds, adiabatic):
        column = series(HERE / f"kept/{name}-plate.csv")
        order = sorted(range(len(column("x"))), key=column("x").__getitem__)
        self.reynolds = reynolds
        # Density and velocity of the free stream are 1, and so is its temperature: c_p is R gamma/(gamma - 1).
        heat_capacity = 1 / ((GAMMA - 1) * MACH**2)
        columns = {quantity: [column(quantity)[n] for n in order] for quantity in ("x", "tau", "heat_flux", "y_plus")}
        self.x, self.y_plus = columns["x"], columns["y_plus"]
        self.cf = [2 * tau for tau in columns["tau"]]
        self.st = [flux / (heat_capacity * (adiabatic - WALL)) for flux in columns["heat_flux"]]
        self.iterations = series(HERE / f"kept/{name}-convergence.csv")("iteration")[-1]

    def at(self, x):
        """The Reynolds number, C_f and St at a place."""
        return self.reynolds * x, between(self.x, self.cf, x), between(self.x, self.st, x)


def laminar_rows():
    """Friction and heat of the laminar plate over those of the similarity solution."""
    adiabatic, wall = Laminar(None), Laminar(WALL)
    exact = friction(wall, adiabatic)
    rows = []
    for points, name in (("35 x 25", "laminar0"), ("69 x 49", "laminar1"), ("137 x 97", "laminar2")):
        plate = Plate(name, 1e5, adiabatic.wall)
        cells = []
        for x in (0.25, 0.5, 1.0, 1.5):
            reynolds, *values = plate.at(x)
            cells.append(", ".join(f"{value * math.sqrt(reynolds) / of:.3f}" for value, of in zip(values, exact)))
        rows.append((points, f"{plate.iterations:.0f}", *cells))
    return [("of the similarity solution", f"{exact[0]:.5f}", f"{exact[1]:.5f}"), *rows]


# Where NASA's table of the plate has its skin friction.
STATION = 0.970084


def wall_law(cf):
    """2 St/C_f of a turbulent layer by Jayatilleke's resistance of the sublayer, with a turbulent Prandtl number of
    0.9."""
    ratio = PRANDTL / 0.9
    resistance = 9.24 * (ratio**0.75 - 1) * (1 + 0.28 * math.exp(-0.007 * ratio))
    return 1 / (0.9 * (1 + resistance * math.sqrt(cf / 2)))


def turbulent_rows():
    """Friction and heat of turbulent plates at NASA's station beside two laws of heat."""
    adiabatic = 1 + PRANDTL ** (1 / 3) * (GAMMA - 1) / 2 * MACH**2
    rows = []
    for model, points, name in (
        ("`sa-neg`", "69 x 49", "sa1"),
        ("`sa-neg`", "137 x 97", "sa2"),
        ("`sst`", "69 x 49", "sst-1"),
        ("`k-omega`", "69 x 49", "k-omega-1"),
    ):
        plate = Plate(name, 5e6, adiabatic)
        reynolds, cf, st = plate.at(STATION)
        correlation = 0.0287 * PRANDTL**-0.4 * reynolds**-0.2
        rows.append((model, points, f"{plate.iterations:.0f}", f"{between(plate.x, plate.y_plus, STATION):.2f}",
                     f"{cf:.6f}", f"{st:.7f}", f"{2 * st / cf:.3f}", f"{wall_law(cf):.3f}", f"{st / correlation:.3f}"))
    return rows


# Places along the suction side and the pressure side of the vane, over the length of the side.
PLACES = {1: (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9), 2: (0.1, 0.2, 0.5, 0.7, 0.9)}


class Vane:
    """The heat-transfer coefficient along LS89 from the kept files of one solution."""

    def __init__(self, name):
        self.results = json.loads((HERE / f"kept/{name}.json").read_text())["results"]
        self.blade = series(HERE / f"kept/{name}-blade.csv")
        self.iterations = series(HERE / f"kept/{name}-convergence.csv")("iteration")[-1]

    def at(self, side, places):
        """The coefficient at places along a side."""
        points = sorted((s, h) for of, s, h in zip(*map(self.blade, ("side", "s_over_S", "h"))) if of == side)
        x, h = zip(*points)
        return [between(x, h, place) for place in places]

    def totals(self):
        """Steps, loss, exit angle, largest isentropic Mach number and largest wall units."""
        loss, angle = (self.results["traverses.wake." + name]["value"] for name in ("omega", "angle_mixed"))
        most = [max(value for value in self.blade(name) if value == value) for name in ("M_is", "y_plus")]
        return f"{self.iterations:.0f}", f"{loss:.4f}", f"{angle:.2f}", f"{most[0]:.3f}", f"{most[1]:.1f}"


def vane_rows():
    """Totals of the solutions of the vane, and their coefficients of heat on both sides."""
    cases = [(test, mesh) for test in ("MUR129", "MUR235") for mesh in ("coarse", "fine")]
    vanes = [(*case, Vane("-".join(case).lower())) for case in cases]
    rows = [(test, mesh, *vane.totals()) for test, mesh, vane in vanes]
    for side, places in PLACES.items():
        rows += [(test, mesh, *(f"{h:.0f}" for h in vane.at(side, places))) for test, mesh, vane in vanes]
    return rows


def rows():
    """All rows of the page."""
    return laminar_rows() + turbulent_rows() + vane_rows()
