//! The watch over the filter of the states: a line in the log when the share of cells that it changes has doubled or
//! halved, and a warning when it acts in a flow without shocks. `positivity` is not for shocks: where it acts often,
//! the run lives, but its result is that of the limiter, and cells that it leaves with little internal energy are
//! supersonic.

use super::backflow::{INTERVAL, notable};
use super::error::RunError;
use super::progress::Progress;
use super::settings::GUARD_INTERVAL;
use crate::physics::Shock;
use crate::solver::{Filtered, Solver};

/// Share of the cells above which a filter is out of place in a subsonic flow.
const MOST: f64 = 0.01;

/// What was logged last.
#[derive(Default)]
pub(super) struct FilterWatch {
    logged: f64,
    warned: bool,
}

impl FilterWatch {
    /// Logs which share of the cells the filter changes. Collective.
    pub fn look(&mut self, solver: &mut Solver, step: u64, progress: &Progress) -> Result<(), RunError> {
        // The first look comes early, when a start is filtered most.
        let looks = step.is_multiple_of(INTERVAL) || step == GUARD_INTERVAL;
        if !solver.filters() || !looks {
            return Ok(());
        }
        let filtered = solver.filtered()?;
        if notable(filtered.share, self.logged) {
            self.logged = filtered.share;
            progress.say(|| tracing::info!("{}", line(filtered)));
        }
        if filtered.share <= MOST || self.warned {
            return Ok(());
        }
        if solver.shock() == Shock::Positivity {
            self.warned = true;
            progress.say(|| {
                tracing::warn!(
                    "`scheme.shock: positivity` changes {:.1} % of the cells: the mesh does not resolve the flow \
                     there, the time step is too long or the start too abrupt, and the result is that of the limiter \
                     (docs/explanation/robustness.md)",
                    100.0 * filtered.share
                );
            });
            return Ok(());
        }
        if solver.largest_mach()? >= 1.0 {
            return Ok(());
        }
        self.warned = true;
        progress.say(|| {
            tracing::warn!(
                "`scheme.shock` changes {:.1} % of the cells, but the largest Mach number is below 1: unless shocks \
                 run through slow gas, the mesh does not resolve the flow there, or the start is too abrupt, and the \
                 filter dissipates (docs/reference/shocks.md)",
                100.0 * filtered.share
            );
        });
        Ok(())
    }
}

/// Returns the line of the log.
fn line(filtered: Filtered) -> String {
    format!(
        "filter: {:.2} % of the cells changed in the last step, {:.2} of the way to their means",
        100.0 * filtered.share,
        filtered.strength
    )
}
