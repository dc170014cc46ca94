//! `fr-les doctor`: what of this machine fr-les can use, what is missing, and the command that brings it.
//!
//! Libraries and files are asked directly. Whether a run works is not concluded from them but tried: a small case runs
//! on the CPU, on two ranks under the launcher, and on the GPU, and the hashes of its last states are compared.

use std::path::{Path, PathBuf};

use super::{print_line, version};
use crate::io::{DirectoryLock, TemporaryFolder};

mod finding;
mod gpu;
mod machine;
mod trial;

use finding::{Finding, State};
use trial::Trial;

/// Reports the machine. Returns whether a run on its CPU works.
pub fn run() -> bool {
    print_line(format_args!("fr-les {}", version::program()));
    machine::processor().print();
    machine::memory().print();
    Finding::works("MPI", version::mpi_library()).print();
    Finding::works("HDF5", format!("{}, with parallel files", version::hdf5_library())).print();
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let (folder, findings) = working_folder(&here);
    findings.iter().for_each(Finding::print);
    let Some(folder) = folder else {
        print_line(format_args!("\nNothing can be tried without a folder to write to."));
        return false;
    };
    let trial = Trial::in_folder(&folder);
    let on_cpu = trial.on_cpu();
    on_cpu.finding("CPU run").print();
    trial.on_ranks(on_cpu.hash()).print();
    let (gpu_findings, gpu_usable) = gpu::findings();
    gpu_findings.iter().for_each(Finding::print);
    let on_gpu = gpu_usable.then(|| trial.on_gpu(on_cpu.hash()));
    on_gpu.iter().for_each(Finding::print);
    machine::gmsh().print();
    let gpu_works = on_gpu.is_some_and(|finding| finding.state == State::Works);
    let words = |works| if works { "work" } else { "do not work" };
    print_line(format_args!(
        "\nRuns on the CPU {}. Runs on a GPU {}.",
        words(on_cpu.hash().is_some()),
        words(gpu_works)
    ));
    on_cpu.hash().is_some()
}

/// A folder for the trials, in the folder of the user if that can be written to, and what is found of that folder.
fn working_folder(here: &Path) -> (Option<TemporaryFolder>, Vec<Finding>) {
    const STEM: &str = ".fr-les-doctor";
    match TemporaryFolder::new(here, STEM) {
        Ok(folder) => {
            let locks = match DirectoryLock::can_lock(folder.path()) {
                Ok(()) => Finding::works("file locks", "runs in one directory keep each other out (flock)"),
                Err(reason) => Finding::lacks(
                    "file locks",
                    format!("files in this folder cannot be locked: {reason}"),
                    "runs work, but see to it that no two write into one directory; HDF5 may need\n\
                     HDF5_USE_FILE_LOCKING=FALSE; on Lustre the mount option `flock` brings locks",
                ),
            };
            (Some(folder), vec![machine::folder(here), locks])
        }
        Err(error) => {
            let lacks = Finding::lacks(
                "folder",
                format!("{}: {error}", here.display()),
                "run fr-les in a folder that you may write to, or set `output.directory` in the case",
            );
            (TemporaryFolder::new(&std::env::temp_dir(), STEM).ok(), vec![lacks])
        }
    }
}
