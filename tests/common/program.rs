//! The program as its users start it: a folder with its files, the output of a run, and how it ends.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use fr_les::ranks::{Ranks, abort_all_on_panic};
use mpi::topology::SimpleCommunicator;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A small Taylor-Green vortex.
/// Its steps are those of RK4, which cost less than half of those of the default scheme.
pub const CASE: &str = "title: small Taylor-Green\n\
    mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}\n\
order: 3\nconstants: {p0: 1/(1.4*0.1^2)}\ngas: {viscosity: {constant: 1/100}}\n\
initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
    p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\n\
time: {steps: 20, cfl: 0.9, scheme: rk4}\noutput: {solution: {every-steps: 10}, integrals: {every-steps: 5}}\n";

/// Environment of `mpirun`: it may start more ranks than there are cores, and as root, and it ends a job that hangs.
pub const MPI: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("MPIEXEC_TIMEOUT", "120"),
];

/// The command that runs a test of the calling binary again on `ranks` ranks, with an environment variable that tells
/// the copies what to do. `module` is the `module_path!()` of the test.
pub fn again(module: &str, test: &str, ranks: usize, variable: &str, value: &Path) -> Command {
    let binary = std::env::current_exe().expect("the calling test");
    let (_, module) = module.split_once("::").expect("a module of a test binary");
    let test = format!("{module}::{test}");
    let listed = Command::new(&binary)
        .args(["--list", "--exact", &test])
        .output()
        .expect("the calling binary starts");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(listed.contains(&format!("{test}: test")), "no test {test}");
    let mut command = Command::new("mpirun");
    command
        .args(["-n", &ranks.to_string()])
        .arg(binary)
        .args(["--exact", &test, "--nocapture"])
        .env(variable, value)
        .envs(MPI);
    command
}

/// Environment variable of the copies of a test that are ranks.
const RANK: &str = "FR_LES_TEST_RANK";

/// Carries out a test on each of these numbers of ranks. MPI can be initialised once in a process, so that the test
/// runs itself again under `mpirun`, and the copies do `work`. `module` is the `module_path!()` of the test.
pub fn as_ranks(module: &str, test: &str, numbers: &[usize], work: impl FnOnce(&SimpleCommunicator, &Ranks)) {
    if std::env::var_os(RANK).is_some() {
        let universe = mpi::initialize().expect("MPI");
        let world = universe.world();
        abort_all_on_panic(&world);
        return work(&world, &Ranks::of(&world));
    }
    for &ranks in numbers {
        let output = again(module, test, ranks, RANK, Path::new("1")).output();
        ended(&output.expect("mpirun starts"), 0);
    }
}

/// Sends a signal to the process of this number. The command `kill` would need a package that bare systems lack.
pub fn send(signal: Signal, process: u32) {
    let pid = Pid::from_raw(process as i32).expect("not process 0");
    kill_process(pid, signal).unwrap_or_else(|e| panic!("signal to {process}: {e}"));
}

/// The command that starts the program in a directory.
pub fn program(directory: &Path) -> Command {
    piped(Command::new(env!("CARGO_BIN_EXE_fr-les")), directory)
}

/// The command that starts the program on `ranks` ranks in a directory.
pub fn on_ranks(directory: &Path, ranks: usize) -> Command {
    let mut command = piped(Command::new("mpirun"), directory);
    command
        .args(["-n", &ranks.to_string(), env!("CARGO_BIN_EXE_fr-les")])
        .envs(MPI);
    command
}

