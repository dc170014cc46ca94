//! The rotating frames of the cells on a device.

use super::Engine;
use crate::device::DeviceError;
use crate::device::layout::scatter;
use crate::device::memory::Real;
use crate::device::rounding::round_into;
use crate::device::store::Store;

impl<S: Store, R: Real> Engine<S, R> {
    /// Sets the velocities of the frames at the points, `[cell][3][point]`.
    pub(super) fn set_frame_velocity(&mut self, values: &[f64]) -> Result<(), DeviceError> {
        let (plan, array) = (&self.plan, &mut self.arrays.frame_velocity);
        let len = plan.state_len() / 5 * 3;
        self.store.fill::<R>(array, len, |to| scatter(plan, values, 3, to))
    }

    /// Sets the angular speeds of the frames of the cells.
    pub(super) fn set_frame_speed(&mut self, values: &[f64]) -> Result<(), DeviceError> {
        let of_slots: Vec<f64> = self.plan.cell_of_slot.iter().map(|&cell| values[cell]).collect();
        round_into::<S, R>(&*self.store, &mut self.arrays.frame_speed, &of_slots)
    }
}
