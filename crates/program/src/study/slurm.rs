//! Designs as jobs of Slurm: an array job with a task a design, and a job of the driver that follows it.
//!
//! The driver writes two scripts, submits them, and ends. A task whose run stops with a checkpoint before its time is
//! over queues itself again. When all tasks have ended, the second job is the driver once more: it plans the next
//! designs, submits what has not ended, or ends the study.

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output};

use serde::{Deserialize, Serialize};

use crate::io::{argument, atomic_write, find_program, read_input};

use super::error::StudyError;
use super::places::Batch;
use super::settings::Study;
use super::store::Store;

/// The scripts, and the note of what was submitted.
const TASKS: &str = "tasks.sh";
const DRIVER: &str = "driver.sh";
const SUBMITTED: &str = "submitted.json";

/// What was submitted last.
#[derive(Debug, Serialize, Deserialize)]
struct Submitted {
    /// Number of the array job.
    job: String,
    /// Its designs.
    designs: Vec<String>,
}

/// Submits designs as an array job, followed by the driver. Returns the number of the job.
///
/// # Errors
/// The jobs of an earlier driver are still queued, none of them began its design, or `sbatch` fails.
pub fn submit(
    study: &Study,
    batch: &Batch,
    store: &Store,
    designs: &[String],
    program: &Path,
) -> Result<String, StudyError> {
    look_back(store)?;
    let (program, file) = (quoted(program), quoted(&argument(&study.path)));
    let (tasks, driver) = (store.path(TASKS), store.path(DRIVER));
    atomic_write(&tasks, tasks_script(batch, store, designs, &program, &file).as_bytes())?;
    atomic_write(&driver, driver_script(batch, store, &program, &file).as_bytes())?;
    let submitted = Submitted {
        job: sbatch(&[], &tasks)?,
        designs: designs.to_vec(),
    };
    let note = serde_json::to_vec(&submitted).unwrap_or_default();
    atomic_write(&store.path(SUBMITTED), &note)?;
    sbatch(&[format!("--dependency=afterany:{}", submitted.job)], &driver)?;
    Ok(submitted.job)
}

/// Looks at what was submitted last.
fn look_back(store: &Store) -> Result<(), StudyError> {
    let path = store.path(SUBMITTED);
    let Ok(text) = read_input(&path) else {
        return Ok(());
    };
    let Ok(Submitted { job, designs }) = serde_json::from_slice(&text) else {
        return Ok(());
    };
    // The number becomes a word of commands.
    if !job.starts_with(|c: char| c.is_ascii_digit()) || !job.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Err(StudyError::Jobs(format!(
            "{} is no note of jobs: remove it, if none of this study are in the queue",
            path.display()
        )));
    }
    let queue =
        find_program(&["squeue"]).map(|program| Command::new(program).args(["--noheader", "--jobs", &job]).output());
    let queued = |output: Output| output.status.success() && !output.stdout.trim_ascii().is_empty();
    if queue.is_some_and(|output| output.is_ok_and(queued)) {
        return Err(StudyError::Jobs(format!(
            "job {job} of this study is still in the queue; `scancel {job}` ends it"
        )));
    }
    if !designs
        .iter()
        .any(|id| store.results_of(id).is_dir() || store.has_ended(id))
    {
        let _ = std::fs::remove_file(&path);
        let folder = store.path("").display().to_string();
        return Err(StudyError::Jobs(format!(
            "job {job} ended without having begun a design: see the logs in {folder}; the same command submits again"
        )));
    }
    Ok(())
}

/// Returns the script of the tasks.
fn tasks_script(batch: &Batch, store: &Store, designs: &[String], program: &str, file: &str) -> String {
    let concurrent = batch.concurrent.map_or_else(String::new, |count| format!("%{count}"));
    let head = head(
        batch,
        store,
        "design",
        &[
            format!("--array=0-{}{concurrent}", designs.len() - 1),
            "--signal=B:USR1@300".to_owned(),
            "--requeue".to_owned(),
        ],
    );
    format!(
        "{head}\n\
         designs=({designs})\n\
         design=${{designs[$SLURM_ARRAY_TASK_ID]}}\n\
         launch=()\n\
         if [ \"${{SLURM_NTASKS:-1}}\" -gt 1 ]; then launch=(mpirun -n \"$SLURM_NTASKS\" --bind-to none); fi\n\
         \"${{launch[@]}}\" {program} study {file} --design \"$design\" --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" &\n\
         run=$!\n\
         # A signal ends `wait`, but not the run.\n\
         trap 'kill -USR1 \"$run\"' USR1\n\
         while kill -0 \"$run\" 2>/dev/null; do wait \"$run\"; done\n\
         wait \"$run\"\n\
         code=$?\n\
         # The run has stopped with a checkpoint, and goes on in a new job.\n\
         if [ $code = 4 ]; then scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"; fi\n\
         exit $code\n",
        designs = designs.join(" ")
    )
}

/// Returns the script of the driver.
fn driver_script(batch: &Batch, store: &Store, program: &str, file: &str) -> String {
    format!("{}\nexec {program} study {file}\n", head(batch, store, "driver", &[]))
}

/// Returns the first lines of a script: its options, and the lines of the template.
fn head(batch: &Batch, store: &Store, name: &str, options: &[String]) -> String {
    let log = store.path(&format!("slurm-{name}-%j.log"));
    let own = [
        format!("--job-name={name}"),
        format!("--output={}", option_word(&log)),
        "--open-mode=append".to_owned(),
    ];
    let lines = own.iter().chain(options).map(|option| format!("#SBATCH {option}\n"));
    let template = batch.template.lines().filter(|line| !line.starts_with("#!"));
    let template = template.map(|line| format!("{line}\n"));
    "#!/bin/bash\n".to_owned() + &lines.chain(template).collect::<String>()
}

/// Submits a script and returns the number of its job.
fn sbatch(options: &[String], script: &Path) -> Result<String, StudyError> {
    let not_started = |source| StudyError::Start {
        program: "sbatch".to_owned(),
        source,
    };
    let program = find_program(&["sbatch"]).ok_or_else(|| not_started(ErrorKind::NotFound.into()))?;
    let mut command = Command::new(program);
    command.arg("--parsable").args(options).arg(argument(script));
    let output = command.output().map_err(not_started)?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(StudyError::Jobs(format!(
            "sbatch refuses {}: {message}",
            script.display()
        )));
    }
    // With several clusters the name of one follows the number.
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let job = printed.trim().split(';').next().unwrap_or_default().to_owned();
    if job.is_empty() {
        Err(StudyError::Jobs("sbatch printed no number of a job".to_owned()))
    } else {
        Ok(job)
    }
}

/// Returns a path as the value of an option in a script of Slurm, which reads quotation marks as the shell does.
/// `output` has none of the characters that no quotation takes their meaning from ([`super::places::Batch::refuse`]).
fn option_word(path: &Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('"', "\\\""))
}

/// Returns a path as a word of the shell.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}
