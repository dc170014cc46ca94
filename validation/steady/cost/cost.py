"""Runs the cases of README.md beside this file, and prints its tables.

    python3 validation/steady/cost/cost.py run DIRECTORY [PART ...]
    python3 validation/steady/cost/cost.py print DIRECTORY

PART is any of `meshes`, `core`, `cpu`, `gpu`, `family`, `settings` and `gpus`; all are run if none is given, one
process after the other but for the meshes. `gpus` solves on as many GPUs as each number of `--gpus` says. A directory
holds the meshes, the files of `fr-les bench --steady` and `times.json`, to which further parts are added.
`--program` names fr-les, and `--gmsh` the program that `fr-les mesh cascade` is to call. No solution begins after
`--seconds`.
"""
import argparse
import json
import math
import pathlib
import re
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = [16, 64, 136, 280]
SECTION = 3308  # vertices of one layer
# Cubes a side of `bench`: 25 230, 52 022, 208 860 and 922 082 vertices.
SIZES = {"core": "29,37", "cpu": "29,37,59", "gpu": "29,37,59,97"}
CFL = 100
STOP = 1e-6  # residual of the density over its largest value
# When factors are computed: in every step, on demand, or in the first of so many steps.
REFRESH = {"always": [], "demand": ["refresh: {}"],
           **{f"every-{period}": [f"refresh: {{period: {period}}}"] for period in (2, 4, 5, 10)}}
ITERATION = re.compile(r"iteration (\d+): residual of the density (\S+) of the largest")


