//! Interfaces of a running case: how far their sides have moved past each other at each stage of a step.

use crate::device::{Device, DeviceError, INTERFACE_SHIFTS};
use crate::solver::SetupError;
use crate::solver::domain::Domain;
use crate::solver::motions::Motions;
use crate::solver::participant::{Case, Participant};

/// The motions of all interfaces.
pub struct MovingInterfaces(Motions);

impl MovingInterfaces {
    /// Returns the interfaces of a case, if it has some.
    pub fn of_case(case: &Case) -> Option<Self> {
        let motions = case.interfaces.motions.clone();
        (!motions.0.is_empty()).then_some(MovingInterfaces(motions))
    }
}

impl Participant for MovingInterfaces {
    /// Writes a displacement, which the kernels of all ghosts read: others write these before the first step.
    fn place(&mut self, _: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        Ok(device.set_interface_shifts(&vec![0.0; INTERFACE_SHIFTS * self.0.0.len()])?)
    }

    /// Writes the displacements, less whole lengths of the rows, since large numbers would lose digits, and their
    /// cosines and sines, which those are read of that are angles.
    fn begin_step(&mut self, device: &mut dyn Device, moments: &[f64]) -> Result<(), DeviceError> {
        let of_time = |&time: &f64| {
            self.0.0.iter().flat_map(move |motion| {
                let shift = (motion.speed * time).rem_euclid(motion.period);
                let (sine, cosine) = shift.sin_cos();
                [shift, cosine, sine]
            })
        };
        device.set_interface_shifts(&moments.iter().flat_map(of_time).collect::<Vec<_>>())
    }
}
