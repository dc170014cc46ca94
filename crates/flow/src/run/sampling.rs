//! The outputs of a run: which are due, what they sample, and whether the result that ends the run is known.

use std::fmt::Arguments;

use super::error::RunError;
use super::progress::Progress;
use super::settings::Settings;
use super::state::Run;
use super::stop::anywhere;
use super::until::Until;
use crate::format::number;
use crate::output::{self, Estimate, ExtraSamples, Output, OutputError, SampleContext};
use crate::solver::{Clock, Solver};

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
    let outputs = output::create(output, solver, clock, output::Sampled::Run)?;
    run.until.as_ref().map_or(Ok(()), |until| until.require(&outputs))?;
    Ok(outputs)
}

impl Run<'_> {
    /// Returns whether an output is going to sample the present state.
    pub(super) fn samples_follow(&mut self) -> bool {
        let (clock, last) = (self.clock, self.finished());
        self.outputs.iter_mut().any(|output| {
            output.schedule().awaits(&clock) || (last && output.extra_samples() == ExtraSamples::StartAndEnd)
        })
    }

    /// Returns which outputs are due at the present state.
    pub(super) fn outputs_due(&mut self, last: bool) -> Vec<bool> {
        let clock = self.clock;
        let due = |o: &mut Box<dyn Output>| {
            o.schedule().due(&clock) | (last && o.extra_samples() == ExtraSamples::StartAndEnd)
        };
        self.outputs.iter_mut().map(due).collect()
    }

    /// Lets the outputs that are due sample the present state.
    pub(super) fn sample(&mut self, due: &[bool], log: &dyn Fn(Arguments)) -> Result<(), RunError> {
        let mut outputs = std::mem::take(&mut self.outputs);
        let mut due = outputs.iter_mut().zip(due).filter(|(_, due)| **due).map(|(o, _)| o);
        let sampled = due.try_for_each(|output| self.sample_one(output.as_mut(), log));
        self.outputs = outputs;
        sampled
    }

    /// Lets the outputs that sample the end of a run do so, unless they were due.
    pub(super) fn sample_ends(&mut self, due: &mut [bool], log: &dyn Fn(Arguments)) -> Result<(), RunError> {
        for (output, due) in self.outputs.iter().zip(due.iter_mut()) {
            *due = output.extra_samples() == ExtraSamples::StartAndEnd && !*due;
        }
        self.sample(due, log)
    }

    /// Asks the outputs that are due whether the result of `time.until` is known now; the run then ends. Collective.
    pub(super) fn becomes_known(&mut self, due: &[bool], log: &dyn Fn(Arguments)) -> Result<bool, RunError> {
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
    pub(super) fn warn_of_unknown_result(&self) {
        if let (Some(Until { result, share }), false) = (&self.settings.run.until, self.known) {
            tracing::warn!(
                "time.until: {result} is not known to {} %, and the run ends at its last step or time",
                number(100.0 * share)
            );
        }
    }

    pub(super) fn sample_one(&mut self, output: &mut dyn Output, log: &dyn Fn(Arguments)) -> Result<(), RunError> {
        if output.needs_physical_state() {
            self.require_physical_state()?;
        }
        if output.needs_rhs() {
            self.right_hand_side()?;
        }
        Ok(output.sample(&mut self.context(log))?)
    }

    /// Calls `work` with each output and the present state.
    pub(super) fn for_each_output(
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

    /// Lets the outputs work on the samples that have arrived on the host.
    pub(super) fn digest(&mut self, progress: &Progress) -> Result<(), RunError> {
        self.for_each_output(&logger(progress), |output, context| output.digest(context))
    }

    /// Lets the outputs work on all samples that they hold back, and append them to their series.
    pub(super) fn flush(&mut self, progress: &Progress) -> Result<(), RunError> {
        self.for_each_output(&logger(progress), |output, context| output.flush(context))
    }

    /// Lets the outputs write their averages, and writes their results in one file.
    pub(super) fn write_averages(&mut self, progress: &Progress) -> Result<(), RunError> {
        self.results.clear();
        self.for_each_output(&logger(progress), |output, context| output.write(context))?;
        let directory = &self.settings.output.directory;
        let written =
            self.on_root(|run| output::write_results(directory, &run.results, &run.clock, &run.provenance))?;
        self.files.extend(written.filter(|path| !self.files.contains(path)));
        Ok(())
    }
}

/// Logs nothing.
/// Takes lines for the log.
pub(super) type Log<'a> = &'a dyn Fn(Arguments);

pub(super) fn silent(_: Arguments) {}

/// Logs lines without disturbing the bar.
pub(super) fn logger(progress: &Progress) -> impl Fn(Arguments) {
    |line| progress.say(|| tracing::info!("{line}"))
}
