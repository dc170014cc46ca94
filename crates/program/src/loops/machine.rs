//! The machines on which mesh loops run: a store, and the kernels of ptx/loops on it.

use crate::device::DeviceError;
use crate::device::contract::LoopKernel;
use crate::device::cpu::{Host, LoopKernels, vector_set};
use crate::device::cuda::{GpuStore, LOOP_SLICE, loop_kernels};
use crate::device::store::Store;

use super::modes::Mode;

/// A store on which mesh loops run.
pub trait LoopMachine: Store {
    /// Returns the kernels in the order of [`LoopKernel::ALL`], each also with atomic adds where it adds to values of
    /// other items and the machine has them.
    ///
    /// # Errors
    /// The kernels cannot be built.
    #[allow(clippy::type_complexity)]
    fn loops(&self, double: bool) -> Result<Vec<(Self::Kernel, Option<Self::Kernel>)>, DeviceError>;

    /// Whether loops run in a mode here.
    fn has(&self, mode: Mode) -> bool;

    /// Logarithm to the base 2 of the number of items whose lists lie side by side in [`Mode::SlicedGather`].
    const SLICE_BITS: u32;
}

impl LoopMachine for Host {
    fn loops(&self, double: bool) -> Result<Vec<(Self::Kernel, Option<Self::Kernel>)>, DeviceError> {
        let kernels = LoopKernels::of(double, vector_set()?);
        Ok(LoopKernel::ALL
            .iter()
            .map(|&kernel| (kernels.get(kernel), None))
            .collect())
    }

    fn has(&self, mode: Mode) -> bool {
        match mode {
            Mode::OneThread => self.threads() == 1,
            // A core goes through one list after the other.
            Mode::Atomics | Mode::SlicedGather => false,
            Mode::Colours | Mode::Gather | Mode::StoreAndGather => true,
        }
    }

    const SLICE_BITS: u32 = 0;
}

impl LoopMachine for GpuStore {
    fn loops(&self, double: bool) -> Result<Vec<(Self::Kernel, Option<Self::Kernel>)>, DeviceError> {
        Ok(loop_kernels(self, double)?)
    }

    fn has(&self, mode: Mode) -> bool {
        mode != Mode::OneThread
    }

    const SLICE_BITS: u32 = LOOP_SLICE.trailing_zeros();
}
