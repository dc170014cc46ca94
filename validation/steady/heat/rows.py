"""Rows of README.md from the kept results, and the laminar boundary layer with which the laminar plate is compared; no
package is needed here."""
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
