"""Rows of README.md from the kept tables of a run over periodic hills: where the flow separates and reattaches, and its
means beside the measured ones. `compare.py` writes these tables; no package is needed here."""
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import series  # noqa: E402

# Stations of the measured profiles, and what is compared there.
STATIONS, MEANS = (1, 2, 4), ("u", "uu", "uv")


def measured(station):
    """The measured heights and means at a station, as rows."""
    columns = series(HERE / "profiles.csv")
    rows = zip(*map(columns, ("x_over_h", "y_over_h", *MEANS)))
    return [row[1:] for row in rows if row[0] == station]


def crossings(x, values, upwards):
    """Places where values change sign."""
    sign = 1 if upwards else -1
    at = [n for n in range(len(x) - 1) if sign * values[n] < 0 <= sign * values[n + 1]]
    return [x[n] - values[n] * (x[n + 1] - x[n]) / (values[n + 1] - values[n]) for n in at]


def rows(name):
    """The cells of each row of a run."""
    mine, theirs = series(HERE / f"kept/{name}-friction.csv"), series(HERE / "friction.csv")
    both = [(mine("x"), mine("cf")), (theirs("x_over_h"), theirs("cf"))]
    for what, upwards, first, last in (("separation", False, 0.05, 1.5), ("reattachment", True, 2.5, 6.8)):
        here, there = ([x for x in crossings(*curve, upwards) if first < x < last] for curve in both)
        shown = ", ".join(f"{x:.2f}" for x in here) or "none"
        yield f"{what}, x/h", shown, f"{there[-1]:.2f} (simulation)", f"{here[-1] - there[-1]:+.2f}" if here else ""
    here, there = (f"{max(cf):.4f} at {x[cf.index(max(cf))]:.2f}" for x, cf in both)
    yield "largest friction coefficient", here, f"{there} (simulation)", ""
    means = series(HERE / f"kept/{name}-profiles.csv")
    kept = list(zip(*map(means, ("x", *MEANS))))
    for station in STATIONS:
        lines = [[row[1:] for row in kept if row[0] == station], [row[1:] for row in measured(station)]]
        for n, quantity in enumerate(MEANS):
            # The measured lines end where the wall or the ceiling is near; all rows count.
            here, there = ([row[n] for row in line] for line in lines)
            rms = math.sqrt(sum((a - b) ** 2 for a, b in zip(here, there)) / len(there))
            peaks = [max(values, key=abs) for values in (here, there)]
            difference = f"rms of the difference {rms:.4f}, {100 * rms / abs(peaks[1]):.1f} %"
            yield f"{quantity} at x/h = {station}, largest", f"{peaks[0]:.4f}", f"{peaks[1]:.4f} (measured)", difference
