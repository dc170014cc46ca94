//! The ranks that exchange traces by NCCL: how they meet, what tells that one of them has failed, and how they part.
//!
//! NCCL itself waits without a limit. The ranks therefore meet in a thread of its own, which is left behind when it
//! takes too long. Later the host asks NCCL, whenever it waits for the GPU, whether the network has failed.

use std::cell::Cell;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use cudarc::driver::{CudaContext, CudaStream, result, sys};

use super::error::{CudaError, failed};
use super::nccl::{Handle, ID_BYTES, Id, Nccl, Part, nccl};
use crate::device::Meeting;

/// Seconds in which all ranks must have met and exchanged a value.
const MEETING: f64 = 60.0;
/// Seconds in which a communicator that is closed in order must have ended.
const CLOSING: f64 = 10.0;

/// The ranks that have met in NCCL, and those of them with which this one exchanges traces.
pub(super) struct Communicator {
    nccl: &'static Nccl,
    /// The communicator; `None` once it was given up.
    handle: Cell<Option<Handle>>,
    /// Queue of the exchanges.
    pub queue: Arc<CudaStream>,
    /// Neighbours: indices in the plan.
    pub neighbours: Vec<usize>,
    /// Their ranks.
    ranks: Vec<usize>,
}

/// A communicator that one thread hands over to another.
struct Moved(Handle);

impl Moved {
    /// Takes it over.
    fn taken(self) -> Handle {
        self.0
    }
}

// SAFETY: NCCL allows calls with a communicator from any thread, one at a time, and a moved one is used by its receiver
// alone.
unsafe impl Send for Moved {}

/// Does `work` in a thread of its own, and returns its result; `None` if it takes longer than so many seconds, in which
/// case the thread is left behind.
fn within<T: Send + 'static>(seconds: f64, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (done, result) = mpsc::channel();
    // If nobody waits for the result any more, it is dropped.
    std::thread::spawn(move || done.send(work()).is_ok());
    result.recv_timeout(Duration::from_secs_f64(seconds)).ok()
}

impl Communicator {
    /// Meets the other ranks with the GPU of a queue, in which exchanges will be, and tries an exchange with these
    /// neighbours: indices in the plan, and ranks. Collective.
    ///
    /// # Errors
    /// The ranks do not meet in time, or what arrives is wrong.
    pub fn join(queue: Arc<CudaStream>, meeting: &Meeting, neighbours: &[(usize, usize)]) -> Result<Self, CudaError> {
        let nccl = nccl().map_err(CudaError::Library)?;
        let id = meeting.id[..].try_into().map_err(|_| CudaError::Nccl {
            purpose: "meeting the other ranks",
            text: format!("an identification has {ID_BYTES} bytes, not {}", meeting.id.len()),
        })?;
        let ranks: Vec<usize> = neighbours.iter().map(|&(_, rank)| rank).collect();
        let (rank, all) = (meeting.rank, meeting.ranks);
        let (context, with) = (Arc::clone(queue.context()), ranks.clone());
        let met = within(MEETING, move || {
            context.bind_to_thread().map_err(failed("choosing the GPU"))?;
            let handle = nccl.join(Id(id), rank, all)?;
            match try_exchange(nccl, handle, &context, rank, &with) {
                Ok(()) => Ok(Moved(handle)),
                Err(error) => {
                    // SAFETY: the communicator was made above, and nothing else knows it.
                    unsafe { nccl.abort(handle) };
                    Err(error)
                }
            }
        });
        let handle = met.unwrap_or(Err(CudaError::Nccl {
            purpose: "meeting the other ranks",
            text: format!("they have not all come within {MEETING} s"),
        }))?;
        Ok(Communicator {
            nccl,
            handle: Cell::new(Some(handle.taken())),
            queue,
            neighbours: neighbours.iter().map(|&(number, _)| number).collect(),
            ranks,
        })
    }

    /// Adds an exchange to the queue; nothing once the communicator was given up.
    ///
    /// # Errors
    /// NCCL or the GPU fails.
    ///
    /// # Safety
    /// SAFETY: as that of [`Nccl::exchange`], except for the communicator, which is alive.
    pub unsafe fn exchange(&self, parts: &[Part]) -> Result<(), CudaError> {
        let Some(handle) = self.handle.get() else { return Ok(()) };
        // SAFETY: the communicator is alive until it is given up, and the caller guarantees the ranges.
        unsafe { self.nccl.exchange(handle, self.queue.cu_stream().cast(), parts) }
    }

