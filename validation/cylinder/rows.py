"""Rows of README.md from the forces of a run of the cylinder; no package is needed here."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import forces, mean, shedding  # noqa: E402

# Columns of drag, lift and friction.
FORCES = ("wall_force_x", "wall_force_y", "wall_viscous_x")


def rows():
    """The cells of each row. Published values and estimates are those of the page."""
    time, drag, lift, friction = forces(HERE / "kept/forces.csv", *FORCES)
    found = shedding(time, drag, lift)
    drag_and_friction = f"{found.drag:.3f} (friction {mean(time, friction, found.first, found.last):.3f})"
    far_field = "about 1.345, and 0.5 % for the far field at 50 D"
    yield "Strouhal number", f"{found.strouhal:.4f}", "0.1640 to 0.1650", "less than 1 % lower"
    yield "mean drag coefficient", drag_and_friction, "1.315 to 1.33", far_field
    yield "rms lift coefficient", f"{found.lift:.3f}", "0.222 to 0.230", ""
