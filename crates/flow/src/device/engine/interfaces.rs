//! Interfaces on a device: how far the sides have moved past each other at the moments of a step.

use super::Engine;
use crate::device::DeviceError;
use crate::device::contract::INTERFACE_SHIFTS;
use crate::device::memory::Real;
use crate::device::store::{Memory, Store};

impl<S: Store, R: Real> Engine<S, R> {
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
