//! Traces on their way between the GPU and the host: packed by a kernel, brought down piece by piece through pinned
//! memory, and what other ranks sent brought up behind the cells. Both ways have a queue of their own, beside the
//! kernels'; events keep the order, and the host never waits for a queue here. An MPI library that takes addresses on the
//! GPU is given these, and nothing goes down or up.

use std::ffi::c_void;
use std::ops::Range;

use cudarc::driver::{CudaEvent, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::memory::Array;
use super::queue_trace::{DOWN, FRONTIER, IN, UP};
use super::{CudaDevice, Real};
use crate::device::contract::{Kernel, Sent, Stage};
use crate::device::store::{Memory, Store};
use crate::device::{DeviceError, HaloBuffers, Plan, Traces};

/// Pinned host memory.
struct Pinned(*mut c_void);

impl Pinned {
    fn new(bytes: usize) -> Result<Self, CudaError> {
        if bytes == 0 {
            return Ok(Pinned(std::ptr::null_mut()));
        }
        // SAFETY: a plain allocation, freed in drop.
        let address = unsafe { result::malloc_host(bytes, 0) }.map_err(failed("allocating pinned memory"))?;
        Ok(Pinned(address))
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: allocated in `new`, freed once.
            let _ = unsafe { result::free_host(self.0) };
        }
    }
}

/// Buffers and events of the exchange.
pub(super) struct Halo {
    /// Face points that are sent: of states, of viscous traces.
    sent: [Array; 2],
    /// What is sent, packed.
    outgoing: Array,
    /// The same on the host.
    down: Pinned,
    /// What was received: states, viscous traces.
    up: [Pinned; 2],
    /// What the upward queue has done with each of these.
    emptied: [CudaEvent; 2],
    /// One event a piece on its way down; as many as were ever needed.
    pieces: Vec<CudaEvent>,
    /// Pieces since the last packing.
    begun: usize,
    /// Whether MPI gets addresses on the GPU.
    pub own_memory: bool,
}

impl Halo {
    /// For the halos of a plan.
    pub fn new<R: Real>(gpu: &Gpu, plan: &Plan) -> Result<Self, CudaError> {
        let halo = &plan.halo;
        let most = halo.states_out().max(halo.trace_len) * size_of::<R>();
        Ok(Halo {
            sent: [
                Array::from_slice(gpu, &halo.states)?,
                Array::from_slice(gpu, &halo.traces)?,
            ],
            outgoing: Array::zeros(gpu, most)?,
            down: Pinned::new(most)?,
            up: [
                Pinned::new(halo.state_len * size_of::<R>())?,
                Pinned::new(halo.trace_len * size_of::<R>())?,
            ],
            emptied: [gpu.event(false)?, gpu.event(false)?],
            pieces: Vec::new(),
            begun: 0,
            own_memory: false,
        })
    }

    /// What is sent, packed.
    pub fn packed(&self) -> *mut u8 {
        self.outgoing.pointer()
    }

    /// Device memory.
    pub fn bytes(&self) -> usize {
        self.outgoing.bytes() + self.sent.iter().map(Array::bytes).sum::<usize>()
    }
}

impl<R: Real> CudaDevice<R> {
    /// Packs what goes to these neighbours: `out` is where the first value of all that is sent would be.
    fn pack_points(&self, traces: Traces, points: Range<usize>, out: *mut R) -> Result<(), DeviceError> {
        let mut params = self.engine.packing(traces);
        params.sent = self.halo.sent[traces.index()]
            .pointer::<Sent>()
            .wrapping_add(points.start);
        params.boundary_count = points.len() as i64;
        params.out = out;
        let (store, kernel) = (
            &self.engine.store,
            self.engine.kernels[0].get(Kernel::Pack, Stage::RhsOnly),
        );
        // SAFETY: the list names values of live arrays, and what is sent has a place of its own for each, here or in the
        // halo of a peer.
        unsafe { store.launch(&store.gpu.frontier, kernel, 0..points.len(), &params) }
    }

