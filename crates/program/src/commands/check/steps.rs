//! The steps of a run, estimated from the initial state: their limits, their length and their number.

use serde::Serialize;

use crate::case::Case;
use crate::device::TimeStepBounds;
use crate::format::short;
use crate::input::Every;
use crate::io::Quantity;
use crate::run::{StepLimit, TimeStep};
use crate::solver::{Clock, Solver, StepError};

/// The limits of the time step in the initial state.
#[derive(Debug, Serialize)]
pub struct Limits {
    pub acoustic: Quantity,
    /// `None` in an inviscid gas.
    pub viscous: Option<Quantity>,
    /// The largest step that linear stability allows by these two.
    pub stable: Quantity,
    /// The largest step with which no small disturbance grows, if the case asks for it.
    pub operator: Option<Quantity>,
}

/// The steps of a run, estimated from the initial state.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Steps {
    /// The step and the time at which the run begins, those of its checkpoint.
    pub first_step: u64,
    pub first_time: Quantity,
    /// Length of a step, in units of time.
    pub dt: Quantity,
    /// Number of steps.
    pub count: u64,
    /// Most steps that are added since outputs shorten others.
    pub at_most_more: f64,
    /// Time that the steps cover.
    pub span: Quantity,
}

/// Returns the step that a case takes where this one is stable.
fn chosen(case: &Case, stable: f64) -> f64 {
    match case.run.step {
        TimeStep::Fixed(dt) => dt,
        TimeStep::Cfl(cfl) => cfl * stable,
    }
}

/// Returns the limits of the time step, and the rates from which they come. Collective.
pub fn limits(case: &Case, solver: &mut Solver) -> Result<(Limits, TimeStepBounds), StepError> {
    let rates = solver.time_step_bounds()?;
    let waves = solver.stable_step(&rates);
    // The trials take a hundred steps or so: a check of a case that does not ask for this limit stays quick.
    let operator = match case.run.limit {
        StepLimit::Waves => None,
        StepLimit::Operator => Some(solver.operator_step(0.0, waves, case.solver.precision)?),
    };
    solver.begin(0.0, chosen(case, operator.unwrap_or(waves)));
    let seconds = |time: f64| Quantity::new(time, "s");
    let limits = Limits {
        acoustic: seconds(solver.acoustic_step(&rates)),
        viscous: solver
            .gas
            .viscosity
            .is_some()
            .then(|| seconds(solver.viscous_step(&rates))),
        stable: seconds(solver.stable_step(&rates)),
        operator: operator.map(seconds),
    };
    Ok((limits, rates))
}

impl Limits {
    /// Logs them.
    pub fn log(&self) {
        let viscous = match &self.viscous {
            Some(viscous) => format!("viscous {:.3e}", viscous.value),
            None => "no viscous one (inviscid gas)".to_owned(),
        };
        tracing::info!(
            "limits  acoustic {:.3e}, {viscous}: linear stability allows dt = {:.3e} at the start",
            self.acoustic.value,
            self.stable.value
        );
        if let Some(operator) = &self.operator {
            tracing::info!(
                "        the operator allows dt = {:.3e}, {:.2} times as much (`time.limit`)",
                operator.value,
                operator.value / self.stable.value
            );
        }
    }
}

impl Steps {
    /// Returns the approximate number of steps from the beginning of the run on, where the initial state has these
    /// limits.
    pub fn of(case: &Case, begin: &Clock, limits: &Limits) -> Self {
        let dt = chosen(case, limits.operator.as_ref().unwrap_or(&limits.stable).value);
        let left = case.run.end.map(|end| (end - begin.time).max(0.0));
        let to_end = left.map(|left| (left / dt).ceil() as u64);
        let most = case.run.steps.map(|steps| steps.saturating_sub(begin.step));
        let count = to_end.into_iter().chain(most).min().unwrap_or(0);
        let span = left.unwrap_or(f64::INFINITY).min(count as f64 * dt);
        // A run of so many steps ends earlier if some are shorter.
        let room = most.map_or(f64::INFINITY, |most| (most - count) as f64);
        Steps {
            first_step: begin.step,
            first_time: Quantity::new(begin.time, "s"),
            dt: Quantity::new(dt, "s"),
            count,
            at_most_more: shortened_steps(case, span).min(room),
            span: Quantity::new(span, "s"),
        }
    }

    /// Logs them.
    pub fn log(&self) {
        let more = self.more_in_words();
        tracing::info!("steps   about {} of dt = {:.3e}{more}", self.count, self.dt.value);
    }

    /// Returns how many steps outputs add at most, as the end of a sentence.
    pub fn more_in_words(&self) -> String {
        match self.at_most_more {
            0.0 => String::new(),
            stops => format!(", and up to {stops:.0} more where outputs shorten one"),
        }
    }

    /// Returns all steps, with those that outputs add at most.
    pub fn all(&self) -> f64 {
        self.count as f64 + self.at_most_more
    }

    /// Warns of outputs that shorten more steps than the flow asks for.
    pub fn warn_of_outputs(&self, case: &Case) {
        if self.at_most_more <= self.count as f64 {
            return;
        }
        let shortest = periods(case).min_by(|(one, _), (other, _)| one.total_cmp(other));
        if let Some((period, output)) = shortest {
            tracing::warn!(
                "output: a step ends at each time of an output. `{output}` asks for one every {}, and dt = {:.3e}. \
                 Without outputs the steps are {}, to which up to {:.0} are added: a longer `every`, or `every-steps`, \
                 adds fewer or none",
                short(period),
                self.dt.value,
                self.count,
                self.at_most_more
            );
        }
    }
}

/// Returns the periods in time of the outputs, with the names of these.
fn periods(case: &Case) -> impl Iterator<Item = (f64, String)> + '_ {
    // Checkpoints are written at the end of a step that is not shortened.
    case.output.requests.iter().filter_map(|request| match request.every() {
        Every::Time(period) => Some((period, request.label())),
        Every::Steps(_) => None,
    })
}

/// Returns the number of output times at which a step may end early.
fn shortened_steps(case: &Case, span: f64) -> f64 {
    stops(periods(case).map(|(period, _)| period).collect(), span)
}

/// Returns the number of times in a span at which one of several periods ends. Times of a multiple of another period
/// are among those of this one.
fn stops(mut periods: Vec<f64>, span: f64) -> f64 {
    periods.sort_by(f64::total_cmp);
    let mut kept: Vec<f64> = Vec::new();
    for period in periods {
        let is_multiple = |of: &f64| {
            let ratio = period / of;
            (ratio - ratio.round()).abs() < 1e-9 * ratio
        };
        if !kept.iter().any(is_multiple) {
            kept.push(period);
        }
    }
    kept.iter().map(|period| (span / period).floor()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_several_outputs_are_counted_once() {
        assert_eq!(stops(vec![0.3, 0.1, 0.1, 0.25], 1.05), 10.0 + 4.0);
        assert_eq!(stops(Vec::new(), 1.0), 0.0);
    }
}
