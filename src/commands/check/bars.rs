//! Warnings of bars that leave the mesh, of which the gas feels a part only.

use crate::format::number;
use crate::solver::Solver;

/// Warns of each row with a bar that leaves the mesh during the time `span`. Collective.
pub fn warn(solver: &Solver, span: f64) {
    for (number_of_row, bars) in solver.bars().iter().enumerate() {
        if let Some([x, y]) = solver.bar_outside(number_of_row, span) {
            tracing::warn!(
                "bars.{}: a part of a bar lies outside the mesh, for example at x = {}, y = {}: its force acts on the \
                 gas inside only",
                bars.row.name,
                number(x),
                number(y)
            );
        }
    }
}
