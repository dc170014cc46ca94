//! The steps of a run, estimated from the initial state: their limits, their length and their number.

use super::schemes;
use crate::case::Case;
use crate::device::DeviceError;
use crate::input::Every;
use crate::run::TimeStep;
use crate::solver::Solver;

/// The steps of a run, estimated from the initial state.
pub struct Steps {
    /// Length of a step, in units of time.
    pub dt: f64,
    /// Number of steps.
    pub count: u64,
    /// Time that the steps cover.
    pub span: f64,
}

/// Logs the limits of the time step and the approximate number of steps. Collective.
pub fn log(case: &Case, solver: &mut Solver) -> Result<Steps, DeviceError> {
    let rates = solver.time_step_bounds()?;
    let chosen = |stable: f64| match case.run.step {
        TimeStep::Fixed(dt) => dt,
        TimeStep::Cfl(cfl) => cfl * stable,
    };
    solver.begin(0.0, chosen(solver.stable_step(&rates)));
    let stable = solver.stable_step(&rates);
    let viscous = match solver.gas.viscosity {
        Some(_) => format!("viscous {:.3e}", solver.viscous_step(&rates)),
        None => "no viscous one (inviscid gas)".to_owned(),
    };
    tracing::info!(
        "limits  acoustic {:.3e}, {viscous}: linear stability allows dt = {stable:.3e} at the start",
        solver.acoustic_step(&rates)
    );
    schemes::log(case, solver, &rates)?;
    let dt = chosen(stable);
    let to_end = case.run.end.map(|end| (end / dt).ceil() as u64);
    let count = to_end.into_iter().chain(case.run.steps).min().unwrap_or(0);
    let span = case.run.end.unwrap_or(f64::INFINITY).min(count as f64 * dt);
    let more = match shortened_steps(case, span) {
        0.0 => String::new(),
        stops => format!(", and up to {stops:.0} more where outputs shorten one"),
    };
    tracing::info!("steps   about {count} of dt = {dt:.3e}{more}");
    Ok(Steps { dt, count, span })
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
