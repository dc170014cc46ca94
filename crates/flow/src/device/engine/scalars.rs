//! What a launch for passive scalars sees: their arrays in the place of those of the state.

use super::Engine;
use crate::device::contract::{Kernel, Params};
use crate::device::layout::gather;
use crate::device::memory::Real;
use crate::device::rounding::round_into;
use crate::device::store::{Memory, Store};
use crate::device::{Buffer, DeviceError, Field, Launch};

/// Whether a kernel is one of passive scalars.
pub(super) fn is_of_scalars(kernel: Kernel) -> bool {
    matches!(
        kernel,
        Kernel::ScalarGhosts
            | Kernel::ScalarGhostTraces
            | Kernel::ScalarSweep1
            | Kernel::ScalarSweep2
            | Kernel::ScalarClosure
            | Kernel::ScalarStatistics
    )
}

impl<S: Store, R: Real> Engine<S, R> {
    /// Address of the scalars of a state.
    pub(super) fn scalars(&self, buffer: Buffer) -> *mut R {
        self.arrays.scalars(buffer).pointer()
    }

    /// Address of the diffusive fluxes of the scalars at faces.
    pub(super) fn scalar_fluxes(&self) -> *mut R {
        self.arrays.scalar_traces.pointer()
    }

    /// Lets the kernel of a launch see the scalars, if it is one of theirs. The launch sets the output.
    pub(super) fn see_scalars(&self, launch: Launch, params: &mut Params<R>) {
        if !is_of_scalars(launch.kernel) {
            return;
        }
        let arrays = &self.arrays;
        params.scalars = self.scalars(launch.input);
        params.u_n = arrays.scalars_start.pointer();
        params.acc = arrays.scalars_acc.pointer();
        params.kahan_term = arrays.scalars_kahan.pointer();
        params.traces = self.scalar_fluxes();
        params.viscous = arrays.scalar_viscous.pointer();
    }

    /// Reads an array of the scalars that is arranged as the state; empty without any.
    ///
    /// # Errors
    /// The device fails.
    pub(super) fn read_scalars(&self, array: &S::Array) -> Result<Vec<f64>, DeviceError> {
        if array.bytes() == 0 {
            return Ok(Vec::new());
        }
        let values = self.store.read(array, 0..self.plan.state_len())?;
        Ok(gather::<R>(&self.plan, &values, 5))
    }

    /// Writes [`Field::Scalars`], [`Field::ScalarCompensation`] or [`Field::ScalarData`].
    ///
    /// # Errors
    /// The device fails.
    pub(super) fn write_scalars(&mut self, field: Field, values: &[f64]) -> Result<(), DeviceError> {
        match field {
            Field::Scalars => {
                self.write_state(|arrays| &mut arrays.scalars_start, values)?;
                self.store.clear(&mut self.arrays.scalars_kahan)
            }
            Field::ScalarCompensation if self.arrays.scalars_kahan.bytes() == 0 => Ok(()),
            Field::ScalarCompensation => self.write_state(|arrays| &mut arrays.scalars_kahan, values),
            _ => round_into::<S, R>(&*self.store, &mut self.arrays.scalar_data, values),
        }
    }
}
