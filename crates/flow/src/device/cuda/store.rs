//! A GPU as a store: arrays in its memory, launches in its queues, and a graph for work that is repeated.
//!
//! There are two queues of kernels. The frontier queue has the kernels over frontier cells and the packing of their
//! traces. The compute queue has all other kernels.
//!
//! Work over frontier cells waits for the work that was in the compute queue before the interior cells. Both parts then
//! run concurrently, and traces are sent while the interior is still being computed. All other work waits for both
//! queues.
//!
//! In recorded work, launches that are independent of each other, over several kinds of cells or by several updates,
//! run concurrently in further queues beside each of the two, because a launch over few cells does not fill the GPU.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

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

/// Number of queues beside a queue, whose launches run concurrently with those of the queue itself.
const QUEUES_BESIDE: usize = 7;

/// Memory and queues of a GPU.
pub struct GpuStore {
    /// The GPU.
    pub gpu: Gpu,
    staging: Staging,
    /// Queues beside the compute queue, and beside the frontier queue, for concurrent launches.
    beside: [Vec<Arc<CudaStream>>; 2],
    /// Event in the compute queue that later work over frontier cells waits for.
    frontier_dependency: CudaEvent,
    /// Event in the frontier queue after the latest work over frontier cells. Work over interior cells waits for it.
    frontier_done: CudaEvent,
    /// Whether the compute queue still has to wait for `frontier_done`.
    frontier_cells_pending: Cell<bool>,
    /// Whether the frontier queue has any work that the compute queue has not waited for.
    frontier_pending: Cell<bool>,
    trace: QueueTrace,
    /// Whether repeated work is recorded as a graph.
    record: bool,
}

impl GpuStore {
    /// Prepares the queues of a GPU. `record` permits recording of repeated work as a graph.
    ///
    /// # Errors
    /// The GPU fails.
    pub fn new(gpu: Gpu, record: bool) -> Result<Self, CudaError> {
        Ok(GpuStore {
            staging: Staging::new(&gpu)?,
            beside: [gpu.queues(QUEUES_BESIDE, false)?, gpu.queues(QUEUES_BESIDE, true)?],
            frontier_dependency: gpu.event(false)?,
            frontier_done: gpu.event(false)?,
            frontier_cells_pending: Cell::new(false),
            frontier_pending: Cell::new(false),
            trace: QueueTrace::default(),
            gpu,
            record,
        })
    }

    /// Loads one kernel of an image (machine code or PTX). The launch shape is that of [`LoadedKernel::new`].
    ///
    /// # Errors
    /// The driver rejects the image, or the image has no kernel of this name.
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

    /// Records the launches of `work` in both queues of kernels as a graph.
    fn record(&self, work: &mut Launches) -> Result<CudaGraph, DeviceError> {
        self.join_frontier()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        let compute = &self.gpu.compute;
        compute.begin_capture(mode).map_err(failed("recording a step"))?;
        let worked = self.work_in_both_queues(work);
        // The capture ends even after a failure, so that the queue can be used again.
        let flags = sys::CUgraphInstantiate_flags_enum(0);
        let graph = compute.end_capture(flags).map_err(failed("recording a step"));
        worked?;
        Ok(graph?.ok_or(CudaError::Call {
            call: "recording a step",
            text: "nothing was launched".to_owned(),
        })?)
    }

    /// Calls `work` with the frontier queue joined to the capture of the compute queue.
    fn work_in_both_queues(&self, work: &mut Launches) -> Result<(), DeviceError> {
        self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?;
        work()?;
        self.gpu.order(&self.gpu.frontier, &self.gpu.compute)?;
        self.frontier_pending.set(false);
        self.frontier_cells_pending.set(false);
        Ok(())
    }

    /// Calls `work`, which adds work to a queue. During a trace its begin and end are recorded.
    ///
    /// # Errors
    /// `work` or the GPU fails.
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
    ///
    /// # Errors
    /// The GPU fails.
    pub(super) fn start_trace(&self) -> Result<(), DeviceError> {
        self.synchronize()?;
        Ok(self.trace.start(&self.gpu)?)
    }

    /// Ends the trace and returns the work of all queues.
    ///
    /// # Errors
    /// The GPU fails.
    pub(super) fn finish_trace(&self) -> Result<Vec<Span>, DeviceError> {
        self.synchronize()?;
        Ok(self.trace.finish()?)
    }

    /// Records that the frontier queue has work that the compute queue has not waited for.
    pub(super) fn mark_frontier_pending(&self) {
        self.frontier_pending.set(true);
    }

