//! A GPU as a store: arrays in its memory, launches in its queues, and a graph for work that is repeated.
//!
//! There are two queues of kernels. The frontier queue has those over cells with neighbours on other ranks, and the
//! packing of what these need; the compute queue has all others. Work over the frontier waits for what was in the
//! compute queue before the interior cells, so that both run side by side, and what other ranks wait for is on its way
//! while the interior is still being computed. Everything else waits for both queues.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use cudarc::driver::{CudaEvent, CudaGraph, CudaStream, sys};

use super::driver::Gpu;
use super::error::{CudaError, failed};
use super::kernels::LoadedKernel;
use super::memory::{Array, Staging};
use super::module::load;
use super::queue_trace::{FRONTIER, KERNELS, QueueTrace};
use crate::device::memory::Plain;
use crate::device::store::{Launches, Store};
use crate::device::{Cells, DeviceError, Span};

/// Memory and queues of a GPU.
pub struct GpuStore {
    /// The GPU.
    pub gpu: Gpu,
    staging: Staging,
    /// What work over the frontier has to wait for in the compute queue.
    before: CudaEvent,
    /// The newest work over frontier cells, which the next over interior cells has to wait for.
    swept: CudaEvent,
    /// Whether there was some that the compute queue has not waited for.
    sweeping: Cell<bool>,
    /// Whether the frontier queue has any work that the compute queue has not waited for.
    ahead: Cell<bool>,
    trace: QueueTrace,
    record: bool,
}

impl GpuStore {
    /// Prepares the queues of a GPU; `record` allows work to be recorded.
    ///
    /// # Errors
    ///
    /// Returns an error if the GPU fails.
    pub fn new(gpu: Gpu, record: bool) -> Result<Self, CudaError> {
        Ok(GpuStore {
            staging: Staging::new(&gpu)?,
            before: gpu.event(false)?,
            swept: gpu.event(false)?,
            sweeping: Cell::new(false),
            ahead: Cell::new(false),
            trace: QueueTrace::default(),
            gpu,
            record,
        })
    }

    /// Loads a kernel of an image (machine code or PTX) that nothing else is taken from, with the shape of its launches
    /// ([`LoadedKernel::new`]).
    ///
    /// # Errors
    ///
    /// Returns an error if the driver refuses the image, or it has no kernel of this name.
    pub fn kernel(
        &self,
        image: &[u8],
        name: &str,
        threads: usize,
        items: usize,
        shared: usize,
    ) -> Result<LoadedKernel, CudaError> {
        LoadedKernel::new(&load(&self.gpu, image.to_vec())?, name, threads, items, shared)
    }

    /// Records what `work` launches, in both queues of kernels.
    fn record(&self, work: &mut Launches) -> Result<CudaGraph, DeviceError> {
        self.join_frontier()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        let compute = &self.gpu.compute;
        compute.begin_capture(mode).map_err(failed("recording a step"))?;
        let worked = self.work_in_both_queues(work);
        // Ended in any case, so that the queue can be used again.
        let flags = sys::CUgraphInstantiate_flags_enum(0);
        let graph = compute.end_capture(flags).map_err(failed("recording a step"));
        worked?;
        Ok(graph?.ok_or(CudaError::Call {
            call: "recording a step",
            text: "nothing was launched".to_owned(),
        })?)
    }

    /// Lets both queues take part in what is being recorded, from its begin to its end.
    fn work_in_both_queues(&self, work: &mut Launches) -> Result<(), DeviceError> {
        self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?;
        work()?;
        self.gpu.order(&self.gpu.frontier, &self.gpu.compute)?;
        self.ahead.set(false);
        self.sweeping.set(false);
        Ok(())
    }

    /// Does `work`, which puts something into a queue, and notes its begin and end there during a trace.
    pub(super) fn traced<T, E: From<CudaError>>(
        &self,
        queue: &CudaStream,
        name: &'static str,
        what: &'static str,
        work: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        self.trace.note(&self.gpu, (queue, name), what, work)
    }

    /// Starts a trace of the queues.
    pub(super) fn start_trace(&self) -> Result<(), DeviceError> {
        self.synchronize()?;
        Ok(self.trace.start(&self.gpu)?)
    }

    /// Ends the trace; returns what the queues did.
    pub(super) fn finish_trace(&self) -> Result<Vec<Span>, DeviceError> {
        self.synchronize()?;
        Ok(self.trace.finish()?)
    }

    /// Notes that work was put into the frontier queue.
    pub(super) fn frontier_is_ahead(&self) {
        self.ahead.set(true);
    }

    /// Lets the compute queue wait for all of the frontier queue.
    pub(super) fn join_frontier(&self) -> Result<(), CudaError> {
        self.sweeping.set(false);
        if self.ahead.replace(false) {
            self.gpu.order(&self.gpu.frontier, &self.gpu.compute)?;
        }
        Ok(())
    }

