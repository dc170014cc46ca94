//! Arrays in device memory, and the pinned buffers for transfers between them and the host.
//!
//! Arrays are allocated once, at the start of a run. Transfers pass in chunks through two pinned buffers. While the
//! copy engine transfers one buffer, the host fills or empties the other. The few numbers of each step pass through a
//! third one, in which the host is ahead of the GPU.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaEvent, CudaStream, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use crate::device::memory::Plain;
use crate::device::store::Memory;

/// An array in device memory.
pub struct Array {
    context: Arc<CudaContext>,
    address: sys::CUdeviceptr,
    bytes: usize,
}

impl Array {
    /// Allocates an array of this size in bytes, all zero. An array of no bytes has no memory.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn zeros(gpu: &Gpu, bytes: usize) -> Result<Self, CudaError> {
        let mut address = 0;
        if bytes > 0 {
            // SAFETY: a plain allocation; the memory is zeroed before anything reads it.
            unsafe {
                address = result::malloc_sync(bytes).map_err(failed("allocating on the GPU"))?;
                result::memset_d8_sync(address, 0, bytes).map_err(failed("clearing an array"))?;
                // The driver clears the memory in its default queue and returns at once. Other queues do not wait for
                // the default queue, so that without this wait their writes could be cleared.
                result::stream::synchronize(std::ptr::null_mut()).map_err(failed("clearing an array"))?;
            }
        }
        Ok(Array {
            context: Arc::clone(&gpu.context),
            address,
            bytes,
        })
    }

    /// Allocates an array and copies `values` into it. The host waits, which is acceptable at the start of a run only.
    ///
    /// # Errors
    /// There is not enough memory, or the GPU fails.
    pub fn from_slice<T: Plain>(gpu: &Gpu, values: &[T]) -> Result<Self, CudaError> {
        let array = Self::zeros(gpu, size_of_val(values))?;
        if !values.is_empty() {
            // SAFETY: the array has the size of these values.
            unsafe { result::memcpy_htod_sync(array.address, values) }.map_err(failed("copying to the GPU"))?;
            // A copy from pageable memory may return before its last bytes have arrived.
            // SAFETY: waits for the default queue.
            unsafe { result::stream::synchronize(std::ptr::null_mut()) }.map_err(failed("copying to the GPU"))?;
        }
        Ok(array)
    }

    /// Sets all bytes to zero, in the order of `queue`.
    ///
    /// # Errors
    /// The GPU fails.
    pub fn clear(&self, queue: &CudaStream) -> Result<(), CudaError> {
        if self.bytes == 0 {
            return Ok(());
        }
        // SAFETY: the array is alive and has this size.
        unsafe { result::memset_d8_async(self.address, 0, self.bytes, queue.cu_stream()) }
            .map_err(failed("clearing an array"))
    }

    /// Copies the contents of `other` into this array, in the order of `queue`.
    ///
    /// # Errors
    /// The GPU fails.
    ///
    /// # Panics
    ///
    /// If the sizes differ.
    pub fn copy_from(&self, other: &Array, queue: &CudaStream) -> Result<(), CudaError> {
        assert_eq!(self.bytes, other.bytes);
        if self.bytes == 0 {
            return Ok(());
        }
        // SAFETY: both arrays are alive and have this size.
        unsafe { result::memcpy_dtod_async(self.address, other.address, self.bytes, queue.cu_stream()) }
            .map_err(failed("copying on the GPU"))
    }
}

impl Memory for Array {
    fn bytes(&self) -> usize {
        self.bytes
    }

