"""Errors of a shock tube against the exact solution: python3 compare.py results/sod/probes_axis.csv

Needs no package. The pressure between the waves is the root of the condition that the velocities behind the shock and
the expansion agree (E. F. Toro, Riemann Solvers and Numerical Methods for Fluid Dynamics, chapter 4)."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from series import input_errors  # noqa: E402

GAMMA, END = 1.4, 0.2
LEFT, RIGHT = (1.0, 0.0, 1.0), (0.125, 0.0, 0.1)


def exact(speed):
    """Density, velocity and pressure at (x - 1/2)/t."""
    (rho_l, _, p_l), (rho_r, _, p_r) = LEFT, RIGHT
    c_l = math.sqrt(GAMMA * p_l / rho_l)

    def behind_expansion(p):
        return 5 * c_l * (1 - (p / p_l) ** (1 / 7))

    def behind_shock(p):
        return (p - p_r) * math.sqrt(2 / (rho_r * (2.4 * p + 0.4 * p_r)))

    low, high = p_r, p_l
    for _ in range(100):
        p = 0.5 * (low + high)
        low, high = (p, high) if behind_shock(p) < behind_expansion(p) else (low, p)
    u = behind_shock(p)
    shock = math.sqrt(GAMMA * p_r / rho_r) * math.sqrt(1 + 6 / 7 * (p / p_r - 1))
    expanded, compressed = (p / p_l) ** (1 / GAMMA) * rho_l, rho_r * (6 * p / p_r + 1) / (6 + p / p_r)
    if speed < -c_l:
        return LEFT
    if speed < u - math.sqrt(GAMMA * p / expanded):
        c = (5 * c_l - speed) / 6
        return rho_l * (c / c_l) ** 5, speed + c, p_l * (c / c_l) ** 7
    if speed < u:
        return expanded, u, p
    return (compressed, u, p) if speed < shock else RIGHT


def mean_error(x, found, number):
    """The mean error along the axis of the density (number 0), the velocity (1) or the pressure (2)."""
    return sum(abs(f - exact((a - 0.5) / END)[number]) for a, f in zip(x, found)) / len(x)


def main(path):
    rows = [line.split(",") for line in open(path) if line[0].isdigit()]
    last = rows[-1][1]
    x, *found = zip(*([float(r[n]) for n in (3, 6, 7, 10)] for r in rows if r[1] == last))
    for number, name in enumerate(("density", "velocity", "pressure")):
        print(f"{name}: mean error {mean_error(x, found[number], number):.2e}")
    print(f"least density {min(found[0]):.4f}, exact 0.1250")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with input_errors():
        main(sys.argv[1])
