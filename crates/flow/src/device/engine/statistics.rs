//! Statistics: the sums and the lists of slots in a store, and the kernels that add the present state. Nothing of it
//! leaves the device unless a checkpoint or a report asks for it.

use std::ops::Range;

use super::{CellLaunch, Engine};
use crate::device::contract::{Kernel, Params, Stage};
use crate::device::memory::Real;
use crate::device::statistics::Slots;
use crate::device::store::{Memory, Store};
use crate::device::{Buffer, Cells, Classes, DeviceError, Launch};

/// Arrays of the statistics.
pub struct Statistics<S: Store> {
    slots: Slots,
    /// Where the sums of each group begin, and the end of the last.
    starts: Vec<usize>,
    sums: S::Array,
    factors: S::Array,
    lists: S::Array,
    /// Where the list of each cell begins, in the order of the device.
    list_of_cell: S::Array,
}

impl<S: Store> Statistics<S> {
    /// Memory of the arrays.
    pub fn bytes(&self) -> usize {
        let arrays = [&self.sums, &self.factors, &self.lists, &self.list_of_cell];
        arrays.map(Memory::bytes).iter().sum()
    }
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Sets the sums for these slots to zero.
    ///
    /// # Errors
    /// The device fails.
    pub fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError> {
        let store = &*self.store;
        let list = |values: &[i32]| -> Result<S::Array, DeviceError> {
            let mut array = store.zeros(size_of_val(values))?;
            store.write(&mut array, values)?;
            Ok(array)
        };
        let starts = slots.group_offsets(&self.plan);
        self.statistics = Some(Statistics {
            sums: store.zeros(starts.last().copied().unwrap_or(0) * size_of::<f64>())?,
            factors: list(&slots.factors)?,
            lists: list(&slots.lists)?,
            list_of_cell: list(&slots.lists_in_device_order(&self.plan))?,
            starts,
            slots: slots.clone(),
        });
        Ok(())
    }

    /// Adds the state at the start of the step. Quantities of strain need its right-hand side on the device.
    ///
    /// # Errors
    /// The device fails, or there are no statistics.
    pub fn add_to_statistics(&self, weight: f64) -> Result<(), DeviceError> {
        let statistics = self.statistics.as_ref().ok_or(DeviceError::Lacking("statistics"))?;
        let kernels = [Kernel::Statistics, Kernel::StrainStatistics, Kernel::ScalarStatistics];
        for (kernel, quantities) in kernels.into_iter().zip(statistics.slots.quantities()) {
            if !quantities.is_empty() {
                self.add_quantities(statistics, kernel, quantities, weight)?;
            }
        }
        Ok(())
    }

    /// Adds some of the quantities by the kernel that has their factors.
    fn add_quantities(
        &self,
        statistics: &Statistics<S>,
        kernel: Kernel,
        quantities: Range<usize>,
        weight: f64,
    ) -> Result<(), DeviceError> {
        let slots = &statistics.slots;
        let set = |g: usize, p: &mut Params<R>| {
            let group = &self.plan.groups[g];
            let of_cell = slots.slots[group.kind as usize];
            let before = quantities.start * of_cell * self.plan.lanes;
            self.see_scalars(Launch::new(kernel).of(Buffer::Start), p);
            p.sample_weight = weight;
            p.sum_factors = statistics.factors.pointer::<i32>().wrapping_add(quantities.start);
            p.sum_lists = statistics.lists.pointer();
            p.sum_quantities = quantities.len() as i64;
            p.sums_of_cell = slots.sums_of(group.kind) as i64;
            p.sums = statistics
                .sums
                .pointer::<f64>()
                .wrapping_add(statistics.starts[g] + before);
            let lists = statistics.list_of_cell.pointer::<i32>();
            p.sum_list = lists.wrapping_add(group.begin * self.plan.lanes);
            p.sum_slots = of_cell as i64;
            p.sum_members = slots.members[group.kind as usize] as i64;
        };
        let over = CellLaunch {
            kernel,
            stage: Stage::RhsOnly,
            input: Buffer::Start,
            classes: Classes::ALL,
            set: &set,
        };
        self.over_cells("statistics", Cells::All, &[over])
    }

    /// The sums in mesh order; empty without statistics.
    pub(super) fn gathered_statistics(&self) -> Result<Vec<f64>, DeviceError> {
        let Some(statistics) = &self.statistics else {
            return Ok(Vec::new());
        };
        let all = 0..statistics.sums.bytes() / size_of::<f64>();
        let sums = self.store.read::<f64>(&statistics.sums, all)?;
        Ok(statistics.slots.gather(&self.plan, &sums))
    }

    /// Replaces the sums by others in mesh order.
    pub(super) fn scatter_statistics(&mut self, sums: &[f64]) -> Result<(), DeviceError> {
        let statistics = self.statistics.as_mut().ok_or(DeviceError::Lacking("statistics"))?;
        self.store
            .write(&mut statistics.sums, &statistics.slots.scatter(&self.plan, sums))
    }
}
