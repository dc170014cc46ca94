//! Warnings of bars that leave the mesh, of which the gas feels a part only, and of bars that are faster than sound.

use crate::format::number;
use crate::solver::Solver;

/// Warns of each row with a bar that leaves the mesh during the time `span`, or that is faster than the smallest speed
/// of sound, `sound`. Collective.
pub fn warn(solver: &Solver, span: f64, sound: f64) {
    for bars in solver.bars() {
        if bars.row.speed.abs() >= sound {
            tracing::warn!(
                "bars.{}.speed: the bars move at {} times the speed of sound, for which they are not verified",
                bars.row.name,
                number(bars.row.speed.abs() / sound)
            );
        }
        if let Some([x, y]) = bars.outside(&solver.domain, span) {
            tracing::warn!(
                "bars.{}: a part of a bar lies in no cell of the mesh, for example at x = {}, y = {}, which is outside \
                 or inside a solid body: its force acts on the gas in cells only",
                bars.row.name,
                number(x),
                number(y)
            );
        }
    }
}
