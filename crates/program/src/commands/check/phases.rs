//! Warnings of means at phases whose period is not that of the bars, or whose bins are shorter than the time between
//! two samples.

use super::steps::Steps;
use crate::case::Case;
use crate::format::number;
use crate::input::Every;
use crate::output::Phases;
use crate::solver::Solver;

/// Share of the passing period by which a multiple of it may be missed.
const SLACK: f64 = 1e-3;

/// Warns of each output that takes means at phases which do not fit.
pub fn warn(case: &Case, solver: &Solver, steps: &Steps) {
    for request in &case.output.requests {
        let Some(phases) = request.phases() else { continue };
        let label = request.label();
        let interval = match request.every() {
            Every::Time(period) => period,
            Every::Steps(count) => count as f64 * steps.dt.value,
        };
        let bin = phases.period / phases.bins as f64;
        if interval > bin {
            tracing::warn!(
                "output {label}: a sample is taken each {}, and a bin of `phase` is {} long: bins have few samples or \
                 none; fewer `bins` or more samples help",
                number(interval),
                number(bin)
            );
        }
        if let Some(passing) = unfit(phases, solver) {
            tracing::warn!(
                "output {label}: `phase.period` is {}, and bars pass every {}: means at phases need a multiple of the \
                 passing period",
                number(phases.period),
                number(passing)
            );
        }
    }
}

/// Returns the passing period of the first moving row, if the period of the phases is a multiple of that of no row.
fn unfit(phases: Phases, solver: &Solver) -> Option<f64> {
    let rows = solver.bars().iter();
    let frequencies = rows.map(|bars| bars.row.passing_frequency(bars.spacing));
    let moving: Vec<f64> = frequencies.filter(|frequency| *frequency > 0.0).collect();
    let fits = |frequency: &f64| {
        let passings = phases.period * frequency;
        passings.round() >= 1.0 && (passings - passings.round()).abs() <= SLACK
    };
    if moving.iter().any(fits) {
        None
    } else {
        moving.first().map(|frequency| 1.0 / frequency)
    }
}
