//! The memory of the host and the threads of the CPU as a store: launches are done when they return.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::borrow::Cow;
use std::ffi::c_void;
use std::ops::Range;

use rayon::prelude::*;

use crate::device::memory::Plain;
use crate::device::store::{Launches, Memory, Store};
use crate::device::{Cells, DeviceError};

/// Stack of a thread: the kernels keep a whole block there, 1.1 MiB at p = 8.
const STACK: usize = 8 << 20;
/// Alignment of arrays: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;
/// Alignment of what is asked from the system. For a wider one the standard library would write the zeros itself.
const SYSTEM_ALIGNMENT: usize = 16;

/// A kernel: a function of its parameters and the begin and end of a range of items.
// SAFETY: to call a kernel, its first argument must lead to its parameters, as [`Store::launch`] says; ranges that run
// at the same time must be disjoint.
pub type KernelFunction = unsafe extern "C" fn(*const c_void, i64, i64);

/// An array in the memory of the host that starts on a cache line.
pub struct HostArray {
    address: *mut u8,
    bytes: usize,
    /// Bytes between the beginning of the allocation and that of the array.
    offset: usize,
}

impl HostArray {
    /// Returns an array of zeros; its pages get their place in memory when they are first written.
    pub fn zeros(bytes: usize) -> Self {
        if bytes == 0 {
            return HostArray {
                address: std::ptr::null_mut(),
                bytes,
                offset: 0,
            };
        }
        let layout = Self::layout(bytes);
        // SAFETY: the layout has a size above zero.
        let allocated = unsafe { alloc_zeroed(layout) };
        if allocated.is_null() {
            handle_alloc_error(layout);
        }
        let offset = allocated.align_offset(ALIGNMENT);
        // SAFETY: the layout has room for the offset, which is less than the alignment.
        let address = unsafe { allocated.add(offset) };
        HostArray { address, bytes, offset }
    }

    fn layout(bytes: usize) -> Layout {
        let room = bytes.next_multiple_of(ALIGNMENT) + ALIGNMENT;
        Layout::from_size_align(room, SYSTEM_ALIGNMENT).expect("an array is smaller than memory")
    }

    /// Values of the array.
    fn slice<T: Plain>(&self, values: Range<usize>) -> &[T] {
        assert!(values.start <= values.end && values.end * size_of::<T>() <= self.bytes);
        if values.is_empty() {
            return &[];
        }
        // SAFETY: the range lies within the array (asserted), whose bytes are initialised, and any bytes are a valid T.
        // Kernels, the only others that write here, do not run while a view is held (`Store::launch`).
        unsafe { std::slice::from_raw_parts(self.address.cast::<T>().add(values.start), values.len()) }
    }

    /// The first values of the array, to be written.
    fn first_mut<T: Plain>(&mut self, len: usize) -> &mut [T] {
        assert!(len * size_of::<T>() <= self.bytes);
        if len == 0 {
            return &mut [];
        }
        // SAFETY: as in `slice`, and the array is borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.address.cast::<T>(), len) }
    }
}

impl Drop for HostArray {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: allocated in `zeros` with this layout and offset, freed once.
            unsafe { dealloc(self.address.sub(self.offset), Self::layout(self.bytes)) }
        }
    }
}

impl Memory for HostArray {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn pointer<T>(&self) -> *mut T {
        self.address.cast()
    }
}

/// The threads of the CPU.
pub struct Host {
    pool: rayon::ThreadPool,
}

/// Parameters on their way to the threads of one launch.
struct Shared(*const c_void);
// SAFETY: `Store::launch` asks for parameters whose items may be computed independently of each other.
unsafe impl Sync for Shared {}

impl Shared {
    fn address(&self) -> *const c_void {
        self.0
    }
}

