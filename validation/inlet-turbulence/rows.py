"""Rows of README.md from the kept profiles along the boxes:

python3 validation/inlet-turbulence/rows.py
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import between, series  # noqa: E402

OUTLETS = (
    ("default", "relaxed, the default"),
    ("none", "relaxed, `transverse: none`"),
    ("hard", "pressure-outlet"),
    ("lodato", "`hold: local, transverse: lodato`"),
    ("local", "`hold: local, transverse: none`"),
)

STRESSES = ("uu", "vv", "ww")


def at(of, name, x):
    return between(of("x"), of(name), x)


def ends():
    """Stresses behind the inlet, and the pressure between three pairs of ends."""
    runs = [series(HERE / f"kept/{name}.csv") for name in ("relaxed", "hard", "far")]
    square = 0.015**2  # that of u', with density 1
    for x in (0, 0.05, 0.1, 0.5, 1, 2, 3, 4):
        stresses = [at(runs[0], name, x) / square for name in STRESSES]
        pressures = [f"{at(of, 'p_rms', x) / square:.1f}" for of in runs]
        yield (f"{x}", f"{sum(stresses) / 3:.2f}", ", ".join(f"{value:.2f}" for value in stresses), *pressures)


def oblique(mach):
    """Stresses before an outlet and pressure in the middle of the box, over those of a box twice as long."""
    right = series(HERE / f"kept/oblique-long-{mach}.csv")
    for name, title in OUTLETS:
        of = series(HERE / f"kept/oblique-{name}-{mach}.csv")
        end = of("x")[-1]
        cells = [
            ", ".join(f"{at(of, stress, end - before) / at(right, stress, end - before):.2f}" for stress in STRESSES)
            for before in (0.05, 0)
        ]
        pressure = at(of, "p_rms", end / 2) / at(right, "p_rms", end / 2)
        yield (title, *cells, f"{pressure:.2f}")


def rows():
    """The cells of the rows of the page."""
    yield from ends()
    for mach in ("0.3", "0.65"):
        yield from oblique(mach)


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |")