/// A command in a directory, without input, whose output can be read.
fn piped(mut command: Command, directory: &Path) -> Command {
    command
        .current_dir(directory)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The command that runs the case of a directory with these keys set (`key=value`) and prints its hash. It runs on
/// `ranks` ranks of one thread or, for `ranks` = 1, without `mpirun`.
pub fn case_command(directory: &Path, ranks: usize, set: &[&str]) -> Command {
    let mut command = if ranks == 1 {
        program(directory)
    } else {
        on_ranks(directory, ranks)
    };
    command.args(["run.yaml", "--hash"]);
    if ranks > 1 {
        command.args(["--threads", "1"]);
    }
    command.args(set.iter().flat_map(|set| ["--set", *set]));
    command
}

/// A directory with this `run.yaml`.
pub fn with_case(text: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    std::fs::write(directory.path().join("run.yaml"), text).expect("case file");
    directory
}

/// Starts a command.
pub fn start(command: &mut Command) -> Child {
    command.spawn().expect("the program starts")
}

/// Waits until a condition holds or a program has ended.
pub fn wait_for(child: &mut Child, condition: impl Fn() -> bool) {
    let begin = Instant::now();
    while !condition() && child.try_wait().expect("a child").is_none() {
        assert!(begin.elapsed() < Duration::from_secs(100), "nothing happens");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns the process numbers of the ranks that mpirun has started: its children with Open MPI, and those of its proxy
/// with MPICH.
pub fn ranks_of(mpirun: &Child) -> Vec<u32> {
    let mut ranks = Vec::new();
    let mut left = vec![mpirun.id()];
    while let Some(process) = left.pop() {
        // A process that has just ended has neither a name nor children.
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{process}/{name}")).unwrap_or_default();
        match read("comm").trim() {
            "fr-les" => ranks.push(process),
            _ => {
                let children = read(&format!("task/{process}/children"));
                left.extend(
                    children
                        .split_whitespace()
                        .map(|text| text.parse::<u32>().expect("a number")),
                );
            }
        }
    }
    ranks
}

/// Returns the output of a program, standard output first.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Returns the output of a program that must have exited with `code`.
pub fn ended(output: &Output, code: i32) -> String {
    let log = text(output);
    assert_eq!(output.status.code(), Some(code), "{log}");
    log
}

/// Waits for the end of a program, which must exit with `code`, and returns its output.
pub fn end(child: Child, code: i32) -> String {
    ended(&child.wait_with_output().expect("the program ends"), code)
}

/// Runs a command, which must exit with `code`, and returns its output.
pub fn output(command: &mut Command, code: i32) -> String {
    end(start(command), code)
}

/// Runs the case of a directory ([`case_command`]), which must exit with `code`, and returns its output.
pub fn run_case(directory: &Path, ranks: usize, set: &[&str], code: i32) -> String {
    output(&mut case_command(directory, ranks, set), code)
}

/// Runs a case in two pieces on 3 ranks and on 1, each of which ends two steps after a checkpoint, and removes the
/// checkpoint of the end: the next run continues from the one before.
pub fn run_in_pieces(directory: &Path, more: &[&str]) {
    for (ranks, kept, end) in [(3, 9, 11), (1, 20, 22)] {
        let set = [
            &format!("time.steps={end}"),
            &format!("output.checkpoint.every-steps={kept}"),
        ];
        let set: Vec<&str> = more.iter().copied().chain(set.map(String::as_str)).collect();
        run_case(directory, ranks, &set, 0);
        let extra = directory.join(format!("results/checkpoint_{end:08}.h5"));
        std::fs::remove_file(extra).expect("the checkpoint of the end");
    }
}

/// Returns the hash in the output of a run.
pub fn hash(log: &str) -> String {
    let mut lines = log.lines().filter(|line| line.len() == 16);
    lines
        .next_back()
        .unwrap_or_else(|| panic!("no hash in\n{log}"))
        .to_owned()
}

/// Runs the program with these arguments in a directory.
pub fn run(directory: &Path, arguments: &[&str]) -> Output {
    program(directory).args(arguments).output().expect("the program starts")
}

/// Returns the names of the files in a directory, sorted.
pub fn names(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|e| e.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// An empty directory.
pub fn folder() -> TempDir {
    tempfile::tempdir().expect("temporary directory")
}

/// Writes a file.
pub fn write(folder: &TempDir, name: &str, text: &[u8]) {
    std::fs::write(folder.path().join(name), text).expect("written");
}

/// Returns exit code, standard output and standard error of the program in `folder`.
pub fn outcome(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder.path(), arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// Returns the standard output of the program, which must succeed.
pub fn succeeds(folder: &TempDir, arguments: &[&str]) -> String {
    let (code, log, error) = outcome(folder, arguments);
    assert_eq!(code, Some(0), "{arguments:?}\n{log}{error}");
    log
}

/// Asserts that bad input is refused with a message that contains all of `parts`, and that no file is left.
pub fn refuses(folder: &TempDir, arguments: &[&str], parts: &[&str]) {
    let before = names(folder.path());
    let (code, _, error) = outcome(folder, arguments);
    assert_eq!(code, Some(2), "{arguments:?}\n{error}");
    assert!(error.starts_with("error: ") && error.lines().count() <= 8, "{error}");
    for part in parts {
        assert!(error.contains(part), "{arguments:?}: no '{part}' in\n{error}");
    }
    assert_eq!(names(folder.path()), before, "{arguments:?} writes nothing");
}

/// Returns whether the test environment has these Python packages. They are required where tests are run for a release.
pub fn has_packages(packages: &str) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = std::env::var_os("FR_LES_PYTHON").map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    let found = Command::new(python)
        .args(["-c", &format!("import {packages}")])
        .output();
    let found = found.is_ok_and(|output| output.status.success());
    assert!(
        found || std::env::var_os("CI").is_none(),
        "no Python packages {packages}"
    );
    if !found {
        println!("skipped: no Python packages {packages}");
    }
    found
}
