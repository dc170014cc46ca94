"""Rows of README.md from the kept statistics of coarse.yaml, and the balances that compare.py keeps:

python3 validation/channel-180/rows.py
"""
import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from series import between, series  # noqa: E402

# Re_tau that direct simulations give for the bulk Reynolds number of the case.
RE_TAU = 180.0


class Run:
    """Means of a run over both halves, in wall units, over y_plus."""

    def __init__(self, name):
        path = HERE / f"kept/{name}.csv"
        lines = [line[2:].strip() for line in path.read_text().splitlines() if line.startswith("#")]
        head = dict(line.split(": ", 1) for line in lines if ": " in line)
        walls = [dict(part.split(" = ") for part in head[f"wall {wall}"].split(", ")) for wall in ("y-", "y+")]
        tau, rho = (sum(float(wall[of]) for wall in walls) / 2 for of in ("tau", "rho"))
        u_tau = math.sqrt(tau / rho)
        self.re_tau = float(head["re_tau"])
        error, *bound = head["re_tau_error"].split(maxsplit=1)
        self.error = f"{float(error):.1f}" + (" (at least)" if bound else "")
        columns, halves = series(path), {}
        for y, u, uu, vv, ww, uv in zip(*map(columns, ("y", "u", "uu", "vv", "ww", "uv"))):
            halves.setdefault(round(1 - abs(y), 6), []).append((u, uu, vv, ww, math.copysign(1, y) * uv))
        self.y_plus = [y * self.re_tau for y in sorted(halves)]
        scales = (u_tau, *[u_tau**2] * 4)
        means = [[sum(part) / len(part) for part in zip(*halves[y])] for y in sorted(halves)]
        self.of = dict(zip(("u", "uu", "vv", "ww", "uv"), zip(*[[v / s for v, s in zip(m, scales)] for m in means])))


def percent(ratio):
    return f"{100 * (ratio - 1):+.1f} %"


def models():
    """The rows of the under-resolved channel, with and without WALE."""
    reference, runs = series(HERE / "reference.csv"), [Run(name) for name in ("none", "wale")]
    friction = [f"{run.re_tau:.1f} +- {run.error} ({percent(run.re_tau / RE_TAU)})" for run in runs]
    yield ("Re_tau", *friction, f"{RE_TAU}")
    largest = []
    for run in runs:
        known = [(y, u) for y, u in zip(run.y_plus, run.of["u"]) if y > 5]
        ratios = [u / between(reference("y_plus"), reference("U_plus"), y) for y, u in known]
        largest.append(percent(max(ratios, key=lambda ratio: abs(ratio - 1))))
    yield ("U+ above y+ = 5, largest difference", *largest, "")
    for name, title in (("uu", "u_rms"), ("vv", "v_rms"), ("ww", "w_rms"), ("uv", "-uv")):
        size = abs if name == "uv" else math.sqrt
        peak = max(map(size, reference(f"{name}_plus")))
        cells = [f"{value:.3f} ({percent(value / peak)})" for value in (max(map(size, run.of[name])) for run in runs)]
        yield (f"peak of {title}", *cells, f"{peak:.3f}")


def precision():
    """The rows of runs in other precisions, whose balances compare.py keeps."""
    runs = [Run(name) for name in ("none", "double", "no-kahan")]
    balance = series(HERE / "kept/balance.csv")
    yield ("Re_tau", *[f"{run.re_tau:.1f} +- {run.error}" for run in runs])
    differences = []
    for run in runs[1:]:
        of = {}
        for name, values in runs[0].of.items():
            largest = max(abs(a - b) for a, b in zip(values, run.of[name]))
            of[name] = f"{100 * largest / max(map(abs, values)):.1f}"
        differences.append(of)
    title = "U+, largest difference from single with Kahan, of its maximum"
    yield (title, "", *[f"{of['u']} %" for of in differences])
    yield ("uu, vv, ww", "", *[", ".join(of[name] for name in ("uu", "vv", "ww")) + " %" for of in differences])
    title = "momentum: largest residual, and at the end, of the drag's impulse"
    pairs = zip(balance("largest"), balance("end"))
    yield (title, *[f"{short(largest)}, {short(end)}" for largest, end in pairs])
    yield ("mass, drift over 300 h/U_b", *[short(drift, plus="+") for drift in balance("mass_drift")])


def short(value, plus="-"):
    """A number with two digits, such as 8.0e-7."""
    mantissa, exponent = f"{value:{plus}.1e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def rows():
    """The cells of the rows of the page."""
    yield from models()
    yield from precision()


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |")
