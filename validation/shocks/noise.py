"""Noise behind a shock: python3 noise.py wedge|turned|straight RESULTS

Prints mean, scatter (root mean square) and largest difference of the pressure behind the shock from the exact one, over
the jump of the pressure; of the turned tube the largest velocity along the shock, over that across it, as well. Needs
no package. The exact states: R. Courant & K. O. Friedrichs, Supersonic Flow and Shock Waves (oblique shock), and
compare.py."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from series import input_errors, series  # noqa: E402

# The wedge: angle between wall and shock; pressures on both sides; size of a cell.
WALL_TO_SHOCK, BEFORE, RATIO, CELL = math.radians(36.9449 - 15), 1 / 1.4, 2.4675, 1 / 40
# The turned tube: pressures and velocity behind the shock, places of contact and shock, size of a cell.
TURN, LOW, HIGH, SPEED, CONTACT, FRONT, SMALL = math.pi / 6, 0.1, 0.3031302, 0.9274526, 0.1112943, 0.2102587, 1 / 60


def differences(values, exact, jump):
    """Mean, root mean square about it and largest difference from the exact value, over the jump."""
    mean = sum(values) / len(values)
    scatter = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    return [(mean - exact) / jump, scatter / jump, max(abs(v - exact) for v in values) / jump]


def wedge(of):
    """Differences of the pressure from two cells behind the shock on."""
    sine, cosine = math.sin(WALL_TO_SHOCK), math.cos(WALL_TO_SHOCK)
    behind = [p for x, y, p in zip(of("x"), of("y"), of("p")) if x * sine - y * cosine > 2 * CELL]
    return differences(behind, RATIO * BEFORE, (RATIO - 1) * BEFORE)


def turned(of, turn=TURN):
    """Differences of the pressure, and the largest velocity along the shock, from 1.5 cells behind the contact to 1.5
    cells before the shock."""
    a, b = math.cos(turn), math.sin(turn)
    rows = zip(*map(of, ("x", "y", "u", "v", "p")))
    place = lambda x, y: a * (x - 0.4) + b * (y - 0.3)
    between = [row for row in rows if CONTACT + 1.5 * SMALL < place(*row[:2]) < FRONT - 1.5 * SMALL]
    along = max(abs(a * v - b * u) for _, _, u, v, _ in between)
    return differences([row[4] for row in between], HIGH, HIGH - LOW) + [along / SPEED]


def straight(of):
    """The same of a tube along x."""
    return turned(of, 0.0)


def main(case, folder):
    find = {"wedge": wedge, "turned": turned, "straight": straight}[case]
    print(", ".join(f"{100 * d:.2f} %" for d in find(last(folder))))


def last(folder):
    """The columns of the last sample of the probes."""
    of = series(Path(folder) / "probes_line.csv")
    step = of("step")
    return lambda name: [value for value, n in zip(of(name), step) if n == step[-1]]


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with input_errors():
        main(*sys.argv[1:])
