//! The cost of each time scheme: right-hand sides in a unit of time, at the share of the stable step that the case
//! takes. Of the paired scheme the mean over the points counts.

use serde::Serialize;

use crate::case::Case;
use crate::commands::word;
use crate::device::{DeviceError, TimeStepBounds};
use crate::io::{Precision, Quantity};
use crate::physics::{Riemann, Shock};
use crate::run::{StepLimit, TimeStep};
use crate::runge_kutta::TimeScheme;
use crate::solver::{Solver, stability_limits};

/// Share of the cost that another scheme must save to be named.
const WORTH: f64 = 0.1;

/// The share of the stable step with which an impulsive start is known to live without a filter: that of T106C on its
/// coarse mesh at p = 3, tried in steps of a tenth up to 0.9 (docs/explanation/robustness.md).
fn share_of_a_start(scheme: TimeScheme, riemann: Riemann) -> f64 {
    match (scheme, riemann) {
        (TimeScheme::Paired, Riemann::Rusanov) => 0.5,
        (TimeScheme::Paired, _) => 0.7,
        (TimeScheme::Lsrk10, Riemann::Hllc | Riemann::Rusanov) => 0.8,
        _ => 0.9,
    }
}

/// Warns of a step with which an impulsive start is not known to live.
fn warn_of_starts(case: &Case) {
    let (solver, TimeStep::Cfl(cfl)) = (&case.solver, case.run.step) else {
        return;
    };
    if solver.scheme.shock == Shock::None && case.run.limit == StepLimit::Operator {
        tracing::warn!(
            "time.limit: an abrupt start needs shorter steps than `operator` allows, and without a filter steps that \
             are too long are not taken back: take `scheme.shock: positivity`, or begin with `waves`"
        );
        return;
    }
    let share = share_of_a_start(solver.time_scheme, solver.scheme.riemann);
    if solver.scheme.shock == Shock::None && cfl > share {
        tracing::warn!(
            "time.cfl: {cfl} with `{}` and `{}` is more than the {share} with which an impulsive start of a blade is \
             known to live without a filter: begin with {share}, or take `scheme.shock: positivity`",
            word(solver.time_scheme),
            word(solver.scheme.riemann)
        );
    }
}

/// The cost of a time scheme.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct SchemeCost {
    scheme: String,
    stable_dt: Quantity,
    /// Right-hand sides in a unit of time.
    right_hand_sides: Quantity,
}

/// Logs the stable step and the cost of each scheme, returns them, and names the cheapest one where it saves much.
/// Collective.
pub(super) fn log(case: &Case, solver: &mut Solver, rates: &TimeStepBounds) -> Result<Vec<SchemeCost>, DeviceError> {
    warn_of_starts(case);
    let limits = stability_limits(&case.solver, TimeScheme::Paired);
    let (paired_rates, classes) = solver.bounds_if_paired(&limits)?;
    let paired = solver.level_shares(&classes);
    let (share, at) = match case.run.step {
        TimeStep::Cfl(cfl) => (cfl, format!("at cfl {cfl}")),
        TimeStep::Fixed(_) => (1.0, "at the limit of stability".to_owned()),
    };
    let cost_of = |scheme: TimeScheme| {
        let stable = solver.stable_step_of(scheme, &stability_limits(&case.solver, scheme), rates);
        (scheme, stable, scheme.stages() as f64 / (share * stable))
    };
    let mut costs = TimeScheme::SINGLE.map(cost_of).to_vec();
    let allowed = case.solver.scheme.shock != Shock::EntropyFilter && case.solver.wall_models().next().is_none();
    if allowed {
        let stable = solver.stable_step_of(TimeScheme::Paired, &limits, &paired_rates);
        costs.push((TimeScheme::Paired, stable, paired.evaluations() / (share * stable)));
    }
    let list = costs.iter();
    let list = list.map(|(scheme, stable, cost)| format!("{} {cost:.4e} (stable dt {stable:.3e})", word(*scheme)));
    let list: Vec<String> = list.collect();
    tracing::info!("schemes right-hand sides in a unit of time {at}: {}", list.join(", "));
    if allowed {
        tracing::info!("        paired: {}", paired.describe());
    }
    let own = costs.iter().find(|(scheme, ..)| *scheme == solver.time_scheme);
    let own = own.map_or(f64::INFINITY, |(.., cost)| *cost);
    let cheapest = costs.iter().min_by(|a, b| a.2.total_cmp(&b.2));
    if let Some((scheme, _, cost)) = cheapest
        && *cost < (1.0 - WORTH) * own
    {
        let saved = 100.0 * (1.0 - cost / own);
        let rounding = match (case.solver.precision, scheme) {
            (Precision::Single, TimeScheme::Lsrk14 | TimeScheme::Paired) => {
                ", but amplifies the rounding of single precision a hundred times"
            }
            _ => "",
        };
        tracing::info!(
            "        time.scheme: {} takes {saved:.0} % fewer right-hand sides{rounding}",
            word(*scheme)
        );
    }
    let cost = |(scheme, stable, cost): (TimeScheme, f64, f64)| SchemeCost {
        scheme: word(scheme),
        stable_dt: Quantity::new(stable, "s"),
        right_hand_sides: Quantity::new(cost, "1/s"),
    };
    Ok(costs.into_iter().map(cost).collect())
}
