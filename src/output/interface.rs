//! The interface between the run loop and the outputs.
//!
//! The run loop asks each [`Output`] when it is due, gives it the state in a [`SampleContext`], keeps its series, and puts what it
//! has to keep into the checkpoints, so that a run that was stopped continues as if it had not been. No output changes the state
//! or the time step, except that steps are shortened to end at the times that outputs ask for.

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;

use super::checkpoint_data::CheckpointData;
use super::error::OutputError;
use super::file_sequence::FileSequence;
use super::schedule::Schedule;
use crate::io::{self, Provenance, Series, Surface, agree};
use crate::solver::{Clock, Solver};

/// Columns of a series: name and unit.
pub type Columns = Vec<(String, &'static str)>;

/// The state at one step, and the places to which an output writes what it takes from it.
pub struct SampleContext<'a> {
    /// The solver, whose device holds the state.
    pub solver: &'a mut Solver,
    /// The ranks of the run.
    pub world: &'a SimpleCommunicator,
    /// What every file says of its origin.
    pub provenance: &'a Provenance,
    /// Step and time of the state.
    pub clock: Clock,
    /// Size of the time step in use, in units of time.
    pub dt: f64,
    /// Step at which the run ends, if the case gives one.
    pub last_step: Option<u64>,
    /// The series of all outputs by name; rank 0 has them.
    pub series: &'a mut BTreeMap<String, Series>,
    /// Files of the run, for its closing lines.
    pub files: &'a mut Vec<PathBuf>,
    /// The newest file that holds the whole state.
    pub last_state: &'a mut Option<PathBuf>,
    /// Logs a line during the run without disturbing the progress bar.
    pub log: &'a dyn Fn(Arguments),
}

impl SampleContext<'_> {
    /// Appends a row to one of the output's series; the row of rank 0 counts. Collective.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn append(&mut self, series: &str, row: &[f64]) -> Result<(), OutputError> {
        let appended = self.series.get_mut(series).map_or(Ok(()), |series| series.append(row));
        Ok(agree(self.world, appended)?)
    }

    /// Writes the next file of a sequence. Collective.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_surface(&mut self, files: &mut FileSequence, surface: &Surface) -> Result<(), OutputError> {
        let (path, clock) = (files.path(), self.clock);
        io::write_surface(&path, self.world, clock.time, clock.step, surface, self.provenance)?;
        self.files.push(path);
        files.wrote(clock.time, self.world)
    }

    /// Adds files to those of the run, each once.
    pub fn wrote(&mut self, paths: Vec<PathBuf>) {
        let new: Vec<PathBuf> = paths.into_iter().filter(|path| !self.files.contains(path)).collect();
        self.files.extend(new);
    }

    /// Warns at the end of a run that an average has no samples. Where the case gives the end as a time, it was said at the start.
    pub fn warn_if_empty(&self, name: &str, from: f64) {
        let ended = self.last_step.is_some_and(|last| self.clock.step >= last);
        if ended && self.solver.ranks.rank() == 0 {
            tracing::warn!(
                "output.{name}: nothing has been sampled, and no file written; samples begin after t = {from}"
            );
        }
    }
}

/// States that an output samples besides those of its schedule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtraSamples {
    /// None.
    None,
    /// The initial one.
    Start,
    /// The initial one and the last one of a run.
    StartAndEnd,
}

/// Something that samples the state during a run and writes files.
pub trait Output {
    /// Its key under `output`. The names of its entries in [`CheckpointData`] begin with it.
    fn name(&self) -> &'static str;

    /// The times and steps at which it samples the state.
    fn schedule(&mut self) -> &mut Schedule;

    /// The states that it samples besides those.
    fn extra_samples(&self) -> ExtraSamples {
        ExtraSamples::None
    }

    /// Whether the state must be found physical in all cells before a sample is taken.
    fn needs_physical_state(&self) -> bool {
        false
    }

    /// Whether the right-hand side of the state, with its ghosts and traces, must be on the device before a sample is taken.
    fn needs_rhs(&self) -> bool {
        false
    }

    /// Whether its samples are summed up over the run, so that a checkpoint holds sums.
    fn accumulates(&self) -> bool {
        false
    }

    /// The series that it appends to: their names, which are those of the files without `.csv`, and their columns.
    fn series(&self) -> Vec<(String, Columns)> {
        Vec::new()
    }

    /// Takes a sample of the state. Collective.
    ///
    /// # Errors
    /// The device fails, or a file cannot be written.
    fn sample(&mut self, context: &mut SampleContext) -> Result<(), OutputError>;

    /// Appends the samples that are still held back to their series. Called before a checkpoint marks the length of the series, and
    /// where a run ends. Collective.
    ///
    /// # Errors
    /// The device fails, or a file cannot be written.
    fn flush(&mut self, _context: &mut SampleContext) -> Result<(), OutputError> {
        Ok(())
    }

    /// Writes the averages over the samples so far. Called after each checkpoint, and where a run ends. Collective.
    ///
    /// # Errors
    /// The device fails, or a file cannot be written.
    fn write(&mut self, _context: &mut SampleContext) -> Result<(), OutputError> {
        Ok(())
    }

    /// The numbered files that it writes.
    fn files(&mut self) -> Option<&mut FileSequence> {
        None
    }

    /// Puts into a checkpoint what the output needs to continue: the list of its files, unless there is more. Collective.
    ///
    /// # Errors
    /// The device fails.
    fn save(&mut self, _solver: &Solver, data: &mut CheckpointData) -> Result<(), OutputError> {
        if let Some(files) = self.files() {
            files.save(data);
        }
        Ok(())
    }

    /// Continues from what [`Output::save`] left in a checkpoint; `false` if it holds nothing of this output, which then begins
    /// anew. Collective.
    ///
    /// # Errors
    /// The device fails, or a file cannot be written.
    fn restore(&mut self, context: &mut SampleContext, data: &CheckpointData) -> Result<bool, OutputError> {
        match self.files() {
            Some(files) => files.restore(data, context.world),
            None => Ok(true),
        }
    }
}
