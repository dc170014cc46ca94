//! One time step: the data that its stages need, and the stages one after the other.

use super::rhs::RightHandSide;
use super::stages;
use super::{Solver, StepError};
use crate::device::{Buffer, Device, DeviceError};

impl Solver {
    /// Advances the state by `dt` from `time`. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at the time of a stage, or the device fails.
    pub fn step(&mut self, time: f64, dt: f64) -> Result<(), StepError> {
        self.device.set_step(dt)?;
        let moments = self.moments(time, dt);
        self.inlets.begin_step(self.device.as_mut(), &moments)?;
        self.move_bars(&moments)?;
        if self.data_vary() {
            for number in 0..self.right_hand_side.stages.len() {
                let stage = self.right_hand_side.stages[number];
                self.set_data_at(moments[stage.moment.number()])?;
                self.right_hand_side.fluctuate(self.device.as_mut(), number)?;
                self.right_hand_side.evaluate(self.device.as_mut(), stage)?;
            }
        } else {
            let rhs = &mut self.right_hand_side;
            self.device.repeat(&mut |device| whole_step(rhs, device))?;
        }
        if self
            .right_hand_side
            .stages
            .last()
            .is_some_and(|stage| stage.output != Buffer::Start)
        {
            self.device.swap_states();
        }
        Ok(())
    }

    /// Returns the moments of a step that starts at `time`.
    pub(super) fn moments(&self, time: f64, dt: f64) -> Vec<f64> {
        stages::moments(self.time_scheme, time, dt)
    }
}

/// Runs all stages of a step whose data do not change in time, but for the turbulence of inlets.
pub(super) fn whole_step(rhs: &mut RightHandSide, device: &mut dyn Device) -> Result<(), DeviceError> {
    (0..rhs.stages.len()).try_for_each(|number| {
        rhs.fluctuate(device, number)?;
        rhs.evaluate(device, rhs.stages[number])
    })
}
