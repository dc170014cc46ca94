"""Tables of fr-les: CSV files with comments at their head, a row of names and a row of units."""

import csv
from pathlib import Path

import numpy as np
import pandas

# Ends of the names of columns that tell about the error of another one.
ERROR, AT_LEAST, HALF_DIFFERENCE = "_error", "_at_least", "_half_difference"
# Columns of whole numbers.
COUNTS = ("step", "iteration", "samples", "point")


def read_table(path):
    """Return a table as a DataFrame.

    `.attrs` has "units" (of each column), "errors" (the column with the standard error of a column, where there is
    one), and "comments" (the lines at the head of the file, without "# ").
    """
    path = Path(path)
    text = path.read_text(encoding="utf-8")
    # A run that goes on may be writing its last line. What has no line feed yet is left out.
    lines = text.split("\n")[:-1]
    comments = [line[1:].strip() for line in lines if line.startswith("#")]
    rows = [line for line in lines if not line.startswith("#")]
    # Names with a comma, a quote or a `#` at their beginning stand in quotes.
    names, units = csv.reader(rows[:2]) if len(rows) > 1 else ([], [])
    if not names or len(names) != len(units):
        raise ValueError(f"{path}: it has no row of names and row of units: this is no table of fr-les")
    # All digits are kept: numbers are written so that they read back to the same bits.
    numbers = np.loadtxt(rows[2:], delimiter=",", ndmin=2) if len(rows) > 2 else np.zeros((0, len(names)))
    table = pandas.DataFrame(numbers, columns=names)
    for name in COUNTS:
        if name in table and (table[name] == table[name].round()).all():
            table[name] = table[name].astype(int)
    table.attrs["units"] = dict(zip(names, units))
    table.attrs["errors"] = {name: name + ERROR for name in names if name + ERROR in names}
    table.attrs["comments"] = comments
    return table
