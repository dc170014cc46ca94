//! What a GPU needs to time the ways of traces without a mesh: buffers here and on the host, copies between them,
//! writes into the memory of another GPU, and exchanges by NCCL. The calls of the driver and of NCCL are those of the
//! solver.
//!
//! Transfers in a queue are recorded, as those of a time step are, and timed by events on the GPU, so that the time of
//! the host does not count.

use std::sync::Arc;
use std::time::Instant;

use cudarc::driver::{CudaGraph, CudaStream, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::halo::PinnedBuffer;
use super::memory::Array;
use super::nccl::{Part, loaded_version, new_meeting};
use super::peer::{HANDLE_WORDS, OpenMemory, ipc_handle};
use crate::device::store::Memory;
use crate::device::{DeviceError, Meeting, Network};

/// Bytes that a recording transfers, if these are no more transfers than [`MOST_IN_ONE`].
const RECORDED: usize = 16 << 20;
/// Largest number of transfers in a recording: so many that the GPU does not wait for the launch of the next one.
const MOST_IN_ONE: usize = 16;

/// A buffer of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostMemory {
    /// Memory that stays in place, which the copy engines of the GPU reach.
    Pinned,
    /// Usual memory, which the driver copies to memory of its own.
    Pageable,
}

/// The direction of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the host to the GPU.
    ToGpu,
    /// From the GPU to the host.
    FromGpu,
}

/// A GPU with buffers of one size.
pub struct Probe {
    /// Memory of another GPU, into which this one writes.
    peer: Option<OpenMemory>,
    outgoing: Array,
    incoming: Array,
    pinned: PinnedBuffer,
    pageable: Vec<u8>,
    gpu: Gpu,
}

impl Probe {
    /// Opens a GPU, whose number is taken modulo their count, with buffers of so many bytes.
    ///
    /// # Errors
    /// There is no GPU, or not enough memory.
    pub fn open(number: usize, bytes: usize) -> Result<Self, DeviceError> {
        let gpu = Gpu::open(number)?;
        let pinned = PinnedBuffer::new(bytes)?;
        // SAFETY: the buffer has this size, and nothing else knows it.
        unsafe { pinned.0.cast::<u8>().write_bytes(0, bytes) };
        Ok(Probe {
            peer: None,
            outgoing: Array::zeros(&gpu, bytes)?,
            incoming: Array::zeros(&gpu, bytes)?,
            pinned,
            pageable: vec![0; bytes],
            gpu,
        })
    }

    /// Returns the name of the GPU.
    pub fn name(&self) -> &str {
        &self.gpu.name
    }

    /// Returns the UUID of the GPU, which is the same in all processes.
    pub fn id(&self) -> [u64; 2] {
        self.gpu.id
    }

    /// Fills what is sent with a byte, and what is received with zero.
    ///
    /// # Errors
    /// The GPU fails.
    pub fn fill(&mut self, byte: u8) -> Result<(), DeviceError> {
        for (array, byte) in [(&self.outgoing, byte), (&self.incoming, 0)] {
            // SAFETY: the array is alive and has this size; the wait is for the default queue, which the driver uses.
            unsafe {
                result::memset_d8_sync(array.pointer::<u8>() as u64, byte, array.bytes())
                    .and_then(|()| result::stream::synchronize(std::ptr::null_mut()))
            }
            .map_err(failed("filling an array"))?;
        }
        Ok(())
    }

    /// Returns what was received.
    ///
    /// # Errors
    /// The GPU fails.
    pub fn received(&self) -> Result<Vec<u8>, DeviceError> {
        let mut bytes = vec![0; self.incoming.bytes()];
        // SAFETY: the array has this size, and nothing writes it: all transfers have been waited for.
        unsafe { result::memcpy_dtoh_sync(&mut bytes, self.incoming.pointer::<u8>() as u64) }
            .map_err(failed("copying from the GPU"))?;
        Ok(bytes)
    }

