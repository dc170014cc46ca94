//! What the queues do and when: for a traced step every piece of work is put between two events with time stamps. A run
//! without a trace pays nothing.

use std::cell::RefCell;

use cudarc::driver::{CudaEvent, CudaStream};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use crate::device::Span;

/// Names of the queues as people see them.
pub(super) const KERNELS: &str = "kernels";
pub(super) const FRONTIER: &str = "frontier kernels";
pub(super) const DOWN: &str = "device to host";
pub(super) const UP: &str = "host to device";
pub(super) const IN: &str = "from neighbours";

/// A trace of the queues, if one is in progress.
#[derive(Default)]
pub(super) struct QueueTrace(RefCell<Option<Trace>>);

/// A trace in progress.
struct Trace {
    begin: CudaEvent,
    /// Queue, work, and the events before and after it.
    spans: Vec<(&'static str, &'static str, CudaEvent, CudaEvent)>,
}

/// An event with a time stamp at the end of what is in a queue now.
fn mark(gpu: &Gpu, queue: &CudaStream) -> Result<CudaEvent, CudaError> {
    let event = gpu.event(true)?;
    event.record(queue).map_err(failed("recording an event"))?;
    Ok(event)
}

impl QueueTrace {
    /// Does `work`, which puts something into a queue, and notes its begin and end there during a trace.
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

    /// Starts a trace; nothing may be in the queues.
    pub(super) fn start(&self, gpu: &Gpu) -> Result<(), CudaError> {
        let begin = mark(gpu, &gpu.compute)?;
        let spans = Vec::new();
        *self.0.borrow_mut() = Some(Trace { begin, spans });
        Ok(())
    }

    /// Ends the trace after all queues have ended; returns what they did.
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
