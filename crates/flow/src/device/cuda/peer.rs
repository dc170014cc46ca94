//! Peer-to-peer exchange between GPUs of one machine.
//!
//! A rank packs traces directly into the halos of a peer, whose memory it has opened by CUDA IPC, or packs them here
//! and lets the copy engine bring them there. Direct writes begin to arrive at once, but take arithmetic units from the
//! interior cells while they travel; the solver chooses by measurement. The values travel over NVLink where there is
//! one. The rank then sets a flag in the memory of the peer, and the frontier queue of the peer waits for this flag.
//! All of this happens in one queue without the host, so that a step with its exchanges can be recorded.
//!
//! No value is overwritten before it is read:
//!
//! - A rank writes states of stage s + 1 after it has received the viscous traces of stage s. Its neighbour packed
//!   these after its frontier cells had read the states of stage s - 1, which are the last in the same buffer.
//! - A rank writes viscous traces of stage s + 1 after it has received the states of that stage. Its neighbour packed
//!   these after it had read the viscous traces of stage s.
//! - There are three flags: one for each of two alternating buffers of states, and one for viscous traces. For the same
//!   reasons each of them is zero again before it is set. Where a step in 2N form has an odd number of stages, the two
//!   buffers, and with them their flags, exchange their names after it.
//!
//! Without viscosity only states are exchanged, and the argument holds as long as the buffers alternate.
//! [`Solver::evaluate_rhs`](crate::solver::Solver::evaluate_rhs) handles the one case in which they do not.

