//! The record of a run in its output directory: what was run where, how far it came and what it cost.
//!
//! A run that is continued adds a part to the record, so that costs add up. `fr-les report` reads it. The record holds
//! wall-clock times and names of machines, and therefore differs from run to run, as no other file does.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{DirectoryLock, Error, Provenance, atomic_write, read_input};

/// Outcome of a part that goes on.
pub const RUNNING: &str = "running";
/// Outcome of a part that ended without recording how: its process was killed, or its machine failed.
pub const KILLED: &str = "killed";

/// Name of the file.
pub const RUN_RECORD: &str = "run.json";
/// Name of the file of the results beside it.
pub const RESULTS: &str = "results.json";
/// Name of the folder of a steady solution in the output directory of its case.
pub const STEADY_FOLDER: &str = "steady";
/// Name of the table of the convergence of a steady solution.
pub const STEADY_CONVERGENCE: &str = "convergence.csv";
/// Name of the checkpoint of a steady solution.
pub const STEADY_CHECKPOINT: &str = "steady.h5";
/// Name of the checkpoint of a steady solution from which one with other settings has gone on.
pub const STEADY_BEFORE: &str = "steady-before.h5";
/// Name of the report of a steady solution on its mesh.
pub const STEADY_ADEQUACY: &str = "adequacy.md";
/// Name of the file of a steady solution for ParaView.
pub const STEADY_FIELDS: &str = "steady.vtkhdf";
/// Name of the file of the resolution of its walls for ParaView.
pub const STEADY_WALLS: &str = "adequacy.vtkhdf";

/// What was run, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunRecord {
    /// Title of the case.
    pub title: String,
    /// Text of the case file with the overrides of the command line appended.
    pub case: String,
    /// Whether it is a steady solution, whose steps are iterations without a time.
    #[serde(default)]
    pub steady: bool,
    /// The mesh and the order.
    pub mesh: RecordedMesh,
    /// The parts of the run, of which each but the first continues from a checkpoint.
    pub parts: Vec<RunPart>,
}

/// The mesh of a run and the number of points on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RecordedMesh {
    /// Hash of the mesh, 16 hexadecimal digits.
    pub hash: String,
    /// Kinds of cells that occur, and the number of each.
    pub cells: Vec<(String, u64)>,
    /// Polynomial order.
    pub order: usize,
    /// Solution points.
    pub points: u64,
}

/// A part of a run: what one process, or one `mpirun`, has done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RunPart {
    /// Version of the program.
    pub version: String,
    /// Git revision of the program, or "unknown".
    pub git: String,
    /// Start in UTC.
    pub started: String,
    /// Description of the device.
    pub device: String,
    /// Whether the device is a GPU.
    pub on_gpu: bool,
    /// Floating-point format of the computation.
    pub precision: String,
    /// Number of MPI ranks.
    pub ranks: usize,
    /// Step at which the case ends, if it names one.
    #[serde(default)]
    pub last_step: Option<u64>,
    /// Time at which the case ends, if it names one.
    #[serde(default)]
    pub end: Option<f64>,
    /// Right-hand sides of a step, the mean over the points.
    pub stages: f64,
    /// Step and time at which the part began.
    pub first: (u64, f64),
    /// Step and time that it has reached.
    pub last: (u64, f64),
    /// Wall-clock seconds since the start of the program.
    pub seconds: f64,
    /// Number of GPUs; records of earlier versions do not have it.
    #[serde(default)]
    pub gpus: Option<usize>,
    /// Joules that the GPUs have used since the part began, if they count them.
    #[serde(default)]
    pub joules: Option<f64>,
    /// How it ended: [`RUNNING`] at first, and [`KILLED`] if the process has ended without a word.
    pub outcome: String,
    /// What the filter of the states has done up to there in this and the earlier parts, in words; records of earlier
    /// versions do not have it.
    #[serde(default)]
    pub filter: Option<String>,
    /// Warnings of the log.
    pub warnings: Vec<String>,
}

