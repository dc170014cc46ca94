//! Runs that need more memory than there is: one line, code 1, and no wait.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::common::program::{folder, outcome, program, write};
use tempfile::TempDir;

/// A box of 40^3 cells of order 2: 1.7 million points, which need about half a gigabyte.
const CASE: &str = "\
mesh: {box: {cells: [40, 40, 40], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
gas: {viscosity: {constant: 1e-3}}
initial: {u: 0.5, v: 0.25, w: 0.125, p: 1, rho: 1}
device: cpu
threads: 2
time: {steps: 1, cfl: 0.5}
";

/// Runs the program with these arguments and at most so many megabytes of addresses.
fn within(folder: &TempDir, megabytes: usize, arguments: &[&str]) -> Output {
    let mut command = Command::new("bash");
    command
        .args(["-c", &format!("ulimit -v {} && exec \"$0\" \"$@\"", 1000 * megabytes)])
        .arg(program(folder.path()).get_program())
        .args(arguments)
        .current_dir(folder.path())
        .env_remove("RUST_LOG");
    command.output().expect("bash starts")
}

#[test]
fn a_case_that_does_not_fit_is_not_begun() {
    let folder = folder();
    write(&folder, "run.yaml", CASE.as_bytes());
    for command in ["run", "check"] {
        let output = within(&folder, 600, &[command, "run.yaml"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{message}");
        for part in [
            "error: mesh: 1.728e6 solution points need about 0.",
            "are available within the limit of this process (`ulimit -v`)",
        ] {
            assert!(message.contains(part), "no '{part}' in\n{message}");
        }
        assert_eq!(message.lines().count(), 1, "{message}");
    }
    assert!(!folder.path().join("results").exists());
}

#[test]
fn a_case_beyond_the_machine_is_not_begun() {
    let folder = folder();
    write(
        &folder,
        "run.yaml",
        CASE.replace("[40, 40, 40]", "[1000, 1000, 1000]").as_bytes(),
    );
    for command in ["run", "check"] {
        let (code, _, message) = outcome(&folder, &[command, "run.yaml"]);
        assert_eq!(code, Some(1), "{message}");
        assert!(
            message.starts_with("error: mesh: 2.700e10 solution points need about "),
            "{message}"
        );
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

#[test]
fn whatever_memory_there_is_a_run_ends_soon_and_in_words() {
    let folder = folder();
    write(&folder, "run.yaml", CASE.as_bytes());
    for megabytes in [200, 250, 300, 350, 450, 700, 800, 900] {
        let begin = Instant::now();
        let output = within(&folder, megabytes, &["run", "run.yaml"]);
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "{megabytes} MB: {:?}",
            begin.elapsed()
        );
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.code() {
            Some(0) => {}
            code => {
                assert_eq!(code, Some(1), "{megabytes} MB: {:?}\n{message}", output.status);
                assert!(
                    message.lines().count() <= 2 && message.contains("error: "),
                    "{megabytes} MB: {message}"
                );
            }
        }
    }
}
