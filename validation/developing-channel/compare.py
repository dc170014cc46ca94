#!/usr/bin/env python3
"""Friction, pressure fluctuations and stresses along a channel that begins at a turbulent inlet.

python3 validation/developing-channel/compare.py DIR... [--periodic DIR] [--keep FOLDER] [figure.png]
                                                        (needs h5py, numpy; matplotlib for the figure)

Each DIR has the statistics.h5 of a run. The friction is compared with that of the periodic channel on the same cells:
that of the statistics.csv in the directory after --periodic, or the one in ../channel-180/README.md. The shear stress
at a wall is mu du/dy of the mean velocity, whose polynomials are differentiated in the cells at the walls. FOLDER gets
the columns over x of each run, from which rows.py makes the tables of the page."""
import pathlib
import sys

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "channel-180"), str(HERE.parent)]
from compare import comment, table  # noqa: E402
from series import input_errors  # noqa: E402

# Of ../channel-180/coarse.yaml with WALE.
RE_B, RE_TAU, RE_TAU_ERROR = 2823, 178.9, 1.0
STATIONS = (0, 1, 2, 5, 10, 15, 19)
BAND, BAND_BEGINS = 0.05, 8


def lobatto(order):
    """Points and weights on -1 to 1."""
    legendre = np.polynomial.legendre.Legendre.basis(order)
    x = np.concatenate([[-1], np.sort(legendre.deriv().roots().real), [1]])
    return x, 2 / (order * (order + 1) * legendre(x) ** 2)


def slope_at_first(x):
    """Weights of the derivative at the first point of the polynomial through points."""
    weights = np.zeros_like(x)
    for i in range(1, x.size):
        others = [j for j in range(1, x.size) if j != i]
        weights[i] = np.prod((x[0] - x[others]) / (x[i] - x[others])) / (x[i] - x[0])
    weights[0] = -weights.sum()
    return weights


