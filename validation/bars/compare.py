#!/usr/bin/env python3
"""What the runs of this folder give, from their series.

python3 validation/bars/compare.py rest validation/bars/results/bars-rest validation/cylinder/results/cylinder
python3 validation/bars/compare.py frames validation/bars/results/bars-resting validation/bars/results/bars-moving
python3 validation/bars/compare.py row validation/bars/results/bars-row"""
import math
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from series import input_errors, mean, series, shedding

DEPTH = 0.15


def change(time, values, first, last):
    """The mean rate of change between the samples nearest to two times."""
    nearest = lambda t: min(range(len(time)), key=lambda n: abs(time[n] - t))
    begin, end = nearest(first), nearest(last)
    return (values[end] - values[begin]) / (time[end] - time[begin])


def profile(directory, first, last):
    """Mean and rms of u and v at the points of probes_wake.csv: y, U, V, u', v'."""
    probes = series(directory + "/probes_wake.csv")
    names = ("time", "point", "y", "u", "v")
    lines = {}
    for time, point, y, u, v in zip(*(probes(name) for name in names)):
        lines.setdefault(point, []).append((time, y, u, v))
    rows = []
    for point in sorted(lines):
        time, y, u, v = zip(*lines[point])
        means = [mean(time, x, first, last) for x in (u, v)]
        squares = [mean(time, [a * a for a in x], first, last) for x in (u, v)]
        rows.append((y[0], *means, *(math.sqrt(max(s - m * m, 0.0)) for s, m in zip(squares, means))))
    return list(zip(*rows))


def rest(directory, fitted):
    profiles = []
    for title, path, name in (
        ("penalised", directory + "/bars.csv", "cylinder_0_"),
        ("body-fitted", fitted + "/boundaries.csv", "wall_"),
    ):
        print(title)
        column = series(path)
        # One unit deep: forces over rho U^2 D/2 = 1/2.
        drag, lift = ([2 * f for f in column(name + n)] for n in ("force_x", "force_y"))
        first, last = shedding(column("time"), drag, lift)
        profiles.append(profile(path.rsplit("/", 1)[0], first, last))
    (y, u, v, u_rms, v_rms), (_, *other) = profiles
    print("5 D behind the axis: largest difference over the largest value of the body-fitted cylinder")
    deficit = lambda u: [1 - x for x in u]
    for name, found, right in (
        ("1 - U/U0", deficit(u), deficit(other[0])),
        ("V", v, other[1]),
        ("rms of u", u_rms, other[2]),
        ("rms of v", v_rms, other[3]),
    ):
        most = max(abs(x) for x in right)
        worst = max(range(len(y)), key=lambda n: abs(found[n] - right[n]))
        print(f"  {name:9} {100 * (found[worst] - right[worst]) / most:+.2f} % of {most:.4f}, at y = {y[worst]:g}")


def frames(resting, moving):
    runs = [series(directory + "/bars.csv") for directory in (resting, moving)]
    times = [run("time") for run in runs]
    # The gas inside a bar is part of it: its change of momentum is a part of the force of the first moments only.
    drag = [[2 * f / DEPTH for f in run("bar_0_force_y")] for run in runs]
    for first, last in ((0.5, 2.0), (2.0, 8.0)):
        means = [mean(time, values, first, last) for time, values in zip(times, drag)]
        ripple = []
        for time, values, average in zip(times, drag, means):
            late = [n for n in range(2, len(time) - 2) if first < time[n] <= last]
            smooth = [abs(values[n] - (values[n - 1] + values[n + 1]) / 2) for n in late]
            ripple.append(max(smooth) / average)
        print(
            f"t = {first} to {last}: drag coefficient at rest {means[0]:.4f}, moving {means[1]:.4f}, "
            f"{100 * (means[1] / means[0] - 1):+.2f} %; largest jerk {ripple[0]:.4f}, {ripple[1]:.4f} of it"
        )


def row(directory):
    bars, sides = series(directory + "/bars.csv"), series(directory + "/boundaries.csv")
    total = series(directory + "/integrals.csv")
    first, last = 100.0, 200.0
    time = bars("time")
    for name, axis in (("axial", "x"), ("along the motion", "y")):
        force = [a + b for a, b in zip(bars(f"row_0_force_{axis}"), bars(f"row_1_force_{axis}"))]
        out = [a + b for a, b in zip(sides(f"x-_force_{axis}"), sides(f"x+_force_{axis}"))]
        on_bars, through = mean(time, force, first, last), mean(sides("time"), out, first, last)
        stored = change(total("time"), total(f"momentum_{axis}"), first, last)
        print(
            f"{name}: force on the bars {on_bars:.5f}, out through the boundaries {through:.5f}, stored {stored:.5f}: "
            f"sum {100 * (on_bars + through + stored) / abs(on_bars):+.3f} % of the force"
        )
    power = [a + b for a, b in zip(bars("row_0_power"), bars("row_1_power"))]
    out = [a + b for a, b in zip(sides("x-_energy_flux"), sides("x+_energy_flux"))]
    given, lost = mean(time, power, first, last), mean(sides("time"), out, first, last)
    stored = change(total("time"), total("total_energy"), first, last)
    off = given - lost - stored
    print(f"energy: power of the bars {given:.5f}, out {lost:.5f}, stored {stored:.5f}: off {off:+.2e}")


commands = {"rest": rest, "frames": frames, "row": row}
if len(sys.argv) < 3 or sys.argv[1] not in commands:
    sys.exit(__doc__)
with input_errors():
    commands[sys.argv[1]](*sys.argv[2:])