    pub(super) fn pack_traces(&mut self, traces: Traces) -> Result<(), DeviceError> {
        let (frontier, packed) = (&self.engine.store.gpu.frontier, self.halo.packed().cast::<R>());
        let by_host = !self.all_are_peers();
        if by_host {
            // What was packed before has left.
            self.engine.store.gpu.order(&self.engine.store.gpu.down, frontier)?;
        }
        self.engine.store.traced(frontier, FRONTIER, "pack", || {
            if self.peers.none() {
                return self.pack_points(traces, 0..self.engine.plan.halo.states.len(), packed);
            }
            for (number, neighbour) in self.engine.plan.halo.neighbours.iter().enumerate() {
                let straight = self.peers.halo(number, traces);
                let out = straight.map_or(packed, |there| {
                    let first = neighbour.values_out(traces).start;
                    (there as *mut R).wrapping_sub(first)
                });
                self.pack_points(traces, neighbour.points.clone(), out)?;
            }
            Ok(self.peers.tell(frontier, traces)?)
        })?;
        if by_host {
            // What goes down was packed, and what comes up overwrites halos that all kernels so far have read.
            self.engine.store.gpu.order(frontier, &self.engine.store.gpu.down)?;
            self.engine.store.gpu.order(frontier, &self.engine.store.gpu.up)?;
        }
        self.engine.store.frontier_is_ahead();
        self.halo.begun = 0;
        Ok(())
    }

    /// Frontier kernels from now on find what other ranks sent.
    pub(super) fn wait_for_traces(&mut self, traces: Traces) -> Result<(), DeviceError> {
        let frontier = &self.engine.store.gpu.frontier;
        if !self.peers.none() {
            self.engine
                .store
                .traced(frontier, IN, traces.name(), || self.peers.wait(frontier, traces))?;
        }
        if !self.all_are_peers() {
            self.engine.store.gpu.order(&self.engine.store.gpu.up, frontier)?;
        }
        self.engine.store.frontier_is_ahead();
        Ok(())
    }

    pub(super) fn host_buffers(&mut self, traces: Traces) -> Result<HaloBuffers, DeviceError> {
        let at = traces.index();
        if self.halo.own_memory {
            return Ok(HaloBuffers {
                outgoing: self.halo.packed(),
                incoming: self.engine.halo(traces).cast(),
                real: size_of::<R>(),
            });
        }
        self.halo.emptied[at]
            .synchronize()
            .map_err(failed("waiting for the GPU"))?;
        Ok(HaloBuffers {
            outgoing: self.halo.down.0.cast(),
            incoming: self.halo.up[at].0.cast(),
            real: size_of::<R>(),
        })
    }

    pub(super) fn fetch_piece(&mut self, traces: Traces, values: Range<usize>) -> Result<usize, DeviceError> {
        let piece = self.halo.begun;
        if self.halo.pieces.len() == piece {
            self.halo.pieces.push(self.engine.store.gpu.event(false)?);
        }
        let (offset, bytes) = (values.start * size_of::<R>(), values.len() * size_of::<R>());
        let from = self.halo.packed().wrapping_add(offset) as sys::CUdeviceptr;
        let down = &self.engine.store.gpu.down;
        if !self.halo.own_memory {
            self.engine.store.traced(down, DOWN, traces.name(), || {
                // SAFETY: the range lies within what is packed, and both buffers are that long; nobody touches it before the event.
                unsafe {
                    let to = std::slice::from_raw_parts_mut(self.halo.down.0.cast::<u8>().add(offset), bytes);
                    result::memcpy_dtoh_async(to, from, down.cu_stream()).map_err(failed("copying from the GPU"))
                }
            })?;
        }
        self.halo.pieces[piece]
            .record(&self.engine.store.gpu.down)
            .map_err(failed("recording an event"))?;
        self.halo.begun += 1;
        Ok(piece)
    }

    pub(super) fn deliver_values(&mut self, traces: Traces, values: Range<usize>) -> Result<(), DeviceError> {
        if self.halo.own_memory {
            return Ok(());
        }
        let at = traces.index();
        let to = self.engine.halo(traces).wrapping_add(values.start) as sys::CUdeviceptr;
        let up = &self.engine.store.gpu.up;
        self.engine.store.traced(up, UP, traces.name(), || {
            // SAFETY: the range lies within the halos, and the pinned buffer is as long as they are.
            unsafe {
                let from = self.halo.up[at].0.cast::<R>().add(values.start);
                let from = std::slice::from_raw_parts(from, values.len());
                result::memcpy_htod_async(to, from, up.cu_stream()).map_err(failed("copying to the GPU"))
            }
        })?;
        self.halo.emptied[at]
            .record(&self.engine.store.gpu.up)
            .map_err(failed("recording an event"))?;
        Ok(())
    }

    /// Whether a piece has come down.
    pub(super) fn piece_is_down(&self, piece: usize) -> Result<bool, DeviceError> {
        // SAFETY: asks about a live event.
        match unsafe { sys::cuEventQuery(self.halo.pieces[piece].cu_event()) } {
            sys::CUresult::CUDA_SUCCESS => Ok(true),
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            error => {
                error.result().map_err(failed("asking for an event"))?;
                Ok(true)
            }
        }
    }
}