    /// Makes the compute queue wait for all work in the frontier queue.
    ///
    /// # Errors
    /// The GPU fails.
    pub(super) fn join_frontier(&self) -> Result<(), CudaError> {
        self.frontier_cells_pending.set(false);
        if self.frontier_pending.replace(false) {
            self.gpu.order(&self.gpu.frontier, &self.gpu.compute)?;
        }
        Ok(())
    }

    /// Makes later work over frontier cells wait for the work that is in the compute queue now.
    fn record_frontier_dependency(&self) -> Result<(), CudaError> {
        self.frontier_dependency
            .record(&self.gpu.compute)
            .map_err(failed("recording an event"))
    }

    /// Makes the queue for a part of the cells wait for earlier work on which that part depends. Returns the queue and
    /// its name in a trace.
    fn begin_part(&self, part: Cells) -> Result<(&CudaStream, &'static str), CudaError> {
        match part {
            Cells::Frontier => {
                let queue = &self.gpu.frontier;
                let wait = queue.wait(&self.frontier_dependency);
                wait.map_err(failed("ordering two queues"))?;
                self.frontier_pending.set(true);
                return Ok((queue, FRONTIER));
            }
            Cells::Interior => {
                // Packing in the frontier queue after this event reads values of frontier cells only, so that interior
                // cells do not wait for it.
                if self.frontier_cells_pending.replace(false) {
                    let wait = self.gpu.compute.wait(&self.frontier_done);
                    wait.map_err(failed("ordering two queues"))?;
                }
                self.record_frontier_dependency()?;
            }
            Cells::All => self.join_frontier()?,
        }
        Ok((&self.gpu.compute, KERNELS))
    }

    /// Records the events that later work waits for, after work over a part of the cells.
    fn end_part(&self, part: Cells) -> Result<(), CudaError> {
        match part {
            Cells::Frontier => {
                let recorded = self.frontier_done.record(&self.gpu.frontier);
                recorded.map_err(failed("recording an event"))?;
                self.frontier_cells_pending.set(true);
                Ok(())
            }
            Cells::Interior => Ok(()),
            Cells::All => self.record_frontier_dependency(),
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

    fn write<T: Plain>(&self, array: &mut Array, values: &[T]) -> Result<(), DeviceError> {
        self.join_frontier()?;
        self.staging.upload(&self.gpu, values, array)?;
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn fill<T: Plain>(&self, array: &mut Array, len: usize, set: impl FnOnce(&mut [T])) -> Result<(), DeviceError> {
        let mut values = vec![T::default(); len];
        set(&mut values);
        self.write(array, &values)
    }

    fn set<T: Plain>(&self, array: &mut Array, numbers: &[T]) -> Result<(), DeviceError> {
        self.join_frontier()?;
        Ok(self.staging.set(&self.gpu, numbers, array)?)
    }

    fn clear(&self, array: &mut Array) -> Result<(), DeviceError> {
        self.join_frontier()?;
        array.clear(&self.gpu.compute)?;
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn copy(&self, from: &Array, to: &mut Array) -> Result<(), DeviceError> {
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
        let (queue, name) = self.begin_part(part)?;
        self.traced(queue, name, label, || launches(queue))?;
        Ok(self.end_part(part)?)
    }

    // SAFETY: the caller keeps what `Store::launch` asks for.
    unsafe fn launch<P>(
        &self,
        queue: &CudaStream,
        kernel: &LoadedKernel,
        range: Range<usize>,
        params: &P,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller guarantees valid parameters.
        Ok(unsafe { kernel.launch(queue, range.len(), params) }?)
    }

    fn concurrently(
        &self,
        queue: &CudaStream,
        count: usize,
        launch: impl Fn(&CudaStream, usize) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let frontier = queue.cu_stream() == self.gpu.frontier.cu_stream();
        let beside = &self.beside[usize::from(frontier)];
        // Without a recording the calls that order the queues would take the host longer than is gained.
        let status = queue
            .capture_status()
            .map_err(failed("asking whether a step is recorded"))?;
        let recorded = status == sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE;
        let others = if recorded { count.saturating_sub(1) } else { 0 };
        let beside = &beside[..beside.len().min(others)];
        for other in beside {
            self.gpu.order(queue, other)?;
        }
        for number in 0..count {
            let other = (number % (beside.len() + 1)).checked_sub(1);
            launch(other.map_or(queue, |other| &beside[other]), number)?;
        }
        for other in beside {
            self.gpu.order(other, queue)?;
        }
        Ok(())
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
        // The next packing runs in the frontier queue.
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
        self.gpu.wait_for_event(&end)?;
        let milliseconds = begin.elapsed_ms(&end).map_err(failed("timing"))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    fn synchronize(&self) -> Result<(), DeviceError> {
        self.join_frontier()?;
        Ok(self.gpu.wait_for_queue(&self.gpu.compute)?)
    }
}
