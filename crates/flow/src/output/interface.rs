//! The interface between the run loop and the outputs.
//!
//! The run loop asks each [`Output`] for its schedule, passes the state in a [`SampleContext`], opens its series, and
//! stores its data in the checkpoints, so that a run that was stopped continues as if it had not been. No output
//! changes the state. An output changes the time step only by the times of its schedule, at which steps end.

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::completion::{Beside, Completion, Contents};
use super::error::OutputError;
use super::estimate::Estimate;
use super::file_sequence::FileSequence;
use super::results::NamedResult;
use super::schedule::Schedule;
use crate::io::{self, CheckpointData, Provenance, Series, Surface, Unfinished, agree};
use crate::solver::{Clock, FilterRecord, Solver};

/// Columns of a series: name and unit.
pub type Columns = Vec<(String, &'static str)>;

/// The state at one step, and the places to which an output writes.
pub struct SampleContext<'a> {
    /// The solver, whose device holds the state.
    pub solver: &'a mut Solver,
    /// The ranks of the run.
    pub world: &'a SimpleCommunicator,
    /// The provenance, which every file states.
    pub provenance: &'a Provenance,
    /// Step and time of the state.
    pub clock: Clock,
    /// Length of the present time step.
    pub dt: f64,
    /// Step at which the run ends, if the case gives one.
    pub last_step: Option<u64>,
    /// The series of all outputs by name, on rank 0.
    pub series: &'a mut BTreeMap<String, Series>,
    /// Files of the run, for the summary at its end.
    pub files: &'a mut Vec<PathBuf>,
    /// Results that outputs add when they write their averages, on rank 0.
    pub results: &'a mut Vec<NamedResult>,
    /// The files that are written beside the run.
    pub beside: &'a mut Beside,
    /// What the filter did since the last row that told it.
    pub filter: &'a mut FilterRecord,
    /// Logs a line during the run without disturbing the progress bar.
    pub log: &'a dyn Fn(Arguments),
}

impl SampleContext<'_> {
    /// Appends rows to one of the output's series; none if `rows` is empty. Those of rank 0 are written. Collective.
    pub fn append(&mut self, series: &str, rows: &[f64]) -> Result<(), OutputError> {
        let series = self.series.get_mut(series).filter(|_| !rows.is_empty());
        let appended = series.map_or(Ok(()), |series| series.append(rows));
        Ok(agree(self.world, appended)?)
    }

    /// Waits until a file of this state may be begun that is written beside the run. Collective.
    pub fn make_room(&mut self, path: &Path) -> Result<(), OutputError> {
        Ok(self.beside.make_room(self.world, path, self.clock.step)?)
    }

    /// Lets a file of this state, whose making began at `begun`, be completed beside the run. Collective.
    pub fn complete(
        &mut self,
        path: PathBuf,
        file: Unfinished,
        begun: Instant,
        contents: Contents,
    ) -> Result<(), OutputError> {
        let Clock { time, step, .. } = self.clock;
        let completion = Completion {
            path: path.clone(),
            time,
            begun,
            waited: begun.elapsed(),
            contents,
        };
        Ok(self.beside.add(self.world, &path, step, file, completion)?)
    }

    /// Writes the next file of a sequence. Collective.
    pub fn write_surface(&mut self, files: &mut FileSequence, surface: &Surface) -> Result<(), OutputError> {
        let path = files.path();
        let clock = self.clock;
        io::write_surface(&path, self.world, clock.time, clock.step, surface, self.provenance)?;
        self.files.push(path);
        files.wrote(clock.time, self.world)
    }

    /// Adds files to the list of files of the run, each once.
    pub fn wrote(&mut self, paths: Vec<PathBuf>) {
        let new: Vec<PathBuf> = paths.into_iter().filter(|path| !self.files.contains(path)).collect();
        self.files.extend(new);
    }

    /// Adds results to those of the run. To be called on rank 0.
    pub fn found(&mut self, results: impl IntoIterator<Item = NamedResult>) {
        self.results.extend(results);
    }

    /// Warns at the end of a run that an average has no samples. If the case gives the end as a time, the set-up has
    /// warned already.
    pub fn warn_if_empty(&self, name: &str, from: f64) {
        let ended = self.last_step.is_some_and(|last| self.clock.step >= last);
        if ended && self.solver.ranks.rank() == 0 {
            tracing::warn!(
                "output.{name}: nothing has been sampled, and no file written; samples begin after t = {from}"
            );
        }
    }
}

/// States that an output samples in addition to those of its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraSamples {
    /// None.
    None,
    /// The initial state.
    Start,
    /// The initial and the last state of a run.
    StartAndEnd,
}

/// An output: it samples the state during a run and writes files.
pub trait Output {
    /// Returns its key under `output`. The names of its entries in [`CheckpointData`] begin with it.
    fn name(&self) -> &'static str;

    /// Returns the schedule of its samples.
    fn schedule(&mut self) -> &mut Schedule;

    /// Returns which states it samples in addition to those of the schedule.
    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::None
    }

    /// Returns whether the state must be checked in all cells before a sample is taken.
    fn needs_physical_state(&self) -> bool {
        false
    }

    /// Returns whether the device must hold the right-hand side of the state, with its ghosts and traces, when a sample
    /// is taken.
    fn needs_rhs(&self) -> bool {
        false
    }

    /// Returns whether its samples are summed over the run, so that a checkpoint holds sums.
    fn accumulates(&self) -> bool {
        false
    }

    /// Returns the series to which it appends: their names, which are those of the files without `.csv`, and their
    /// columns.
    fn series(&self) -> Vec<(String, Columns)> {
        Vec::new()
    }

    /// Takes a sample of the state. The work of the host on it may be left to [`digest`](Self::digest). Collective.
    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError>;

    /// Does the work of the host on the samples that have arrived there. Called some steps after the samples, before
    /// the host waits for the device again, so that a GPU computes these steps meanwhile. Collective.
    fn digest(&mut self, _context: &mut SampleContext) -> Result<(), OutputError> {
        Ok(())
    }

    /// Does the work on all samples that are still held back, and appends them to their series. Called before a
    /// checkpoint stores sums and the length of the series, and at the end of a run. Collective.
    fn flush(&mut self, context: &mut SampleContext) -> Result<(), OutputError> {
        self.digest(context)
    }

    /// Returns the names of its results whose errors are known: "traverses.wake.omega".
    fn results(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the result of this name on rank 0 if a sample of the present state has completed a batch and its error
    /// can be relied on. Whether it is known well enough is asked only then, so that the answer does not depend on
    /// restarts. Collective.
    fn result(&mut self, _name: &str, _context: &mut SampleContext) -> Result<Option<Estimate>, OutputError> {
        Ok(None)
    }

    /// Writes the averages over the samples so far. Called after each checkpoint, and at the end of a run. Collective.
    fn write(&mut self, _context: &mut SampleContext) -> Result<(), OutputError> {
        Ok(())
    }

    /// Returns the numbered files that it writes.
    fn files(&mut self) -> Option<&mut FileSequence> {
        None
    }

    /// Stores in a checkpoint the data that the output needs to continue: by default the list of its files. Collective.
    fn save(&mut self, _solver: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        if let Some(files) = self.files() {
            files.save(data);
        }
        Ok(())
    }

    /// Continues from the data that [`Output::save`] stored in a checkpoint. Returns `false` if there are none for this
    /// output, which then begins anew. Collective.
    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        match self.files() {
            Some(files) => files.restore(data, context.world),
            None => Ok(true),
        }
    }
}
