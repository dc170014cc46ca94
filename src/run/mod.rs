//! The run loop: time steps, the guard that watches the state, and the outputs that are due.
//!
//! Every `GUARD_INTERVAL` steps, and before anything is written, the device computes the time-step bounds and looks for
//! unphysical states. The bounds set the next time steps, so that the sequence of steps depends on step numbers alone
//! and never on the speed of the machine. The mass-flow forcing is adjusted at these step numbers only. A checkpoint is
//! an exception: its check of the state sets no time step, so that neither its schedule nor a restart changes a step.

mod checkpoint;
mod divergence;
mod error;
mod progress;
mod restart;
mod settings;
mod stop;

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use crate::device::TimeStepBounds;
use crate::io::{self, DirectoryLock, Provenance, Series, agree};
use crate::output::{self, CheckpointData, ExtraSamples, Output, OutputError, SampleContext, Schedule};
use crate::solver::{self, Clock, Solver, StepError};

use restart::Restored;
use stop::together;

pub use divergence::Extent;
pub use error::RunError;
pub use progress::Progress;
pub use settings::{Restart, Settings, TimeStep};
pub use stop::Stop;

/// Steps between two checks of the state.
const GUARD_INTERVAL: u64 = 10;

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The run reached its end.
    Finished,
    /// A signal or `time.wall-clock` stopped the run after a complete step. A checkpoint was written.
    Interrupted,
}

/// All settings of a case that a run needs.
#[derive(Debug, Clone, Copy)]
pub struct AllSettings<'a> {
    /// Settings of the solver.
    pub solver: &'a solver::Settings,
    /// Settings of the outputs.
    pub output: &'a output::Settings,
    /// Settings of the run loop.
    pub run: &'a Settings,
}

/// A run in progress.
pub struct Run<'a> {
    settings: AllSettings<'a>,
    solver: &'a mut Solver,
    world: &'a SimpleCommunicator,
    provenance: Provenance,
    clock: Clock,
    /// The present time step.
    dt: f64,
    /// The series by name, on rank 0.
    series: BTreeMap<String, Series>,
    outputs: Vec<Box<dyn Output>>,
    /// The step of the state whose right-hand side the device holds.
    rhs_of: Option<u64>,
    /// The step at which the state was last found physical in all cells.
    physical_at: Option<u64>,
    checkpoints: Schedule,
    /// Names of the run's checkpoints, oldest first.
    kept: Vec<String>,
    /// Time and step of the newest checkpoint.
    newest: Option<(u64, u64)>,
    /// The newest file that holds the whole state.
    last_output: Option<PathBuf>,
    /// The lock that keeps other runs out of the output directory, on rank 0.
    lock: Option<DirectoryLock>,
    /// Files of the run, for the summary at its end.
    pub files: Vec<PathBuf>,
}

impl<'a> Run<'a> {
    /// Opens the output directory, and writes the initial state or continues from a checkpoint.
    ///
    /// # Errors
    /// The directory or the checkpoint cannot be used, the mesh does not have what an output asks for, the initial
    /// state is not physical, or a file cannot be written.
    pub fn start(
        settings: AllSettings<'a>,
        solver: &'a mut Solver,
        world: &'a SimpleCommunicator,
        provenance: Provenance,
    ) -> Result<Self, RunError> {
        let output = settings.output;
        // The lock comes before the checkpoints are read, which another run may be about to replace.
        let lock = match output.writes() && Communicator::rank(world) == 0 && output.directory.is_dir() {
            true => DirectoryLock::take(&output.directory).map(Some),
            false => Ok(None),
        };
        let lock = agree(world, lock).map_err(RunError::Directory)?;
        let restored = restart::restore(settings, solver, world)?;
        let clock = restored.as_ref().map(|r| r.clock).unwrap_or_default();
        let outputs = output::create(output, solver, &clock)?;
        let mut run = Run {
            settings,
            solver,
            world,
            provenance,
            clock,
            dt: 0.0,
            series: BTreeMap::new(),
            outputs,
            rhs_of: None,
            physical_at: None,
            checkpoints: Schedule::new(output.checkpoints.map(|c| c.every), &clock),
            kept: Vec::new(),
            newest: None,
            last_output: None,
            lock,
            files: Vec::new(),
        };
        if output.writes() {
            run.create_directory()?;
        }
        match restored {
            Some(restored) => run.resume(restored)?,
            None => {
                run.move_previous_run()?;
                run.begin()?;
            }
        }
        Ok(run)
    }

