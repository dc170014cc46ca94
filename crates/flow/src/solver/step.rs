//! One time step: the data that its stages need, and the stages one after the other.

use super::StepError;
use super::domain::Domain;
use super::participant::Participants;
use super::rhs::RightHandSide;
use crate::device::{Buffer, Device, DeviceError};

/// Advances the state by `dt`, in a step whose stages are at these moments. Collective.
///
/// # Errors
/// A boundary value is not valid at the time of a stage, or the device fails.
pub fn step(
    domain: &Domain,
    rhs: &mut RightHandSide,
    participants: &mut Participants,
    device: &mut dyn Device,
    dt: f64,
    moments: &[f64],
) -> Result<(), StepError> {
    device.set_step(dt)?;
    participants.begin_step(device, moments)?;
    if participants.vary() {
        for number in 0..rhs.stages.len() {
            participants.set_data(domain, device, moments[rhs.stages[number].moment.number()])?;
            stage(rhs, participants, device, number)?;
        }
    } else {
        device.repeat(&mut |device| whole_step(rhs, participants, device))?;
    }
    end_step(rhs, device);
    Ok(())
}

/// Makes the output of the last stage the state at the start of the next step. Returns whether this exchanged buffers.
pub fn end_step(rhs: &RightHandSide, device: &mut dyn Device) -> bool {
    let swaps = rhs.stages.last().is_some_and(|stage| stage.output != Buffer::Start);
    if swaps {
        device.swap_states();
    }
    swaps
}

/// Runs all stages of a step for which the host writes nothing to the device.
///
/// # Errors
/// The device fails.
pub fn whole_step(
    rhs: &mut RightHandSide,
    participants: &Participants,
    device: &mut dyn Device,
) -> Result<(), DeviceError> {
    (0..rhs.stages.len()).try_for_each(|number| stage(rhs, participants, device, number))
}

/// Runs a stage of the step, given by its number. Stages at the same time share what participants compute for it; the
/// first stage finds that of the start of the step.
fn stage(
    rhs: &mut RightHandSide,
    participants: &Participants,
    device: &mut dyn Device,
    number: usize,
) -> Result<(), DeviceError> {
    let stage = rhs.stages[number];
    if number > 0 && stage.moment != rhs.stages[number - 1].moment {
        participants.reach(device, stage.moment)?;
    }
    rhs.evaluate(device, stage)
}