    /// Returns an error if NCCL has noticed that the network or another rank has failed. The communicator is then given
    /// up, so that the GPU does not wait any longer.
    ///
    /// # Errors
    /// The exchange cannot go on.
    pub fn look(&self) -> Result<(), CudaError> {
        let Some(handle) = self.handle.get() else { return Ok(()) };
        // SAFETY: the communicator is alive until it is given up.
        match unsafe { self.nccl.failure(handle) } {
            None => Ok(()),
            Some(reason) => {
                self.give_up();
                let ranks: Vec<String> = self.ranks.iter().map(ToString::to_string).collect();
                let ranks = ranks.join(", ");
                Err(CudaError::NetworkFailed { ranks, reason })
            }
        }
    }

    /// Ends the communicator with whatever is under way, and does not wait for that.
    pub fn give_up(&self) {
        self.abort(0.0);
    }

    /// Ends the communicator, and waits so many seconds for that.
    fn abort(&self, seconds: f64) {
        let Some(handle) = self.handle.take().map(Moved) else {
            return;
        };
        let nccl = self.nccl;
        // A communicator ends only after the recordings that hold work of it, which may need this thread.
        within(seconds, move || {
            // SAFETY: the communicator was alive, and this took it out of the network.
            unsafe { nccl.abort(handle.taken()) };
        });
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        self.abort(CLOSING);
    }
}

/// Exchanges known numbers with some ranks, once directly and twice by a recording, and compares them: what fails or
/// hangs does so here, where there is another way. Collective.
///
/// # Errors
/// NCCL or the GPU fails, or what arrives is wrong.
fn try_exchange(
    nccl: &Nccl,
    handle: Handle,
    context: &Arc<CudaContext>,
    rank: usize,
    ranks: &[usize],
) -> Result<(), CudaError> {
    if ranks.is_empty() {
        return Ok(());
    }
    let failed = || failed("trying an exchange by NCCL");
    let (count, bytes) = (ranks.len(), size_of::<u64>());
    // SAFETY: a plain allocation, freed below; if anything fails before, the process goes on without these few bytes.
    let memory = unsafe { result::malloc_sync(2 * count * bytes) }.map_err(failed())?;
    let parts: Vec<Part> = (0..)
        .zip(ranks)
        .map(|(place, &rank): (u64, _)| Part {
            rank,
            sent: (memory + place * bytes as u64, bytes),
            received: (memory + (count as u64 + place) * bytes as u64, bytes),
        })
        .collect();
    let queue = context.new_stream().map_err(failed())?;
    // SAFETY: the parts lie in the memory above, which is freed at the end only, and each round ends before the next
    // one changes what is sent.
    let exchange = || unsafe { nccl.exchange(handle, queue.cu_stream().cast(), &parts) };
    let mut recording = None;
    for round in 0..3u64 {
        let mark = |from: usize, to: usize| (round << 60) + ((from as u64) << 30) + to as u64;
        let mut values: Vec<u64> = ranks.iter().map(|&other| mark(rank, other)).collect();
        values.resize(2 * count, u64::MAX);
        // SAFETY: the memory has room for these values; no exchange is under way.
        unsafe { result::memcpy_htod_sync(memory, &values) }.map_err(failed())?;
        // SAFETY: waits for the default queue, in which the copy is.
        unsafe { result::stream::synchronize(std::ptr::null_mut()) }.map_err(failed())?;
        match &recording {
            None => exchange()?,
            Some(graph) => cudarc::driver::CudaGraph::launch(graph).map_err(failed())?,
        }
        queue.synchronize().map_err(failed())?;
        // SAFETY: the memory has as many values.
        unsafe { result::memcpy_dtoh_sync(&mut values, memory) }.map_err(failed())?;
        for (&other, &arrived) in ranks.iter().zip(&values[count..]) {
            if arrived != mark(other, rank) {
                let (purpose, expected) = ("trying an exchange", mark(other, rank));
                let text = format!("{arrived:#x} arrived from rank {other} instead of {expected:#x}");
                return Err(CudaError::Nccl { purpose, text });
            }
        }
        if recording.is_none() {
            let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
            queue.begin_capture(mode).map_err(failed())?;
            let recorded = exchange();
            let flags = sys::CUgraphInstantiate_flags_enum(0);
            recording = queue.end_capture(flags).map_err(failed())?;
            recorded?;
        }
    }
    drop(recording);
    // SAFETY: allocated above, and no longer in use.
    unsafe { result::free_sync(memory) }.map_err(failed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_takes_too_long_is_left_behind() {
        assert_eq!(within(100.0, || 7), Some(7));
        let (release, released) = mpsc::channel::<()>();
        let work = move || released.recv().is_ok();
        assert_eq!(within(0.01, work), None);
        drop(release);
    }
}
