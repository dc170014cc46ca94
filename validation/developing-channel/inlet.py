#!/usr/bin/env python3
"""Writes inlet.csv: mean velocity and stresses of the channel of ../channel-180/reference.csv from wall to wall, in
units of the half height and the bulk velocity.

python3 validation/developing-channel/inlet.py        (needs numpy)"""
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
REFERENCE = HERE.parent / "channel-180" / "reference.csv"
STRESSES = ("uu", "vv", "ww", "uv")


def main():
    with open(REFERENCE) as file:
        lines = [line for line in file if not line.startswith("#")]
    rows = np.array([line.split(",") for line in lines[1:]], dtype=float)
    table = dict(zip(lines[0].strip().split(","), rows.T))
    d, u = table["y_over_h"], table["U_plus"]
    bulk = np.sum(0.5 * (u[1:] + u[:-1]) * np.diff(d))
    # A wall has no turbulence; the table has rounding errors there, from which no stresses can be made.
    values = [u / bulk] + [np.where(d > 0, table[name + "_plus"], 0.0) / bulk**2 for name in STRESSES]
    lower = np.column_stack([d - 1, *values])
    # uv changes its sign in the middle.
    upper = (lower * np.array([-1, 1, 1, 1, 1, -1]))[::-1]
    with open(HERE / "inlet.csv", "w") as file:
        file.write(
            "# Mean velocity and stresses of ../channel-180/reference.csv (Moser, Kim & Mansour 1999) over the bulk\n"
            f"# velocity, {bulk:.3f} u_tau; written by inlet.py.\n"
        )
        file.write("y,u," + ",".join(STRESSES) + "\n")
        for row in np.vstack([lower, upper[1:]]):
            file.write(",".join(f"{value + 0.0:.6g}" for value in row) + "\n")


main()
