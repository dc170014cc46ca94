//! Interfaces on a device: how far the sides have moved past each other at the moments of a step.

use super::Engine;
use crate::device::contract::{INTERFACE_SHIFTS, Kernel, Stage};
use crate::device::memory::Real;
use crate::device::store::{Memory, Store};
use crate::device::{Cells, DeviceError, Launch};

impl<S: Store, R: Real> Engine<S, R> {
    /// Launches the kernel over the Gauss points of interfaces and mortars that a launch over boundary faces rests on,
    /// if any.
    pub(super) fn at_interfaces(&self, launch: Launch) -> Result<(), DeviceError> {
        let kernel = match launch.kernel {
            Kernel::GhostStates => Kernel::InterfaceStates,
            Kernel::GhostTraces => Kernel::InterfaceTraces,
            _ => return Ok(()),
        };
        let count = (self.params.interface_items + self.params.mortar_items) as usize;
        if count == 0 {
            return Ok(());
        }
        let mut params = self.params;
        params.u = self.buffer(launch.input);
        launch.moment.set(&mut params);
        self.store.submit(Cells::All, "interfaces", |queue| {
            let kernel = self.kernels[0].get(kernel, Stage::RhsOnly);
            // SAFETY: the parameters lead to the arrays of this run, which have room for so many items; a kernel writes
            // only the values of its own ones.
            unsafe { self.store.launch(queue, kernel, 0..count, &params) }
        })
    }

    /// Sets the displacements of all interfaces at the moments of the step.
    pub(super) fn set_interface_shifts(&mut self, shifts: &[f64]) -> Result<(), DeviceError> {
        let bytes = size_of_val(shifts);
        assert!(
            shifts
                .len()
                .is_multiple_of(INTERFACE_SHIFTS * self.params.interfaces as usize),
            "all interfaces at each moment"
        );
        if self.arrays.interface_shift.bytes() != bytes {
            self.arrays.interface_shift = self.store.zeros(bytes)?;
            self.recordings = [None, None];
            self.arrays.connect(&mut self.params);
        }
        self.store.set(&mut self.arrays.interface_shift, shifts)
    }
}
