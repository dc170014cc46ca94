//! Bounds on the time step over the whole mesh, from the values that a kernel leaves for each cell.

use super::contract::{LEVELS, TIME_STEP_BOUNDS};
use super::{Classes, Plan};
use crate::element::ElementKind;
use crate::runge_kutta::paired::MEMBERS;

/// Kinds of cells.
const KINDS: usize = ElementKind::ALL.len();

/// Values of [`Field::LargestBounds`](super::Field::LargestBounds).
pub(super) const LARGEST_BOUNDS: usize = LEVELS * KINDS * TIME_STEP_BOUNDS;

/// How much a smaller neighbour raises the viscous rate of a cell at most: its penalty is that of a cell of its own
/// size. On graded lines the scheme is stable up to 0.6 of what the rates of the cells themselves allow
/// (scripts/time-schemes).
const BESIDE_SMALLER_CELLS: f64 = 2.0;

/// Bounds on the time step and health of the state, over the whole mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeStepBounds {
    /// Largest half sum over the faces of (|v.A| + c |A|)/J, A their area vectors, by kind of cell.
    pub convective: [f64; KINDS],
    /// Largest nu half sum of |A|^2/J^2 over the faces, by kind of cell.
    pub viscous: [f64; KINDS],
    /// The same of the paired scheme, in which the rate of a cell is multiplied by what the first member reaches over
    /// what that of its level does; the same in other schemes.
    pub paired_convective: [f64; KINDS],
    /// The same of the viscous rates.
    pub paired_viscous: [f64; KINDS],
    /// First cell in mesh order with a density or temperature that is not a positive number.
    pub unphysical: Option<usize>,
}

impl TimeStepBounds {
    /// No cells.
    const NONE: TimeStepBounds = TimeStepBounds {
        convective: [0.0; KINDS],
        viscous: [0.0; KINDS],
        paired_convective: [0.0; KINDS],
        paired_viscous: [0.0; KINDS],
        unphysical: None,
    };

    /// Combines `[cell][convective, viscous, unphysical]` of all cells in mesh order. `classes` are those of the cells
    /// in the paired scheme; empty in others.
    pub(super) fn of_cells(plan: &Plan, classes: &[u8], cells: &[f64]) -> Self {
        let mut rates = Self::NONE;
        for (cell, c) in cells.chunks(TIME_STEP_BOUNDS).enumerate() {
            let level = classes.get(cell).map_or(0, |&class| Classes::level(class));
            rates.add(plan.group(cell).kind as usize, level, c);
            if rates.unphysical.is_none() && is_unphysical(c) {
                rates.unphysical = Some(cell);
            }
        }
        rates
    }

    /// Combines [`Field::LargestBounds`](super::Field::LargestBounds); `None` where a cell is unphysical.
    pub(super) fn of_largest(largest: &[f64]) -> Option<Self> {
        let mut rates = Self::NONE;
        for (row, values) in largest.chunks(TIME_STEP_BOUNDS).enumerate() {
            if is_unphysical(values) {
                return None;
            }
            rates.add(row % KINDS, row / KINDS, values);
        }
        Some(rates)
    }

    /// Raises the bounds to those of a cell, or the largest of several, of a kind and of a level of the paired scheme.
    fn add(&mut self, kind: usize, level: usize, values: &[f64]) {
        let factor = MEMBERS[0].reach / MEMBERS[level].reach;
        let beside = if level == 0 { 1.0 } else { BESIDE_SMALLER_CELLS * factor };
        let raise = |most: &mut [f64; KINDS], value: f64| most[kind] = most[kind].max(value);
        raise(&mut self.convective, values[0]);
        raise(&mut self.viscous, values[1]);
        raise(&mut self.paired_convective, factor * values[0]);
        raise(&mut self.paired_viscous, beside * values[1]);
    }

    /// Returns the largest convective rate of any cell.
    pub fn largest_convective(&self) -> f64 {
        self.convective.iter().copied().fold(0.0, f64::max)
    }
}

/// Whether a cell is unphysical that has these values, or one of several of which these are the largest.
fn is_unphysical(values: &[f64]) -> bool {
    values[2] != 0.0 || !values[0].is_finite() || !values[1].is_finite()
}
