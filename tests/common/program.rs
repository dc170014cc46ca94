//! The program as its users start it: a folder with its files, what it says, and how it ends.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A small Taylor-Green vortex.
pub const CASE: &str = "title: small Taylor-Green\n\
    mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}\n\
order: 3\nconstants: {p0: 1/(1.4*0.1^2)}\ngas: {viscosity: {constant: 1/100}}\n\
initial:\n  u: sin(x)*cos(y)*cos(z)\n  v: -cos(x)*sin(y)*cos(z)\n  w: 0\n  \
    p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16\n  temperature: p0\n\
time: {steps: 20, cfl: 0.9}\noutput: {solution: {every-steps: 10}, integrals: {every-steps: 5}}\n";

/// What `mpirun` is told: more ranks than cores, as root in containers, and an end of what hangs.
pub const MPI: [(&str, &str); 4] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("MPIEXEC_TIMEOUT", "120"),
];

/// A test of the calling binary again, as ranks that a variable tells what to do; `module` is the `module_path!()` of
/// the test.
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

/// Sends a signal to the process of this number. The program `kill` would need a package that bare systems lack.
pub fn send(signal: Signal, process: u32) {
    let pid = Pid::from_raw(process as i32).expect("not process 0");
    kill_process(pid, signal).unwrap_or_else(|e| panic!("signal to {process}: {e}"));
}

/// The program in a directory.
pub fn program(directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fr-les"));
    command
        .current_dir(directory)
        .env_remove("RUST_LOG")
        .stdin(Stdio::null());
    command
}

/// A directory with this `run.yaml`.
pub fn with_case(text: &str) -> TempDir {
    let directory = tempfile::tempdir().expect("temporary directory");
    std::fs::write(directory.path().join("run.yaml"), text).expect("case file");
    directory
}

/// The program with these arguments in a directory.
pub fn run(directory: &Path, arguments: &[&str]) -> Output {
    program(directory).args(arguments).output().expect("the program starts")
}

/// Runs the case of a directory with these keys set to its end; all that the program says.
pub fn said(directory: &Path, set: &[&str]) -> String {
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
    let output = run(directory, &[&["run.yaml"], &set[..]].concat());
    let text = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    text
}

/// Names of the files in a directory, sorted.
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

/// Exit code, standard output and standard error of the program in `folder`.
pub fn outcome(folder: &TempDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder.path(), arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// What the program says of work that it does.
pub fn succeeds(folder: &TempDir, arguments: &[&str]) -> String {
    let (code, log, error) = outcome(folder, arguments);
    assert_eq!(code, Some(0), "{arguments:?}\n{log}{error}");
    log
}

/// Asserts that bad input is refused with all of `parts`, and that no file is left.
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
