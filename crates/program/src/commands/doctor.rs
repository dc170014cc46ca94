//! `fr-les doctor`: what of this machine fr-les can use, what is missing, and the command that brings it.
//!
//! Libraries and files are asked directly. Whether a run works is not concluded from them but tried: a small case runs
//! on the CPU, on two ranks under the launcher, and on the GPU, and the hashes of its last states are compared.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::json::{Form, FormArgs, print_json};
use super::{print_line, version};
use crate::io::{DirectoryLock, TemporaryFolder};

mod finding;
mod gpu;
mod machine;
mod trial;

use finding::{Finding, State};
use trial::Trial;

/// Arguments of `fr-les doctor`.
#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    form: FormArgs,
}

impl DoctorArgs {
    /// Returns the form of the result.
    pub fn form(&self) -> Form {
        self.form.form()
    }
}

/// What was found of the machine so far. As text it is printed at once, since trials take seconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Report {
    #[serde(skip)]
    form: Form,
    findings: Vec<Finding>,
    /// Hash of the last state of the trial, if it ran on the CPU.
    hash: Option<String>,
    cpu_works: bool,
    gpu_works: bool,
}

impl Report {
    fn add(&mut self, finding: Finding) {
        if self.form == Form::Text {
            finding.print();
        }
        self.findings.push(finding);
    }

    fn add_all(&mut self, findings: Vec<Finding>) {
        findings.into_iter().for_each(|finding| self.add(finding));
    }

    /// Prints the end of the text, or the object.
    fn end(self) -> bool {
        let words = |works| if works { "work" } else { "do not work" };
        match self.form {
            Form::Text => print_line(format_args!(
                "\nRuns on the CPU {}. Runs on a GPU {}.",
                words(self.cpu_works),
                words(self.gpu_works)
            )),
            Form::Json => print_json("doctor", &self),
        }
        self.cpu_works
    }
}

/// Reports the machine. Returns whether a run on its CPU works.
pub fn run(args: &DoctorArgs) -> bool {
    let mut report = Report {
        form: args.form(),
        findings: Vec::new(),
        hash: None,
        cpu_works: false,
        gpu_works: false,
    };
    if report.form == Form::Text {
        print_line(format_args!("fr-les {}", version::program()));
    }
    report.add(machine::processor());
    report.add(machine::memory());
    report.add(Finding::works("MPI", version::mpi_library()));
    let hdf5 = format!("{}, with parallel files", version::hdf5_library());
    report.add(Finding::works("HDF5", hdf5));
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let (folder, findings) = working_folder(&here);
    report.add_all(findings);
    let Some(folder) = folder else {
        match report.form {
            Form::Text => print_line(format_args!("\nNothing can be tried without a folder to write to.")),
            Form::Json => print_json("doctor", &report),
        }
        return false;
    };
    let trial = Trial::in_folder(&folder);
    let on_cpu = trial.on_cpu();
    report.add(on_cpu.finding("CPU run"));
    report.hash = on_cpu.hash().map(str::to_owned);
    report.cpu_works = report.hash.is_some();
    report.add(trial.on_ranks(on_cpu.hash()));
    let (gpu_findings, gpu_usable) = gpu::findings();
    report.add_all(gpu_findings);
    if gpu_usable {
        let on_gpu = trial.on_gpu(on_cpu.hash());
        report.gpu_works = on_gpu.state == State::Works;
        report.add(on_gpu);
    }
    report.add(machine::gmsh());
    report.end()
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
