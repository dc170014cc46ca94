//! Bounds on the time step over the whole mesh, from the values that a kernel leaves for each cell.

use super::contract::TIME_STEP_BOUNDS;
use super::{Classes, Plan};
use crate::runge_kutta::paired::MEMBERS;

/// How much a smaller neighbour raises the viscous rate of a cell at most: its penalty is that of a cell of its own
/// size. On graded lines the scheme is stable up to 0.6 of what the rates of the cells themselves allow
/// (scripts/time-schemes).
const BESIDE_SMALLER_CELLS: f64 = 2.0;

/// Bounds on the time step and health of the state, over the whole mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeStepBounds {
    /// Largest half sum over the faces of (|v.A| + c |A|)/J, A their area vectors, by kind of cell.
    pub convective: [f64; 4],
    /// Largest nu half sum of |A|^2/J^2 over the faces, by kind of cell.
    pub viscous: [f64; 4],
    /// The same of the paired scheme, in which the rate of a cell is multiplied by what the first member reaches over
    /// what that of its level does; the same in other schemes.
    pub paired_convective: [f64; 4],
    /// The same of the viscous rates.
    pub paired_viscous: [f64; 4],
    /// First cell in mesh order with a density or temperature that is not a positive number.
    pub unphysical: Option<usize>,
}

impl TimeStepBounds {
    /// Combines `[cell][convective, viscous, unphysical]` of all cells in mesh order. `classes` are those of the cells
    /// in the paired scheme; empty in others.
    pub(super) fn of_cells(plan: &Plan, classes: &[u8], cells: &[f64]) -> Self {
        let mut rates = TimeStepBounds {
            convective: [0.0; 4],
            viscous: [0.0; 4],
            paired_convective: [0.0; 4],
            paired_viscous: [0.0; 4],
            unphysical: None,
        };
        for (cell, c) in cells.chunks(TIME_STEP_BOUNDS).enumerate() {
            let kind = plan.group(cell).kind as usize;
            rates.convective[kind] = rates.convective[kind].max(c[0]);
            rates.viscous[kind] = rates.viscous[kind].max(c[1]);
            let level = classes.get(cell).map_or(0, |&class| Classes::level(class));
            let factor = MEMBERS[0].reach / MEMBERS[level].reach;
            let viscous = if level == 0 { 1.0 } else { BESIDE_SMALLER_CELLS * factor };
            rates.paired_convective[kind] = rates.paired_convective[kind].max(factor * c[0]);
            rates.paired_viscous[kind] = rates.paired_viscous[kind].max(viscous * c[1]);
            if rates.unphysical.is_none() && (c[2] != 0.0 || !c[0].is_finite() || !c[1].is_finite()) {
                rates.unphysical = Some(cell);
            }
        }
        rates
    }

    /// Returns the largest convective rate of any cell.
    pub fn largest_convective(&self) -> f64 {
        self.convective.iter().copied().fold(0.0, f64::max)
    }
}
