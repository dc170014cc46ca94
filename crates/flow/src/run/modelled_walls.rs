//! The watch over modelled walls: a line in the log with y+ of the matching points of each, when it has changed
//! notably.
//!
//! It looks at step numbers that are far apart, as the watch over inlets and outlets does, and does not change the
//! flow.

use std::collections::BTreeMap;

use super::error::RunError;
use super::progress::Progress;
use super::settings::GUARD_INTERVAL;
use crate::output::{MatchingRange, matching_ranges};
use crate::solver::Solver;

/// Steps between two looks.
const INTERVAL: u64 = 100 * GUARD_INTERVAL;
/// Ratio of the mean y+ to the one logged last, or of that to the mean, from which it is logged again.
const NOTABLE: f64 = 1.2;

/// The mean y+ of the matching points of each modelled wall that was logged last.
#[derive(Default)]
pub(super) struct ModelledWalls {
    logged: BTreeMap<usize, f64>,
}

impl ModelledWalls {
    /// Returns whether there are modelled walls to look at after a step.
    pub fn are_due(solver: &Solver, step: u64) -> bool {
        let mut conditions = solver.boundaries.iter();
        step > 0 && step.is_multiple_of(INTERVAL) && conditions.any(|condition| condition.kind().is_modelled())
    }

    /// Logs y+ of the matching points of each modelled wall, if its mean has changed notably. The device holds the
    /// right-hand side of the present state. Collective.
    pub fn look(&mut self, solver: &mut Solver, progress: &Progress) -> Result<(), RunError> {
        for range in matching_ranges(solver)? {
            let mean = range.y_plus[1];
            let logged = self.logged.entry(range.boundary).or_insert(0.0);
            if (*logged / NOTABLE..=*logged * NOTABLE).contains(&mean) {
                continue;
            }
            *logged = mean;
            let name = &solver.mesh.boundary_names[range.boundary];
            progress.say(|| tracing::info!("{}", line(name, &range)));
        }
        Ok(())
    }
}

/// Returns the line of the log about a wall.
fn line(name: &str, range: &MatchingRange) -> String {
    let [least, mean, most] = range.y_plus;
    format!("wall model: y+ of the matching points of {name} is {least:.0} to {most:.0}, {mean:.0} in the mean")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_wall_and_the_range() {
        let range = MatchingRange {
            boundary: 0,
            points: 4,
            height: [0.1, 0.1],
            y_plus: [80.4, 100.0, 121.0],
        };
        let text = "wall model: y+ of the matching points of y- is 80 to 121, 100 in the mean";
        assert_eq!(line("y-", &range), text);
    }
}
