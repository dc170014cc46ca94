#!/usr/bin/env python3
"""What the runs of this folder give, from their series.

python3 validation/bars/compare.py rest results/bars-rest
python3 validation/bars/compare.py frames results/bars-resting results/bars-moving
python3 validation/bars/compare.py row results/bars-row"""
import math
import sys

DEPTH = 0.15


def series(path):
    rows = [line for line in open(path) if not line.startswith("#")]
    names = rows[0].strip().split(",")
    data = [[float(x) for x in row.split(",")] for row in rows[2:]]
    return lambda name: [row[names.index(name)] for row in data]


def mean(time, values, first, last):
    inside = [n for n in range(1, len(time)) if first < time[n] <= last]
    weights = [time[n] - time[n - 1] for n in inside]
    return sum(w * (values[n] + values[n - 1]) / 2 for w, n in zip(weights, inside)) / sum(weights)


def change(time, values, first, last):
    inside = [n for n in range(len(time)) if first < time[n] <= last]
    return (values[inside[-1]] - values[inside[0]]) / (time[inside[-1]] - time[inside[0]])


def rest(directory):
    bars = series(directory + "/bars.csv")
    time = bars("time")
    drag, lift = ([2 * f / DEPTH for f in bars("cylinder_0_" + n)] for n in ("force_x", "force_y"))
    upward = [
        time[n - 1] - (time[n] - time[n - 1]) * lift[n - 1] / (lift[n] - lift[n - 1])
        for n in range(1, len(time))
        if time[n] > 100 and lift[n - 1] < 0 <= lift[n]
    ]
    if len(upward) < 2:
        sys.exit("fewer than two periods after t = 100")
    first, last = upward[0], upward[-1]
    print(f"periods       {len(upward) - 1}, t = {first:.1f} to {last:.1f}")
    print(f"Strouhal      {(len(upward) - 1) / (last - first):.4f}   (body-fitted 0.1639; 0.164 to 0.166 at M = 0)")
    print(f"mean drag     {mean(time, drag, first, last):.4f}   (body-fitted 1.352; 1.32 to 1.36 at M = 0)")
    squares = [x * x for x in lift]
    print(f"rms lift      {math.sqrt(mean(time, squares, first, last)):.4f}   (body-fitted 0.231; 0.22 to 0.24)")


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


if len(sys.argv) < 3:
    sys.exit(__doc__)
{"rest": rest, "frames": frames, "row": row}[sys.argv[1]](*sys.argv[2:])