impl Host {
    /// Starts so many threads, or as many as the machine has cores.
    ///
    /// # Errors
    /// The system refuses.
    pub fn new(threads: Option<usize>) -> Result<Self, DeviceError> {
        let threads = threads.unwrap_or(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK);
        let pool = pool.build().map_err(|e| DeviceError::Threads {
            threads,
            reason: e.to_string(),
        })?;
        Ok(Host { pool })
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }
}

impl Store for Host {
    type Array = HostArray;
    type Kernel = KernelFunction;
    type Queue = ();
    type Recording = ();

    fn zeros(&self, bytes: usize) -> Result<HostArray, DeviceError> {
        Ok(HostArray::zeros(bytes))
    }

    fn read<'a, T: Plain>(&self, array: &'a HostArray, values: Range<usize>) -> Result<Cow<'a, [T]>, DeviceError> {
        Ok(Cow::Borrowed(array.slice(values)))
    }

    fn write<T: Plain>(&self, array: &mut HostArray, values: &[T]) -> Result<(), DeviceError> {
        array.first_mut(values.len()).copy_from_slice(values);
        Ok(())
    }

    fn fill<T: Plain>(&self, array: &mut HostArray, len: usize, set: impl FnOnce(&mut [T])) -> Result<(), DeviceError> {
        set(array.first_mut(len));
        Ok(())
    }

    fn set<T: Plain>(&self, array: &mut HostArray, numbers: &[T]) -> Result<(), DeviceError> {
        self.write(array, numbers)
    }

    fn clear(&self, array: &mut HostArray) -> Result<(), DeviceError> {
        let bytes = array.bytes;
        let share = bytes.div_ceil(self.threads()).max(1);
        let all = array.first_mut::<u8>(bytes);
        self.pool
            .install(|| all.par_chunks_mut(share).for_each(|part| part.fill(0)));
        Ok(())
    }

    fn copy(&self, from: &HostArray, to: &mut HostArray) -> Result<(), DeviceError> {
        assert_eq!(from.bytes, to.bytes, "only arrays of one size are copied");
        let bytes = from.bytes;
        let (from, to) = (from.slice::<u8>(0..bytes), to.first_mut::<u8>(bytes));
        let share = from.len().div_ceil(self.threads()).max(1);
        self.pool.install(|| {
            to.par_chunks_mut(share)
                .zip(from.par_chunks(share))
                .for_each(|(to, from)| to.copy_from_slice(from));
        });
        Ok(())
    }

    fn submit(
        &self,
        _part: Cells,
        _label: &'static str,
        launches: impl FnOnce(&()) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        launches(&())
    }

    fn concurrently(
        &self,
        queue: &(),
        count: usize,
        launch: impl Fn(&(), usize) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        (0..count).try_for_each(|number| launch(queue, number))
    }

    // SAFETY: the caller keeps what `Store::launch` asks for.
    unsafe fn launch<P>(
        &self,
        _queue: &(),
        kernel: &KernelFunction,
        range: Range<usize>,
        params: &P,
    ) -> Result<(), DeviceError> {
        let params = Shared((&raw const *params).cast());
        if self.threads() == 1 || range.len() == 1 {
            // Waking a thread of the pool would only cost time.
            // SAFETY: the caller vouches for the parameters.
            unsafe { kernel(params.address(), range.start as i64, range.end as i64) }
            return Ok(());
        }
        let chunk = range.len().div_ceil(self.threads() * 8).max(1);
        self.pool.install(|| {
            range.clone().into_par_iter().step_by(chunk).for_each(|begin| {
                let end = (begin + chunk).min(range.end);
                // SAFETY: the caller vouches for the parameters; chunks are disjoint.
                unsafe { kernel(params.address(), begin as i64, end as i64) }
            });
        });
        Ok(())
    }

    fn repeat(&self, _recording: &mut Option<()>, work: &mut Launches) -> Result<(), DeviceError> {
        work()
    }

    fn seconds(&self, work: &mut Launches) -> Result<f64, DeviceError> {
        let begin = std::time::Instant::now();
        work()?;
        Ok(begin.elapsed().as_secs_f64())
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        Ok(())
    }
}
