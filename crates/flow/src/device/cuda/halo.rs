//! Exchange of traces with other ranks by messages, and the packing for all kinds of exchange.
//!
//! A kernel packs the values that other ranks need. They are copied to a pinned host buffer in pieces, so that MPI can
//! send the first neighbour's values while later ones are still being copied. Values received from other ranks are
//! copied from a pinned buffer into the halos, which follow the cells in the array. Each direction has its own queue
//! beside the queues of kernels. Events order the queues. The host waits only before it reuses a receive buffer.
//!
//! A CUDA-aware MPI library gets addresses of device memory, and nothing is copied to or from the host.

use std::ffi::c_void;
use std::ops::Range;

use cudarc::driver::{CudaEvent, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::memory::Array;
use super::queue_trace::{D2H, FROM_PEERS, FRONTIER, H2D};
use super::{CudaDevice, Real};
use crate::device::contract::{Kernel, Sent, Stage};
use crate::device::store::{Memory, Store};
use crate::device::{DeviceError, HaloBuffers, Plan, Traces};

/// Pinned host memory, which the copy engines of the GPU can access; null if it is empty.
pub(super) struct PinnedBuffer(pub *mut c_void);

impl PinnedBuffer {
    /// Allocates a buffer of this size in bytes.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(bytes: usize) -> Result<Self, CudaError> {
        if bytes == 0 {
            return Ok(PinnedBuffer(std::ptr::null_mut()));
        }
        // SAFETY: a plain allocation, freed in drop.
        let address = unsafe { result::malloc_host(bytes, 0) }.map_err(failed("allocating pinned memory"))?;
        Ok(PinnedBuffer(address))
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: allocated in `new`, freed once.
            let _ = unsafe { result::free_host(self.0) };
        }
    }
}

/// Buffers and events of the exchange. Arrays of two are indexed by [`Traces::index`]: states, viscous traces.
pub(super) struct Halo {
    /// Face points whose values are sent.
    sent_points: [Array; 2],
    /// Packed values on the GPU.
    packed: Array,
    /// Copy of the packed values on the host, from which MPI sends.
    send_buffer: PinnedBuffer,
    /// Buffers on the host into which MPI receives.
    receive_buffers: [PinnedBuffer; 2],
    /// Events after the last copy out of each receive buffer.
    h2d_done: [CudaEvent; 2],
    /// One event for each piece that is copied to the host. The list grows to the largest number of pieces so far.
    d2h_done: Vec<CudaEvent>,
    /// Number of pieces whose copies were started since the last packing.
    pieces_started: usize,
    /// Whether MPI gets addresses of device memory.
    pub cuda_aware_mpi: bool,
}

impl Halo {
    /// Allocates the buffers for the halos of a plan.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new<R: Real>(gpu: &Gpu, plan: &Plan) -> Result<Self, CudaError> {
        let halo = &plan.halo;
        let packed_bytes = halo.states_out().max(halo.trace_len) * size_of::<R>();
        Ok(Halo {
            sent_points: [
                Array::from_slice(gpu, &halo.states)?,
                Array::from_slice(gpu, &halo.traces)?,
            ],
            packed: Array::zeros(gpu, packed_bytes)?,
            send_buffer: PinnedBuffer::new(packed_bytes)?,
            receive_buffers: [
                PinnedBuffer::new(halo.state_len * size_of::<R>())?,
                PinnedBuffer::new(halo.trace_len * size_of::<R>())?,
            ],
            h2d_done: [gpu.event(false)?, gpu.event(false)?],
            d2h_done: Vec::new(),
            pieces_started: 0,
            cuda_aware_mpi: false,
        })
    }

    /// Returns the device address of the packed values.
    pub fn packed_address(&self) -> *mut u8 {
        self.packed.pointer()
    }

    /// Returns the device memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        self.packed.bytes() + self.sent_points.iter().map(Array::bytes).sum::<usize>()
    }
}

impl<R: Real> CudaDevice<R> {
    /// Launches the kernel that packs the values of these points. Offsets in the list of points count from `out`.
    fn launch_pack(&self, traces: Traces, points: Range<usize>, out: *mut R) -> Result<(), DeviceError> {
        let mut params = self.engine.packing(traces);
        params.sent = self.halo.sent_points[traces.index()]
            .pointer::<Sent>()
            .wrapping_add(points.start);
        params.boundary_count = points.len() as i64;
        params.out = out;
        let (store, kernel) = (
            &self.engine.store,
            self.engine.kernels[0].get(Kernel::Pack, Stage::RhsOnly),
        );
        // SAFETY: the list names values of live arrays, and every packed value has an offset of its own in `out`, or
        // is written five times by one thread with the same number. `out` is the buffer of this GPU or the halo of a
        // peer.
        unsafe { store.launch(&store.gpu.frontier, kernel, 0..points.len(), &params) }
    }

