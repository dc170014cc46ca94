//! Arrays on the device, and the pinned buffers through which their contents come and go.
//!
//! Arrays are allocated once, at start. Transfers run in chunks through two pinned buffers: while the copy engine moves one,
//! the host fills or empties the other.

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
    /// `bytes` zeros, or nothing.
    pub fn zeros(gpu: &Gpu, bytes: usize) -> Result<Self, CudaError> {
        let mut address = 0;
        if bytes > 0 {
            // SAFETY: a plain allocation; the memory is zeroed before anything reads it.
            unsafe {
                address = result::malloc_sync(bytes).map_err(failed("allocating on the GPU"))?;
                result::memset_d8_sync(address, 0, bytes).map_err(failed("clearing an array"))?;
                // The driver clears in its default queue and does not wait; ours do not wait for that queue either, and what
                // they bring here must not be cleared after it came.
                result::stream::synchronize(std::ptr::null_mut()).map_err(failed("clearing an array"))?;
            }
        }
        Ok(Array {
            context: Arc::clone(&gpu.context),
            address,
            bytes,
        })
    }

    /// A copy of `values`, at start-up.
    pub fn from_slice<T: Plain>(gpu: &Gpu, values: &[T]) -> Result<Self, CudaError> {
        let array = Self::zeros(gpu, size_of_val(values))?;
        if !values.is_empty() {
            // SAFETY: the array has just been made for these values.
            unsafe { result::memcpy_htod_sync(array.address, values) }.map_err(failed("copying to the GPU"))?;
            // From pageable memory it may return before the last bytes are there.
            // SAFETY: waits for the default queue.
            unsafe { result::stream::synchronize(std::ptr::null_mut()) }.map_err(failed("copying to the GPU"))?;
        }
        Ok(array)
    }

    /// Writes numbers to the beginning in the order of `queue`; they travel inside the commands.
    pub fn set<T: Plain>(&self, numbers: &[T], queue: &CudaStream) -> Result<(), CudaError> {
        let bytes = size_of_val(numbers);
        assert!(bytes <= self.bytes, "no more than the array holds");
        // SAFETY: the bytes of numbers without padding.
        let bytes = unsafe { std::slice::from_raw_parts(numbers.as_ptr().cast::<u8>(), bytes) };
        for (i, word) in bytes.chunks_exact(4).enumerate() {
            let word = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
            let place = self.address + 4 * i as u64;
            // SAFETY: the word lies within the array (asserted), which is alive.
            unsafe { sys::cuMemsetD32Async(place, word, 1, queue.cu_stream()) }
                .result()
                .map_err(failed("setting numbers of a step"))?;
        }
        Ok(())
    }

    /// Sets all bytes to zero, in the order of `queue`.
    pub fn clear(&self, queue: &CudaStream) -> Result<(), CudaError> {
        if self.bytes == 0 {
            return Ok(());
        }
        // SAFETY: the array is alive and has this size.
        unsafe { result::memset_d8_async(self.address, 0, self.bytes, queue.cu_stream()) }
            .map_err(failed("clearing an array"))
    }

    /// Copies `other`, of the same size, in the order of `queue`.
    pub fn copy_from(&self, other: &Array, queue: &CudaStream) -> Result<(), CudaError> {
        assert_eq!(self.bytes, other.bytes);
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
            // SAFETY: allocated in `zeros`, freed once. After a fault the driver refuses, and the process ends anyway.
            let _ = unsafe { result::free_sync(self.address) };
        }
    }
}

/// Size of a pinned buffer.
const CHUNK: usize = 16 << 20;

/// Two pinned buffers, and for each an event that says when the copy engine is done with it.
pub struct Staging {
    buffers: [*mut c_void; 2],
    done: [CudaEvent; 2],
}

impl Staging {
    /// Allocates the buffers.
    pub fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        // SAFETY: plain pinned memory, freed in drop.
        let pinned = || unsafe { result::malloc_host(CHUNK, 0) }.map_err(failed("allocating pinned memory"));
        Ok(Staging {
            buffers: [pinned()?, pinned()?],
            done: [gpu.event(false)?, gpu.event(false)?],
        })
    }

    /// Returns values of an array, after all that is in the compute queue now, when they have arrived.
    pub fn download<T: Plain>(&self, gpu: &Gpu, array: &Array, values: Range<usize>) -> Result<Vec<T>, CudaError> {
        let (step, len) = (CHUNK / size_of::<T>(), values.len());
        assert!(
            values.end * size_of::<T>() <= array.bytes,
            "no more than the array holds"
        );
        let address = array.address + (values.start * size_of::<T>()) as u64;
        let mut values = vec![T::default(); len];
        gpu.order(&gpu.compute, &gpu.down)?;
        let chunks = len.div_ceil(step);
        let range = |chunk: usize| chunk * step..((chunk + 1) * step).min(len);
        for chunk in 0..chunks + 1 {
            if chunk < chunks {
                let (r, slot) = (range(chunk), chunk % 2);
                let from = address + (r.start * size_of::<T>()) as u64;
                // SAFETY: the chunk lies within the array and the buffer, which was emptied two rounds ago.
                unsafe {
                    let buffer = std::slice::from_raw_parts_mut(self.buffers[slot].cast::<T>(), r.len());
                    result::memcpy_dtoh_async(buffer, from, gpu.down.cu_stream())
                        .map_err(failed("copying from the GPU"))?;
                }
                self.done[slot]
                    .record(&gpu.down)
                    .map_err(failed("recording an event"))?;
            }
            if chunk > 0 {
                let (r, slot) = (range(chunk - 1), (chunk - 1) % 2);
                self.done[slot].synchronize().map_err(failed("waiting for the GPU"))?;
                // SAFETY: the event says that the copy engine has filled the buffer.
                let buffer = unsafe { std::slice::from_raw_parts(self.buffers[slot].cast::<T>(), r.len()) };
                values[r].copy_from_slice(buffer);
            }
        }
        Ok(values)
    }

    /// Brings values to the device, after all that is in the compute queue now and before what comes next there. Returns
    /// when they have left the host's memory.
    pub fn upload<T: Plain>(&self, gpu: &Gpu, values: &[T], array: &Array) -> Result<(), CudaError> {
        assert!(size_of_val(values) <= array.bytes, "no more than the array holds");
        gpu.order(&gpu.compute, &gpu.up)?;
        let step = CHUNK / size_of::<T>();
        for (chunk, part) in values.chunks(step).enumerate() {
            let slot = chunk % 2;
            self.done[slot].synchronize().map_err(failed("waiting for the GPU"))?;
            let to = array.address + (chunk * step * size_of::<T>()) as u64;
            // SAFETY: the part lies within the array and the buffer, and the copy engine is done with the buffer.
            unsafe {
                let buffer = std::slice::from_raw_parts_mut(self.buffers[slot].cast::<T>(), part.len());
                buffer.copy_from_slice(part);
                result::memcpy_htod_async(to, buffer, gpu.up.cu_stream()).map_err(failed("copying to the GPU"))?;
            }
            self.done[slot].record(&gpu.up).map_err(failed("recording an event"))?;
        }
        gpu.order(&gpu.up, &gpu.compute)?;
        for done in &self.done {
            done.synchronize().map_err(failed("waiting for the GPU"))?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        for buffer in self.buffers {
            // SAFETY: allocated in `new`, freed once.
            let _ = unsafe { result::free_host(buffer) };
        }
    }
}
