//! Bounds on the time step: the kernel leaves those of each cell, and the largest of the cells of each level and kind,
//! so that the host reads a few numbers where a run asks for them every few steps.

use super::{CellLaunch, Engine};
use crate::device::contract::{LEVELS, Params, Stage, TIME_STEP_BOUNDS};
use crate::device::memory::Real;
use crate::device::store::Store;
use crate::device::{Cells, Classes, DeviceError, Launch};
use crate::element::ElementKind;

impl<S: Store, R: Real> Engine<S, R> {
    /// Computes the bounds of all cells, level by level where the paired scheme has sorted them.
    pub(super) fn bound_steps(&mut self, launch: Launch) -> Result<(), DeviceError> {
        self.store.clear(&mut self.arrays.largest_bounds)?;
        let of_level = |level: usize, cells: Cells, classes: Classes| {
            let set = |group: usize, params: &mut Params<R>| {
                let row = level * ElementKind::ALL.len() + self.plan.groups[group].kind as usize;
                params.largest_bounds = params.largest_bounds.wrapping_add(TIME_STEP_BOUNDS * row);
            };
            let over = CellLaunch {
                kernel: launch.kernel,
                stage: Stage::RhsOnly,
                input: launch.input,
                classes,
                set: &set,
            };
            self.over_cells("diagnostics", cells, &[over])
        };
        if self.plan.classes.is_empty() {
            return of_level(0, Cells::All, Classes::ALL);
        }
        (0..LEVELS).try_for_each(|level| {
            let classes = Classes::of_levels(level..level + 1);
            of_level(level, Cells::Interior, classes)?;
            of_level(level, Cells::Frontier, classes)
        })
    }
}
