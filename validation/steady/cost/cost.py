"""Runs the cases of README.md beside this file, and prints its tables.

    python3 validation/steady/cost/cost.py run DIRECTORY [PART ...]
    python3 validation/steady/cost/cost.py print DIRECTORY

PART is any of `meshes`, `core`, `cpu`, `gpu`, `family`, `settings` and `gpus`; all are run if none is given, one
process after the other but for the meshes. `gpus` solves on as many GPUs as each number of `--gpus` says. A directory
holds the meshes, the files of `fr-les bench --steady` and `times.json`, to which further parts are added.
`--program` names fr-les, and `--gmsh` the program that `fr-les mesh cascade` is to call. No solution begins after
`--seconds`. The exit code is 1 where fr-les failed, and 2 where the command line is wrong.
"""
import argparse
import csv
import json
import math
import pathlib
import re
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = [16, 64, 136, 280]
SECTION = 3308  # vertices of one layer
# Cubes a side of `bench`: 25 230, 52 022, 208 860 and 922 082 vertices.
SIZES = {"core": "29,37", "cpu": "29,37,59", "gpu": "29,37,59,97"}
PARTS = ["meshes", "core", "cpu", "gpu", "family", "settings", "gpus"]
RESULTS = [f"{device}.json" for device in SIZES] + ["times.json"]
CFL = 100
STOP = 1e-6  # residual of the density over its largest value
# When factors are computed: in every step, on demand, or in the first of so many steps.
REFRESH = {"always": [], "demand": ["refresh: {}"],
           **{f"every-{period}": [f"refresh: {{period: {period}}}"] for period in (2, 4, 5, 10)}}
ITERATION = re.compile(r"iteration (\d+): residual of the density (\S+) of the largest")


def read_json(file, default):
    """Reads a file of results, which may not be there. Raises ValueError with its name if it has anything else."""
    if not file.exists():
        return default
    try:
        found = json.loads(file.read_text())
    except ValueError as error:
        raise ValueError(f"{file} is no JSON: {error}") from None
    if not isinstance(found, type(default)):
        raise ValueError(f"{file} has not what this script or fr-les wrote")
    return found


class Runs:
    """The runs of a directory, whose results are kept in `times.json`."""

    def __init__(self, args):
        self.args, self.directory = args, pathlib.Path(args.directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.begin = time.time()
        self.file = self.directory / "times.json"
        self.times = read_json(self.file, {})

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
        command = [self.args.program, "bench", "--steady", "--order", "1", "--cells", cells, "--json", json_file,
                   "--device", *device]
        if subprocess.run(command).returncode:
            raise SystemExit(f"{name}: fr-les failed")

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
        rows = list(csv.reader(row for row in rows if not row.startswith("#")))
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
    read = lambda name: read_json(directory / name, [])
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
    for name, t in read_json(directory / "times.json", {}).items():
        device, layers, *keys = name.split(" ")
        settings = [key.split("=")[1] or "(explicit)" for key in keys]
        rows.append([device, vertices(SECTION * int(layers)), *settings, f"{t['steps']:.0f}", f"{t['residual']:.1e}",
                     str(t["iterations"]), str(t["factors"]), f"{t['seconds']:.2f}", f"{t['whole']:.1f}"])
    print("Solutions\n")
    table(["device", "vertices", "preconditioner", "CFL", "stop", "refresh", "steps", "residual", "iterations",
           "factors", "seconds", "whole run"], rows)


def counts(text):
    """Reads a list of whole numbers of at least 1."""
    words = text.split(",")
    if not all(word.strip().isdigit() and int(word) > 0 for word in words):
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers of GPUs, such as 1,2")
    return [int(word) for word in words]


def seconds(text):
    """Reads a time above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number > 0:
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds above 0")
    return number


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("task", choices=["run", "print"], help="what to do")
    parser.add_argument("directory", help="the folder of the results")
    # A default lets the parser know that there may be none.
    parser.add_argument("parts", nargs="*", default=[], metavar="PART", help="what to run [default: all parts]")
    parser.add_argument("--program", default="fr-les", help="the program fr-les [default: %(default)s]")
    parser.add_argument("--gmsh", help="the program Gmsh [default: the one that fr-les finds]")
    parser.add_argument("--gpus", type=counts, default="1,2", help="numbers of GPUs [default: %(default)s]")
    parser.add_argument("--seconds", type=seconds, default=math.inf,
                        help="time after which no solution begins [default: %(default)s]")
    args = parser.parse_intermixed_args()
    directory = pathlib.Path(args.directory)
    if args.task == "print":
        if not any((directory / name).is_file() for name in RESULTS):
            parser.error(f"{directory} has no results: there is none of {', '.join(RESULTS)}")
        try:
            return print_all(directory)
        except ValueError as error:
            parser.error(str(error))
    if not shutil.which(args.program):
        parser.error(f"there is no program {args.program}: --program names fr-les")
    if args.gmsh and not shutil.which(args.gmsh):
        parser.error(f"there is no program {args.gmsh}: --gmsh names Gmsh")
    if wrong := [part for part in args.parts if part not in PARTS]:
        parser.error(f"no part {wrong[0]}; there are {', '.join(PARTS)}")
    try:
        runs = Runs(args)
    except OSError as error:
        parser.error(f"{directory} cannot be the folder of the results: {error.strerror}")
    except ValueError as error:
        parser.error(str(error))
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
    for part in args.parts or PARTS:
        parts[part]()


if __name__ == "__main__":
    main()