use cudarc::driver::{CudaStream, result, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::memory::Array;
use super::{CudaDevice, Real};
use crate::device::store::{Memory, Store};
use crate::device::{Buffer, DeviceError, HaloNeighbour, Link, PeerHandles, Plan, Traces};

/// Largest number of memory operations that the driver accepts in one call.
const MAX_BATCH: usize = 256;
/// Flags of a neighbour.
const FLAGS: usize = 3;
/// Bytes of a flag.
const FLAG_BYTES: usize = 4;
/// 64-bit words of an IPC handle.
pub(super) const HANDLE_WORDS: usize = size_of::<sys::CUipcMemHandle>() / 8;
/// Arrays that are shared by handles: three states, viscous traces, flags.
const ARRAYS: usize = 5;

/// Returns the index of the flag of an exchange among those of a neighbour. The buffers of states may have exchanged
/// their names.
fn flag_index(traces: Traces, swapped: bool) -> usize {
    match traces {
        Traces::States(Buffer::Start | Buffer::B) => usize::from(swapped),
        Traces::States(Buffer::A) => usize::from(!swapped),
        Traces::Viscous => 2,
        Traces::Scalars(_) | Traces::ScalarFluxes => unreachable!("scalars go by messages"),
    }
}

/// Another GPU whose memory is open here.
struct Peer {
    /// Index of the neighbour in the plan.
    neighbour: usize,
    /// Addresses of its arrays on this GPU; zero for empty arrays.
    arrays: [sys::CUdeviceptr; ARRAYS],
    /// Offsets of the values of this rank in the arrays of states, viscous traces and flags, in bytes.
    offsets: [u64; 3],
    /// The arrays, as long as they are open.
    _memory: Vec<OpenMemory>,
}

/// An array of another GPU that is open here.
pub(super) struct OpenMemory {
    /// Address on this GPU.
    pub address: sys::CUdeviceptr,
}

impl OpenMemory {
    /// Opens an array by its handle.
    ///
    /// # Errors
    /// The GPUs do not reach each other, or the driver fails.
    pub fn open(gpu: &Gpu, words: &[u64]) -> Result<Self, CudaError> {
        gpu.context.bind_to_thread().map_err(failed("choosing the GPU"))?;
        let mut handle = sys::CUipcMemHandle_st { reserved: [0; 64] };
        for (to, from) in handle
            .reserved
            .iter_mut()
            .zip(words.iter().flat_map(|w| w.to_le_bytes()))
        {
            *to = from as std::ffi::c_char;
        }
        let flags = sys::CUipcMem_flags_enum::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
        let mut address = 0;
        // SAFETY: the handle is that of a live array of another process.
        unsafe { sys::cuIpcOpenMemHandle_v2(&mut address, handle, flags) }
            .result()
            .map_err(failed("opening the memory of another GPU"))?;
        Ok(OpenMemory { address })
    }
}

impl Drop for OpenMemory {
    fn drop(&mut self) {
        // SAFETY: opened once and closed once, after the device has waited for its queues.
        let _ = unsafe { sys::cuIpcCloseMemHandle(self.address) };
    }
}

impl Peer {
    /// Opens the memory of a peer by its handles.
    fn open(gpu: &Gpu, neighbour: usize, handles: &PeerHandles) -> Result<Self, CudaError> {
        let mut peer = Peer {
            neighbour,
            arrays: [0; ARRAYS],
            offsets: [0, 1, 2].map(|k| handles[ARRAYS * HANDLE_WORDS + k]),
            _memory: Vec::new(),
        };
        for (array, words) in peer.arrays.iter_mut().zip(handles.chunks(HANDLE_WORDS)) {
            // An empty array has no handle.
            if words.iter().any(|&word| word != 0) {
                let memory = OpenMemory::open(gpu, words)?;
                *array = memory.address;
                peer._memory.push(memory);
            }
        }
        Ok(peer)
    }

    /// Returns the address of the flag of an exchange in the memory of the peer.
    fn flag(&self, traces: Traces, swapped: bool) -> sys::CUdeviceptr {
        self.arrays[4] + self.offsets[2] + (FLAG_BYTES * flag_index(traces, swapped)) as u64
    }

    /// Returns the address of this rank's values in the halo of the peer.
    fn halo(&self, traces: Traces) -> sys::CUdeviceptr {
        match traces {
            Traces::States(Buffer::Start) => self.arrays[0] + self.offsets[0],
            Traces::States(Buffer::A) => self.arrays[1] + self.offsets[0],
            Traces::States(Buffer::B) => self.arrays[2] + self.offsets[0],
            Traces::Viscous => self.arrays[3] + self.offsets[1],
            Traces::Scalars(_) | Traces::ScalarFluxes => unreachable!("scalars go by messages"),
        }
    }
}

/// The connected peers, and the flags that they set in the memory of this GPU.
pub(super) struct Peers {
    peers: Vec<Peer>,
    /// Flags `[neighbour][FLAGS]`.
    flags: Array,
    /// Whether the two alternating buffers of states have exchanged their names on all ranks.
    swapped: bool,
    /// Whether values are packed here and then copied.
    pub copy: bool,
}

impl Peers {
    /// Allocates the flags. No peer is connected yet.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(gpu: &Gpu, plan: &Plan) -> Result<Self, CudaError> {
        Ok(Peers {
            peers: Vec::new(),
            flags: Array::zeros(gpu, FLAG_BYTES * FLAGS * plan.halo.neighbours.len())?,
            swapped: false,
            copy: false,
        })
    }

    /// Exchanges the state at the start of the step with the first stage buffer. All ranks do so after the same step.
    pub fn swap_states(&mut self) {
        self.swapped = !self.swapped;
        self.peers.iter_mut().for_each(|peer| peer.arrays.swap(0, 1));
    }

    /// Returns the place of the traces of an exchange among those that are in use at the same time.
    pub fn slot(&self, traces: Traces) -> usize {
        flag_index(traces, self.swapped)
    }

    /// Returns the number of peers.
    pub fn len(&self) -> usize {
        self.peers.len()
    }

    /// Returns whether no peer is connected.
    pub fn is_empty(&self) -> bool {
        self.peers.is_empty()
    }

    /// Returns the address of this rank's values in the halo of a neighbour, or `None` if the neighbour is not a peer.
    pub fn halo(&self, neighbour: usize, traces: Traces) -> Option<sys::CUdeviceptr> {
        let peer = self.peers.iter().find(|peer| peer.neighbour == neighbour);
        peer.map(|peer| peer.halo(traces))
    }

    /// Copies packed values into the halos of all peers.
    ///
    /// # Errors
    /// The driver fails.
    pub fn copy_packed<R: Real>(
        &self,
        queue: &CudaStream,
        traces: Traces,
        packed: sys::CUdeviceptr,
        neighbours: &[HaloNeighbour],
    ) -> Result<(), CudaError> {
        for peer in &self.peers {
            let values = neighbours[peer.neighbour].values_out(traces);
            if values.is_empty() {
                continue;
            }
            let from = packed + (values.start * size_of::<R>()) as u64;
            // SAFETY: the values lie within the packed ones and within the halo of the peer, which have equal lengths.
            unsafe {
                let bytes = values.len() * size_of::<R>();
                result::memcpy_dtod_async(peer.halo(traces), from, bytes, queue.cu_stream())
            }
            .map_err(failed("copying to another GPU"))?;
        }
        Ok(())
    }

    /// Sets the flags of an exchange in all peers, after the work that is in the queue now.
    ///
    /// # Errors
    /// The driver fails.
    pub fn signal(&self, queue: &CudaStream, traces: Traces) -> Result<(), CudaError> {
        let writes = self
            .peers
            .iter()
            .map(|peer| write_flag(peer.flag(traces, self.swapped), 1));
        enqueue(queue, &mut writes.collect::<Vec<_>>())
    }

    /// Makes the queue wait for the flags of all peers, and then clear them.
    ///
    /// # Errors
    /// The driver fails.
    pub fn enqueue_wait(&self, queue: &CudaStream, traces: Traces) -> Result<(), CudaError> {
        let first = self.flags.pointer::<u32>() as sys::CUdeviceptr;
        let flag = flag_index(traces, self.swapped);
        let address = |peer: &Peer| first + (FLAG_BYTES * (FLAGS * peer.neighbour + flag)) as u64;
        let mut operations: Vec<_> = self.peers.iter().map(|peer| wait_for_flag(address(peer), 1)).collect();
        operations.extend(self.peers.iter().map(|peer| write_flag(address(peer), 0)));
        enqueue(queue, &mut operations)
    }
}

