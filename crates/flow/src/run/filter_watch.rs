//! The watch over the filter of the states: a line in the log when the share of cells that it changes has doubled or
//! halved, and a warning when it acts in a flow without shocks. `positivity` is not for shocks: where it acts often,
//! the run lives, but its result is that of the limiter, and cells that it leaves with little internal energy are
//! supersonic.

use super::backflow::{INTERVAL, notable};
use super::error::RunError;
use super::progress::Progress;
use super::settings::GUARD_INTERVAL;
use crate::physics::Shock;
use crate::solver::{Filtered, Notes, Solver};

/// Share of the cells above which a filter is out of place in a subsonic flow.
const MOST: f64 = 0.01;

/// Share of the cells and stages between two looks above which the result is that of the limiter of positive states.
/// In docs/explanation/robustness.md it is 1e-8 where the limiter saves a turbine blade, 1e-5 to 5e-4 where it saves a
/// shear layer beside the correction of the entropy, and 4e-4 to 0.02 where it does so alone, with Mach numbers of
/// hundreds to thousands.
const MOST_STAGES: f64 = 1e-3;

/// What was logged last, and what the filter did since.
#[derive(Default)]
pub(super) struct FilterWatch {
    logged: f64,
    warned: bool,
    /// Changes of cells in a stage since the last look at all.
    changes: u64,
    /// Cells times stages since then.
    stages: f64,
}

impl FilterWatch {
    /// Adds what the filter did in some steps of so many stages.
    pub fn add(&mut self, notes: &Notes, stages: usize) {
        self.changes += notes.acts.changes;
        self.stages += notes.cell_stages(stages);
    }

    /// Logs which share of the cells the filter changes. Collective.
    pub fn look(&mut self, solver: &mut Solver, step: u64, progress: &Progress) -> Result<(), RunError> {
        if solver.shock() == Shock::Positivity {
            self.warn_of_limiter(progress);
        }
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
        if filtered.share <= MOST || self.warned || solver.shock() == Shock::Positivity {
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

impl FilterWatch {
    /// Warns once where the limiter of positive states acts often, and begins to count anew.
    fn warn_of_limiter(&mut self, progress: &Progress) {
        let share = self.changes as f64 / self.stages.max(1.0);
        (self.changes, self.stages) = (0, 0.0);
        if share <= MOST_STAGES || self.warned {
            return;
        }
        self.warned = true;
        progress.say(|| {
            tracing::warn!(
                "`scheme.shock: positivity` changes {:.2} % of the cells in each stage: the mesh does not resolve the \
                 flow there, the time step is too long or the start too abrupt, and the result is that of the limiter \
                 (docs/explanation/robustness.md). `scheme.entropy-correction: cells` makes it rarer on tetrahedra and \
                 pyramids",
                100.0 * share
            );
        });
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
