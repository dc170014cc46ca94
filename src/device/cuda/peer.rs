//! The straight way between GPUs of one machine: each packs what another needs straight into that one's halos (CUDA IPC; over
//! NVLink where there is one), and then writes a word there that says so, for which the other's frontier queue waits. All of it is
//! in one queue, and the host takes no part, so that a step with its exchanges can be recorded.
//!
//! Nothing is overwritten that is still to be read. A rank writes states for stage s + 1 after it has the viscous traces of stage
//! s, which its neighbour packed after its frontier cells had read the states of stage s - 1, the last that lay in the same
//! place; and traces of stage s + 1 after it has the states of that stage, packed after the traces of stage s had been read. For
//! the same reasons each of the three words (states in two alternating buffers, traces) is back at zero before it is written
//! again. Without viscosity there are states only, and this holds as long as the buffers alternate: see
//! [`Solver::evaluate_rhs`](crate::solver::Solver::evaluate_rhs) for the one place where they do not.

use cudarc::driver::{CudaStream, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::memory::Array;
use super::{CudaDevice, Real};
use crate::device::store::{Memory, Store};
use crate::device::{Buffer, DeviceError, PeerHandles, Plan, Traces};

/// Operations on words that the driver takes in one call.
const MOST_AT_ONCE: usize = 256;
/// Words a neighbour.
const WORDS: usize = 3;
/// Numbers of an IPC handle.
const HANDLE: usize = size_of::<sys::CUipcMemHandle>() / 8;
/// Arrays with handles: three states, traces, words.
const ARRAYS: usize = 5;

/// The word of an exchange.
fn word(traces: Traces) -> usize {
    match traces {
        Traces::States(Buffer::Start | Buffer::B) => 0,
        Traces::States(Buffer::A) => 1,
        Traces::Viscous => 2,
    }
}

/// Another GPU.
struct Peer {
    /// Which neighbour of the plan it belongs to.
    neighbour: usize,
    /// Its arrays, as they are seen from here.
    arrays: [sys::CUdeviceptr; ARRAYS],
    /// Where what it gets from here begins, in bytes: states, traces, words.
    places: [u64; 3],
}

impl Peer {
    fn open(gpu: &Gpu, neighbour: usize, handles: &PeerHandles) -> Result<Self, CudaError> {
        gpu.context.bind_to_thread().map_err(failed("choosing the GPU"))?;
        let mut peer = Peer {
            neighbour,
            arrays: [0; ARRAYS],
            places: [0, 1, 2].map(|k| handles[ARRAYS * HANDLE + k]),
        };
        for (array, words) in peer.arrays.iter_mut().zip(handles.chunks(HANDLE)) {
            if words.iter().all(|&word| word == 0) {
                continue;
            }
            let mut handle = sys::CUipcMemHandle_st { reserved: [0; 64] };
            for (to, from) in handle
                .reserved
                .iter_mut()
                .zip(words.iter().flat_map(|w| w.to_le_bytes()))
            {
                *to = from as std::ffi::c_char;
            }
            let flags = sys::CUipcMem_flags_enum::CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS as u32;
            // SAFETY: the handle is that of a live array of another process.
            unsafe { sys::cuIpcOpenMemHandle_v2(array, handle, flags) }
                .result()
                .map_err(failed("opening the memory of another GPU"))?;
        }
        Ok(peer)
    }

    /// Where it waits for the word of an exchange.
    fn word(&self, traces: Traces) -> sys::CUdeviceptr {
        self.arrays[4] + self.places[2] + 4 * word(traces) as u64
    }

    /// Where it reads what goes there.
    fn halo(&self, traces: Traces) -> sys::CUdeviceptr {
        match traces {
            Traces::States(Buffer::Start) => self.arrays[0] + self.places[0],
            Traces::States(Buffer::A) => self.arrays[1] + self.places[0],
            Traces::States(Buffer::B) => self.arrays[2] + self.places[0],
            Traces::Viscous => self.arrays[3] + self.places[1],
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        for &array in self.arrays.iter().filter(|&&array| array != 0) {
            // SAFETY: opened once, closed once; the device has waited for its queues.
            let _ = unsafe { sys::cuIpcCloseMemHandle(array) };
        }
    }
}

/// The other GPUs, and the words that they write here.
pub(super) struct Peers {
    peers: Vec<Peer>,
    words: Array,
}

impl Peers {
    /// None yet.
    pub fn new(gpu: &Gpu, plan: &Plan) -> Result<Self, CudaError> {
        Ok(Peers {
            peers: Vec::new(),
            words: Array::zeros(gpu, 4 * WORDS * plan.halo.neighbours.len())?,
        })
    }

    /// Whether there are none.
    pub fn none(&self) -> bool {
        self.peers.is_empty()
    }

    /// Where a neighbour reads what goes there, if it is one of them.
    pub fn halo(&self, neighbour: usize, traces: Traces) -> Option<sys::CUdeviceptr> {
        let peer = self.peers.iter().find(|peer| peer.neighbour == neighbour);
        peer.map(|peer| peer.halo(traces))
    }

    /// Says to all of them that what is in the queue now has been done.
    pub fn tell(&self, queue: &CudaStream, traces: Traces) -> Result<(), CudaError> {
        let words = self.peers.iter().map(|peer| write_word(peer.word(traces), 1));
        in_order(queue, &mut words.collect::<Vec<_>>())
    }

    /// Lets the queue wait for what they say, and takes it back.
    pub fn wait(&self, queue: &CudaStream, traces: Traces) -> Result<(), CudaError> {
        let first = self.words.pointer::<u32>() as sys::CUdeviceptr;
        let here = |peer: &Peer| first + 4 * (WORDS * peer.neighbour + word(traces)) as u64;
        let mut operations: Vec<_> = self.peers.iter().map(|peer| wait_for_word(here(peer), 1)).collect();
        operations.extend(self.peers.iter().map(|peer| write_word(here(peer), 0)));
        in_order(queue, &mut operations)
    }
}

impl<R: Real> CudaDevice<R> {
    pub(super) fn peer_handles(&self) -> Result<Vec<PeerHandles>, DeviceError> {
        let arrays = &self.engine.arrays;
        let mut handles = Vec::new();
        for array in [&arrays.start, &arrays.a, &arrays.b, &arrays.traces, &self.peers.words] {
            handles.extend(ipc_handle(array)?);
        }
        let real = size_of::<R>();
        let neighbours = self.engine.plan.halo.neighbours.iter().enumerate();
        let all = neighbours.map(|(number, n)| {
            let places = [
                (self.engine.plan.state_len() + n.states_in.start) * real,
                (self.engine.plan.trace_len() + n.traces.start) * real,
                4 * WORDS * number,
            ];
            handles.iter().copied().chain(places.map(|x| x as u64)).collect()
        });
        Ok(all.collect())
    }

    pub(super) fn connect_peers(&mut self, peers: &[(usize, PeerHandles)]) -> Result<(), DeviceError> {
        self.engine.store.synchronize()?;
        self.engine.recording = None;
        self.peers.peers.clear();
        for (neighbour, handles) in peers {
            self.peers
                .peers
                .push(Peer::open(&self.engine.store.gpu, *neighbour, handles)?);
        }
        Ok(())
    }

    /// Whether the host takes no part in exchanges.
    pub(super) fn all_are_peers(&self) -> bool {
        self.peers.peers.len() == self.engine.plan.halo.neighbours.len()
    }

    pub(super) fn wait_for_peers(&mut self, seconds: f64) -> Result<bool, DeviceError> {
        let begin = std::time::Instant::now();
        loop {
            // SAFETY: asks about a live queue.
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
        // The queue gets its words from here, so that it can be used again.
        let (first, count) = (self.peers.words.pointer::<u32>() as u64, self.peers.words.bytes() / 4);
        // SAFETY: writes the words, in the default queue, which does not wait for the one that waits.
        let set = |value| unsafe { sys::cuMemsetD32_v2(first, value, count) }.result();
        set(1).map_err(failed("giving up waiting for another GPU"))?;
        self.engine.store.synchronize()?;
        set(0).map_err(failed("giving up waiting for another GPU"))?;
        Ok(false)
    }
}

/// An operation on a word.
fn operation(
    kind: sys::CUstreamBatchMemOpType,
    address: sys::CUdeviceptr,
    value: u32,
) -> sys::CUstreamBatchMemOpParams {
    // SAFETY: a union of structures of numbers, for which zero is valid.
    let mut operation: sys::CUstreamBatchMemOpParams = unsafe { std::mem::zeroed() };
    // Waiting has the same fields in the same places, and its flags, zero, ask for "at least this value".
    operation.writeValue.operation = kind;
    operation.writeValue.address = address;
    operation.writeValue.__bindgen_anon_1.value = value;
    operation
}

/// Writes a word, here or on a connected GPU.
fn write_word(address: sys::CUdeviceptr, value: u32) -> sys::CUstreamBatchMemOpParams {
    operation(
        sys::CUstreamBatchMemOpType_enum::CU_STREAM_MEM_OP_WRITE_VALUE_32,
        address,
        value,
    )
}

/// Waits for a word of this GPU.
fn wait_for_word(address: sys::CUdeviceptr, value: u32) -> sys::CUstreamBatchMemOpParams {
    operation(
        sys::CUstreamBatchMemOpType_enum::CU_STREAM_MEM_OP_WAIT_VALUE_32,
        address,
        value,
    )
}

/// Puts operations on words into a queue.
fn in_order(queue: &CudaStream, operations: &mut [sys::CUstreamBatchMemOpParams]) -> Result<(), CudaError> {
    for part in operations.chunks_mut(MOST_AT_ONCE) {
        // SAFETY: words of live arrays, here or on connected GPUs; the driver copies the list.
        unsafe { sys::cuStreamBatchMemOp_v2(queue.cu_stream(), part.len() as u32, part.as_mut_ptr(), 0) }
            .result()
            .map_err(failed("exchanging words with another GPU"))?;
    }
    Ok(())
}

/// What another process needs to open an array; zeros for an empty one.
fn ipc_handle(array: &Array) -> Result<[u64; HANDLE], CudaError> {
    let mut handle = sys::CUipcMemHandle_st { reserved: [0; 64] };
    if array.bytes() > 0 {
        // SAFETY: the array is alive, and the handle is written whole.
        unsafe { sys::cuIpcGetMemHandle(&mut handle, array.pointer::<u8>() as u64) }
            .result()
            .map_err(failed("offering memory to other GPUs"))?;
    }
    Ok(std::array::from_fn(|word| {
        u64::from_le_bytes(std::array::from_fn(|byte| handle.reserved[8 * word + byte] as u8))
    }))
}