impl<R: Real> CudaDevice<R> {
    /// Returns for each neighbour the IPC handles of the arrays, followed by the offsets at which it writes (in bytes).
    pub(super) fn peer_handles(&self) -> Result<Vec<PeerHandles>, DeviceError> {
        let arrays = &self.engine.arrays;
        let mut handles = Vec::new();
        for array in [&arrays.start, &arrays.a, &arrays.b, &arrays.traces, &self.peers.flags] {
            handles.extend(ipc_handle(array)?);
        }
        let real = size_of::<R>();
        let neighbours = self.engine.plan.halo.neighbours.iter().enumerate();
        let all = neighbours.map(|(number, n)| {
            let offsets = [
                (self.engine.plan.state_len() + n.states_in.start) * real,
                (self.engine.plan.trace_len() + n.traces.start) * real,
                FLAG_BYTES * FLAGS * number,
            ];
            handles.iter().copied().chain(offsets.map(|x| x as u64)).collect()
        });
        Ok(all.collect())
    }

    /// Replaces the links to neighbours. A recorded step holds the addresses of the old ones, so it is discarded.
    pub(super) fn connect_neighbours(&mut self, links: Vec<(usize, Link)>) -> Result<(), DeviceError> {
        self.engine.store.synchronize()?;
        self.engine.recordings = [None, None];
        let gpu = &self.engine.store.gpu;
        // Copies into segments may be under way that no kernel has waited for.
        gpu.wait_for_queue(&gpu.d2h)?;
        gpu.communicator.take();
        self.peers.peers.clear();
        self.segments.clear();
        for (neighbour, link) in links {
            match link {
                Link::Peer(handles) => self.peers.peers.push(Peer::open(gpu, neighbour, &handles)?),
                Link::Segments { incoming, outgoing } => self.segments.add(gpu, neighbour, incoming, outgoing)?,
            }
        }
        Ok(())
    }

    /// Returns whether no neighbour needs messages, so that exchanges do not involve the host.
    pub(super) fn all_neighbours_are_linked(&self) -> bool {
        let linked = self.peers.len() + self.segments.len() + self.neighbours_in_network();
        linked == self.engine.plan.halo.neighbours.len()
    }

