//! What a launch for passive scalars sees: their arrays in the place of those of the state.

use super::Engine;
use crate::device::contract::{Kernel, Params};
use crate::device::memory::Real;
use crate::device::store::{Memory, Store};
use crate::device::{Buffer, Launch};

/// Whether a kernel is one of passive scalars.
pub(super) fn is_of_scalars(kernel: Kernel) -> bool {
    matches!(
        kernel,
        Kernel::ScalarGhosts
            | Kernel::ScalarGhostTraces
            | Kernel::ScalarSweep1
            | Kernel::ScalarSweep2
            | Kernel::ScalarClosure
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
}
