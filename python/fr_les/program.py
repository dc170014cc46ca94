"""The program fr-les as a function: cases are run, checked and studied, and failures are exceptions."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pandas

from .runs import Run

# Variable with the path of the program, which otherwise is the first in PATH.
PROGRAM = "FR_LES_PROGRAM"


class Failed(RuntimeError):
    """The program has ended with an error, whose message this has. `exit_code` is 2 for bad input, 3 for a flow that
    diverged, 4 for a run that was interrupted after it had written its state, and 1 for all else. `log` is what it
    logged until then."""

    def __init__(self, message, exit_code, log):
        super().__init__(message)
        self.exit_code = exit_code
        self.log = log


def run(case, *, ranks=None, threads=None, cwd=None, **settings):
    """Run a case and return its `Run`.

    Settings replace keys of the case, as `--set` does: `**{"time.end": 1.0, "output.directory": "results/a"}`, or
    `time__end=1.0`, where two underscores stand for a dot and one for a hyphen. Values are numbers, texts (which may be
    expressions of the case file), lists and dictionaries. On several `ranks` the run is started by mpirun.

    Raises `Failed` with the message of the program.
    """
    launcher = [] if ranks is None else ["mpirun", "-n", str(ranks)]
    log = _call(launcher + _command("run", case, threads, settings), cwd).stdout
    # The line of the log that names the directory of the run and what it writes.
    found = re.search(r"^\s*INFO output  (.*): ", log, re.MULTILINE)
    return Run(Path(cwd or ".") / found[1], log)


def check(case, *, threads=None, cwd=None, **settings):
    """Return what `fr-les check --json` reports of a case, which has the settings of `run`."""
    command = _command("check", case, threads, settings) + ["--json"]
    return json.loads(_call(command, cwd).stdout)


def call(*words, cwd=None):
    """Start any command of the program, as `call("mesh", "info", "mesh.h5")`, and return what it printed."""
    return _call([_program(), *map(str, words)], cwd).stdout


def study(file, *, cwd=None):
    """Carry out a study to its end, or what is left of it, and return its designs as a DataFrame.

    Columns are the variables, the values by which designs are compared, the state, and the hours of each run.
    """
    call("study", file, cwd=cwd)
    status = json.loads(call("study", file, "--status", "--json", cwd=cwd))
    rows = [
        {"id": of["id"], "state": of["now"], "hours": of["hours"], **of["x"], **of["values"]}
        for of in status["designs"]
    ]
    table = pandas.DataFrame(rows).set_index("id")
    table.attrs["title"] = status["title"]
    return table


def _command(verb, case, threads, settings):
    sets = [part for key, value in settings.items() for part in ("--set", f"{_key(key)}={_value(value)}")]
    more = [] if threads is None else ["--threads", str(threads)]
    return [_program(), verb, str(case), *more, *sets]


def _key(name):
    return name if "." in name else name.replace("__", ".").replace("_", "-")


def _value(value):
    """A value in YAML, of which JSON is a part. Texts are as they are, because they may be expressions."""
    return value if isinstance(value, str) else json.dumps(value)


def _program():
    named = os.environ.get(PROGRAM)
    found = shutil.which(named or "fr-les")
    if found is None:
        raise FileNotFoundError(
            f"there is no program {named or 'fr-les'}: put its directory into PATH, or set {PROGRAM} to its path"
        )
    return found


def _call(command, cwd):
    """Run a command to its end. An interrupt, as that of a notebook's cell, is passed on, so that the run writes its
    state before it ends."""
    environment = {name: value for name, value in os.environ.items() if name != "RUST_LOG"}
    started = subprocess.Popen(
        command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )
    try:
        output, errors = started.communicate()
    except KeyboardInterrupt:
        started.send_signal(signal.SIGINT)
        output, errors = started.communicate()
        if started.returncode == 0:
            raise
    if started.returncode:
        lines = [line for line in errors.splitlines() if not re.match(r"\s*(INFO|WARN|DEBUG)\b", line)]
        message = "\n".join(lines).strip().removeprefix("error: ")
        message = message or _last_lines(output) or f"it ended with {started.returncode}"
        raise Failed(message, started.returncode, output)
    return subprocess.CompletedProcess(command, 0, output, errors)


def _last_lines(text):
    return "\n".join(text.strip().splitlines()[-3:])
