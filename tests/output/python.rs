//! The Python package of `python/`: its tests run the program and read what it wrote, and its notebooks are executed.
//!
//! They need `$FR_LES_PYTHON` or `.venv/bin/python` with numpy, pandas and h5py, and the notebooks Gmsh beside it.
//! Without these packages the tests are skipped, except under `$CI`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::program::{MPI, has_packages, text};

/// The command that starts Python with the package in its path and the program that it shall start; `None` if the
/// `packages` are missing. Programs beside Python, as Gmsh, are found first.
fn python(packages: &str) -> Option<Command> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !has_packages(packages) {
        return None;
    }
    let path = std::env::var_os("FR_LES_PYTHON").map_or_else(|| root.join(".venv/bin/python"), PathBuf::from);
    let mut command = Command::new(&path);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let folders = path
        .parent()
        .map(Path::to_owned)
        .into_iter()
        .chain(std::env::split_paths(&folders));
    command.env("PATH", std::env::join_paths(folders).expect("folders without a colon"));
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
    if let Some(mut command) = python("numpy, pandas, h5py") {
        command.args(["-m", "unittest", "discover", "-s", "tests"]);
        succeeds(command);
    }
}

mod long {
    use super::{python, succeeds};

    #[test]
    #[ignore = "takes half a minute"]
    fn the_notebooks_run() {
        if let Some(mut command) = python("numpy, pandas, h5py, gmsh") {
            command.arg("tests/notebooks.py");
            succeeds(command);
        }
    }
}