    /// Moves the files of an earlier run out of the output directory. They do not belong to this run, and `restart:
    /// latest` must not continue from them.
    fn move_previous_run(&mut self) -> Result<(), RunError> {
        let output = self.settings.output;
        let moved = self.on_root(|_| match output.writes() {
            true => io::move_previous_run(&output.directory),
            false => Ok(None),
        });
        if let Some(to) = moved.map_err(RunError::Directory)? {
            let (from, to) = (output.directory.display(), to.display());
            tracing::warn!("{from} has files of an earlier run: they were moved to {to}");
        }
        Ok(())
    }

    /// Begins with the initial state.
    fn begin(&mut self) -> Result<(), RunError> {
        self.open_series(None)?;
        self.guard()?;
        self.solver.hold_mass_flow(self.clock.time)?;
        let due = self
            .outputs
            .iter()
            .map(|o| o.extra_samples() != ExtraSamples::None)
            .collect::<Vec<_>>();
        self.sample(&due, &silent)
    }

    /// Continues from a checkpoint.
    fn resume(&mut self, restored: Restored) -> Result<(), RunError> {
        self.open_series(Some(&restored))?;
        self.restore_outputs(&restored.data, &restored.accumulating)?;
        let rates = self.healthy()?;
        match restored.dt {
            Some(dt) => self.dt = dt,
            None => self.set_step(&rates),
        }
        let same = restored.dt.is_some();
        self.solver
            .restore_mass_flow(&restored.data.section, same, self.clock.time)?;
        self.kept = restored.kept;
        self.newest = Some((restored.file_written, self.clock.step));
        if self.finished() && Communicator::rank(self.world) == 0 {
            let path = restored.path.display();
            tracing::warn!("{path} is at the end of the run or past it: `time` leaves nothing to do");
        }
        self.last_output = Some(restored.path);
        Ok(())
    }

    /// Creates the output directory if needed, and locks it unless this run has locked it already.
    fn create_directory(&mut self) -> Result<(), RunError> {
        let directory = &self.settings.output.directory;
        let lock = self.on_root(|run| {
            io::create_directory(directory)?;
            match run.lock {
                Some(_) => Ok(None),
                None => DirectoryLock::take(directory).map(Some),
            }
        });
        let lock = lock.map_err(RunError::Directory)?;
        self.lock = self.lock.take().or(lock);
        Ok(())
    }

    /// Runs `work` on rank 0. All ranks learn whether it succeeded.
    fn on_root<T: Default>(&self, work: impl FnOnce(&Self) -> Result<T, io::Error>) -> Result<T, io::Error> {
        let root = Communicator::rank(self.world) == 0;
        agree(self.world, if root { work(self) } else { Ok(T::default()) })
    }

    /// Creates the series of the case, or continues those that a checkpoint names.
    fn open_series(&mut self, restored: Option<&Restored>) -> Result<(), RunError> {
        let wanted: Vec<_> = self.outputs.iter().flat_map(|o| o.series()).collect();
        let path = |name: &str| self.settings.output.directory.join(format!("{name}.csv"));
        let files: Vec<PathBuf> = wanted.iter().map(|(name, _)| path(name)).collect();
        let opened = self.on_root(|run| {
            let mut opened = BTreeMap::new();
            for (name, columns) in &wanted {
                let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
                let mark = restored.and_then(|r| r.series.get(name));
                let series = mark.map(|mark| Series::reopen(&path(name), &columns, *mark));
                let series = match series.transpose()?.flatten() {
                    Some(series) => series,
                    None => {
                        if restored.is_some() {
                            tracing::info!("{} begins here: the checkpoint has none there", path(name).display());
                        }
                        Series::create(&path(name), &columns, &run.provenance)?
                    }
                };
                opened.insert(name.clone(), series);
            }
            // The files are truncated only when all of them can be continued.
            opened.values().try_for_each(Series::cut)?;
            Ok(opened)
        });
        self.series = opened.map_err(|e| match e {
            e @ io::Error::Series { .. } => RunError::Restart(e),
            e => e.into(),
        })?;
        self.files.extend(files);
        Ok(())
    }

