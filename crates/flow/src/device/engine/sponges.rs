//! Sponges on a device: rates, targets and averaging times of the blocks that have a cell in a sponge. They are
//! allocated when there are sponges, and kernels of runs without them have no code for them.

use super::Engine;
use crate::device::DeviceError;
use crate::device::memory::Real;
use crate::device::rounding::round_into;
use crate::device::store::{Memory, Store};

/// Where the values of cells in sponges lie.
#[derive(Default)]
pub struct Places {
    /// Offset of each block in the rates, -1 of a block without a cell in a sponge.
    offsets: Vec<i64>,
    /// Offset of each cell in the host's list of targets; `None` of a cell outside of all sponges.
    starts: Vec<Option<usize>>,
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Places the rates of the listed cells, in ascending order: for each cell its number, the rates of its points, and
    /// 1 over their averaging times. The targets are zero until they are set.
    pub(super) fn place_sponges(&mut self, list: &[f64]) -> Result<(), DeviceError> {
        let plan = &self.plan;
        let mut of_cell = vec![None; plan.slot_of_cell.len()];
        let (mut starts, mut end) = (vec![None; plan.slot_of_cell.len()], 0);
        let mut rest = list;
        while let Some((&number, values)) = rest.split_first() {
            let cell = number as usize;
            let points = plan.group(cell).points;
            let (own, others) = values.split_at(2 * points);
            of_cell[cell] = Some(own.split_at(points));
            starts[cell] = Some(end);
            end += 5 * points;
            rest = others;
        }
        let mut offsets = vec![-1i64; plan.blocks()];
        let mut rates = Vec::new();
        let mut means = Vec::new();
        for (block, group, cells) in plan.blocks_with(|cell| of_cell[cell].is_some()) {
            offsets[block] = rates.len() as i64;
            for p in 0..group.points {
                rates.extend(cells.iter().map(|&cell| of_cell[cell].map_or(0.0, |(rate, _)| rate[p])));
                means.extend(cells.iter().map(|&cell| of_cell[cell].map_or(0.0, |(_, mean)| mean[p])));
            }
        }
        let (store, arrays) = (&*self.store, &mut self.arrays);
        arrays.sponge_cells = store.zeros(size_of_val(offsets.as_slice()))?;
        store.write(&mut arrays.sponge_cells, &offsets)?;
        arrays.sponge_rate = store.zeros(rates.len() * size_of::<R>())?;
        round_into::<S, R>(store, &mut arrays.sponge_rate, &rates)?;
        arrays.sponge_target = store.zeros(5 * rates.len() * size_of::<f64>())?;
        arrays.sponge_mean = store.zeros(size_of_val(means.as_slice()))?;
        store.write(&mut arrays.sponge_mean, &means)?;
        self.recordings = [None, None];
        self.sponges = Places { offsets, starts };
        arrays.connect(&mut self.params);
        Ok(())
    }

    /// Sets the targets, `[listed cell][5][point]`.
    pub(super) fn set_sponge_targets(&mut self, values: &[f64]) -> Result<(), DeviceError> {
        let plan = &self.plan;
        let places = &self.sponges;
        let lanes = self.plan.lanes;
        let mut targets = Vec::with_capacity(self.arrays.sponge_target.bytes() / size_of::<f64>());
        for group in &plan.groups {
            for block in (group.begin..group.end).filter(|&block| places.offsets[block] >= 0) {
                let cells = &plan.cell_of_slot[block * lanes..(block + 1) * lanes];
                for i in 0..5 * group.points {
                    targets.extend(
                        cells
                            .iter()
                            .map(|&cell| places.starts[cell].map_or(0.0, |start| values[start + i])),
                    );
                }
            }
        }
        self.store.write(&mut self.arrays.sponge_target, &targets)
    }

    /// The targets, `[listed cell][5][point]`.
    pub(super) fn sponge_targets(&self) -> Result<Vec<f64>, DeviceError> {
        let (plan, lanes) = (&self.plan, self.plan.lanes);
        let all = 0..self.arrays.sponge_target.bytes() / size_of::<f64>();
        let targets = self.store.read::<f64>(&self.arrays.sponge_target, all)?;
        let mut values = Vec::new();
        for cell in (0..self.sponges.starts.len()).filter(|&cell| self.sponges.starts[cell].is_some()) {
            let slot = plan.slot_of_cell[cell];
            let first = 5 * self.sponges.offsets[slot / lanes] as usize + slot % lanes;
            values.extend((0..5 * plan.group(cell).points).map(|i| targets[first + i * lanes]));
        }
        Ok(values)
    }
}
