#!/usr/bin/env python3
"""Keeps columns of a table that a run has written in the folder `kept` of a case, with the head of the file, which
names the version and the mesh. `scripts/validation` computes the numbers of the pages from these files.

python3 validation/keep.py validation/shocks/results/sod/probes_axis.csv \
    validation/shocks/kept/sod.csv x rho u p --last time

`--last COLUMN` keeps the rows with the last value of a column alone, `--between COLUMN FIRST LAST` those whose value
lies between two, `--every N` one row of N of these, and `--digits N` rounds to N digits."""
import argparse
from pathlib import Path


def keep(source, target, columns, last=None, between=None, every=1, digits=None):
    """Writes the head, the names, the units and the chosen values of a table."""
    lines = Path(source).read_text().splitlines()
    head = [line for line in lines if line.startswith("#")]
    names, units, *rows = [line.split(",") for line in lines if line and not line.startswith("#")]
    at = [names.index(name) for name in columns]
    if last:
        number = names.index(last)
        rows = [row for row in rows if row[number] == rows[-1][number]]
    if between:
        number, (low, high) = names.index(between[0]), map(float, between[1:])
        rows = [row for row in rows if low <= float(row[number]) <= high]
    rows = rows[::every]
    text = (lambda value: f"{float(value):.{digits}g}") if digits else str
    table = [[names[n] for n in at], [units[n] for n in at], *([text(row[n]) for n in at] for row in rows)]
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Path(target).write_text("\n".join(head + [",".join(row) for row in table]) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Keep columns of a table that a run has written.")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("columns", nargs="+")
    parser.add_argument("--last", metavar="COLUMN")
    parser.add_argument("--between", nargs=3, metavar=("COLUMN", "FIRST", "LAST"))
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--digits", type=int)
    keep(**vars(parser.parse_args()))
