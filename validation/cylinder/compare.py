#!/usr/bin/env python3
"""Strouhal number, mean drag and rms lift of the run in DIR, whole periods after t = 100, with a figure.

python3 validation/cylinder/compare.py results/cylinder [figure.png]        (needs matplotlib for the figure)"""
import math
import sys

rows = [line for line in open(sys.argv[1] + "/boundaries.csv") if not line.startswith("#")]
names = rows[0].strip().split(",")
data = [[float(x) for x in row.split(",")] for row in rows[2:]]
column = lambda name: [row[names.index(name)] for row in data]
# Forces on unit depth over rho U^2 D/2 = 1/2.
time = column("time")
drag, lift, friction = ([2 * f for f in column("wall_" + n)] for n in ("force_x", "force_y", "viscous_x"))

upward = [
    time[n - 1] - (time[n] - time[n - 1]) * lift[n - 1] / (lift[n] - lift[n - 1])
    for n in range(1, len(time))
    if time[n] > 100 and lift[n - 1] < 0 <= lift[n]
]
if len(upward) < 2:
    sys.exit("fewer than two periods after t = 100")
first, last = upward[0], upward[-1]


def mean(values):
    inside = [n for n in range(1, len(time)) if first < time[n] <= last]
    weights = [time[n] - time[n - 1] for n in inside]
    return sum(w * (values[n] + values[n - 1]) / 2 for w, n in zip(weights, inside)) / sum(weights)


print(f"periods       {len(upward) - 1}, t = {first:.1f} to {last:.1f}")
print(f"Strouhal      {(len(upward) - 1) / (last - first):.4f}      (0.1640 to 0.1650 at M = 0)")
print(f"mean drag     {mean(drag):.4f}      (1.315 to 1.33 at M = 0; about 1.345 at M = 0.2)")
print(f"  friction    {mean(friction):.4f}")
print(f"rms lift      {math.sqrt(mean([x * x for x in lift])):.4f}      (0.222 to 0.230)")

if len(sys.argv) > 2:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(8, 5), sharex=True)
    axes[0].plot(time, drag, lw=1, label="fr-les")
    axes[0].axhspan(1.315, 1.33, color="0.85", label="published, M = 0")
    axes[0].set(ylabel="drag coefficient", ylim=(1.2, 1.5))
    axes[0].legend(loc="upper right")
    axes[1].plot(time, lift, lw=1)
    for sign in (-1, 1):
        axes[1].axhspan(sign * 0.222 * 2**0.5, sign * 0.230 * 2**0.5, color="0.85")
    axes[1].set(xlabel="time U/D", ylabel="lift coefficient")
    figure.tight_layout()
    figure.savefig(sys.argv[2], dpi=110)