    /// Packs the values for all neighbours into the local buffer, or into the halos of peers, and passes them on to all
    /// linked neighbours.
    pub(super) fn pack_traces(&mut self, traces: Traces) -> Result<(), DeviceError> {
        let store = &self.engine.store;
        let (frontier, packed) = (&store.gpu.frontier, self.halo.packed_address().cast::<R>());
        let by_messages = !self.all_neighbours_are_linked();
        if by_messages {
            // The buffer is overwritten only after its previous values were copied. Copies to segments are complete
            // before the frontier queue reads the halos.
            store.gpu.order(&store.gpu.d2h, frontier)?;
        }
        store.traced(frontier, FRONTIER, "pack", || {
            let halo = &self.engine.plan.halo;
            if self.peers.is_empty() || self.peers.copy {
                self.launch_pack(traces, 0..halo.sent(traces).len(), packed)?;
                self.peers
                    .copy_packed::<R>(frontier, traces, packed as u64, &halo.neighbours)?;
            } else {
                for (number, neighbour) in halo.neighbours.iter().enumerate() {
                    let out = self.peers.halo(number, traces).map_or(packed, |halo| {
                        let first = neighbour.values_out(traces).start;
                        (halo as *mut R).wrapping_sub(first)
                    });
                    self.launch_pack(traces, neighbour.sent[traces.index()].clone(), out)?;
                }
            }
            Ok::<_, DeviceError>(self.peers.signal(frontier, traces)?)
        })?;
        if by_messages || !self.segments.is_empty() {
            // Copies to the host read packed values, and copies from the host overwrite halos that earlier kernels
            // read.
            store.gpu.order(frontier, &store.gpu.d2h)?;
            store.gpu.order(frontier, &store.gpu.h2d)?;
        }
        self.send_through_segments(traces)?;
        self.exchange_through_network(traces)?;
        self.engine.store.mark_frontier_pending();
        self.halo.pieces_started = 0;
        Ok(())
    }

    /// Makes later work of the frontier queue wait until the halos hold the values of all other ranks.
    pub(super) fn order_frontier_after_halo(&mut self, traces: Traces) -> Result<(), DeviceError> {
        self.receive_through_segments(traces)?;
        let frontier = &self.engine.store.gpu.frontier;
        if !self.peers.is_empty() {
            self.engine.store.traced(frontier, FROM_PEERS, traces.name(), || {
                self.peers.enqueue_wait(frontier, traces)
            })?;
        }
        if !self.all_neighbours_are_linked() || !self.segments.is_empty() {
            self.engine.store.gpu.order(&self.engine.store.gpu.h2d, frontier)?;
        }
        self.order_frontier_after_network()?;
        self.engine.store.mark_frontier_pending();
        Ok(())
    }

    /// Returns the buffers of MPI, after the last copy out of the receive buffer.
    pub(super) fn mpi_buffers(&mut self, traces: Traces) -> Result<HaloBuffers, DeviceError> {
        let index = traces.index();
        if self.halo.cuda_aware_mpi {
            return Ok(HaloBuffers {
                outgoing: self.halo.packed_address(),
                incoming: self.engine.halo(traces).cast(),
                real: size_of::<R>(),
            });
        }
        self.halo.h2d_done[index]
            .synchronize()
            .map_err(failed("waiting for the GPU"))?;
        Ok(HaloBuffers {
            outgoing: self.halo.send_buffer.0.cast(),
            incoming: self.halo.receive_buffers[index].0.cast(),
            real: size_of::<R>(),
        })
    }

    /// Starts to copy a range of packed values to the host. Returns the number of the piece, counted since the packing.
    pub(super) fn enqueue_d2h(&mut self, traces: Traces, values: Range<usize>) -> Result<usize, DeviceError> {
        let piece = self.halo.pieces_started;
        if self.halo.d2h_done.len() == piece {
            self.halo.d2h_done.push(self.engine.store.gpu.event(false)?);
        }
        let (offset, bytes) = (values.start * size_of::<R>(), values.len() * size_of::<R>());
        let from = self.halo.packed_address().wrapping_add(offset) as sys::CUdeviceptr;
        let queue = &self.engine.store.gpu.d2h;
        if !self.halo.cuda_aware_mpi {
            self.engine.store.traced(queue, D2H, traces.name(), || {
                // SAFETY: the range lies within the packed values, both buffers have that length, and the host does not
                // access the range before the event.
                unsafe {
                    let to = std::slice::from_raw_parts_mut(self.halo.send_buffer.0.cast::<u8>().add(offset), bytes);
                    result::memcpy_dtoh_async(to, from, queue.cu_stream()).map_err(failed("copying from the GPU"))
                }
            })?;
        }
        self.halo.d2h_done[piece]
            .record(&self.engine.store.gpu.d2h)
            .map_err(failed("recording an event"))?;
        self.halo.pieces_started += 1;
        Ok(piece)
    }

    /// Starts to copy a range of received values into the halos.
    pub(super) fn enqueue_h2d(&mut self, traces: Traces, values: Range<usize>) -> Result<(), DeviceError> {
        if self.halo.cuda_aware_mpi {
            return Ok(());
        }
        let index = traces.index();
        let to = self.engine.halo(traces).wrapping_add(values.start) as sys::CUdeviceptr;
        let queue = &self.engine.store.gpu.h2d;
        self.engine.store.traced(queue, H2D, traces.name(), || {
            // SAFETY: the range lies within the halos, and the pinned buffer has their length.
            unsafe {
                let from = self.halo.receive_buffers[index].0.cast::<R>().add(values.start);
                let from = std::slice::from_raw_parts(from, values.len());
                result::memcpy_htod_async(to, from, queue.cu_stream()).map_err(failed("copying to the GPU"))
            }
        })?;
        self.halo.h2d_done[index]
            .record(&self.engine.store.gpu.h2d)
            .map_err(failed("recording an event"))?;
        Ok(())
    }

    /// Returns whether the copy of a piece to the host is complete.
    pub(super) fn d2h_is_complete(&self, piece: usize) -> Result<bool, DeviceError> {
        // SAFETY: queries a live event.
        match unsafe { sys::cuEventQuery(self.halo.d2h_done[piece].cu_event()) } {
            sys::CUresult::CUDA_SUCCESS => Ok(true),
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            error => {
                error.result().map_err(failed("querying an event"))?;
                Ok(true)
            }
        }
    }
}
