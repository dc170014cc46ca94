//! Statistics on the CPU: the sums and the lists of slots, and the kernel that adds the present state.

use super::{Aligned, CpuDevice, DeviceError, Real};
use crate::device::contract::Kernel;
use crate::device::statistics::Slots;
use crate::device::{Buffer, Cells};

/// What statistics keep.
pub(super) struct Statistics {
    slots: Slots,
    /// Where the list of each place's cell begins.
    placed: Vec<i32>,
    starts: Vec<usize>,
    sums: Aligned<f64>,
}

impl Statistics {
    /// Size of its arrays.
    pub fn bytes(&self) -> usize {
        self.sums.bytes() + 4 * (self.placed.len() + self.slots.lists.len() + self.slots.list_of_cell.len())
    }
}

impl<R: Real> CpuDevice<R> {
    /// Sums of zero for these slots.
    pub(super) fn new_statistics(&mut self, slots: &Slots) {
        let starts = slots.starts(&self.plan);
        self.statistics = Some(Statistics {
            placed: slots.placed_lists(&self.plan),
            sums: Aligned::zeros(starts.last().copied().unwrap_or(0)),
            starts,
            slots: slots.clone(),
        });
    }

    /// Adds the state at the start of the step.
    pub(super) fn add_sample(&mut self, weight: f64) -> Result<(), DeviceError> {
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        let statistics = self.statistics.as_mut().ok_or(DeviceError::Lacking("statistics"))?;
        let sums = statistics.sums.as_mut_ptr();
        params.sample_weight = weight;
        params.sum_factors = statistics.slots.factors.as_ptr();
        params.sum_lists = statistics.slots.lists.as_ptr();
        params.sum_quantities = statistics.slots.factors.len() as i64;
        let (starts, placed) = (statistics.starts.clone(), statistics.placed.as_ptr());
        let (slots, members) = (statistics.slots.slots, statistics.slots.members);
        for (g, arrays) in self.groups.iter().enumerate() {
            let group = &self.plan.groups[g];
            let blocks = group.blocks(Cells::All);
            params.metrics = arrays.metrics.as_ptr();
            params.normals = arrays.normals.as_ptr();
            params.operators = arrays.operators.as_ptr();
            params.face_points = arrays.face_points.as_ptr();
            params.sums = sums.wrapping_add(starts[g]);
            params.sum_list = placed.wrapping_add(group.begin * self.plan.lanes);
            params.sum_slots = slots[group.kind as usize] as i64;
            params.sum_members = members[group.kind as usize] as i64;
            let params = params.of_blocks(&self.plan, g, blocks.start);
            self.run(arrays.kernels.get(Kernel::Statistics), params, 0..blocks.len());
        }
        Ok(())
    }

    /// The sums in mesh order.
    pub(super) fn gathered_statistics(&self) -> Vec<f64> {
        let of = |s: &Statistics| s.slots.gather(&self.plan, s.sums.as_slice());
        self.statistics.as_ref().map_or_else(Vec::new, of)
    }

    /// Puts sums in mesh order in place of those that are there.
    pub(super) fn scatter_statistics(&mut self, sums: &[f64]) -> Result<(), DeviceError> {
        let statistics = self.statistics.as_mut().ok_or(DeviceError::Lacking("statistics"))?;
        let placed = statistics.slots.scatter(&self.plan, sums);
        statistics.sums.as_mut_slice().copy_from_slice(&placed);
        Ok(())
    }
}
