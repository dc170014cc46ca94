//! The run loop: time steps, the guard that watches the state, and the outputs that are due.
//!
//! Every `GUARD_INTERVAL` steps, and before anything is written, the device computes the time-step bounds and looks for
//! unphysical states. The bounds set the next time steps, so that the sequence of steps depends on step numbers alone
//! and never on the speed of the machine. The mass-flow forcing is adjusted at these step numbers only. A checkpoint is
//! an exception: its check of the state sets no time step, so that neither its schedule nor a restart changes a step.

mod backflow;
mod checkpoint;
pub mod divergence;
mod error;
mod filter_watch;
mod keys;
mod modelled_walls;
mod progress;
mod record;
mod restart;
mod settings;
mod start;
mod stop;
mod until;

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::path::PathBuf;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use crate::device::TimeStepBounds;
use crate::format::number;
use crate::io::{DirectoryLock, Provenance, Series};
use crate::output::{self, Estimate, ExtraSamples, Output, OutputError, SampleContext, Schedule};
use crate::solver::{self, Clock, Solver, StepError};

use backflow::BackFlow;
use filter_watch::FilterWatch;
use record::Recorder;
use stop::{Asked, anywhere, together};

pub use checkpoint::section_of_beginning;
pub use divergence::Extent;
pub use error::RunError;
pub use keys::TimeKeys;
pub use progress::Progress;
pub use restart::require_checkpoint;
pub use settings::{Restart, Settings, TimeStep};
pub use stop::Stop;
pub use until::Until;

/// Steps between two checks of the state.
const GUARD_INTERVAL: u64 = 10;
/// Share of the largest stable step to which it falls between two guards before a run diverges. In turbulent flows it
/// changes by less than a hundredth.
const ALARMING: f64 = 0.98;

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
    /// The watch over inlets and outlets, if there are any.
    back_flow: Option<BackFlow>,
    /// Mean y+ of the matching points of each modelled wall that was logged last.
    matching_logged: BTreeMap<usize, f64>,
    /// The watch over the filter.
    filter_watch: FilterWatch,
    /// Whether the result of `time.until` is known.
    known: bool,
    /// The step of the state whose right-hand side the device holds.
    rhs_of: Option<u64>,
    /// The step at which the state was last found physical in all cells.
    physical_at: Option<u64>,
    /// The step of the last guard and the largest stable step then.
    guarded: (Option<u64>, f64),
    /// Whether the state is checked after each step until the next guard.
    alert: bool,
    /// The checkpoints that are due in time or steps of the flow.
    checkpoints: Schedule,
    /// When a checkpoint is due on the clock, if they are written by that.
    checkpoint_at: Option<Instant>,
    /// Names of the run's checkpoints, oldest first.
    kept: Vec<String>,
    /// Time and step of the newest checkpoint.
    newest: Option<(u64, u64)>,
    /// The newest file that holds the whole state.
    last_output: Option<PathBuf>,
    /// The lock that keeps other runs out of the output directory, on rank 0.
    lock: Option<DirectoryLock>,
    /// The record of the run, if it writes anything.
    recorder: Option<Recorder>,
    /// Reading of the energy of the GPUs when the run began, in millijoules.
    energy_at_begin: Option<u64>,
    /// Joules that the GPUs had used at the last checkpoint or the end, if they count them.
    pub joules: Option<f64>,
    /// Files of the run, for the summary at its end.
    pub files: Vec<PathBuf>,
}

/// Creates all outputs, for a run that begins or continues at `clock`. Collective.
///
/// # Errors
/// The mesh does not have what an output asks for, no output has the result of `time.until`, or the device fails.
pub fn create_outputs(
    output: &output::Settings,
    run: &Settings,
    solver: &mut Solver,
    clock: &Clock,
) -> Result<Vec<Box<dyn Output>>, OutputError> {
    let outputs = output::create(output, solver, clock)?;
    run.until.as_ref().map_or(Ok(()), |until| until.require(&outputs))?;
    Ok(outputs)
}

