//! Classical four-stage Runge-Kutta.

use super::{Solver, StepError, Terms};
use crate::device::{Buffer, Device, DeviceError, StageUpdate};
use crate::halo::Exchange;

/// One stage: input, output, what becomes of its right-hand side, and the share of the step at which it stands.
type Stage = (Buffer, Buffer, StageUpdate, f64);

/// k_m = R(U_n + a_m dt k_{m-1}), U_{n+1} = U_n + dt (k_1 + 2 k_2 + 2 k_3 + k_4)/6.
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
    [
        (Start, A, first, 0.0),
        (A, B, second, 0.5),
        (B, A, third, 0.5),
        (A, B, Last { weight: sixth }, 1.0),
    ]
}

impl Solver {
    /// Advances the state by `dt` from `time`.
    pub fn step(&mut self, time: f64, dt: f64) -> Result<(), StepError> {
        self.device.set_step(dt)?;
        if self.boundaries_vary || self.source_varies() {
            // The host prepares data for every stage.
            for (input, output, update, share) in stages() {
                self.set_data_at(time + share * dt)?;
                self.terms
                    .right_hand_side(self.device.as_mut(), &mut self.exchange, input, output, update)?;
            }
            return Ok(());
        }
        let (terms, exchange) = (self.terms, &mut self.exchange);
        Ok(self.device.repeat(&mut |device| whole_step(terms, exchange, device))?)
    }
}

/// All stages of a step whose data do not change meanwhile.
pub(super) fn whole_step(
    terms: Terms,
    exchange: &mut Option<Exchange>,
    device: &mut dyn Device,
) -> Result<(), DeviceError> {
    for (input, output, update, _) in stages() {
        terms.right_hand_side(device, exchange, input, output, update)?;
    }
    Ok(())
}
