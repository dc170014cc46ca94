//! The steps of a run, estimated from the initial state: their limits, their length and their number.

use serde::Serialize;

use crate::case::Case;
use crate::device::TimeStepBounds;
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
    /// Number of output times at which a step may end early.
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
        let steps = case.run.steps.map(|steps| steps.saturating_sub(begin.step));
        let count = to_end.into_iter().chain(steps).min().unwrap_or(0);
        let span = left.unwrap_or(f64::INFINITY).min(count as f64 * dt);
        Steps {
            first_step: begin.step,
            first_time: Quantity::new(begin.time, "s"),
            dt: Quantity::new(dt, "s"),
            count,
            at_most_more: shortened_steps(case, span),
            span: Quantity::new(span, "s"),
        }
    }

    /// Logs them.
    pub fn log(&self) {
        let more = match self.at_most_more {
            0.0 => String::new(),
            stops => format!(", and up to {stops:.0} more where outputs shorten one"),
        };
        tracing::info!("steps   about {} of dt = {:.3e}{more}", self.count, self.dt.value);
    }
}

/// Returns the number of output times at which a step may end early.
fn shortened_steps(case: &Case, span: f64) -> f64 {
    // Checkpoints are written at the end of a step that is not shortened.
    let requests = case.output.requests.iter().map(|request| request.every());
    let stops = requests.filter_map(|every| match every {
        Every::Time(period) => Some((span / period).floor()),
        Every::Steps(_) => None,
    });
    stops.sum()
}