impl Run<'_> {
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
        let ended = ended.map_err(|e| match e {
            RunError::Device(error) => RunError::Stopped {
                step: self.clock.step,
                time: self.clock.time,
                error: Box::new(error),
                last_output: self.last_good(),
            },
            other => other,
        });
        if ended.is_ok() {
            // All ranks have come here.
            self.read_energy();
        }
        self.end_record(&ended);
        ended
    }

    /// Returns the time and the energy of the run on GPUs in words, if it ran on GPUs. The time is that of the steps
    /// and outputs, for each GPU.
    pub fn cost_on_gpus(&self, progress: &Progress) -> Option<String> {
        let gpus = self.solver.gpus.count;
        let hours = gpus as f64 * progress.elapsed() / 3600.0;
        let energy = self.joules.map_or_else(String::new, |joules| {
            let each = joules * 1e9 / progress.evaluations(self.clock.step);
            format!(", {:.3} kJ, {each:.3} nJ per DOF and right-hand side", joules * 1e-3)
        });
        (gpus > 0).then(|| format!("{hours:.4} GPU-hours{energy}"))
    }

    fn steps(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Outcome, RunError> {
        if self.begins_with_checkpoint() {
            // However early this run is killed, the same command continues it.
            self.write_checkpoint(progress)?;
        }
        while !self.finished() {
            if self.clock.step.is_multiple_of(GUARD_INTERVAL) {
                self.guard()?;
                self.adjust_controls()?;
                self.watch_boundaries(progress)?;
                self.watch_modelled_walls(progress)?;
                self.watch_filter(progress)?;
            } else if self.alert {
                self.require_physical_state()?;
            }
            let asked = self.step(stop, progress)?;
            let last = self.finished();
            let mut due = self.outputs_due(last);
            self.sample(&due, &logger(progress))?;
            if !last && self.becomes_known(&due, &logger(progress))? {
                self.sample_ends(&mut due, &logger(progress))?;
            }
            let last = self.finished();
            self.keep(last, &asked, progress)?;
            if let (Asked::End(reason), false) = (asked, last) {
                progress.say(|| tracing::info!("{reason}: the run ends; `restart: latest` continues it"));
                // After the checkpoint, which must not contain what is written only because the run ends here.
                self.sample_ends(&mut due, &logger(progress))?;
                self.flush(progress)?;
                return Ok(Outcome::Interrupted);
            }
        }
        self.warn_of_missed_mass_fluxes()?;
        self.warn_of_unknown_result();
        Ok(Outcome::Finished)
    }

    /// Returns whether a run that may be restarted has yet to write its first checkpoint, which it does before its
    /// first step.
    fn begins_with_checkpoint(&self) -> bool {
        let restarts = self.settings.run.restart == Some(Restart::Latest);
        restarts && self.settings.output.checkpoints.is_some() && self.newest.is_none() && !self.finished()
    }

    /// Takes one step, shortened to end at the next time at which an output is due. Returns what is asked after it.
    fn step(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Asked, RunError> {
        let times = self.outputs.iter_mut().filter_map(|o| o.schedule().next_time());
        let target = times.chain(self.settings.run.end).fold(f64::INFINITY, f64::min);
        let (dt, hit) = self.clock.clip(self.dt, target);
        let stepped = self.solver.step(self.clock.time, dt);
        stepped.map_err(|e| self.ended_by(e))?;
        let asked = stop.asked_at(self.world, self.checkpoint_at);
        self.clock.advance(dt, hit.then_some(target));
        progress.update(self.clock.step, self.clock.time, dt, self.done());
        Ok(asked)
    }

    /// Writes a checkpoint if one is due or the run ends early, and lets the outputs write at the end of the run.
    fn keep(&mut self, last: bool, asked: &Asked, progress: &Progress) -> Result<(), RunError> {
        let due = self.checkpoints.due(&self.clock);
        let wanted = if last {
            self.settings.output.checkpoints.is_some()
        } else {
            due || *asked != Asked::Nothing
        };
        if wanted {
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

    /// Lets the outputs that sample the end of a run do so, unless they were due.
    fn sample_ends(&mut self, due: &mut [bool], log: &dyn Fn(Arguments)) -> Result<(), RunError> {
        for (output, due) in self.outputs.iter().zip(due.iter_mut()) {
            *due = output.extra_samples() == ExtraSamples::StartAndEnd && !*due;
        }
        self.sample(due, log)
    }

    /// Asks the outputs that are due whether the result of `time.until` is known now; the run then ends. Collective.
    fn becomes_known(&mut self, due: &[bool], log: &dyn Fn(Arguments)) -> Result<bool, RunError> {
        let Some(until) = &self.settings.run.until else {
            return Ok(false);
        };
        let mut met = None;
        let mut due = due.iter();
        self.for_each_output(log, |output, context| {
            if due.next() == Some(&true) {
                let result = output.result(&until.result, context)?;
                met = met.or(result.filter(|estimate| until.is_met(estimate)));
            }
            Ok(())
        })?;
        if let Some(Estimate { value, error, .. }) = met {
            let name = &until.result;
            let value = number(value);
            let error = number(error);
            log(format_args!(
                "time.until: {name} is {value} +- {error}, and the run ends"
            ));
        }
        self.known = anywhere(self.world, met.is_some());
        Ok(self.known)
    }

    /// Warns if the run ends before the result of `time.until` is known.
    fn warn_of_unknown_result(&self) {
        if let (Some(Until { result, share }), false) = (&self.settings.run.until, self.known) {
            tracing::warn!(
                "time.until: {result} is not known to {} %, and the run ends at its last step or time",
                number(100.0 * share)
            );
        }
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
        self.known || self.settings.run.ended(&self.clock)
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

    /// Adjusts what the case holds. Collective.
    fn adjust_controls(&mut self) -> Result<(), RunError> {
        let adjusted = self.solver.adjust_controls(self.clock.time);
        adjusted.map_err(|e| self.ended_by(e))
    }

    /// Checks the state and sets the time step. Where the largest stable step has fallen by much since the last guard,
    /// and during the first steps, each step until the next guard is followed by a check. Unphysical states spread by
    /// several cells a step, so that only this tells where they arose.
    fn guard(&mut self) -> Result<(), RunError> {
        let bounds = self.healthy()?;
        self.set_step(&bounds);
        let step = Some(self.clock.step);
        let stable = self.solver.stable_step(&bounds);
        if self.guarded.0 != step {
            self.alert = stable < ALARMING * self.guarded.1;
            self.guarded = (step, stable);
        }
        self.begin_bars(&bounds)
    }

    /// Lets the bars begin, if they have not, with the step that these bounds allow; they then allow a smaller one.
    fn begin_bars(&mut self, bounds: &TimeStepBounds) -> Result<(), RunError> {
        if self.solver.begin_bars(self.clock.time, self.dt)? {
            self.set_step(bounds);
        }
        Ok(())
    }

    fn set_step(&mut self, bounds: &TimeStepBounds) {
        self.dt = match self.settings.run.step {
            TimeStep::Fixed(dt) => dt,
            TimeStep::Cfl(cfl) => cfl * self.solver.stable_step(bounds),
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
        let bounds = self.solver.time_step_bounds()?;
        match bounds.unphysical {
            Some(number) => Err(self.diverged(number)?),
            None => {
                self.physical_at = Some(self.clock.step);
                Ok(bounds)
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
            cell: mesh.name_of(found.cell).into(),
            at: found.at,
            extent: Box::new(extent),
            bars: !self.solver.bars().is_empty(),
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

    /// Returns the newest file with the whole state, or what has been written instead.
    fn last_good(&self) -> String {
        if let Some(path) = &self.last_output {
            return path.display().to_string();
        }
        let series = self.outputs.iter().flat_map(|output| output.series());
        let names: Vec<String> = series.map(|(name, _)| format!("{name}.csv")).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            format!(
                "none with the whole state; these series were written: {}",
                names.join(", ")
            )
        }
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
