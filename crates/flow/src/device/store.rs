//! A machine's memory and queues: arrays, transfers, launches over ranges, and work that is recorded once and repeated.
//!
//! A store knows neither the mesh nor the equations, and any solver can own one. Kernels get one structure of
//! parameters, which holds the addresses of the arrays that they read and write. [`cpu::Host`](super::cpu::Host) runs
//! them on the threads of the CPU, and [`cuda::GpuStore`](super::cuda::GpuStore) puts them into the queues of a GPU.
//! What is launched on a GPU runs later, in the order of the launches; a method that returns values to the host waits
//! for everything before it.

use std::borrow::Cow;
use std::ops::Range;

use super::memory::Plain;
use super::{Cells, DeviceError};

/// Work that a store is asked to repeat or to time.
pub type Launches<'a> = dyn FnMut() -> Result<(), DeviceError> + 'a;

/// An array in the memory of a store; its place does not change.
pub trait Memory {
    /// Size in bytes.
    fn bytes(&self) -> usize;
    /// Address of the first value as kernels see it; null for an empty array.
    fn pointer<T>(&self) -> *mut T;
}

/// Memory, queues and kernels of a machine.
pub trait Store {
    /// An array.
    type Array: Memory;
    /// A kernel that can be launched.
    type Kernel;
    /// A queue of launches.
    type Queue: ?Sized;
    /// Recorded work.
    type Recording;

    /// Allocates an array of so many bytes, all zero.
    ///
    /// # Errors
    /// There is not enough memory.
    fn zeros(&self, bytes: usize) -> Result<Self::Array, DeviceError>;

    /// Returns values of an array, after all launches so far. The view must be dropped before the next launch that
    /// writes them.
    ///
    /// # Errors
    /// The device fails.
    ///
    /// # Panics
    ///
    /// If the array does not hold these values.
    fn read<'a, T: Plain>(&self, array: &'a Self::Array, values: Range<usize>) -> Result<Cow<'a, [T]>, DeviceError>;

    /// Writes values to the beginning of an array, after all launches so far and before those that follow.
    ///
    /// # Errors
    /// The device fails.
    ///
    /// # Panics
    ///
    /// If the array holds fewer values.
    fn write<T: Plain>(&self, array: &mut Self::Array, values: &[T]) -> Result<(), DeviceError>;

    /// Does the same with `len` values that `set` computes, all zero at first on a GPU and as they were on a CPU.
    ///
    /// # Errors
    /// The device fails.
    ///
    /// # Panics
    ///
    /// If the array holds fewer values.
    fn fill<T: Plain>(
        &self,
        array: &mut Self::Array,
        len: usize,
        set: impl FnOnce(&mut [T]),
    ) -> Result<(), DeviceError>;

    /// Writes a few numbers to the beginning of an array without waiting: launches so far still see the old ones.
    ///
    /// # Errors
    /// The device fails.
    ///
    /// # Panics
    ///
    /// If the array holds fewer values.
    fn set<T: Plain>(&self, array: &mut Self::Array, numbers: &[T]) -> Result<(), DeviceError>;

    /// Sets all bytes of an array to zero.
    ///
    /// # Errors
    /// The device fails.
    fn clear(&self, array: &mut Self::Array) -> Result<(), DeviceError>;

    /// Copies an array into another of the same size.
    ///
    /// # Errors
    /// The device fails.
    ///
    /// # Panics
    ///
    /// If the sizes differ.
    fn copy(&self, from: &Self::Array, to: &mut Self::Array) -> Result<(), DeviceError>;

    /// Gives `launches` the queue for kernels over this part of the cells. Launches over the frontier run beside those
    /// over the interior that come after them, and wait for all launches before these. `label` names the work in a
    /// trace of the queues.
    ///
    /// # Errors
    /// The launches or the device fail.
    fn submit(
        &self,
        part: Cells,
        label: &'static str,
        launches: impl FnOnce(&Self::Queue) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError>;

    /// Launches a kernel over the items of a range; kernels of a GPU find its beginning in their parameters, if it is
    /// not zero.
    ///
    /// # Errors
    /// The device fails.
    ///
    /// # Safety
    ///
    /// `params` must be what the kernel takes. Its addresses must lead to arrays of this store that hold what the
    /// kernel reads and writes for this range and that live until the launch is done, and nobody may hold a view
    /// ([`read`](Store::read)) of values that it writes. The results of the kernel for different items must be
    /// independent of each other.
    // SAFETY: the section above states what the caller must keep.
    unsafe fn launch<P>(
        &self,
        queue: &Self::Queue,
        kernel: &Self::Kernel,
        range: Range<usize>,
        params: &P,
    ) -> Result<(), DeviceError>;

    /// Calls `launch(queue, number)` for `count` launches of a queue, none of which writes what another one reads or
    /// writes. They may run concurrently, each in a queue of its own that `launch` is given; what follows in the queue
    /// waits for all of them.
    ///
    /// # Errors
    /// A launch or the device fails.
    fn concurrently(
        &self,
        queue: &Self::Queue,
        count: usize,
        launch: impl Fn(&Self::Queue, usize) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError>;

    /// Runs `work`, which launches the same kernels with the same parameters every time. A store may record it at the
    /// first call, and replay the recording from then on.
    ///
    /// # Errors
    /// The work or the device fails.
    fn repeat(&self, recording: &mut Option<Self::Recording>, work: &mut Launches) -> Result<(), DeviceError>;

    /// Returns the seconds that the device takes for `work`, begun when it is idle.
    ///
    /// # Errors
    /// The work or the device fails.
    fn seconds(&self, work: &mut Launches) -> Result<f64, DeviceError>;

    /// Waits until everything that was launched is done.
    ///
    /// # Errors
    /// The device fails.
    fn synchronize(&self) -> Result<(), DeviceError>;
}
