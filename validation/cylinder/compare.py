#!/usr/bin/env python3
"""Strouhal number, mean drag and rms lift of the run in DIR, whole periods after t = 100, with a figure.

python3 validation/cylinder/compare.py validation/cylinder/results/cylinder [figure.png]
(needs matplotlib for the figure)"""
import pathlib
import sys

sys.path[:0] = [str(folder) for folder in pathlib.Path(__file__).resolve().parents[:2]]
from rows import FORCES
from series import forces, input_errors, mean, shedding


def main(directory, path=None):
    time, drag, lift, friction = forces(directory + "/boundaries.csv", *FORCES)
    found = shedding(time, drag, lift)
    print(found)
    print(f"friction drag {mean(time, friction, found.first, found.last):.4f}")
    if path:
        draw(time, drag, lift, path)


def draw(time, drag, lift, path):
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
    figure.savefig(path, dpi=110)


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
with input_errors():
    main(*sys.argv[1:])
