//! Bars on a device: their numbers, and the positions of the points that they may meet. Both are allocated when there
//! are bars, and kernels of runs without them have no code for them.

use super::Engine;
use crate::device::DeviceError;
use crate::device::contract::BarNumbers;
use crate::device::memory::Real;
use crate::device::rounding::round_into;
use crate::device::store::{Memory, Store};

/// Position of the cells beside those that bars may meet in one block: no bar comes there.
const FAR: f64 = 1e15;

impl<S: Store, R: Real> Engine<S, R> {
    /// Sets the numbers of all rows at the moments of the step.
    pub(super) fn set_bars(&mut self, numbers: &[f64]) -> Result<(), DeviceError> {
        let bytes = size_of_val(numbers);
        let row = self.params.bars as usize * size_of::<BarNumbers>();
        assert!(bytes.is_multiple_of(row), "all rows at each moment");
        if self.arrays.bar_rows.bytes() != bytes {
            self.arrays.bar_rows = self.store.zeros(bytes)?;
            self.recordings = [None, None];
            self.arrays.connect(&mut self.params);
        }
        self.store.set(&mut self.arrays.bar_rows, numbers)
    }

    /// Places the positions of the points of the listed cells: for each cell its number, x of its points, and y.
    pub(super) fn place_bars(&mut self, list: &[f64]) -> Result<(), DeviceError> {
        let plan = &self.plan;
        let mut at_of_cell = vec![None; plan.slot_of_cell.len()];
        let mut rest = list;
        while let Some((&number, positions)) = rest.split_first() {
            let cell = number as usize;
            let (own, others) = positions.split_at(2 * plan.group(cell).points);
            at_of_cell[cell] = Some(own);
            rest = others;
        }
        let (mut offsets, mut points) = (vec![-1i64; plan.blocks()], Vec::new());
        for (block, group, cells) in plan.blocks_with(|cell| at_of_cell[cell].is_some()) {
            offsets[block] = points.len() as i64;
            for value in 0..2 * group.points {
                points.extend(cells.iter().map(|&cell| at_of_cell[cell].map_or(FAR, |own| own[value])));
            }
        }
        let arrays = &mut self.arrays;
        arrays.bar_cells = self.store.zeros(size_of_val(offsets.as_slice()))?;
        self.store.write(&mut arrays.bar_cells, &offsets)?;
        arrays.bar_points = self.store.zeros(points.len() * size_of::<R>())?;
        round_into::<S, R>(&*self.store, &mut arrays.bar_points, &points)?;
        self.recordings = [None, None];
        arrays.connect(&mut self.params);
        Ok(())
    }
}