    fn pointer<T>(&self) -> *mut T {
        self.address as *mut T
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        if self.address != 0 && self.context.bind_to_thread().is_ok() {
            // SAFETY: allocated in `zeros`, freed once. After a fault the driver rejects the call, and the process ends
            // anyway.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Size of a pinned buffer, in bytes.
const CHUNK: usize = 16 << 20;
/// Size of the pinned buffer for the numbers of steps, in bytes.
const NUMBERS: usize = 1 << 20;
/// Alignment of numbers in this buffer, in bytes.
const ALIGNED: usize = 16;

/// Two pinned buffers, each with an event after the latest transfer that uses it.
pub struct Staging {
    buffers: [*mut c_void; 2],
    done: [CudaEvent; 2],
    /// Numbers of steps, one set behind the other, from the beginning again when the end is reached.
    numbers: *mut c_void,
    /// Where the next set goes.
    next: Cell<usize>,
    /// After the transfer of the latest set.
    set: CudaEvent,
}

impl Staging {
    /// Allocates the buffers.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        // SAFETY: plain pinned memory, freed in drop.
        let pinned = |bytes| unsafe { result::malloc_host(bytes, 0) }.map_err(failed("allocating pinned memory"));
        Ok(Staging {
            buffers: [pinned(CHUNK)?, pinned(CHUNK)?],
            done: [gpu.event(false)?, gpu.event(false)?],
            numbers: pinned(NUMBERS)?,
            next: Cell::new(0),
            set: gpu.event(false)?,
        })
    }

    /// Writes a few numbers to the beginning of an array, in the order of the compute queue. The host waits for the GPU
    /// only where it is a whole buffer of numbers ahead of it.
    ///
    /// # Errors
    /// The GPU fails.
    ///
    /// # Panics
    ///
    /// If the array holds fewer numbers, or they do not fit into the buffer.
    pub fn set<T: Plain>(&self, gpu: &Gpu, numbers: &[T], array: &Array) -> Result<(), CudaError> {
        let bytes = size_of_val(numbers);
        assert!(bytes <= array.bytes.min(NUMBERS), "no more than array and buffer hold");
        if self.next.get() + bytes > NUMBERS {
            gpu.wait_for_event(&self.set)?;
            self.next.set(0);
        }
        // SAFETY: the set lies within the buffer, behind those whose transfer may not be complete, and is aligned for
        // any number. The array is alive and holds as many bytes (asserted).
        unsafe {
            let buffer = self.numbers.cast::<u8>().add(self.next.get()).cast::<T>();
            let buffer = std::slice::from_raw_parts_mut(buffer, numbers.len());
            buffer.copy_from_slice(numbers);
            result::memcpy_htod_async(array.address, buffer, gpu.compute.cu_stream())
                .map_err(failed("setting numbers of a step"))?;
        }
        self.next.set(self.next.get() + bytes.next_multiple_of(ALIGNED));
        self.set.record(&gpu.compute).map_err(failed("recording an event"))
    }

    /// Returns values of an array, after all work that is in the compute queue now.
    ///
    /// # Errors
    /// The GPU fails.
    ///
    /// # Panics
    ///
    /// If the array does not hold these values.
    pub fn download<T: Plain>(&self, gpu: &Gpu, array: &Array, values: Range<usize>) -> Result<Vec<T>, CudaError> {
        let (step, len) = (CHUNK / size_of::<T>(), values.len());
        assert!(
            values.end * size_of::<T>() <= array.bytes,
            "no more than the array holds"
        );
        let address = array.address + (values.start * size_of::<T>()) as u64;
        let mut values = vec![T::default(); len];
        gpu.order(&gpu.compute, &gpu.d2h)?;
        let chunks = len.div_ceil(step);
        let range = |chunk: usize| chunk * step..((chunk + 1) * step).min(len);
        for chunk in 0..chunks + 1 {
            if chunk < chunks {
                let (r, slot) = (range(chunk), chunk % 2);
                let from = address + (r.start * size_of::<T>()) as u64;
                // SAFETY: the chunk lies within the array and within the buffer, which the host has emptied.
                unsafe {
                    let buffer = std::slice::from_raw_parts_mut(self.buffers[slot].cast::<T>(), r.len());
                    result::memcpy_dtoh_async(buffer, from, gpu.d2h.cu_stream())
                        .map_err(failed("copying from the GPU"))?;
                }
                self.done[slot].record(&gpu.d2h).map_err(failed("recording an event"))?;
            }
            if chunk > 0 {
                let (r, slot) = (range(chunk - 1), (chunk - 1) % 2);
                gpu.wait_for_event(&self.done[slot])?;
                // SAFETY: after the event the copy engine has filled the buffer.
                let buffer = unsafe { std::slice::from_raw_parts(self.buffers[slot].cast::<T>(), r.len()) };
                values[r].copy_from_slice(buffer);
            }
        }
        Ok(values)
    }

    /// Copies values to the beginning of an array, after all work that is in the compute queue now and before later
    /// work. Returns when the transfer is complete.
    ///
    /// # Errors
    /// The GPU fails.
    ///
    /// # Panics
    ///
    /// If the array holds fewer values.
    pub fn upload<T: Plain>(&self, gpu: &Gpu, values: &[T], array: &Array) -> Result<(), CudaError> {
        assert!(size_of_val(values) <= array.bytes, "no more than the array holds");
        gpu.order(&gpu.compute, &gpu.h2d)?;
        let step = CHUNK / size_of::<T>();
        for (chunk, part) in values.chunks(step).enumerate() {
            let slot = chunk % 2;
            gpu.wait_for_event(&self.done[slot])?;
            let to = array.address + (chunk * step * size_of::<T>()) as u64;
            // SAFETY: the part lies within the array and within the buffer, which the copy engine no longer uses.
            unsafe {
                let buffer = std::slice::from_raw_parts_mut(self.buffers[slot].cast::<T>(), part.len());
                buffer.copy_from_slice(part);
                result::memcpy_htod_async(to, buffer, gpu.h2d.cu_stream()).map_err(failed("copying to the GPU"))?;
            }
            self.done[slot].record(&gpu.h2d).map_err(failed("recording an event"))?;
        }
        gpu.order(&gpu.h2d, &gpu.compute)?;
        for done in &self.done {
            gpu.wait_for_event(done)?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        for buffer in self.buffers.into_iter().chain([self.numbers]) {
            // SAFETY: allocated in `new`, freed once.
            let _ = unsafe { result::free_host(buffer) };
        }
    }
}
