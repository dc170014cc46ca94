//! A trace of the queues: what each queue did and when.
//!
//! During a trace every piece of work is enclosed by two events with time stamps. Without a trace no events are
//! recorded.

use std::cell::RefCell;

use cudarc::driver::{CudaEvent, CudaStream};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use crate::device::Span;

/// Name of the compute queue in a trace.
pub(super) const KERNELS: &str = "kernels";
/// Name of the frontier queue in a trace.
pub(super) const FRONTIER: &str = "frontier kernels";
/// Name of the queue of device-to-host copies in a trace.
pub(super) const D2H: &str = "device to host";
/// Name of the queue of host-to-device copies in a trace.
pub(super) const H2D: &str = "host to device";
/// Name of the queue of exchanges through the network in a trace.
pub(super) const NETWORK: &str = "network";
/// Name of the waits for values of peer GPUs in a trace.
pub(super) const FROM_PEERS: &str = "from neighbours";

/// A trace of the queues, if one is in progress.
#[derive(Default)]
pub(super) struct QueueTrace(RefCell<Option<Trace>>);

/// A trace in progress.
struct Trace {
    begin: CudaEvent,
    /// Queue, work, and the events before and after it.
    spans: Vec<(&'static str, &'static str, CudaEvent, CudaEvent)>,
}

/// Records an event with a time stamp after the work that is in a queue now.
fn mark(gpu: &Gpu, queue: &CudaStream) -> Result<CudaEvent, CudaError> {
    let event = gpu.event(true)?;
    event.record(queue).map_err(failed("recording an event"))?;
    Ok(event)
}

impl QueueTrace {
    /// Calls `work`, which adds work to a queue. During a trace its begin and end are recorded under the name `what`.
    ///
    /// # Errors
    /// `work` or the GPU fails.
    pub(super) fn note<T, E: From<CudaError>>(
        &self,
        gpu: &Gpu,
        (queue, name): (&CudaStream, &'static str),
        what: &'static str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        if self.0.borrow().is_none() {
            return work();
        }
        let begin = mark(gpu, queue)?;
        let done = work()?;
        let end = mark(gpu, queue)?;
        if let Some(trace) = self.0.borrow_mut().as_mut() {
            trace.spans.push((name, what, begin, end));
        }
        Ok(done)
    }

    /// Starts a trace. All queues must be empty.
    ///
    /// # Errors
    /// The GPU fails.
    pub(super) fn start(&self, gpu: &Gpu) -> Result<(), CudaError> {
        let begin = mark(gpu, &gpu.compute)?;
        let spans = Vec::new();
        *self.0.borrow_mut() = Some(Trace { begin, spans });
        Ok(())
    }

    /// Ends the trace and returns the recorded work. All queues must be empty.
    ///
    /// # Errors
    /// The GPU fails.
    pub(super) fn finish(&self) -> Result<Vec<Span>, CudaError> {
        let Some(trace) = self.0.take() else {
            return Ok(Vec::new());
        };
        let at = |event: &CudaEvent| {
            let milliseconds = trace.begin.elapsed_ms(event).map_err(failed("timing"));
            milliseconds.map(|t| f64::from(t) * 1e-3)
        };
        let spans = trace.spans.iter().map(|(queue, what, begin, end)| {
            Ok(Span {
                queue,
                what,
                begin: at(begin)?,
                end: at(end)?,
            })
        });
        spans.collect()
    }
}
