//! What the queues do and when: for a watched step every piece of work is put between two events with time stamps. Nothing of it
//! is there otherwise, so a run pays nothing.

use cudarc::driver::{CudaEvent, CudaStream};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::{CudaDevice, Real};
use crate::device::{DeviceError, Span};

/// Names of the queues as people see them.
pub(super) const KERNELS: &str = "kernels";
pub(super) const FRONTIER: &str = "frontier kernels";
pub(super) const DOWN: &str = "device to host";
pub(super) const UP: &str = "host to device";
pub(super) const IN: &str = "from neighbours";

/// A watch in progress.
pub(super) struct QueueTrace {
    begin: CudaEvent,
    spans: Vec<(&'static str, &'static str, CudaEvent, CudaEvent)>,
}

impl QueueTrace {
    fn new(gpu: &Gpu) -> Result<Self, CudaError> {
        let begin = gpu.event(true)?;
        begin.record(&gpu.compute).map_err(failed("recording an event"))?;
        Ok(QueueTrace {
            begin,
            spans: Vec::new(),
        })
    }
}

impl<R: Real> CudaDevice<R> {
    /// Puts `work` into a queue, and notes when it is done there if somebody watches.
    pub(super) fn noted<T, E: From<CudaError>>(
        &self,
        queue: &CudaStream,
        name: &'static str,
        what: &'static str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let mark = || -> Result<Option<CudaEvent>, CudaError> {
            if self.watch.borrow().is_none() {
                return Ok(None);
            }
            let event = self.gpu.event(true)?;
            event.record(queue).map_err(failed("recording an event"))?;
            Ok(Some(event))
        };
        let begin = mark()?;
        let done = work()?;
        if let (Some(begin), Some(end), Some(watch)) = (begin, mark()?, self.watch.borrow_mut().as_mut()) {
            watch.spans.push((name, what, begin, end));
        }
        Ok(done)
    }

    pub(super) fn begin_watch(&mut self) -> Result<(), DeviceError> {
        self.synchronize()?;
        self.watch = Some(QueueTrace::new(&self.gpu)?).into();
        Ok(())
    }

    pub(super) fn end_watch(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.synchronize()?;
        let Some(watch) = self.watch.take() else {
            return Ok(Vec::new());
        };
        let at = |event: &CudaEvent| {
            let milliseconds = watch.begin.elapsed_ms(event).map_err(failed("timing"));
            milliseconds.map(|t| f64::from(t) * 1e-3)
        };
        let spans = watch.spans.iter().map(|(queue, what, begin, end)| {
            Ok(Span {
                queue,
                what,
                begin: at(begin)?,
                end: at(end)?,
            })
        });
        Ok(spans.collect::<Result<_, CudaError>>()?)
    }
}