class Runs:
    """The runs of a directory, whose results are kept in `times.json`."""

    def __init__(self, args):
        self.args, self.directory = args, pathlib.Path(args.directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.begin = time.time()
        self.file = self.directory / "times.json"
        self.times = json.loads(self.file.read_text()) if self.file.exists() else {}

    def meshes(self):
        """Makes the meshes that grow in the span alone."""
        text = (HERE / "family.yaml").read_text()
        text = text.replace("../../../", f"{HERE.parents[2]}/")
        making = []
        for layers in LAYERS:
            settings = self.directory / f"family-{layers}.yaml"
            span = f"{{length: {layers / 100}, cells: {layers}}}"
            settings.write_text(text.replace("{length: 0.16, cells: 16}", span))
            gmsh = ["--gmsh", self.args.gmsh] if self.args.gmsh else []
            command = [self.args.program, "mesh", "cascade", settings, settings.with_suffix(".h5"), *gmsh]
            making.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        if any([process.wait() for process in making]):
            raise SystemExit("a mesh could not be made")

    def bench(self, name, cells, *device):
        """Times the parts of steps on a device."""
        json_file = self.directory / f"{name}.json"
        subprocess.run([self.args.program, "bench", "--steady", "--order", "1", "--cells", cells, "--json", json_file,
                        "--device", *device], check=True)

    def solve(self, device, layers, ranks=1, **keys):
        """Computes a steady solution, and keeps the number of its steps and what they took from the first check on. Its
        steps are explicit without a preconditioner."""
        changed = {"preconditioner": "gauss-seidel", "cfl": CFL, "linear-stop": 0.03, "refresh": "always", **keys}
        devices = device if ranks == 1 else f"{ranks}x{device}"
        name = " ".join([devices, str(layers), *(f"{key}={value}" for key, value in changed.items())])
        if name in self.times:
            return
        if time.time() - self.begin > self.args.seconds:
            print("no time is left for", name, flush=True)
            return
        implicit = [f"preconditioner: {changed['preconditioner']}", f"cfl: [5, {changed['cfl']}]",
                    f"linear-stop: {changed['linear-stop']}", *REFRESH[changed["refresh"]]]
        steady = f"residual: {STOP}, iterations: 600, driver: implicit, implicit: {{{', '.join(implicit)}}}"
        if not changed["preconditioner"]:
            steady = f"residual: {STOP}, iterations: 30000"
        settings = [f"mesh.file={self.directory.resolve()}/family-{layers}.h5", f"device={device}", "order=1",
                    "arithmetic=fast", f"output.directory={self.directory.resolve()}/run", "output.blades={}",
                    "output.traverses={}", f"steady={{{steady}}}"]
        command = [] if ranks == 1 else ["mpirun", "-n", str(ranks), "--bind-to", "none"]
        command += [self.args.program, "run", str(HERE.parent / "cascades" / "t106c.yaml"), "--steady"]
        for setting in settings:
            command += ["--set", setting]
        begin = time.time()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        reached, log = [], []
        for line in process.stdout:
            log.append(line)
            if found := ITERATION.search(line):
                reached.append((int(found[1]), float(found[2]), time.time()))
        if process.wait() or len(reached) < 2:
            raise SystemExit(f"{name}: fr-les failed\n{''.join(log)}")
        rows = (self.directory / "run" / "steady" / "convergence.csv").read_text().splitlines()
        rows = [row.split(",") for row in rows if not row.startswith("#")]
        column = {key: rows[0].index(key) for key in ("linear", "refreshes")}
        of = {key: sum(int(float(row[n])) for row in rows[1:] if row[n]) for key, n in column.items()}
        # The residual is logged every ten steps, or every hundred explicit ones.
        (before, high, _), (after, low, _) = reached[-2:]
        part = min(1.0, math.log(high / STOP) / math.log(high / low)) if low < high else 1.0
        self.times[name] = {
            "steps": before + part * (after - before),
            "residual": reached[-1][1],
            "iterations": of["linear"],
            "factors": of["refreshes"],
            "seconds": reached[-1][2] - reached[0][2],
            "whole": time.time() - begin,
        }
        print(name, self.times[name], flush=True)
        self.file.write_text(json.dumps(self.times, indent=1))

    def family(self):
        """Computes the solutions on meshes that grow in the span."""
        for layers, preconditioners in [(16, ["gauss-seidel", "ilu"]), (64, ["gauss-seidel", "ilu"]),
                                        (136, ["gauss-seidel"]), (280, ["gauss-seidel"])]:
            for preconditioner in preconditioners:
                self.solve("cuda", layers, preconditioner=preconditioner)
        for preconditioner in ["gauss-seidel", "ilu"]:
            self.solve("cpu", 16, preconditioner=preconditioner)

    def settings(self):
        """Changes the CFL number, the end of linear solutions and when factors are computed, on the smallest mesh."""
        for refresh in REFRESH:
            self.solve("cuda", 16, preconditioner="ilu", refresh=refresh)
        for stop in [0.1, 0.001]:
            self.solve("cuda", 16, **{"linear-stop": stop})
        for cfl in [50, 200, 1000]:
            self.solve("cuda", 16, cfl=cfl)
        self.solve("cuda", 16, preconditioner="", cfl=2.5)

    def gpus(self):
        """Computes solutions on the largest mesh with each preconditioner on several GPUs."""
        for preconditioner in ["gauss-seidel", "lines", "ilu", "multigrid"]:
            for ranks in self.args.gpus:
                self.solve("cuda", LAYERS[-1], ranks, preconditioner=preconditioner)


def table(head, rows):
    """Prints a table in Markdown."""
    print("|", " | ".join(head), "|")
    print("|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join(row), "|")
    print()


def vertices(number):
    """Writes a number in groups of three digits."""
    return f"{number:,}".replace(",", " ") if number > 9999 else str(number)


def print_all(directory):
    """Prints the tables of a directory."""
    read = lambda name: json.loads((directory / name).read_text()) if (directory / name).exists() else []
    bench = {device: {t["vertices"]: t for t in read(f"{device}.json")} for device in SIZES}
    sizes = sorted({size for times in bench.values() for size in times})
    cell = lambda times, size, value: value(times[size]) if size in times else ""
    explicit = lambda t: f"{1000 * t['explicit_seconds'] / 60:.3f}"
    ratio = lambda size, device: (
        f"{bench['core'][size]['explicit_seconds'] / bench[device][size]['explicit_seconds']:.1f}"
        if size in bench["core"] and size in bench[device] else "")
    print("1000 explicit steps, minutes\n")
    table(["vertices", "one core", "all cores", "GPU", "one core over all", "one core over GPU"],
          [[vertices(size), *(cell(bench[device], size, explicit) for device in bench), ratio(size, "cpu"),
            ratio(size, "gpu")] for size in sizes])
    print("Factors and an iteration, ms, and their ratio\n")
    for device in bench:
        rows = []
        for size, times in sorted(bench[device].items()):
            for t in times["preconditioners"]:
                factors, iteration = t["factors_seconds"], t["iteration_seconds"]
                rows.append([vertices(size), f"`{t['preconditioner']}`", f"{1e3 * factors:.3f}",
                             f"{1e3 * iteration:.3f}", f"{factors / iteration:.2f}"])
        print(device, "\n")
        table(["vertices", "preconditioner", "factors", "iteration", "ratio"], rows)
    print("Shares of a step with gauss-seidel, and R*\n")
    rows = []
    for device in bench:
        for size, times in sorted(bench[device].items()):
            t = next(t for t in times["preconditioners"] if t["preconditioner"] == "gauss-seidel")
            assembly, step = t["residual_seconds"] + t["assembly_seconds"], t["step_seconds"]
            rows.append([device, vertices(size), f"{1e3 * times['explicit_seconds']:.2f}", f"{1e3 * step:.2f}",
                         str(t["iterations"]), f"{100 * assembly / step:.0f} %", f"{1e3 * assembly:.2f}",
                         f"{1e3 * (step - assembly):.2f}", f"{step / times['explicit_seconds']:.1f}"])
    table(["device", "vertices", "explicit step", "implicit step", "iterations", "share of assembly", "assembly",
           "rest", "R*"], rows)
    rows = []
    for name, t in read("times.json").items() if (directory / "times.json").exists() else []:
        device, layers, *keys = name.split(" ")
        settings = [key.split("=")[1] or "(explicit)" for key in keys]
        rows.append([device, vertices(SECTION * int(layers)), *settings, f"{t['steps']:.0f}", f"{t['residual']:.1e}",
                     str(t["iterations"]), str(t["factors"]), f"{t['seconds']:.2f}", f"{t['whole']:.1f}"])
    print("Solutions\n")
    table(["device", "vertices", "preconditioner", "CFL", "stop", "refresh", "steps", "residual", "iterations",
           "factors", "seconds", "whole run"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["run", "print"])
    parser.add_argument("directory")
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--program", default="fr-les")
    parser.add_argument("--gmsh")
    parser.add_argument("--gpus", type=lambda text: [int(word) for word in text.split(",")], default=[1, 2])
    parser.add_argument("--seconds", type=float, default=math.inf)
    args = parser.parse_intermixed_args()
    if args.task == "print":
        return print_all(pathlib.Path(args.directory))
    runs = Runs(args)
    parts = {
        "meshes": runs.meshes,
        "core": lambda: runs.bench("core", SIZES["core"], "cpu", "--threads", "1"),
        "cpu": lambda: runs.bench("cpu", SIZES["cpu"], "cpu"),
        "gpu": lambda: runs.bench("gpu", SIZES["gpu"], "cuda"),
        "family": runs.family,
        "settings": runs.settings,
        "gpus": runs.gpus,
    }
    if wrong := [part for part in args.parts if part not in parts]:
        parser.error(f"no part {wrong[0]}; there are {', '.join(parts)}")
    for part in args.parts or parts:
        parts[part]()


if __name__ == "__main__":
    main()
