#!/usr/bin/env python3
"""Decaying grid turbulence beside the measured spectra: energy of the resolved scales, and spectra at t U0/M = 98 and
171. Prints the rows of README.md.

python3 validation/grid-turbulence/compare.py DIR... [--figure FILE.png] [--csv FILE.csv]
python3 validation/grid-turbulence/compare.py validation/grid-turbulence/kept/spectra.csv --figure FILE.png
                                     (needs numpy, h5py and pandas; matplotlib for the figure)

The polynomials of each cell are evaluated on an equidistant lattice of twice as many points as the run has, from which
the spectrum follows by Fourier's transform: the sum of |u|^2/2 over wave vectors with s - 1/2 <= |n| < s + 1/2, over
dk. The measured spectrum is interpolated as a power of k between its rows, as the start of the run is. Energies are
sums over the shells that both have, up to the cut-off of the start."""
import argparse
import csv
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "python"), str(HERE.parent)]
from fr_les import Solution  # noqa: E402
from series import input_errors  # noqa: E402

# Grid (cm), velocity (cm/s) and times t U0/M of the measurements; the run begins at the first.
GRID, SPEED, TIMES = 5.08, 1000.0, (42, 98, 171)


def measured():
    """The table: wave numbers, and the spectrum by time."""
    with open(HERE / "reference.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    spectra = {}
    for time in TIMES:
        there = [row for row in rows if row[f"E_{time}"]]
        spectra[time] = np.array([[float(row["k"]), float(row[f"E_{time}"])] for row in there]).T
    return spectra


def at(spectrum, k):
    """The measured spectrum at wave numbers, 0 beyond its rows."""
    known, energy = spectrum
    values = np.exp(np.interp(np.log(k), np.log(known), np.log(energy)))
    return np.where((k >= known[0]) & (k <= known[-1]), values, 0)


def lattice(solution):
    """The velocity on an equidistant lattice, [component][x][y][z], and the side of the cube."""
    p = solution.order
    points, lower = 2 * (p + 1), solution.points.min(axis=0)
    side = solution.points[:, 0].max() - lower[0]
    corners = solution.points[solution.first[:-1]]
    cells = round(len(corners) ** (1 / 3))
    where = np.rint((corners - lower) / (side / cells)).astype(int)
    # Lagrange's polynomials of the nodes of a file, at the middles of equal parts of a cell.
    nodes = np.arange(p + 1) / p
    to = (np.arange(points) + 0.5) / points
    weights = np.array([np.prod([(to - b) / (a - b) for b in nodes if b != a], axis=0) for a in nodes]).T
    nodal = solution.field("velocity").reshape(-1, p + 1, p + 1, p + 1, 3)
    values = np.einsum("ai,bj,ck,nkjiv->nvabc", weights, weights, weights, nodal, optimize=True)
    whole = np.empty((3, cells, points, cells, points, cells, points))
    for number, (x, y, z) in enumerate(where):
        whole[:, x, :, y, :, z, :] = values[number]
    return whole.reshape(3, *[cells * points] * 3), side


def spectrum(path):
    """Wave numbers of the shells and the energy spectrum of a solution."""
    velocity, side = lattice(Solution(path))
    count = velocity.shape[1]
    n = np.fft.fftfreq(count, 1 / count)
    shell = np.rint(np.sqrt(n[:, None, None] ** 2 + n[None, :, None] ** 2 + n[None, None, :] ** 2)).astype(int)
    energy = sum(np.abs(np.fft.fftn(component) / component.size) ** 2 for component in velocity) / 2
    sums = np.bincount(shell.ravel(), energy.ravel())[1 : count // 2 + 1]
    step = 2 * np.pi / side
    return step * np.arange(1, len(sums) + 1), sums / step


class Run:
    """Spectra of a run at the times of the measurements."""

    def __init__(self, directory):
        self.name = Path(directory).resolve().name
        paths = sorted(Path(directory).glob("solution_*.vtkhdf"))
        if not paths:
            sys.exit(f"{directory}: there is no solution_*.vtkhdf of a run")
        times = np.array([Solution(path).time for path in paths])
        self.spectra = {}
        for time in TIMES:
            wanted = (time - TIMES[0]) * GRID / SPEED
            n = int(np.argmin(np.abs(times - wanted)))
            if abs(times[n] - wanted) < 1e-4:
                self.spectra[time] = spectrum(paths[n])
        if TIMES[0] not in self.spectra:
            sys.exit(f"{directory}: there is no solution of the start")
        self.find_cut_off()

    def find_cut_off(self):
        """Finds the largest wave number of the start."""
        k, start = self.spectra[TIMES[0]]
        # Interpolated waves leave traces of other shells, a thousandth of the energy of a shell at most.
        self.cut_off = k[np.flatnonzero(start > 0.2 * at(measured()[TIMES[0]], k).clip(1e-30)).max()]

    def energy(self, time):
        """Energy of the resolved scales: that of the run, and that of the measurement in the same shells."""
        k, values = self.spectra[time]
        known = at(measured()[time], k)
        both = (k <= self.cut_off) & (known > 0)
        step = k[1] - k[0]
        return step * values[both].sum(), step * known[both].sum()


def main():
    parser = argparse.ArgumentParser(description="Decaying grid turbulence beside the measured spectra.")
    parser.add_argument("directories", nargs="+")
    parser.add_argument("--figure")
    parser.add_argument("--csv", help="keeps the spectra in a file")
    options = parser.parse_args()
    runs = [run for path in options.directories for run in (kept(path) if path.endswith(".csv") else [Run(path)])]
    names = " | ".join(f"energy at {time}, cm^2/s^2 | measured | difference" for time in TIMES)
    print(f"| run | k up to, 1/cm | {names} |")
    print("|---" * (2 + 3 * len(TIMES)) + "|")
    for run in runs:
        cells = [run.name, f"{run.cut_off:.2f}"]
        for time in TIMES:
            if time in run.spectra:
                mine, known = run.energy(time)
                cells += [f"{mine:.1f}", f"{known:.1f}", f"{100 * (mine / known - 1):+.1f} %"]
            else:
                cells += ["not run", "", ""]
        print("| " + " | ".join(cells) + " |")
    print()
    for time in TIMES[1:]:
        k = runs[0].spectra[TIMES[0]][0]
        shells = [n - 1 for n in (2, 3, 4, 6, 9, 12, 16, 20, 24, 28) if n <= len(k)]
        print(f"| E over the measured one at {time}, k = | " + " | ".join(f"{k[n]:.2f}" for n in shells) + " |")
        print("|---" * (1 + len(shells)) + "|")
        for run in runs:
            if time in run.spectra:
                k, values = run.spectra[time]
                known = at(measured()[time], k)
                ratios = [f"{values[n] / known[n]:.2f}" if known[n] > 0 else "" for n in shells]
                print(f"| {run.name} | " + " | ".join(ratios) + " |")
        print()
    if options.csv:
        keep(runs, options.csv)
    if options.figure:
        draw(runs, options.figure)


def kept(path):
    """The runs whose spectra a file has."""
    spectra = {}
    with open(path) as file:
        next(file), next(file)
        for name, time, k, energy in csv.reader(file):
            spectra.setdefault(name, {}).setdefault(int(time), []).append((float(k), float(energy)))
    for name, of_times in spectra.items():
        run = Run.__new__(Run)
        run.name, run.spectra = name, {time: np.array(rows).T for time, rows in of_times.items()}
        run.find_cut_off()
        yield run


def keep(runs, path):
    """Writes the spectra, a row for each run, time and shell up to the double of the cut-off."""
    with open(path, "w") as file:
        file.write("run,time,k,E\nname,t U0/M,1/cm,cm^3/s^2\n")
        for run in runs:
            for time, (k, values) in run.spectra.items():
                for n in np.flatnonzero(k <= 2 * run.cut_off):
                    file.write(f"{run.name},{time},{k[n]:.6g},{values[n]:.6g}\n")


def draw(runs, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axis = plt.subplots(figsize=(7, 5), layout="constrained")
    for time, (k, values) in measured().items():
        axis.loglog(k, values, "ko", ms=4, mfc="none" if time == TIMES[0] else "k", label=f"measured, {time}")
    for number, run in enumerate(runs):
        for time, (k, values) in run.spectra.items():
            style = ":" if time == TIMES[0] else "-"
            label = run.name if time == TIMES[-1] else None
            axis.loglog(k, values, style, color=f"C{number}", lw=1.2, label=label)
        axis.axvline(run.cut_off, color="0.8", lw=0.8)
    axis.set(xlabel="k [1/cm]", ylabel="E [cm^3/s^2]", ylim=(0.05, 1000), xlim=(0.1, 8))
    axis.set_title("decaying grid turbulence")
    axis.legend(frameon=False, fontsize=8)
    plt.savefig(path, dpi=110)


if __name__ == "__main__":
    with input_errors():
        main()
