//! Statistics on a GPU: the sums and the lists of slots, and the kernel that adds the present state. Nothing of it leaves the
//! device but where a checkpoint or a report asks for it.

use super::memory::Array;
use super::queue_trace::KERNELS;
use super::{CudaDevice, CudaError, Real};
use crate::device::contract::{Kernel, Stage};
use crate::device::statistics::Slots;
use crate::device::{Buffer, DeviceError};

/// What statistics keep.
pub(super) struct Statistics {
    slots: Slots,
    starts: Vec<usize>,
    sums: Array,
    factors: Array,
    lists: Array,
    /// Where the list of each place's cell begins.
    placed: Array,
}

impl Statistics {
    /// Size of its arrays.
    pub(super) fn bytes(&self) -> usize {
        let arrays = [&self.sums, &self.factors, &self.lists, &self.placed];
        arrays.map(Array::bytes).iter().sum()
    }
}

impl<R: Real> CudaDevice<R> {
    /// Sums of zero for these slots.
    pub(super) fn new_statistics(&mut self, slots: &Slots) -> Result<(), CudaError> {
        let starts = slots.starts(&self.plan);
        self.statistics = Some(Statistics {
            sums: Array::zeros(&self.gpu, starts.last().copied().unwrap_or(0) * 8)?,
            factors: Array::from_slice(&self.gpu, &slots.factors)?,
            lists: Array::from_slice(&self.gpu, &slots.lists)?,
            placed: Array::from_slice(&self.gpu, &slots.placed_lists(&self.plan))?,
            starts,
            slots: slots.clone(),
        });
        Ok(())
    }

    /// Adds the state at the start of the step.
    pub(super) fn add_sample(&mut self, weight: f64) -> Result<(), DeviceError> {
        self.join_frontier()?;
        let statistics = self.statistics.as_ref().ok_or(DeviceError::Lacking("statistics"))?;
        let mut params = self.params;
        params.u = self.buffer(Buffer::Start);
        params.sample_weight = weight;
        params.sum_factors = statistics.factors.pointer();
        params.sum_lists = statistics.lists.pointer();
        params.sum_quantities = statistics.slots.factors.len() as i64;
        self.noted(&self.gpu.compute, KERNELS, "statistics", || {
            for (g, (arrays, kernels)) in self.arrays.groups.iter().zip(&self.kernels).enumerate() {
                let (group, kernel) = (&self.plan.groups[g], kernels.get(Kernel::Statistics, Stage::RhsOnly));
                params.metrics = arrays.metrics.pointer();
                params.normals = arrays.normals.pointer();
                params.operators = arrays.operators.pointer();
                params.face_points = arrays.face_points.pointer();
                params.sums = statistics.sums.pointer::<f64>().wrapping_add(statistics.starts[g]);
                params.sum_list = statistics
                    .placed
                    .pointer::<i32>()
                    .wrapping_add(group.begin * self.plan.lanes);
                params.sum_slots = statistics.slots.slots[group.kind as usize] as i64;
                params.sum_members = statistics.slots.members[group.kind as usize] as i64;
                let params = params.of_blocks(&self.plan, g, 0);
                kernel.launch(
                    &self.gpu.compute,
                    (group.end - group.begin) / kernel.shape.cells,
                    &params,
                )?;
            }
            Ok::<_, CudaError>(())
        })?;
        Ok(())
    }

    /// The sums in mesh order.
    pub(super) fn gathered_statistics(&self) -> Result<Vec<f64>, DeviceError> {
        let Some(statistics) = &self.statistics else {
            return Ok(Vec::new());
        };
        self.join_frontier()?;
        let count = statistics.sums.bytes() / 8;
        let sums: Vec<f64> = self.staging.download(&self.gpu, &statistics.sums, count)?;
        Ok(statistics.slots.gather(&self.plan, &sums))
    }

    /// Puts sums in mesh order in place of those that are there.
    pub(super) fn scatter_statistics(&mut self, sums: &[f64]) -> Result<(), DeviceError> {
        let statistics = self.statistics.as_ref().ok_or(DeviceError::Lacking("statistics"))?;
        let placed = statistics.slots.scatter(&self.plan, sums);
        self.join_frontier()?;
        Ok(self.staging.upload(&self.gpu, &placed, &statistics.sums)?)
    }
}
