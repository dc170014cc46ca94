//! Many processes of one machine at the same time: each is alone, and none disturbs another or leaves anything behind.

use std::path::Path;
use std::process::{Child, Command};

use crate::common::program::{ended, folder, names, program, send, start, wait_for, write};
use rustix::process::Signal;
use tempfile::TempDir;

/// Processes that are started at once.
const COUNT: usize = 40;

/// A uniform flow in one cell.
const CASE: &str = "\
mesh: {box: {cells: [1, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
initial: {u: 0.5, v: 0.25, w: 0.125, p: 1, rho: 1}
device: cpu
threads: 1
time: {steps: 2, cfl: 0.5}
output: {solution: {every-steps: 1}}
";

/// A folder with the case, and an empty one for temporary files in it.
fn folder_with_case() -> TempDir {
    let folder = folder();
    write(&folder, "run.yaml", CASE.as_bytes());
    std::fs::create_dir(folder.path().join("temporary")).expect("created");
    folder
}

/// The command that runs the case into a directory of its own, with the temporary files in that of the folder.
fn into(folder: &Path, directory: &str) -> Command {
    let mut command = program(folder);
    command
        .args(["run.yaml", "--set", &format!("output.directory={directory}")])
        .env("TMPDIR", folder.join("temporary"));
    command
}

/// Starts as many runs as there may be at once, with these environment variables, which must all come to their end.
fn run_all(folder: &Path, round: usize, variables: &[(&str, &str)]) {
    let run = |number: usize| -> Child {
        let mut command = into(folder, &format!("r{round}-{number}"));
        start(command.envs(variables.iter().copied()))
    };
    let runs: Vec<Child> = (0..COUNT).map(run).collect();
    for run in runs {
        let log = ended(&run.wait_with_output().expect("the program ends"), 0);
        assert!(!log.contains("mca_"), "{log}");
    }
    assert_eq!(names(&folder.join("temporary")), [""; 0]);
}

#[test]
fn forty_processes_at_once_all_end_well() {
    let folder = folder_with_case();
    for round in 0..2 {
        run_all(folder.path(), round, &[]);
    }
}

#[test]
fn forty_processes_that_their_user_isolates_all_end_well() {
    let folder = folder_with_case();
    run_all(folder.path(), 0, &[("OMPI_MCA_ess_singleton_isolated", "1")]);
}

#[test]
fn a_process_that_is_killed_leaves_no_temporary_files() {
    let folder = folder_with_case();
    let mut command = into(folder.path(), "r");
    command.args([
        "--set",
        "time.steps=1000000000",
        "--set",
        "output.solution.every-steps=1000000",
    ]);
    let mut run = start(&mut command);
    wait_for(&mut run, || folder.path().join("r/solution_0000.vtkhdf").is_file());
    send(Signal::KILL, run.id());
    run.wait().expect("it has ended");
    assert_eq!(names(&folder.path().join("temporary")), [""; 0]);
}
