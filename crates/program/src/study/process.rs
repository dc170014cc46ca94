//! The process that runs a design: how it is started, asked to end, and ended with all that it has started.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::io::{Error, argument};

use super::error::StudyError;
use super::settings::Study;

/// Returns the command that runs a design in a place of the study, or with `--check` among the arguments looks at it.
pub fn of_design(study: &Study, id: &str, place: usize, program: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .arg("study")
        .arg(argument(&study.path))
        .args(arguments)
        .args(["--design", id])
        .args(["--threads", &study.workers.threads.to_string()])
        .args(["--driver", &std::process::id().to_string()])
        .stdin(Stdio::null());
    if let Some(gpu) = study.workers.gpus[place] {
        command.env("CUDA_VISIBLE_DEVICES", gpu.to_string());
    }
    command
}

/// Starts a process as the head of a process group. It dies with the thread that starts it, which is the main one.
///
/// # Errors
/// The system does not start the program.
pub fn start(command: &mut Command, program: &Path) -> Result<Child, StudyError> {
    command
        .process_group(0)
        .spawn()
        .map_err(|source| not_started(program, source))
}

/// Returns the error of a program that could not be started or waited for.
pub fn not_started(program: &Path, source: std::io::Error) -> StudyError {
    StudyError::Start {
        program: program.display().to_string(),
        source,
    }
}

/// Ends a process and all that it has started. The process has not been waited for, so that its number is its own.
pub fn end_group(process: &Child) {
    if let Some(pid) = Pid::from_raw(process.id() as i32) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// Returns whether what began at an instant takes longer than the limit.
pub fn is_over(limit: Option<Duration>, begin: Instant) -> bool {
    limit.is_some_and(|limit| begin.elapsed() >= limit)
}

/// Returns why a design has failed that took longer than the limit.
pub fn overdue_reason(limit: Duration) -> String {
    format!(
        "it took longer than `run.time-limit`, {} s, and was ended",
        limit.as_secs_f64()
    )
}

/// Asks a run to end with a checkpoint.
pub fn ask_to_end(process: &Child) {
    if let Some(pid) = Pid::from_raw(process.id() as i32) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

/// Returns the last message of an error in a log.
pub fn last_error(log: &Path) -> Option<String> {
    let text = std::fs::read(log).ok()?;
    let text = String::from_utf8_lossy(&text).into_owned();
    let message = text.lines().rev().find_map(|line| line.strip_prefix("error: "))?;
    Some(message.to_owned())
}

/// Lets this process die with its driver, whose number is given.
///
/// # Errors
/// The driver has ended already, or the system does not do this.
pub fn die_with(driver: i32) -> Result<(), Error> {
    let refused = |source| Error::Os {
        action: "follow the driver of the study",
        path: PathBuf::from(format!("process {driver}")),
        source,
    };
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(|errno| refused(errno.into()))?;
    match rustix::process::getppid().map(Pid::as_raw_nonzero) {
        Some(parent) if parent.get() == driver => Ok(()),
        _ => Err(refused(std::io::ErrorKind::NotFound.into())),
    }
}
