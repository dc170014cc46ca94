#!/usr/bin/env python3
"""What the runs of this folder give, from their series.

python3 validation/bars/compare.py rest validation/bars/results/bars-rest validation/cylinder/results/cylinder
python3 validation/bars/compare.py frames validation/bars/results/bars-resting validation/bars/results/bars-moving
python3 validation/bars/compare.py row validation/bars/results/bars-row

The following keep tables for README.md: profiles of a wake, between t = 100 and a time, and the balance of a row.

python3 validation/bars/compare.py keep-bar validation/bars/results/bars-rest 147 validation/bars/kept/wake-20.csv
python3 validation/bars/compare.py keep-wall validation/cylinder/results/cylinder 147 \\
    validation/bars/kept/wake-fitted.csv
python3 validation/bars/compare.py keep-row validation/bars/results/bars-row validation/bars/kept/row.csv"""
import pathlib
import sys

sys.path[:0] = [str(folder) for folder in pathlib.Path(__file__).resolve().parents[:2]]
from rows import BAR, PROFILE, WALL, balance, differences, exchanged, frame, profile
from series import forces, input_errors, shedding

# Means over the row of bars.
FIRST, LAST = 100, 200


def rest(directory, fitted):
    profiles = []
    for title, folder, table, names in (
        ("penalised", directory, "bars.csv", BAR),
        ("body-fitted", fitted, "boundaries.csv", WALL),
    ):
        found = shedding(*forces(f"{folder}/{table}", *names))
        print(f"{title}\n{found}")
        profiles.append(profile(f"{folder}/probes_wake.csv", found.first, found.last))
    print("5 D behind the axis: largest difference over the largest value of the body-fitted cylinder")
    for name, (share, most, y) in zip(("1 - U/U0", "V", "rms of u", "rms of v"), differences(*profiles)):
        print(f"  {name:9} {100 * share:+.2f} % of {most:.4f}, at y = {y:g}")


def frames(resting, moving):
    runs = [frame(directory + "/bars.csv") for directory in (resting, moving)]
    for span, (here, jerk_here), (there, jerk_there) in zip(("0.5 to 2", "2 to 8"), *runs):
        print(
            f"t = {span}: drag coefficient at rest {here:.4f}, moving {there:.4f}, {100 * (there / here - 1):+.2f} %; "
            f"largest jerk {jerk_here:.4f}, {jerk_there:.4f} of it"
        )


def row(directory):
    for title, given, out, stored, left in balance(exchanged(directory, FIRST, LAST).get):
        print(
            f"{title} of the bars {given:.5f}, out through the boundaries {out:.5f}, stored {stored:.5f}: "
            f"left {left:+.1e} of the first"
        )


def keep_wake(table, names):
    def keep(directory, end, target):
        found = shedding(*forces(f"{directory}/{table}", *names), end=float(end))
        points = zip(*profile(f"{directory}/probes_wake.csv", found.first, found.last))
        head = f"# periods: {found.periods}\n# from: {found.first:.6g}\n# to: {found.last:.6g}\n"
        write(target, f"{directory}/{table}", head, PROFILE, points)

    return keep


def keep_row(directory, target):
    columns = exchanged(directory, FIRST, LAST)
    write(target, f"{directory}/bars.csv", "# integrals from the first time on\n", columns, zip(*columns.values()))


def write(target, source, head, names, rows):
    """Writes a table below the head of the file that it is from."""
    known = "".join(line for line in open(source) if line.startswith("#"))
    lines = [",".join(names), *(",".join(f"{value:.10g}" for value in row) for row in rows)]
    pathlib.Path(target).write_text(known + head + "\n".join(lines) + "\n")


commands = {
    "rest": rest,
    "frames": frames,
    "row": row,
    "keep-bar": keep_wake("bars.csv", BAR),
    "keep-wall": keep_wake("boundaries.csv", WALL),
    "keep-row": keep_row,
}
if len(sys.argv) < 3 or sys.argv[1] not in commands:
    sys.exit(__doc__)
with input_errors():
    commands[sys.argv[1]](*sys.argv[2:])