    /// Waits until the frontier queue is empty, and so has seen the flags of all linked neighbours. Returns `false`
    /// after a timeout in seconds.
    pub(super) fn wait_for_neighbours(&mut self, seconds: f64) -> Result<bool, DeviceError> {
        let begin = std::time::Instant::now();
        loop {
            // SAFETY: queries a live queue.
            match unsafe { sys::cuStreamQuery(self.engine.store.gpu.frontier.cu_stream()) } {
                sys::CUresult::CUDA_ERROR_NOT_READY if begin.elapsed().as_secs_f64() < seconds => {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                sys::CUresult::CUDA_ERROR_NOT_READY => break,
                answer => {
                    answer.result().map_err(failed("waiting for another GPU"))?;
                    return Ok(true);
                }
            }
        }
        // An exchange through the network that does not end is given up.
        if let Some(communicator) = self.engine.store.gpu.communicator.take() {
            communicator.give_up();
        }
        // The host sets the flags itself, so that the queue stops waiting and can be used again.
        let flags = &self.peers.flags;
        let (first, count) = (flags.pointer::<u32>() as u64, flags.bytes() / FLAG_BYTES);
        // SAFETY: writes the flags of a live array, in the default queue, which does not wait for the frontier queue.
        let set = |value| unsafe { sys::cuMemsetD32_v2(first, value, count) }.result();
        set(1).map_err(failed("releasing the wait for another GPU"))?;
        self.segments.set_flags(1);
        self.engine.store.synchronize()?;
        set(0).map_err(failed("releasing the wait for another GPU"))?;
        self.segments.set_flags(0);
        Ok(false)
    }
}

/// Returns an operation of the driver on a 32-bit flag.
fn operation(
    kind: sys::CUstreamBatchMemOpType,
    address: sys::CUdeviceptr,
    value: u32,
) -> sys::CUstreamBatchMemOpParams {
    // SAFETY: a union of structures of numbers, for which zero is valid.
    let mut operation: sys::CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    // The parameters of a wait have the same layout as those of a write. Zero in their field `flags` asks for a value
    // that is at least the given one.
    operation.writeValue.operation = kind;
    operation.writeValue.address = address;
    operation.writeValue.__bindgen_anon_1.value = value;
    operation
}

/// Returns the operation that writes a flag on this or a connected GPU.
pub(super) fn write_flag(address: sys::CUdeviceptr, value: u32) -> sys::CUstreamBatchMemOpParams {
    operation(
        sys::CUstreamBatchMemOpType_enum::CU_STREAM_MEM_OP_WRITE_VALUE_32,
        address,
        value,
    )
}

/// Returns the operation that waits for a flag on this GPU.
pub(super) fn wait_for_flag(address: sys::CUdeviceptr, value: u32) -> sys::CUstreamBatchMemOpParams {
    operation(
        sys::CUstreamBatchMemOpType_enum::CU_STREAM_MEM_OP_WAIT_VALUE_32,
        address,
        value,
    )
}

/// Adds operations on flags to a queue.
pub(super) fn enqueue(queue: &CudaStream, operations: &mut [sys::CUstreamBatchMemOpParams]) -> Result<(), CudaError> {
    for part in operations.chunks_mut(MAX_BATCH) {
        // SAFETY: the flags are in live arrays of this GPU or of connected ones, and the driver copies the list.
        unsafe { sys::cuStreamBatchMemOp_v2(queue.cu_stream(), part.len() as u32, part.as_mut_ptr(), 0) }
            .result()
            .map_err(failed("exchanging flags with another GPU"))?;
    }
    Ok(())
}

/// Returns the IPC handle by which another process opens an array; zeros for an empty array.
pub(super) fn ipc_handle(array: &Array) -> Result<[u64; HANDLE_WORDS], CudaError> {
    let mut handle = sys::CUipcMemHandle_st { reserved: [0; 64] };
    if array.bytes() > 0 {
        // SAFETY: the array is alive, and the driver writes the whole handle.
        unsafe { sys::cuIpcGetMemHandle(&mut handle, array.pointer::<u8>() as u64) }
            .result()
            .map_err(failed("sharing memory with other GPUs"))?;
    }
    Ok(std::array::from_fn(|word| {
        u64::from_le_bytes(std::array::from_fn(|byte| handle.reserved[8 * word + byte] as u8))
    }))
}
