"""Rows of README.md from the columns along x that compare.py keeps:

python3 validation/developing-channel/rows.py
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import series  # noqa: E402

STATIONS = (0, 1, 2, 5, 8, 10, 15, 19)


def at_stations(name):
    """Friction, pressure and peak of uu of a run at the stations, with the digits of the page."""
    of = series(HERE / f"kept/{name}.csv")
    x = of("x")
    for station in STATIONS:
        n = min(range(len(x)), key=lambda n: abs(x[n] - station))
        yield f"{of('friction')[n]:.3f}", f"{of('pressure')[n]:.1f}", f"{of('uu')[n]:.2f}"


def rows():
    """The cells of the rows of the page."""
    both = zip(STATIONS, at_stations("relaxed"), at_stations("hard"))
    for station, relaxed, hard in both:
        yield (f"{station}", *[value for pair in zip(relaxed, hard) for value in pair])
    friction, pressure, peak = zip(*at_stations("length"))
    yield ("c_f over periodic", *friction)
    yield ("p_rms/tau_w", *pressure)
    yield ("peak of uu over the inlet's", *peak)


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |")