    /// Lets later work over the frontier wait for what is in the compute queue now.
    fn mark_before(&self) -> Result<(), CudaError> {
        self.before
            .record(&self.gpu.compute)
            .map_err(failed("recording an event"))
    }

    /// The queue for work over a part of the cells, with its name in a trace, after what that work has to wait for.
    fn enter(&self, part: Cells) -> Result<(&CudaStream, &'static str), CudaError> {
        match part {
            Cells::Frontier => {
                let queue = &self.gpu.frontier;
                queue.wait(&self.before).map_err(failed("ordering two queues"))?;
                self.ahead.set(true);
                return Ok((queue, FRONTIER));
            }
            Cells::Interior => {
                // Not for what has been packed since: that reads what only work over the frontier writes.
                if self.sweeping.replace(false) {
                    let wait = self.gpu.compute.wait(&self.swept);
                    wait.map_err(failed("ordering two queues"))?;
                }
                self.mark_before()?;
            }
            Cells::All => self.join_frontier()?,
        }
        Ok((&self.gpu.compute, KERNELS))
    }

    /// Notes what later work has to wait for after work over a part of the cells.
    fn leave(&self, part: Cells) -> Result<(), CudaError> {
        match part {
            Cells::Frontier => {
                let swept = self.swept.record(&self.gpu.frontier);
                swept.map_err(failed("recording an event"))?;
                self.sweeping.set(true);
                Ok(())
            }
            Cells::Interior => Ok(()),
            Cells::All => self.mark_before(),
        }
    }
}

impl Store for GpuStore {
    type Array = Array;
    type Kernel = LoadedKernel;
    type Queue = CudaStream;
    type Recording = CudaGraph;

    fn zeros(&self, bytes: usize) -> Result<Array, DeviceError> {
        Ok(Array::zeros(&self.gpu, bytes)?)
    }

    fn read<'a, T: Plain>(&self, array: &'a Array, values: Range<usize>) -> Result<Cow<'a, [T]>, DeviceError> {
        self.join_frontier()?;
        Ok(Cow::Owned(self.staging.download(&self.gpu, array, values)?))
    }

    fn write<T: Plain>(&self, array: &Array, values: &[T]) -> Result<(), DeviceError> {
        self.join_frontier()?;
        self.staging.upload(&self.gpu, values, array)?;
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn fill<T: Plain>(&self, array: &Array, len: usize, set: impl FnOnce(&mut [T])) -> Result<(), DeviceError> {
        let mut values = vec![T::default(); len];
        set(&mut values);
        self.write(array, &values)
    }

    fn set<T: Plain>(&self, array: &Array, numbers: &[T]) -> Result<(), DeviceError> {
        self.join_frontier()?;
        // The numbers travel inside the commands.
        Ok(array.set(numbers, &self.gpu.compute)?)
    }

    fn clear(&self, array: &Array) -> Result<(), DeviceError> {
        self.join_frontier()?;
        array.clear(&self.gpu.compute)?;
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn copy(&self, from: &Array, to: &Array) -> Result<(), DeviceError> {
        self.join_frontier()?;
        to.copy_from(from, &self.gpu.compute)?;
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn submit(
        &self,
        part: Cells,
        label: &'static str,
        launches: impl FnOnce(&CudaStream) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let (queue, name) = self.enter(part)?;
        self.traced(queue, name, label, || launches(queue))?;
        Ok(self.leave(part)?)
    }

    unsafe fn launch<P>(
        &self,
        queue: &CudaStream,
        kernel: &LoadedKernel,
        range: Range<usize>,
        params: &P,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller vouches for the parameters.
        Ok(unsafe { kernel.launch(queue, range.len(), params) }?)
    }

    fn repeat(&self, recording: &mut Option<CudaGraph>, work: &mut Launches) -> Result<(), DeviceError> {
        if !self.record {
            return work();
        }
        let graph = match recording {
            Some(graph) => graph,
            None => recording.insert(self.record(work)?),
        };
        self.join_frontier()?;
        graph.launch().map_err(failed("replaying a step"))?;
        // What is packed next lies in the frontier queue.
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn seconds(&self, work: &mut Launches) -> Result<f64, DeviceError> {
        self.synchronize()?;
        let compute = &self.gpu.compute;
        let (begin, end) = (self.gpu.event(true)?, self.gpu.event(true)?);
        begin.record(compute).map_err(failed("recording an event"))?;
        work()?;
        self.join_frontier()?;
        end.record(compute).map_err(failed("recording an event"))?;
        let milliseconds = begin.elapsed_ms(&end).map_err(failed("timing"))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.join_frontier()?;
        Ok(self.gpu.compute.synchronize().map_err(failed("waiting for the GPU"))?)
    }
}
