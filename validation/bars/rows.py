"""Rows of README.md from the kept files of the runs with bars; no package is needed here. `compare.py` prints the same
numbers of whole runs."""
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import between, forces, mean, series, shedding  # noqa: E402

# Columns of drag and lift of the cylinder in the mesh, and of the body-fitted one.
BAR, WALL = ("cylinder_0_force_x", "cylinder_0_force_y"), ("wall_force_x", "wall_force_y")
FITTED = HERE.parent / "cylinder/kept/forces.csv"

# Depth of the boxes of squares.
DEPTH = 0.15

# Means and root mean squares along the line in the wake.
PROFILE = ("y", "u", "v", "u_rms", "v_rms")

# What acts on the gas in a row of bars. Each is a sum over bars or sides, or is stored.
BALANCES = {
    "axial force": ("force_x", "out_x", "momentum_x"),
    "force along the motion": ("force_y", "out_y", "momentum_y"),
    "power": ("power", "out_energy", "energy"),
}


def profile(path, first, last):
    """The columns of PROFILE at the points of probes_wake.csv."""
    probes = series(path)
    lines = {}
    for time, point, y, u, v in zip(*map(probes, ("time", "point", "y", "u", "v"))):
        lines.setdefault(point, []).append((time, y, u, v))
    rows = []
    for point in sorted(lines):
        time, y, u, v = zip(*lines[point])
        means = [mean(time, x, first, last) for x in (u, v)]
        squares = [mean(time, [a * a for a in x], first, last) for x in (u, v)]
        rows.append((y[0], *means, *(math.sqrt(max(s - m * m, 0.0)) for s, m in zip(squares, means))))
    return list(zip(*rows))


def differences(found, right):
    """For the deficit of u, for v, and for both root mean squares: the largest difference of two profiles over the
    largest value of the second one, that value, and where the difference is."""
    deficit = lambda profile: [[1 - u for u in profile[1]], *profile[2:]]
    for here, there in zip(deficit(found), deficit(right)):
        most = max(map(abs, there))
        worst = max(range(len(there)), key=lambda n: abs(here[n] - there[n]))
        yield (here[worst] - there[worst]) / most, most, right[0][worst]


def frame(path):
    """For both spans of time of a run in one of the frames: mean drag coefficient, and the largest difference of a
    sample from the mean of its neighbours, over that mean drag."""
    of = series(path)
    time, drag = of("time"), [2 * force / DEPTH for force in of("bar_0_force_y")]
    # The gas inside a bar is part of it: its change of momentum is a part of the force of the first moments only.
    for first, last in ((0.5, 2.0), (2.0, 8.0)):
        average = mean(time, drag, first, last)
        late = [n for n in range(2, len(time) - 2) if first < time[n] <= last]
        yield average, max(abs(drag[n] - (drag[n - 1] + drag[n + 1]) / 2) for n in late) / average


def exchanged(directory, first, last):
    """What bars and sides have given to the gas since the time `first`, as integrals of the line through the samples,
    and the change of what is stored: a dictionary of columns at the times first, first + 1, ..., last."""
    bars, sides, total = (series(f"{directory}/{name}.csv") for name in ("bars", "boundaries", "integrals"))
    sums = {
        "force_x": (bars, "row_0_force_x", "row_1_force_x"),
        "force_y": (bars, "row_0_force_y", "row_1_force_y"),
        "power": (bars, "row_0_power", "row_1_power"),
        "out_x": (sides, "x-_force_x", "x+_force_x"),
        "out_y": (sides, "x-_force_y", "x+_force_y"),
        "out_energy": (sides, "x-_energy_flux", "x+_energy_flux"),
    }
    times = [first + n for n in range(int(last - first) + 1)]
    columns = {"time": times}
    for name, (table, *parts) in sums.items():
        values = [sum(both) for both in zip(*map(table, parts))]
        columns[name] = [0.0]
        for a, b in zip(times, times[1:]):
            columns[name].append(columns[name][-1] + (b - a) * mean(table("time"), values, a, b))
    for name, stored in (("momentum_x", "momentum_x"), ("momentum_y", "momentum_y"), ("energy", "total_energy")):
        at = [between(total("time"), total(stored), time) for time in times]
        columns[name] = [value - at[0] for value in at]
    return columns


def balance(of):
    """For each of BALANCES: the means of the parts of a table of `exchanged`, and what is left over the first."""
    span = of("time")[-1] - of("time")[0]
    for title, names in BALANCES.items():
        given, out, stored = ((of(name)[-1] - of(name)[0]) / span for name in names)
        # Bars take the power from what moves them, and give it to the gas.
        left = given - out - stored if title == "power" else given + out + stored
        yield title, given, out, stored, left / abs(given)


def rows():
    """The cells of each row. Published values and what was wanted are those of the page."""
    tables = [(FITTED, WALL), (HERE / "kept/rest-10.csv", BAR), (HERE / "kept/rest-20.csv", BAR)]
    fitted, *others = (shedding(*forces(path, *names)) for path, names in tables)
    beside = lambda name, digits: [
        f"{getattr(run, name):.{digits}f} ({100 * (getattr(run, name) / getattr(fitted, name) - 1):+.2g} %)"
        for run in others
    ]
    yield "Strouhal number", f"{fitted.strouhal:.4f}", "0.1640 to 0.1650", "within 3 %", *beside("strouhal", 4)
    yield "mean drag coefficient", f"{fitted.drag:.3f}", "1.315 to 1.33", "within 6 %", *beside("drag", 3)
    yield "rms lift coefficient", f"{fitted.lift:.3f}", "0.222 to 0.230", "", *(f"{run.lift:.3f}" for run in others)
    wakes = [list(map(series(HERE / f"kept/wake-{name}.csv"), PROFILE)) for name in ("fitted", "10", "20")]
    cells = [[f"{100 * abs(d):.2g} %" for d, *_ in differences(wake, wakes[0])] for wake in wakes[1:]]
    for title, k in (("at x = 5 D, over the largest value: mean u, v", 0), ("rms of u, v", 2)):
        yield title, "", "", "within 10 %", *(", ".join(run[k : k + 2]) for run in cells)
    resting, moving = (list(frame(HERE / f"kept/frames-{name}.csv")) for name in ("resting", "moving"))
    for n, span in enumerate(("t = 0.5 to 2", "t = 2 to 8")):
        drags = [run[n][0] for run in (resting, moving)]
        ratio = f"{100 * (drags[1] / drags[0] - 1):.2f} %"
        yield f"drag coefficient, {span}", *(f"{drag:.4f}" for drag in drags), ratio
    jerks = ("; ".join(f"{100 * jerk:.1f} %" for _, jerk in run) for run in (resting, moving))
    yield "largest jerk of a sample, t = 0.5 to 2; t = 2 to 8", *jerks, ""
    for title, *parts, left in balance(series(HERE / "kept/row.csv")):
        yield title, *(f"{part:.5f}" for part in parts), f"{left:.0e}".replace("e-0", "e-")
