//! Exchange through segments: memory of the host that two ranks of a machine share and both GPUs reach.
//!
//! Packed values are copied by the copy engine straight into the segment of the receiver, and from there into the halos
//! of its GPU, in pieces, so that both copies run at once. Flags in the segment, for which the queue of the receiver
//! waits, take the place of messages. The host takes no part, and a time step with its exchanges can be recorded.
//!
//! Ranks cannot wait for each other in a circle, even if the driver runs independent queues one after the other. The
//! wait for piece k of an exchange comes after the own pieces up to k. Of all ranks that wait, take one that waits for
//! the earliest piece: its neighbour waits for none that is earlier, and has therefore sent that piece.

use std::ffi::c_void;

use cudarc::driver::{CudaEvent, CudaStream, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::peer::{enqueue, wait_for_flag, write_flag};
use super::queue_trace::{D2H, FROM_PEERS, H2D};
use super::{CudaDevice, Real};
use crate::device::segment::{MOST_PIECES, SLOTS, Segment};
use crate::device::{DeviceError, Traces};

/// A segment that the copy engines and queues of this GPU reach.
struct Registered {
    segment: Segment,
    /// Address of the segment on this GPU.
    on_gpu: sys::CUdeviceptr,
}

impl Registered {
    /// Registers a segment with the driver.
    fn new(gpu: &Gpu, segment: Segment) -> Result<Self, CudaError> {
        gpu.context.bind_to_thread().map_err(failed("choosing the GPU"))?;
        let (address, bytes) = segment.memory();
        let flags = sys::CU_MEMHOSTREGISTER_PORTABLE | sys::CU_MEMHOSTREGISTER_DEVICEMAP;
        // SAFETY: the memory is mapped as long as the segment lives, which this object owns.
        unsafe { sys::cuMemHostRegister_v2(address.cast(), bytes, flags) }
            .result()
            .map_err(failed("pinning memory that ranks share"))?;
        let mut registered = Registered { segment, on_gpu: 0 };
        // SAFETY: the memory is registered, and the driver writes one address.
        unsafe { sys::cuMemHostGetDevicePointer_v2(&mut registered.on_gpu, address.cast(), 0) }
            .result()
            .map_err(failed("mapping memory that ranks share"))?;
        Ok(registered)
    }

    /// Returns the address of a flag on this GPU.
    fn flag(&self, slot: usize, piece: usize) -> sys::CUdeviceptr {
        let offset = self.segment.flag(slot, piece).addr() - self.segment.memory().0.addr();
        self.on_gpu + offset as u64
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        let address: *mut c_void = self.segment.memory().0.cast();
        // SAFETY: registered once and unregistered once, after the device has waited for its queues.
        let _ = unsafe { sys::cuMemHostUnregister(address) };
    }
}

/// The segments between this rank and one neighbour.
struct Pair {
    /// Index of the neighbour in the plan.
    neighbour: usize,
    /// The segment of this rank, which the neighbour writes.
    incoming: Registered,
    /// The segment of the neighbour.
    outgoing: Registered,
}

/// The segments between this rank and its neighbours.
#[derive(Default)]
pub(super) struct Segments {
    pairs: Vec<Pair>,
    /// Events after each piece of the latest exchange was copied into all segments.
    sent: Vec<CudaEvent>,
}

impl Segments {
    /// Adds those of a neighbour.
    ///
    /// # Errors
    /// The driver cannot use them.
    pub fn add(&mut self, gpu: &Gpu, neighbour: usize, incoming: Segment, outgoing: Segment) -> Result<(), CudaError> {
        self.pairs.push(Pair {
            neighbour,
            incoming: Registered::new(gpu, incoming)?,
            outgoing: Registered::new(gpu, outgoing)?,
        });
        Ok(())
    }

    /// Closes all segments.
    pub fn clear(&mut self) {
        self.pairs.clear();
    }

    /// Returns the number of neighbours.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the largest number of pieces of any message, in either direction.
    fn pieces(&self, traces: Traces) -> usize {
        let shapes = self.pairs.iter().flat_map(|pair| [&pair.incoming, &pair.outgoing]);
        shapes.map(|s| s.segment.shape.pieces(traces).len()).max().unwrap_or(0)
    }

    /// Sets the flags of all messages to this rank from the host.
    pub fn set_flags(&self, value: u32) {
        for incoming in self.pairs.iter().map(|pair| &pair.incoming.segment) {
            for (slot, piece) in (0..SLOTS).flat_map(|slot| (0..MOST_PIECES).map(move |piece| (slot, piece))) {
                // SAFETY: a flag of a mapped segment. The GPU may read it at the same time, as it does other memory of
                // the host.
                unsafe { incoming.flag(slot, piece).write_volatile(value) };
            }
        }
    }

    /// Adds to the queue the copies of a piece of the packed values into the segments of all neighbours, and then their
    /// flags. `from` returns where the values for a neighbour begin.
    fn write(
        &self,
        queue: &CudaStream,
        (traces, slot): (Traces, usize),
        piece: usize,
        from: impl Fn(usize) -> sys::CUdeviceptr,
    ) -> Result<(), CudaError> {
        let mut flags = Vec::new();
        for Pair {
            neighbour, outgoing, ..
        } in &self.pairs
        {
            let segment = &outgoing.segment;
            let Some(bytes) = segment.shape.pieces(traces).nth(piece) else {
                continue;
            };
            flags.push(write_flag(outgoing.flag(slot, piece), 1));
            if bytes.is_empty() {
                continue;
            }
            let to = segment.slot(slot).wrapping_add(bytes.start);
            // SAFETY: the range lies within the packed values and within the slot, which have equal lengths. The
            // neighbour reads it only after the flag.
            unsafe {
                let to = std::slice::from_raw_parts_mut(to, bytes.len());
                result::memcpy_dtoh_async(to, from(*neighbour) + bytes.start as u64, queue.cu_stream())
            }
            .map_err(failed("copying from the GPU"))?;
        }
        enqueue(queue, &mut flags)
    }

    /// Makes the queue wait for a piece from all neighbours.
    fn wait(&self, queue: &CudaStream, (traces, slot): (Traces, usize), piece: usize) -> Result<(), CudaError> {
        let arriving = self.pairs.iter().map(|pair| &pair.incoming);
        let flags = arriving
            .filter(|incoming| piece < incoming.segment.shape.pieces(traces).len())
            .map(|incoming| incoming.flag(slot, piece));
        let flags: Vec<_> = flags.collect();
        let mut operations: Vec<_> = flags.iter().map(|&flag| wait_for_flag(flag, 1)).collect();
        operations.extend(flags.iter().map(|&flag| write_flag(flag, 0)));
        enqueue(queue, &mut operations)
    }

    /// Adds to the queue the copies of a piece from all neighbours. `to` returns where the values of a neighbour begin.
    fn read(
        &self,
        queue: &CudaStream,
        (traces, slot): (Traces, usize),
        piece: usize,
        to: impl Fn(usize) -> sys::CUdeviceptr,
    ) -> Result<(), CudaError> {
        for Pair {
            neighbour, incoming, ..
        } in &self.pairs
        {
            let segment = &incoming.segment;
            let Some(bytes) = segment
                .shape
                .pieces(traces)
                .nth(piece)
                .filter(|bytes| !bytes.is_empty())
            else {
                continue;
            };
            let from = segment.slot(slot).wrapping_add(bytes.start);
            // SAFETY: the range lies within the slot and within the halo of the neighbour, which have equal lengths.
            unsafe {
                let from = std::slice::from_raw_parts(from.cast_const(), bytes.len());
                result::memcpy_htod_async(to(*neighbour) + bytes.start as u64, from, queue.cu_stream())
            }
            .map_err(failed("copying to the GPU"))?;
        }
        Ok(())
    }
}

impl<R: Real> CudaDevice<R> {
    /// Copies packed values into the segments of the neighbours, after packing.
    pub(super) fn send_through_segments(&mut self, traces: Traces) -> Result<(), DeviceError> {
        let (store, neighbours) = (&self.engine.store, &self.engine.plan.halo.neighbours);
        let queue = &store.gpu.d2h;
        let packed = self.halo.packed_address() as sys::CUdeviceptr;
        let from = |neighbour: usize| {
            let values = neighbours[neighbour].values_out(traces);
            packed + (values.start * size_of::<R>()) as u64
        };
        let place = (traces, self.peers.slot(traces));
        for piece in 0..self.segments.pieces(traces) {
            store.traced(queue, D2H, traces.name(), || {
                self.segments.write(queue, place, piece, from)
            })?;
            if self.segments.sent.len() == piece {
                self.segments.sent.push(store.gpu.event(false)?);
            }
            self.segments.sent[piece]
                .record(queue)
                .map_err(failed("recording an event"))?;
        }
        Ok(())
    }

    /// Copies what the neighbours send from the own segments into the halos.
    pub(super) fn receive_through_segments(&self, traces: Traces) -> Result<(), DeviceError> {
        let (store, neighbours) = (&self.engine.store, &self.engine.plan.halo.neighbours);
        let queue = &store.gpu.h2d;
        let halo = self.engine.halo(traces) as sys::CUdeviceptr;
        let to = |neighbour: usize| {
            let values = neighbours[neighbour].values_in(traces);
            halo + (values.start * size_of::<R>()) as u64
        };
        let place = (traces, self.peers.slot(traces));
        for piece in 0..self.segments.pieces(traces) {
            let sent = queue.wait(&self.segments.sent[piece]);
            sent.map_err(failed("ordering two queues"))?;
            store.traced(queue, FROM_PEERS, traces.name(), || {
                self.segments.wait(queue, place, piece)
            })?;
            store.traced(queue, H2D, traces.name(), || {
                self.segments.read(queue, place, piece, to)
            })?;
        }
        Ok(())
    }
}
