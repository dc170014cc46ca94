//! The classical four-stage Runge-Kutta scheme.

use super::rhs::{RightHandSide, Stage};
use super::{Solver, StepError};
use crate::device::{Buffer, Device, DeviceError, Moment, StageUpdate};

/// Returns the four stages:
///
/// ```text
/// k_m = R(U_n + a_m dt k_{m-1})
/// U_{n+1} = U_n + dt (k_1 + 2 k_2 + 2 k_3 + k_4)/6
/// ```
fn stages() -> [Stage; 4] {
    use Buffer::{A, B, Start};
    use StageUpdate::{First, Last, Middle};
    let (third, sixth) = (1.0 / 3.0, 1.0 / 6.0);
    let first = First {
        fraction: 0.5,
        weight: sixth,
    };
    let second = Middle {
        fraction: 0.5,
        weight: third,
    };
    let third = Middle {
        fraction: 1.0,
        weight: third,
    };
    let stage = |input, output, update, moment| Stage {
        input,
        output,
        update,
        moment,
    };
    [
        stage(Start, A, first, Moment::Begin),
        stage(A, B, second, Moment::Middle),
        stage(B, A, third, Moment::Middle),
        stage(A, B, Last { weight: sixth }, Moment::End),
    ]
}

impl Solver {
    /// Advances the state by `dt` from `time`. Collective.
    ///
    /// # Errors
    /// A boundary value is not valid at the time of a stage, or the device fails.
    pub fn step(&mut self, time: f64, dt: f64) -> Result<(), StepError> {
        self.device.set_step(dt)?;
        let moments = Moment::times(time, dt);
        self.inlets.begin_step(self.device.as_mut(), moments)?;
        self.move_bars(moments)?;
        if self.data_vary() {
            for (number, stage) in stages().into_iter().enumerate() {
                self.set_data_at(moments[stage.moment as usize])?;
                self.right_hand_side.fluctuate(self.device.as_mut(), number)?;
                self.right_hand_side.evaluate(self.device.as_mut(), stage)?;
            }
            return Ok(());
        }
        let rhs = &mut self.right_hand_side;
        Ok(self.device.repeat(&mut |device| whole_step(rhs, device))?)
    }
}

/// Runs all stages of a step whose data do not change in time, but for the turbulence of inlets.
pub(super) fn whole_step(rhs: &mut RightHandSide, device: &mut dyn Device) -> Result<(), DeviceError> {
    stages().into_iter().enumerate().try_for_each(|(number, stage)| {
        rhs.fluctuate(device, number)?;
        rhs.evaluate(device, stage)
    })
}