    /// Returns the addresses of what is sent and of what is received, for an MPI library that takes them. Such a
    /// library needs the context of the GPU until the program ends, so that it is never freed.
    pub fn addresses(&self) -> [*mut u8; 2] {
        std::mem::forget(Arc::clone(&self.gpu.context));
        [self.outgoing.pointer(), self.incoming.pointer()]
    }

    /// Copies between the host and the GPU so many times. Returns the seconds of each.
    ///
    /// # Errors
    /// The GPU fails.
    ///
    /// # Panics
    ///
    /// If the buffers are smaller.
    pub fn copies(
        &mut self,
        memory: HostMemory,
        direction: Direction,
        bytes: usize,
        times: usize,
    ) -> Result<Vec<f64>, DeviceError> {
        assert!(bytes <= self.incoming.bytes(), "no more than the buffers hold");
        let on_gpu = match direction {
            Direction::ToGpu => self.incoming.pointer::<u8>() as u64,
            Direction::FromGpu => self.outgoing.pointer::<u8>() as u64,
        };
        match memory {
            HostMemory::Pinned => {
                // SAFETY: the buffer has this size and was filled at the start; nothing else uses it meanwhile.
                let host = unsafe { std::slice::from_raw_parts_mut(self.pinned.0.cast::<u8>(), bytes) };
                let queue = match direction {
                    Direction::ToGpu => &self.gpu.h2d,
                    Direction::FromGpu => &self.gpu.d2h,
                };
                // SAFETY: both buffers are alive until the queue has been waited for.
                let mut copy = || unsafe {
                    match direction {
                        Direction::ToGpu => result::memcpy_htod_async(on_gpu, host, queue.cu_stream()),
                        Direction::FromGpu => result::memcpy_dtoh_async(host, on_gpu, queue.cu_stream()),
                    }
                    .map_err(failed("copying pinned memory"))
                };
                self.timed(queue, (bytes, times), &mut copy)
            }
            HostMemory::Pageable => {
                let host = &mut self.pageable[..bytes];
                let mut copy = || {
                    let begin = Instant::now();
                    // SAFETY: both buffers have this size; a copy that has only left the host is waited for.
                    unsafe {
                        match direction {
                            Direction::ToGpu => result::memcpy_htod_sync(on_gpu, host),
                            Direction::FromGpu => result::memcpy_dtoh_sync(host, on_gpu),
                        }
                        .and_then(|()| result::stream::synchronize(std::ptr::null_mut()))
                    }
                    .map_err(failed("copying pageable memory"))?;
                    Ok(begin.elapsed().as_secs_f64())
                };
                (0..times).map(|_| copy()).collect()
            }
        }
    }

    /// Returns the handle by which another process of this machine opens what is received.
    ///
    /// # Errors
    /// The driver does not share memory.
    pub fn handle(&self) -> Result<[u64; HANDLE_WORDS], DeviceError> {
        Ok(ipc_handle(&self.incoming)?)
    }

    /// Opens the memory of another GPU by its handle.
    ///
    /// # Errors
    /// The GPUs do not reach each other.
    pub fn open_peer(&mut self, handle: &[u64]) -> Result<(), DeviceError> {
        self.close_peer();
        self.peer = Some(OpenMemory::open(&self.gpu, handle)?);
        Ok(())
    }

    /// Closes the memory of another GPU, if some is open.
    pub fn close_peer(&mut self) {
        self.peer = None;
    }

