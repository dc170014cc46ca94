//! The run loop: time steps, the guard that watches the state, and the outputs that are due.
//!
//! Every `GUARD_INTERVAL` steps, and before anything is written, the device computes the time-step bounds and looks for
//! unphysical states. The bounds set the next time steps, so that the sequence of steps depends on step numbers alone
//! and never on the speed of the machine. The mass-flow forcing is adjusted at these step numbers only. A checkpoint is
//! an exception: its check of the state sets no time step, so that neither its schedule nor a restart changes a step.
//! With a filter, steps that led to an unphysical state are taken back (`net`).

mod backflow;
mod beginning;
mod checkpoint;
pub mod divergence;
mod error;
mod files;
mod filter_watch;
mod guard;
mod keys;
mod looks;
mod modelled_walls;
mod net;
mod operator_limit;
mod progress;
mod record;
mod recorder;
mod restart;
mod sampling;
mod settings;
mod start;
mod state;
mod step_watch;
mod stop;
mod until;

use modelled_walls::ModelledWalls;
use settings::GUARD_INTERVAL;
use stop::Asked;

pub use beginning::Beginning;
pub use checkpoint::{copy_of_checkpoint, section_of_beginning};
pub use divergence::{Divergence, Place, When};
pub use error::RunError;
pub use keys::TimeKeys;
pub use progress::Progress;
pub use restart::{require_checkpoint, try_restart};
pub use sampling::create_outputs;
use sampling::logger;
pub use settings::{AllSettings, Restart, Settings, StepLimit, TimeStep};
pub use state::Run;
pub use stop::{Outcome, Stop};
pub use until::Until;

impl Run<'_> {
    /// Advances the state to the end, or to the first step after `stop` requests an end.
    ///
    /// # Errors
    /// The state diverges, a boundary value is not valid any more, the device fails, or a file cannot be written.
    pub fn advance(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Outcome, RunError> {
        let ended = self.steps(stop, progress);
        let ended = self.end_files(ended, progress);
        if ended.as_ref().is_err_and(RunError::is_divergence) {
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

    /// Returns the names of the passive scalars with their least and largest values, NaN for one that is not finite.
    /// Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn scalar_ranges(&self) -> Result<Vec<(String, [f64; 2])>, RunError> {
        Ok(self.solver.scalar_ranges()?)
    }

    fn steps(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Outcome, RunError> {
        if self.begins_with_checkpoint() {
            // However early this run is killed, the same command continues it.
            self.write_checkpoint(progress)?;
            self.finish_files(progress)?;
        }
        // A run that goes on between two guards begins with a state that is kept, too.
        self.keep_state()?;
        while !self.finished() {
            let returned = self.net.returned_to.take() == Some(self.clock.step);
            if self.clock.step.is_multiple_of(GUARD_INTERVAL) && !returned {
                self.guard(&logger(progress))?;
                self.adjust_controls()?;
                self.keep_state()?;
                self.look_around(progress)?;
            }
            let asked = self.step(stop, progress)?;
            if self.clock.step.is_multiple_of(GUARD_INTERVAL) || self.samples_follow() {
                // A GPU has the steps since the last look to compute.
                self.digest(progress)?;
            }
            if self.takes_back(&asked, progress)? {
                continue;
            }
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
        if let Some(watch) = &self.back_flow {
            watch.warn_of_missed_mass_fluxes(self.solver)?;
        }
        self.warn_of_unknown_result();
        Ok(Outcome::Finished)
    }

    /// Lets the watches over inlets and outlets, modelled walls, the time step and the filter look at the flow.
    /// Collective.
    fn look_around(&mut self, progress: &Progress) -> Result<(), RunError> {
        let step = self.clock.step;
        if let Some(watch) = &mut self.back_flow {
            watch.look(self.solver, step, progress)?;
        }
        if ModelledWalls::are_due(self.solver, step) {
            self.right_hand_side()?;
            self.modelled_walls.look(self.solver, progress)?;
        }
        self.step_watch.look(self.dt, progress);
        self.filter_watch.look(self.solver, step, progress)
    }

    /// Takes one step, shortened to end at the next time at which an output is due. Returns what is asked after it.
    fn step(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Asked, RunError> {
        let times = self.outputs.iter_mut().filter_map(|o| o.schedule().next_time());
        let ends = self.settings.run.end.into_iter().chain(self.net.end_of_stretch());
        let target = times.chain(ends).fold(f64::INFINITY, f64::min);
        let (dt, hit) = self.clock.clip(self.shortened(), target);
        let stepped = self.solver.step(self.clock.time, dt);
        stepped.map_err(|e| self.ended_by(e))?;
        let (asked, unfinished) = stop.asked_at(self.world, self.checkpoint_at, self.beside.unfinished());
        self.publish(unfinished, progress)?;
        self.clock.advance(dt, hit.then_some(target));
        self.times.push((self.clock.step, self.clock.time));
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
}
