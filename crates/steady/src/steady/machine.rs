//! The machines of the steady solver: a store, and the kernels of ptx/steady on it.

use std::ops::Range;

use crate::device::contract::{SteadyItems, SteadyKernel, SteadyParams};
use crate::device::cpu::{Host, SteadyKernels, vector_set};
use crate::device::cuda::{GpuStore, STEADY_SLICE, STEADY_THREADS, steady_kernels};
use crate::device::store::Store;
use crate::device::{DeviceError, ListPart, Network, Plain};
use crate::solver::available_memory;

/// A store on which the steady solver runs.
pub trait Machine: Store {
    /// Number of vertices whose edges lie side by side.
    ///
    /// # Errors
    /// The processor lacks what the kernels need.
    fn slice(&self) -> Result<usize, DeviceError>;

    /// Returns the kernels in the order of [`SteadyKernel::ALL`], for a run with the constants of `params`; with
    /// approximate reciprocals and roots if `fast` and the machine has them.
    ///
    /// # Errors
    /// The kernels cannot be built.
    fn kernels(&self, params: &SteadyParams, fast: bool) -> Result<Vec<Self::Kernel>, DeviceError>;

    /// Returns the range of a launch over these slots, lines or points; slots and lines begin and end with slices of
    /// this size.
    fn range(&self, items: SteadyItems, range: Range<usize>, slice: usize) -> Range<usize>;

    /// Returns the number of chunks into which sums are divided.
    fn chunks(&self) -> usize;

    /// Returns the network by which the machine reaches those of other ranks without their hosts, if it has one.
    fn network(&mut self) -> Option<&mut dyn Network>;

    /// Returns whether the machine has joined its network.
    fn is_in_network(&self) -> bool;

    /// Exchanges values of lists through the network that the machine has joined; each place has so many bytes.
    /// Collective among the ranks of the parts.
    ///
    /// # Errors
    /// The machine or the network fails.
    fn exchange(
        &self,
        parts: &[ListPart],
        bytes: usize,
        sent: &Self::Array,
        received: &Self::Array,
    ) -> Result<(), DeviceError>;

    /// Returns the bytes that are free for one of `sharing` ranks on this machine, which share the memory of the host.
    /// A GPU is taken to have one rank.
    fn free(&self, sharing: usize) -> Result<usize, DeviceError>;
}

impl Machine for Host {
    fn slice(&self) -> Result<usize, DeviceError> {
        Ok(SteadyKernels::of(vector_set()?).lanes())
    }

    fn kernels(&self, _: &SteadyParams, _: bool) -> Result<Vec<Self::Kernel>, DeviceError> {
        let kernels = SteadyKernels::of(vector_set()?);
        Ok(SteadyKernel::ALL.iter().map(|&kernel| kernels.get(kernel)).collect())
    }

    fn range(&self, items: SteadyItems, range: Range<usize>, slice: usize) -> Range<usize> {
        match items {
            SteadyItems::Vertices | SteadyItems::Lines => range.start / slice..range.end.div_ceil(slice),
            SteadyItems::Points => range,
        }
    }

    fn chunks(&self) -> usize {
        8 * self.threads()
    }

    fn network(&mut self) -> Option<&mut dyn Network> {
        None
    }

    fn is_in_network(&self) -> bool {
        false
    }

    fn exchange(&self, _: &[ListPart], _: usize, _: &Self::Array, _: &Self::Array) -> Result<(), DeviceError> {
        unreachable!("a CPU joins no network")
    }

    fn free(&self, sharing: usize) -> Result<usize, DeviceError> {
        Ok(available_memory(sharing).map_or(usize::MAX, |available| available.bytes as usize))
    }
}

impl Machine for GpuStore {
    fn slice(&self) -> Result<usize, DeviceError> {
        Ok(STEADY_SLICE)
    }

    fn kernels(&self, params: &SteadyParams, fast: bool) -> Result<Vec<Self::Kernel>, DeviceError> {
        Ok(steady_kernels(self, params, fast)?)
    }

    fn range(&self, _: SteadyItems, range: Range<usize>, _: usize) -> Range<usize> {
        range
    }

    fn chunks(&self) -> usize {
        // Eight blocks of threads for each of about 128 multiprocessors; whole blocks.
        1024 * STEADY_THREADS
    }

    fn network(&mut self) -> Option<&mut dyn Network> {
        Some(self)
    }

    fn is_in_network(&self) -> bool {
        GpuStore::is_in_network(self)
    }

    fn exchange(
        &self,
        parts: &[ListPart],
        bytes: usize,
        sent: &Self::Array,
        received: &Self::Array,
    ) -> Result<(), DeviceError> {
        self.exchange_lists(parts, bytes, sent, received)
    }

    fn free(&self, _: usize) -> Result<usize, DeviceError> {
        Ok(self.gpu.memory()?.0)
    }
}

/// Returns an array with these values.
///
/// # Errors
/// There is not enough memory.
pub fn upload<M: Machine, T: Plain>(store: &M, values: &[T]) -> Result<M::Array, DeviceError> {
    let mut array = store.zeros(size_of_val(values))?;
    store.write(&mut array, values)?;
    Ok(array)
}
