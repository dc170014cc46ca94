"""Rows of README.md from the kept integrals of three runs, and the numbers of its sentences:

python3 validation/taylor-green-compressible/rows.py
"""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import between, series  # noqa: E402

# Title, points, and wall time on the card that the page names.
RUNS = {
    "32": ("p 3, 32^3 cells", "128^3", "8 s"),
    "21": ("p 5, 21^3 cells", "126^3", "12 s"),
    "64": ("p 3, 64^3 cells", "256^3", "80 s"),
}


def rows():
    """The cells of the row of each run."""
    for name, (title, points, wall_time) in RUNS.items():
        of = series(HERE / f"kept/{name}.csv")
        time, viscous = of("time"), of("dissipation_viscous")
        energies = [f"{between(time, of('kinetic_energy'), t):.5f}" for t in (8, 12, 20)]
        peak = f"{max(viscous):.5f}, {time[viscous.index(max(viscous))]:.1f}"
        filtered = f"{max(of('filtered_cells')):.1f} %"
        yield title, points, *energies, peak, f"{max(of('enstrophy')):.2f}", filtered, wall_time


if __name__ == "__main__":
    for name in RUNS:
        mass = series(HERE / f"kept/{name}.csv")("mass")
        print(f"{name}: drift of the mass {mass[-1] / mass[0] - 1:.1e}")
    for cells in rows():
        print(*cells, sep=" | ")