class Run:
    def __init__(self, directory):
        self.name = directory.rstrip("/").split("/")[-1]
        with h5py.File(directory + "/statistics.h5") as file:
            rows = {name: file[name][:] for name in file if isinstance(file[name], h5py.Dataset)}
            walls = {name: dict(group.attrs) for name, group in file["walls"].items()}
            self.time = file.attrs["sample-time"]
        self.x, self.y = np.unique(rows["x"]), np.unique(rows["y"])
        shape = (self.x.size, self.y.size)
        self.of = {name: values.reshape(shape) for name, values in rows.items()}
        # The points of a cell are symmetric, and all cells have the same length along x: the first two equal intervals
        # beside each other meet at the end of the first cell.
        step = np.diff(self.x)
        order = 1 + int(np.argmax(np.isclose(step[1:], step[:-1], rtol=1e-6)))
        _, weights = lobatto(order)
        edges = self.y[::order]
        self.weights = np.zeros(self.y.size)
        for cell, height in enumerate(np.diff(edges)):
            self.weights[cell * order : (cell + 1) * order + 1] += 0.5 * height * weights
        self.weights /= self.weights.sum()
        mu, u = walls["y-"]["mu"], self.of["u"]
        lower = mu * u[:, : order + 1] @ slope_at_first(self.y[: order + 1])
        upper = -mu * u[:, ::-1][:, : order + 1] @ slope_at_first(self.y[::-1][: order + 1])
        self.tau = 0.5 * (lower + upper)
        density, flux = self.of["rho"] @ self.weights, (self.of["rho"] * u) @ self.weights
        self.friction = 2 * self.tau * density / flux**2
        self.pressure = np.sqrt(self.of["p_rms"] ** 2 @ self.weights)
        # Both walls are samples of the same flow.
        developed = self.x > BAND_BEGINS
        self.scatter = np.sqrt(np.mean((0.5 * (lower - upper) / self.tau)[developed] ** 2))
        length = np.zeros(self.x.size)
        for cell in range((self.x.size - 1) // order):
            length[cell * order : (cell + 1) * order + 1] += weights
        # The force that the solver itself put on the walls.
        stress = 0.5 * (walls["y-"]["tau_x"] + walls["y+"]["tau_x"])
        self.force = self.tau @ length / length.sum() / stress

    def at(self, x):
        """Index of the place nearest to x."""
        return int(np.argmin(np.abs(self.x - x)))

    def peak(self, name):
        """Largest size of a stress at each x."""
        return np.abs(self.of[name]).max(axis=1)


def periodic(directory):
    """Friction coefficient and shear stress of the periodic channel, and their source."""
    if directory is None:
        stress = (RE_TAU / RE_B) ** 2
        return 2 * stress, stress, f"../channel-180/README.md, Re_tau {RE_TAU} +- {RE_TAU_ERROR}"
    profile, comments = table(directory + "/statistics.csv")
    walls = (line.split(": ", 1)[1].split(", ") for line in comments if line.startswith("wall "))
    stress = np.mean([float(dict(part.split(" = ") for part in parts)["tau"]) for parts in walls])
    # Mass and volume flux are held at 1.
    return 2 * stress, stress, f"{directory}, Re_tau {comment(comments, 're_tau'):.1f}"


def option(arguments, name):
    """Takes an option and its value out of the arguments; returns the value."""
    if name not in arguments:
        return None
    place = arguments.index(name)
    value = arguments[place + 1]
    del arguments[place : place + 2]
    return value


def keep(run, friction, stress, inlet, path):
    """Writes friction and pressure over those of the periodic channel, and peaks of stresses over those of the
    inlet, along x."""
    peaks = [run.peak(name) / np.abs(inlet[name]).max() for name in ("uu", "uv")]
    columns = np.column_stack([run.x, run.friction / friction, run.pressure / stress, *peaks])
    head = f"sample-time: {run.time:.4g}\nperiodic c_f: {friction:.6g}"
    text = "\n".join("# " + line for line in head.splitlines())
    rows = "\n".join(",".join(f"{value:.5g}" for value in row) for row in columns)
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{text}\nx,friction,pressure,uu,uv\n{rows}\n")


def main():
    arguments = sys.argv[1:]
    figure = arguments.pop() if arguments and arguments[-1].endswith(".png") else None
    beside, folder = option(arguments, "--periodic"), option(arguments, "--keep")
    if not arguments:
        sys.exit(__doc__)
    friction, stress, source = periodic(beside)
    print(f"periodic: c_f = {friction:.5f} ({source})")
    runs = [Run(directory) for directory in arguments]
    inlet = prescribed()
    for run in runs:
        print(
            f"{run.name}: samples over {run.time:.0f} h/U_b; c_f of one wall about the mean of both beyond x = "
            f"{BAND_BEGINS}: {100 * run.scatter:.1f} % rms; force of mu du/dy over that of the solver {run.force:.4f}"
        )
    columns = "c_f/periodic   p_rms/tau      uu     -uv"
    print("peaks of uu and uv over those that the inlet prescribes")
    print("   x " + "".join(f"  {run.name:>38}" for run in runs))
    print("     " + "".join(f"  {columns:>38}" for _ in runs))
    for x in sorted({*STATIONS, 8, 12}):
        line = f"{x:4g} "
        for run in runs:
            i = run.at(x)
            uu, uv = (run.peak(name)[i] / np.abs(inlet[name]).max() for name in ("uu", "uv"))
            line += f"  {run.friction[i] / friction:14.3f} {run.pressure[i] / stress:9.2f} {uu:8.2f} {uv:7.2f}"
        print(line)
    for run in runs:
        developed = run.friction[(run.x >= BAND_BEGINS) & (run.x <= run.x[-1] - 1)] / friction
        print(
            f"{run.name}: c_f/periodic from x = {BAND_BEGINS} to 1 before the end: mean {developed.mean():.3f}, "
            f"{developed.min():.3f} to {developed.max():.3f}"
        )
    if folder:
        for run in runs:
            keep(run, friction, stress, inlet, pathlib.Path(folder) / f"{run.name}.csv")
    if figure:
        draw(runs, friction, stress, inlet, figure)


def prescribed():
    """Columns of inlet.csv."""
    with open(HERE / "inlet.csv") as file:
        rows = [line.strip().split(",") for line in file if not line.startswith("#")]
    return dict(zip(rows[0], np.array(rows[1:], dtype=float).T))


def draw(runs, friction, stress, inlet, path):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    _, axes = plt.subplots(2, 2, figsize=(11, 7.5), layout="constrained")
    (top, noise), (mean, stresses) = axes
    end = runs[0].x[-1]
    top.fill_between([BAND_BEGINS, end], 1 - BAND, 1 + BAND, color="0.9", label="periodic channel, 5 %")
    for run in runs:
        top.plot(run.x, run.friction / friction, label=run.name)
        noise.semilogy(run.x, run.pressure / stress, label=run.name)
    top.set(title="Friction over that of the periodic channel", xlabel="x/h", ylabel="ratio of c_f", ylim=(0.5, 1.5))
    top.legend(frameon=False)
    noise.set(title="Pressure fluctuations, mean over y", xlabel="x/h", ylabel="p_rms/tau_w")
    noise.legend(frameon=False)
    run, colours = runs[0], plt.get_cmap("viridis")
    mean.plot(inlet["y"], inlet["u"], "k--", lw=1, label="prescribed at the inlet")
    for sign, name in ((1, "uu"), (1, "uv")):
        stresses.plot(inlet["y"], sign * inlet[name] / stress, "k--", lw=1)
    for station in STATIONS:
        i, colour = run.at(station), colours(station / end)
        mean.plot(run.y, run.of["u"][i], color=colour, label=f"x = {station} h")
        for name in ("uu", "uv"):
            stresses.plot(run.y, run.of[name][i] / stress, color=colour)
    mean.set(title=f"Mean velocity of {run.name}", xlabel="y/h", ylabel="u/U_b")
    mean.legend(frameon=False, fontsize="small")
    stresses.set(title="uu (above) and uv over tau_w", xlabel="y/h", ylabel="stress over tau_w")
    plt.savefig(path, dpi=110)


with input_errors():
    main()