    /// Advances the state to the end, or to the first step after `stop` requests an end.
    ///
    /// # Errors
    /// The state diverges, a boundary value is not valid any more, the device fails, or a file cannot be written.
    pub fn advance(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Outcome, RunError> {
        let ended = self.steps(stop, progress);
        if let Err(RunError::Diverged { .. } | RunError::DivergedOnOtherRank { .. }) = &ended {
            // The last samples show how the divergence arose. If they cannot be written, the divergence is still the
            // error that is reported.
            let _ = self.flush(progress);
        }
        ended.map_err(|e| match e {
            RunError::Device(error) => RunError::Stopped {
                step: self.clock.step,
                time: self.clock.time,
                error: Box::new(error),
                last_output: self.last_good(),
            },
            other => other,
        })
    }

    fn steps(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Outcome, RunError> {
        while !self.finished() {
            if self.clock.step.is_multiple_of(GUARD_INTERVAL) {
                self.guard()?;
                self.solver.hold_mass_flow(self.clock.time)?;
            }
            let asked = self.step(stop, progress)?;
            let last = self.finished();
            let due = self.outputs_due(last);
            self.sample(&due, &logger(progress))?;
            self.keep(last, asked.is_some(), progress)?;
            if let Some(reason) = asked.filter(|_| !last) {
                progress.say(|| tracing::info!("{reason}: the run ends; `restart: latest` continues it"));
                // After the checkpoint, which must not contain what is written only because the run ends here.
                let rest = self.outputs.iter().zip(&due);
                let rest = rest.map(|(o, due)| o.extra_samples() == ExtraSamples::StartAndEnd && !due);
                self.sample(&rest.collect::<Vec<_>>(), &logger(progress))?;
                self.flush(progress)?;
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Finished)
    }

    /// Takes one step, shortened to end at the next time at which an output is due. Returns the reason to end the run,
    /// if there is one.
    fn step(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Option<&'static str>, RunError> {
        let times = self.outputs.iter_mut().filter_map(|o| o.schedule().next_time());
        let target = times.chain(self.settings.run.end).fold(f64::INFINITY, f64::min);
        let (dt, hit) = self.clock.clip(self.dt, target);
        let stepped = self.solver.step(self.clock.time, dt);
        stepped.map_err(|e| self.ended_by(e))?;
        let asked = stop.asked(self.world);
        self.clock.advance(dt, hit.then_some(target));
        progress.update(self.clock.step, self.clock.time, dt, self.done());
        Ok(asked)
    }

    /// Writes a checkpoint if one is due or the run ends early, and lets the outputs write at the end of the run.
    fn keep(&mut self, last: bool, stopped: bool, progress: &Progress) -> Result<(), RunError> {
        let checkpoint = self.checkpoints.due(&self.clock) || last && self.settings.output.checkpoints.is_some();
        if checkpoint || stopped && !last {
            self.write_checkpoint(progress)?;
            self.write_averages(progress)
        } else if last {
            self.flush(progress)?;
            self.write_averages(progress)
        } else {
            Ok(())
        }
    }

    /// Returns which outputs are due at the present state.
    fn outputs_due(&mut self, last: bool) -> Vec<bool> {
        let clock = self.clock;
        let due = |o: &mut Box<dyn Output>| {
            o.schedule().due(&clock) | (last && o.extra_samples() == ExtraSamples::StartAndEnd)
        };
        self.outputs.iter_mut().map(due).collect()
    }

    /// Lets the outputs that are due sample the present state.
    fn sample(&mut self, due: &[bool], log: &dyn Fn(Arguments)) -> Result<(), RunError> {
        let mut outputs = std::mem::take(&mut self.outputs);
        let mut due = outputs.iter_mut().zip(due).filter(|(_, due)| **due).map(|(o, _)| o);
        let sampled = due.try_for_each(|output| self.sample_one(output.as_mut(), log));
        self.outputs = outputs;
        sampled
    }

    fn sample_one(&mut self, output: &mut dyn Output, log: &dyn Fn(Arguments)) -> Result<(), RunError> {
        if output.needs_physical_state() {
            self.require_physical_state()?;
        }
        if output.needs_rhs() {
            self.right_hand_side()?;
        }
        Ok(output.sample(&mut self.context(log))?)
    }

    /// Calls `work` with each output and the present state.
    fn for_each_output(
        &mut self,
        log: &dyn Fn(Arguments),
        mut work: impl FnMut(&mut dyn Output, &mut SampleContext) -> Result<(), OutputError>,
    ) -> Result<(), RunError> {
        let mut outputs = std::mem::take(&mut self.outputs);
        let done = outputs
            .iter_mut()
            .try_for_each(|o| work(o.as_mut(), &mut self.context(log)));
        self.outputs = outputs;
        Ok(done?)
    }

    /// Writes samples that outputs hold back to their series.
    fn flush(&mut self, progress: &Progress) -> Result<(), RunError> {
        self.for_each_output(&logger(progress), |output, context| output.flush(context))
    }

    /// Lets the outputs write their averages.
    fn write_averages(&mut self, progress: &Progress) -> Result<(), RunError> {
        self.for_each_output(&logger(progress), |output, context| output.write(context))
    }

    /// Passes the data of a checkpoint to the outputs. `accumulating` names the outputs whose sums it holds.
    fn restore_outputs(&mut self, data: &CheckpointData, accumulating: &[String]) -> Result<(), RunError> {
        let root = self.solver.ranks.rank() == 0;
        for name in accumulating {
            if root && !self.outputs.iter().any(|o| o.name() == name) {
                tracing::warn!(
                    "the checkpoint has sums of output.{name}, which the case does not ask for: they end here"
                );
            }
        }
        self.for_each_output(&silent, |output, context| {
            if !output.restore(context, data)? {
                tracing::info!("output.{} begins here: the checkpoint has nothing of it", output.name());
            }
            Ok(())
        })
    }

    fn context<'b>(&'b mut self, log: &'b dyn Fn(Arguments)) -> SampleContext<'b> {
        SampleContext {
            solver: self.solver,
            world: self.world,
            provenance: &self.provenance,
            clock: self.clock,
            dt: self.dt,
            last_step: self.settings.run.steps,
            series: &mut self.series,
            files: &mut self.files,
            last_state: &mut self.last_output,
            log,
        }
    }

    /// Returns the number of solution points of all ranks. Collective.
    pub fn points(&self) -> usize {
        self.solver.points_of_all_ranks()
    }

    /// Returns the clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    fn finished(&self) -> bool {
        self.settings.run.end.is_some_and(|end| self.clock.time >= end)
            || self.settings.run.steps.is_some_and(|steps| self.clock.step >= steps)
    }

    /// Returns the completed fraction of the run.
    pub fn done(&self) -> f64 {
        let by_time = self.settings.run.end.map_or(0.0, |end| self.clock.time / end);
        let by_step = self
            .settings
            .run
            .steps
            .map_or(0.0, |steps| self.clock.step as f64 / steps as f64);
        by_time.max(by_step)
    }

    /// Checks the state and sets the time step.
    fn guard(&mut self) -> Result<(), RunError> {
        let rates = self.healthy()?;
        self.set_step(&rates);
        Ok(())
    }

    fn set_step(&mut self, rates: &TimeStepBounds) {
        self.dt = match self.settings.run.step {
            TimeStep::Fixed(dt) => dt,
            TimeStep::Cfl(cfl) => cfl * self.solver.stable_step(rates),
        };
    }

    /// Verifies that the state is physical in all cells, once a step. Collective.
    fn require_physical_state(&mut self) -> Result<(), RunError> {
        if self.physical_at != Some(self.clock.step) {
            // These bounds set no time step: what is written, and when, must not change the steps.
            self.healthy()?;
        }
        Ok(())
    }

    /// Returns the time-step bounds of a state that is physical on all ranks. Collective.
    fn healthy(&mut self) -> Result<TimeStepBounds, RunError> {
        let rates = self.solver.time_step_bounds()?;
        match rates.unphysical {
            Some(number) => Err(self.diverged(number)?),
            None => {
                self.physical_at = Some(self.clock.step);
                Ok(rates)
            }
        }
    }

    /// Returns the error that describes the unphysical state in a cell, given by its number in the whole mesh.
    /// Collective.
    fn diverged(&self, number: usize) -> Result<RunError, RunError> {
        let mesh = &self.solver.mesh;
        let seen = (0..mesh.len()).find(|&cell| mesh.global(cell) == number);
        let looked = divergence::locate(self.solver, seen).map_err(RunError::from);
        let (found, extent) = together(self.world, looked)?;
        let extent = extent.of_all(&self.solver.ranks);
        let Some(found) = found else {
            return Ok(RunError::DivergedOnOtherRank { step: self.clock.step });
        };
        Ok(RunError::Diverged {
            step: self.clock.step,
            time: self.clock.time,
            what: found.what,
            value: found.value,
            cell: mesh.name_of(found.cell),
            at: found.at,
            extent: Box::new(extent),
            last_output: self.last_good(),
        })
    }

    fn ended_by(&self, error: StepError) -> RunError {
        match error {
            StepError::Device(error) => error.into(),
            StepError::OnOtherRank(_) => RunError::OnOtherRank,
            StepError::Value(value) => RunError::Value {
                value: Box::new(value),
                last_output: self.last_good(),
            },
        }
    }

    fn last_good(&self) -> String {
        let path = self.last_output.as_ref();
        path.map_or("none".to_owned(), |p| p.display().to_string())
    }

    /// Computes the right-hand side of the present state on the device.
    fn right_hand_side(&mut self) -> Result<(), RunError> {
        if self.rhs_of == Some(self.clock.step) {
            return Ok(());
        }
        if let Err(error) = self.solver.evaluate_rhs(self.clock.time) {
            return Err(self.ended_by(error));
        }
        self.rhs_of = Some(self.clock.step);
        Ok(())
    }
}

/// Logs nothing.
fn silent(_: Arguments) {}

/// Logs lines without disturbing the bar.
fn logger(progress: &Progress) -> impl Fn(Arguments) {
    |line| progress.say(|| tracing::info!("{line}"))
}