    /// Writes into the memory of the other GPU so many times; nothing if none is open. Returns the seconds of each.
    ///
    /// # Errors
    /// A GPU fails.
    ///
    /// # Panics
    ///
    /// If the buffers are smaller.
    pub fn writes(&self, bytes: usize, times: usize) -> Result<Vec<f64>, DeviceError> {
        assert!(bytes <= self.outgoing.bytes(), "no more than the buffers hold");
        let Some(peer) = &self.peer else { return Ok(Vec::new()) };
        let queue = &self.gpu.frontier;
        self.timed(queue, (bytes, times), &mut || {
            let from = self.outgoing.pointer::<u8>() as u64;
            // SAFETY: both buffers have this size and are alive: the other rank keeps its own until all are done.
            unsafe { result::memcpy_dtod_async(peer.address, from, bytes, queue.cu_stream()) }
                .map_err(failed("copying to another GPU"))
        })
    }

    /// Exchanges with a rank by NCCL so many times; nothing outside of a meeting. Returns the seconds of each.
    ///
    /// # Errors
    /// NCCL or the GPU fails.
    ///
    /// # Panics
    ///
    /// If the buffers are smaller.
    pub fn exchanges(&self, rank: usize, bytes: usize, times: usize) -> Result<Vec<f64>, DeviceError> {
        assert!(bytes <= self.outgoing.bytes(), "no more than the buffers hold");
        let communicator = self.gpu.communicator.borrow();
        let Some(communicator) = communicator.as_ref() else {
            return Ok(Vec::new());
        };
        let part = Part {
            rank,
            sent: (self.outgoing.pointer::<u8>() as u64, bytes),
            received: (self.incoming.pointer::<u8>() as u64, bytes),
        };
        // SAFETY: both buffers have this size and are alive until the queue has been waited for.
        let mut exchange = || unsafe { communicator.exchange(&[part]) };
        self.timed(&communicator.queue, (bytes, times), &mut exchange)
    }

    /// Repeats a transfer of so many bytes so many times, as a recording that holds several if they are short. Returns
    /// the seconds of each, means over the recording.
    fn timed(
        &self,
        queue: &Arc<CudaStream>,
        (bytes, times): (usize, usize),
        transfer: &mut dyn FnMut() -> Result<(), CudaError>,
    ) -> Result<Vec<f64>, DeviceError> {
        let in_one = (RECORDED / bytes.max(1)).clamp(1, MOST_IN_ONE);
        let recording = || failed("recording transfers");
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        queue.begin_capture(mode).map_err(recording())?;
        let added = (0..in_one).try_for_each(|_| transfer());
        // The capture ends even after a failure, so that the queue can be used again.
        let graph = queue.end_capture(sys::CUgraphInstantiate_flags_enum(0));
        added?;
        let graph = graph.map_err(recording())?;
        let mut events = vec![self.gpu.event(true)?];
        events[0].record(queue).map_err(recording())?;
        for _ in 0..times {
            graph.as_ref().map_or(Ok(()), CudaGraph::launch).map_err(recording())?;
            let event = self.gpu.event(true)?;
            event.record(queue).map_err(recording())?;
            events.push(event);
        }
        self.gpu.wait_for_queue(queue)?;
        let seconds = events.windows(2).map(|pair| {
            let milliseconds = pair[0].elapsed_ms(&pair[1]).map_err(failed("timing"))?;
            Ok(f64::from(milliseconds) * 1e-3 / in_one as f64)
        });
        seconds.collect()
    }
}

impl Network for Probe {
    fn gpu(&self) -> [u64; 2] {
        self.gpu.id
    }

    fn load(&mut self) -> Result<String, DeviceError> {
        Ok(loaded_version()?)
    }

    fn id(&mut self) -> Result<Vec<u8>, DeviceError> {
        Ok(new_meeting()?)
    }

    /// Without a mesh the neighbours are ranks.
    fn join(&mut self, meeting: &Meeting, neighbours: &[usize]) -> Result<(), DeviceError> {
        let queue = self.gpu.queues(1, true)?.swap_remove(0);
        Ok(self.gpu.meet(queue, meeting, neighbours)?)
    }

    fn leave(&mut self) {
        self.gpu.communicator.take();
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        // NCCL works on the buffers.
        self.gpu.communicator.take();
    }
}