impl RunPart {
    /// Returns a part that begins at a step and a time, with the facts of `provenance`.
    pub fn begin(provenance: &Provenance, on_gpu: bool, stages: f64, first: (u64, f64)) -> Self {
        let Provenance {
            version,
            git,
            created,
            device,
            precision,
            ranks,
            ..
        } = provenance.clone();
        RunPart {
            version,
            git,
            started: created,
            device,
            on_gpu,
            precision,
            ranks,
            last_step: None,
            end: None,
            stages,
            first,
            last: first,
            seconds: 0.0,
            gpus: None,
            joules: None,
            outcome: RUNNING.to_owned(),
            filter: None,
            warnings: Vec::new(),
        }
    }
}

impl RunPart {
    /// Notes that the part does not run any more.
    fn is_over(&mut self) {
        if self.outcome == RUNNING {
            self.outcome = KILLED.to_owned();
        }
    }
}

impl RunRecord {
    /// Returns what the filter of the states did in a run that has ended, in words. The series of a run that died lack
    /// its last steps, and those of one that goes on are newer than its record.
    pub fn filter_at_end(&self) -> Option<&str> {
        let has_said = |part: &&RunPart| ![RUNNING, KILLED].contains(&part.outcome.as_str());
        let part = self.parts.last().filter(has_said)?;
        part.filter.as_deref()
    }

    /// Reads the record in the output directory of a run. A part that another one follows does not run any more.
    ///
    /// # Errors
    /// There is no record, or the file is not one.
    pub fn read(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(RUN_RECORD);
        let text = read_input(&path)?;
        let mut record: Self = serde_json::from_slice(&text).map_err(|error| Error::Input {
            path,
            detail: format!("this is no record of a run: {error}"),
        })?;
        if let Some((_, earlier)) = record.parts.split_last_mut() {
            earlier.iter_mut().for_each(RunPart::is_over);
        }
        Ok(record)
    }

    /// Reads the record in the output directory of a run. A run whose lock is free does not run any more.
    ///
    /// # Errors
    /// As for [`RunRecord::read`].
    pub fn read_beside_lock(directory: &Path) -> Result<Self, Error> {
        let record = Self::read(directory)?;
        let runs = record.parts.last().is_some_and(|part| part.outcome == RUNNING);
        if !runs || !record.lock_is_free(directory) {
            return Ok(record);
        }
        // The run may have recorded its end since the record was read.
        let mut record = Self::read(directory)?;
        record.parts.iter_mut().for_each(RunPart::is_over);
        Ok(record)
    }

    /// Returns whether no process holds the lock of the run, which a steady solution takes of the directory above.
    fn lock_is_free(&self, directory: &Path) -> bool {
        if !self.steady {
            return DirectoryLock::is_free(directory);
        }
        let directory = std::fs::canonicalize(directory);
        directory.is_ok_and(|directory| directory.parent().is_some_and(DirectoryLock::is_free))
    }

    /// Returns the parts of the run that is continued in an output directory, whose lock the caller holds, so that none
    /// of them runs. A record that cannot be read is kept
    /// under another name, with a warning that its parts are missing in the new one.
    pub fn earlier_parts(directory: &Path) -> Vec<RunPart> {
        let path = directory.join(RUN_RECORD);
        let error = match Self::read(directory) {
            Ok(mut record) => {
                record.parts.iter_mut().for_each(RunPart::is_over);
                return record.parts;
            }
            Err(_) if !path.exists() => return Vec::new(),
            Err(error) => error,
        };
        let aside = path.with_extension("json.damaged");
        let kept = match std::fs::rename(&path, &aside) {
            Ok(()) => format!("it is kept as {}", aside.display()),
            Err(error) => format!("it cannot be kept: {error}"),
        };
        tracing::warn!("{error}: the record of the run begins anew, without its earlier parts; {kept}");
        Vec::new()
    }

    /// Writes the record into the output directory of a run.
    pub fn write(&self, directory: &Path) -> Result<(), Error> {
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        atomic_write(&directory.join(RUN_RECORD), &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_record_is_kept_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        assert!(RunRecord::earlier_parts(folder.path()).is_empty());
        let aside = folder.path().join("run.json.damaged");
        assert!(!aside.exists());
        std::fs::write(folder.path().join(RUN_RECORD), "{").unwrap();
        assert!(RunRecord::earlier_parts(folder.path()).is_empty());
        assert_eq!(std::fs::read_to_string(aside).unwrap(), "{");
    }
}
