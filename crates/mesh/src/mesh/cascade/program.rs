//! Calling Gmsh, which is a program of its own.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use rustix::process::{Pid, Signal, getppid, set_parent_process_death_signal};
use thiserror::Error;

use super::script::SIZES;
use crate::io::{self, TemporaryFolder, first_program, python_environments, search_path};

/// Names of the script and of the mesh that Gmsh makes of it, in a folder of their own.
const SCRIPT: &str = "cascade.geo";
pub(super) const MESH: &str = "cascade.msh";

/// An error of finding or running Gmsh.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// There is no Gmsh.
    #[error(
        "Gmsh was not found in PATH or in a Python environment: install it as a package of your system (`apt-get \
         install gmsh` on Debian and Ubuntu) or with `pip install gmsh` in a Python environment, or name the program \
         with --gmsh"
    )]
    Missing,
    /// The program cannot be started.
    #[error("{} cannot be started: {source}", path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The program failed.
    #[error("{} failed ({status}):\n{output}", path.display())]
    Failed {
        /// The program.
        path: PathBuf,
        /// Its exit status.
        status: String,
        /// The end of what it printed.
        output: String,
    },
    /// A file for it cannot be created.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Files for it cannot be written or read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

/// Returns the program to call: the one that is named, or the first found.
///
/// # Errors
/// None is named, and none is found.
pub fn find(named: Option<&Path>) -> Result<PathBuf, ProgramError> {
    if let Some(path) = named {
        return Ok(path.to_path_buf());
    }
    let mut folders = search_path();
    folders.extend(python_environments().iter().map(|environment| environment.join("bin")));
    first_program(&folders, "gmsh").ok_or(ProgramError::Missing)
}

/// Meshes the script in two dimensions and returns the contents of the mesh file.
pub(super) fn run(program: &Path, script: &str, sizes: &str) -> Result<Vec<u8>, ProgramError> {
    let wrong = |path: &Path| {
        let path = path.to_path_buf();
        move |source| ProgramError::File { path, source }
    };
    let parent = std::env::temp_dir();
    let folder = TemporaryFolder::new(&parent, "fr-les-cascade").map_err(wrong(&parent))?;
    for (name, text) in [(SCRIPT, script), (SIZES, sizes)] {
        let mut file = folder.create_file(name)?;
        file.write_all(text.as_bytes())
            .map_err(wrong(&folder.path().join(name)))?;
    }
    let arguments = ["-2", SCRIPT, "-o", MESH, "-nt", "1", "-v", "3"].map(str::to_owned);
    call(program, folder.path(), &arguments)?;
    let made = folder.path().join(MESH);
    std::fs::read(&made).map_err(wrong(&made))
}

/// Runs the program in a folder with these arguments. The program of the wheel is a script of the Python beside it,
/// which has to be the first in PATH.
pub fn call(program: &Path, folder: &Path, arguments: &[String]) -> Result<(), ProgramError> {
    let wrong = |source| ProgramError::Start {
        path: program.to_path_buf(),
        source,
    };
    // A name without a folder is looked up in PATH, by the system; other paths are relative to the folder of this run.
    // Gmsh starts in a folder of the user, which its own search for programs must not include.
    let whole = match program.components().count() {
        1 => program.to_path_buf(),
        _ => std::path::absolute(program).map_err(wrong)?,
    };
    let beside = whole
        .parent()
        .filter(|folder| folder.is_absolute())
        .map(Path::to_path_buf);
    let folders = beside.into_iter().chain(search_path());
    let search = std::env::join_paths(folders).map_err(|e| wrong(std::io::Error::other(e)))?;
    let mut command = Command::new(&whole);
    command.args(arguments).env("PATH", search).current_dir(folder);
    die_with_this_process(&mut command);
    let output = command.output().map_err(wrong)?;
    if output.status.success() {
        Ok(())
    } else {
        Err(ProgramError::Failed {
            path: program.to_path_buf(),
            status: output.status.to_string(),
            output: last_lines(&output),
        })
    }
}

/// Lets a program end with this process, however that ends. It ends with the thread that starts it, which is the main
/// one.
fn die_with_this_process(command: &mut Command) {
    let this = Pid::from_raw(std::process::id() as i32);
    let follow = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        if getppid() == this {
            Ok(())
        } else {
            Err(std::io::ErrorKind::NotFound.into())
        }
    };
    // SAFETY: between fork and exec the closure makes two system calls, and takes no memory and no lock.
    unsafe { command.pre_exec(follow) };
}

/// The end of what the program printed.
fn last_lines(output: &Output) -> String {
    const LINES: usize = 12;
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}
