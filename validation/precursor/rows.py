"""When a force stays near its mean, and the rows of README.md from the kept impulses of forces. `compare.py` reads the
files of runs with the same functions; no package is needed here.

A run is a list of its times and of the impulse of each component of the force up to them, so that the mean force over
a window is the difference of two impulses."""
import math
import sys
from bisect import bisect_left
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import series  # noqa: E402

CHANNEL, BLADE = 15.7, 1.9


def impulse(time, force):
    """The integral of each component of a force up to each time, by the trapezoidal rule."""
    sums = []
    for values in force:
        total, so_far = [0.0], 0.0
        for n in range(1, len(time)):
            so_far += 0.5 * (values[n] + values[n - 1]) * (time[n] - time[n - 1])
            total.append(so_far)
        sums.append(total)
    return list(time), sums


def at(run, when):
    """The impulse at a time, linear between those of the run."""
    time, sums = run
    right = min(max(1, bisect_left(time, when)), len(time) - 1)
    share = (when - time[right - 1]) / (time[right] - time[right - 1])
    return [total[right - 1] + share * (total[right] - total[right - 1]) for total in sums]


def mean_force(run, first, last):
    """The mean of each component of the force between two times."""
    return [(b - a) / (last - first) for a, b in zip(at(run, first), at(run, last))]


def ensemble(runs):
    """The mean of realisations, to the end of the shortest."""
    end = min(time[-1] for time, _ in runs)
    times = [t for t in runs[0][0] if t <= end]
    rows = [[at(run, t) for run in runs] for t in times]
    count = len(rows[0][0])
    return times, [[sum(row[c] for row in of_runs) / len(runs) for of_runs in rows] for c in range(count)]


def final_mean(runs, begin):
    """The mean force of all runs from a time on, and the sum of these times."""
    late = [run for run in runs if run[0][-1] > begin]
    if not late:
        sys.exit(f"no run goes on beyond {begin}")
    length = sum(run[0][-1] - begin for run in late)
    sums = zip(*([b - a for a, b in zip(at(run, begin), at(run, run[0][-1]))] for run in late))
    return [sum(parts) / length for parts in sums], length


class Settling:
    """Differences of the means over a window from the final mean, over its length, for windows that begin at any time:
    the first, when they stay below a share, and the largest that begins after a time."""

    def __init__(self, run, final, window, begin, near, windows=2000):
        time = run[0]
        size = math.hypot(*final)
        begins = [time[0] + n / (windows - 1) * (time[-1] - window - time[0]) for n in range(windows)]
        away = []
        for first in begins:
            means = mean_force(run, first, first + window)
            away.append(math.hypot(*(a - b for a, b in zip(means, final))) / size)
        outside = [n for n, share in enumerate(away) if share > near]
        self.first = away[0]
        self.never = bool(outside) and outside[-1] == windows - 1
        self.settled = begins[0] if not outside else begins[min(outside[-1] + 1, windows - 1)]
        self.later = max((share for share, first in zip(away, begins) if first >= begin), default=None)

    def when(self):
        """The time when the run is settled, in words."""
        return "never" if self.never else f"{self.settled:.2f}"


def kept(name, columns):
    """The runs of a kept file: for each run the names of the impulses of its components."""
    of = series(HERE / "kept" / name)
    return [(list(of("time")), [list(of(column)) for column in names]) for names in columns]


def channel(what):
    """The six realisations of a start of the channel."""
    return kept("channel.csv", [[f"{what}{number}"] for number in range(1, 7)])


def rows():
    """The cells of the rows of both cases."""
    blade = {name: kept("blade.csv", [[f"{name}_x", f"{name}_y"]])[0] for name in ("fields", "copy", "seed1")}
    final, _ = final_mean(list(blade.values()), 8)
    for name, title in (
        ("fields", "expressions of the case, CFL 0.7"),
        ("copy", "steady solution"),
        ("seed1", "with fluctuations, seed 1"),
    ):
        of = Settling(blade[name], final, BLADE, 8, 0.02)
        yield title, f"{100 * of.first:.1f} %", of.when(), f"{100 * of.later:.1f} %"
    starts = [channel("fields"), channel("steady")]
    final, _ = final_mean(starts[0] + starts[1], 60)
    means = [ensemble(runs) for runs in starts]
    for near in (0.05, 0.03, 0.02):
        for window in (CHANNEL, 2 * CHANNEL):
            both = [Settling(run, final, window, 60, near) for run in means]
            factor = f"{both[0].settled / both[1].settled:.1f}" if both[1].settled > 0 else "-"
            yield f"{100 * near:.0f} %", window, both[0].when(), both[1].when(), factor
    for title, run in zip(("`initial.channel`, %", "steady solution, %"), means):
        shares = [mean_force(run, max(t - 0.5, 0), t + 0.5)[0] / final[0] - 1 for t in range(0, 60, 4)]
        yield title, *(f"{100 * share:.0f}" for share in shares)
    for title, runs in zip(("`initial.channel`", "steady solution with fluctuations"), starts):
        cells = []
        for window in (CHANNEL, 2 * CHANNEL):
            times = sorted((of.never, of.settled) for of in (Settling(r, final, window, 60, 0.05) for r in runs))
            cells.append(", ".join(f"not by {time:.0f}" if never else f"{time:.1f}" for never, time in times))
        yield title, *cells
