//! States at the matching points of modelled walls.

use super::Engine;
use crate::device::contract::{Kernel, Stage};
use crate::device::memory::Real;
use crate::device::store::Store;
use crate::device::{Buffer, Cells, DeviceError};

impl<S: Store, R: Real> Engine<S, R> {
    /// Launches a kernel over the matching points in cells of this rank. Packing comes after it if other ranks need
    /// their states.
    pub(super) fn over_matching_points(&self, kernel: Kernel, input: Buffer) -> Result<(), DeviceError> {
        let count = self.plan.matching.rows.len();
        let mut params = self.params;
        params.u = self.buffer(input);
        params.boundary_count = count as i64;
        self.store.submit(Cells::All, "matching points", |queue| {
            let kernel = self.kernels[0].get(kernel, Stage::RhsOnly);
            // SAFETY: the parameters lead to the arrays of this run; each item writes the state of its own point.
            unsafe { self.store.launch(queue, kernel, 0..count, &params) }
        })?;
        if self.plan.matching.sends {
            self.store.submit(Cells::Frontier, "matching points", |_| Ok(()))
        } else {
            Ok(())
        }
    }
}
