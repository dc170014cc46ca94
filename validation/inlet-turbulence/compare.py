#!/usr/bin/env python3
"""Profiles of turbulence along a box.

python3 validation/inlet-turbulence/compare.py outlet LONG DIR...
python3 validation/inlet-turbulence/compare.py decay DIR NU

outlet: the runs DIR of oblique.yaml beside the run LONG of a box twice as long, whose outlet is far away, at the same
distances from the inlet.
decay: the exponent n of k ~ (x - x0)^-n, and the spectra of a run of decay.yaml with the viscosity NU beside the model
spectrum of S. B. Pope, Turbulent Flows (2000), 6.5.3, of the same k and dissipation rate."""
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from series import input_errors  # noqa: E402


def table(path):
    """The columns of a CSV file by name."""
    with open(path) as file:
        rows = [line.strip().split(",") for line in file if not line.startswith("#")]
    return {name: [float(row[i]) for row in rows[2:]] for i, name in enumerate(rows[0])}


def at(profile, name, x):
    """A column of a profile at a place, by linear interpolation."""
    xs, values = profile["x"], profile[name]
    n = max(1, min(len(xs) - 1, sum(1 for other in xs if other < x)))
    share = (x - xs[n - 1]) / (xs[n] - xs[n - 1])
    return values[n - 1] + share * (values[n] - values[n - 1])


def energy(profile, x):
    return sum(at(profile, name, x) for name in ("uu", "vv", "ww")) / 2


def outlet(long, *directories):
    right = table(long + "/statistics.csv")
    print("uu, vv, ww over those of the long box; uv less that, over k; p_rms over 2/3 rho k, here (in the long box)")
    for directory in directories:
        profile = table(directory + "/statistics.csv")
        end = profile["x"][-1]
        print(f"{directory}: outlet at x = {end:g}, mean u {at(profile, 'u', end):.5f} ({at(right, 'u', end):.5f})")
        for before in (end / 2, 0.5, 0.3, 0.2, 0.1, 0.05, 0.0):
            x, k = end - before, energy(right, end - before)
            ratios = [at(profile, name, x) / at(right, name, x) for name in ("uu", "vv", "ww")]
            shear = (at(profile, "uv", x) - at(right, "uv", x)) / k
            sound = [at(of, "p_rms", x) / (at(right, "rho", x) * k * 2 / 3) for of in (profile, right)]
            print(
                f"  {before:5.3f} before it: " + " ".join(f"{r:6.3f}" for r in ratios) +
                f"  {shear:+.3f};  p_rms {sound[0]:.2f} ({sound[1]:.2f})"
            )


def power_law(x, k):
    """n, x0 and rms relative error of k ~ (x - x0)^-n: k^(-1/n) is linear in x, and n is that of the least error."""
    best = None
    for step in range(40, 401):
        n = step / 100
        y = [value ** (-1 / n) for value in k]
        count, mean_x, mean_y = len(x), sum(x) / len(x), sum(y) / len(y)
        slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)
        line = [mean_y + slope * (a - mean_x) for a in x]
        error = math.sqrt(sum((n * (a / b - 1)) ** 2 for a, b in zip(line, y)) / count)
        if best is None or error < best[2]:
            best = n, mean_x - mean_y / slope, error
    return best


def pope(k, eps, nu):
    """The model spectrum as a list of (wave number, E), with its two constants such that energy and dissipation are k
    and eps."""
    length, eta = k**1.5 / eps, (nu**3 / eps) ** 0.25
    waves = [0.01 / length * (1000 * length / eta) ** (i / 600) for i in range(601)]
    step = math.log(waves[1] / waves[0])

    def spectrum(c_l, c_eta):
        def one(w):
            x, y = w * length, w * eta
            large = (x / math.sqrt(x * x + c_l)) ** (5 / 3 + 2)
            return 1.5 * eps ** (2 / 3) * w ** (-5 / 3) * large * math.exp(-5.2 * ((y**4 + c_eta**4) ** 0.25 - c_eta))

        return [one(w) for w in waves]

    def moment(values, power):
        return sum(e * w**power * w * step for w, e in zip(waves, values))

    def solve(wanted, of, low, high):
        """The root of a function that falls with its argument where it is above, by bisection of the logarithm."""
        for _ in range(50):
            middle = math.sqrt(low * high)
            low, high = (middle, high) if of(middle) > wanted else (low, middle)
        return math.sqrt(low * high)

    energy_at = lambda c_eta: solve(k, lambda c: moment(spectrum(c, c_eta), 0), 1e-4, 1e4)
    # A smaller constant of the dissipation range makes that range weaker.
    inverse = solve(eps, lambda c: 2 * nu * moment(spectrum(energy_at(1 / c), 1 / c), 2), 0.2, 100)
    return list(zip(waves, spectrum(energy_at(1 / inverse), 1 / inverse))), step


def one_dimensional(model, step, wave, longitudinal):
    """Density of the variance of one component at a wave number along a line, from 0 to infinity."""
    sign = -1 if longitudinal else 1
    parts = (e / w * (1 + sign * (wave / w) ** 2) * w * step for w, e in model if w > wave)
    return sum(parts) * (1 if longitudinal else 0.5)


def decay(directory, viscosity):
    profile, nu = table(directory + "/statistics.csv"), float(viscosity)
    xs, end = profile["x"], profile["x"][-1]
    fits = {}
    for first, last in ((0.5, end - 0.5), (1.0, end - 0.5), (0.5, end / 2), (end / 2, end - 0.5)):
        places = [x for x in xs if first <= x <= last]
        fits[first, last] = power_law(places, [energy(profile, x) for x in places])
        n, x0, error = fits[first, last]
        print(f"x = {first:g} to {last:g}: n = {n:.2f}, x0 = {x0:.2f}, rms error of k {100 * error:.2f} %")
    n, x0, _ = fits[0.5, end - 0.5]
    print("   x       k      uu/ww  vv/ww  p_rms/(2/3 rho k)")
    for x in (0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 5.5):
        if x < end:
            uu, vv, ww, sound = (at(profile, name, x) for name in ("uu", "vv", "ww", "p_rms"))
            k = energy(profile, x)
            print(f"{x:5.2f} {k:.3e} {uu / ww:6.3f} {vv / ww:6.3f} {sound / (k * 2 / 3):6.2f}")
    spectra = table(directory + "/spectra.csv")
    lattice = spectra["k"][1]
    for x in sorted(set(spectra["x"])):
        rows = [i for i, place in enumerate(spectra["x"]) if place == x and spectra["k"][i] > 0]
        k = energy(profile, x)
        eps = n * at(profile, "u", x) * k / (x - x0)
        reynolds = math.sqrt(20 * k * k / (3 * nu * eps))
        model, step = pope(k, eps, nu)
        print(f"x = {x:g}: dissipation rate {eps:.3e}, Re_lambda {reynolds:.0f}, eta {(nu**3 / eps) ** 0.25:.4f}")
        print("  wave number   E11 of v  over model   E22 of u, w  over model")
        for i in rows:
            wave = spectra["k"][i]
            density = lambda name: spectra[name][i] / lattice
            along, across = density("E_vv"), (density("E_uu") + density("E_ww")) / 2
            right = [one_dimensional(model, step, wave, kind) for kind in (True, False)]
            print(f"  {wave:10.2f} {along:.3e} {along / right[0]:8.2f} {across:13.3e} {across / right[1]:8.2f}")


commands = {"outlet": outlet, "decay": decay}
if len(sys.argv) < 4 or sys.argv[1] not in commands:
    sys.exit(__doc__)
with input_errors():
    commands[sys.argv[1]](*sys.argv[2:])
