//! The Python package of `python/`: its tests run the program and read what it wrote, and its notebooks are executed.
//!
//! They need `$FR_LES_PYTHON` or `.venv/bin/python` with numpy, pandas and h5py. Without these packages the tests are
//! skipped, except under `$CI`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{MPI, has_packages, text};

/// The command that starts Python with the package in its path and the program that it shall start; `None` if the
/// packages that it needs are missing.
fn python() -> Option<Command> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !has_packages("numpy, pandas, h5py") {
        return None;
    }
    let path = std::env::var_os("FR_LES_PYTHON").map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    let mut command = Command::new(path);
    command
        .arg("-B") // leave no compiled modules in the source tree
        .current_dir(root.join("python"))
        .env("PYTHONPATH", root.join("python"))
        .env("FR_LES_PROGRAM", env!("CARGO_BIN_EXE_fr-les"))
        .env("MPLBACKEND", "Agg")
        .env_remove("RUST_LOG")
        .envs(MPI);
    Some(command)
}

fn succeeds(mut command: Command) {
    let output = command.output().expect("Python starts");
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}

#[test]
fn the_package_reads_what_runs_have_written() {
    if let Some(mut command) = python() {
        command.args(["-m", "unittest", "discover", "-s", "tests"]);
        succeeds(command);
    }
}

mod long {
    use super::{python, succeeds};

    #[test]
    #[ignore = "takes half a minute"]
    fn the_notebooks_run() {
        if let Some(mut command) = python() {
            command.arg("tests/notebooks.py");
            succeeds(command);
        }
    }
}
