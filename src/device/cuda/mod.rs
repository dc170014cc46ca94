//! NVIDIA GPUs: the same plan and the same kernels as on the CPU, one cell after the other (LANE = 1).
//!
//! The machine code of a kernel depends on the kind of cell, the order, the precision, the options of the case and the
//! architecture of the GPU, so it is made where it is used: `source` gives the text, `programs` the constants, `compiler` turns
//! it into machine code by NVRTC, which `nvrtc_lookup` finds, `cache` keeps it, `prebuilt` stands in where there is no NVRTC, and
//! `module` puts this together. `architecture` and `shape` know what GPUs offer and what kernels ask for. `driver`, `memory`,
//! `arrays`, `launch` and `kernels` are the device itself; a time step is recorded once as a graph and replayed, so that small
//! cases do not wait for launches. `halo` and `peer` bring traces to other ranks, by way of the host or from GPU to GPU; `queue_trace` records
//! what the queues do. `operations` is all of it as a device.

pub mod architecture;
mod arrays;
pub mod cache;
pub mod compiler;
mod driver;
mod error;
mod halo;
mod interface;
mod kernels;
mod launch;
mod memory;
mod memory_estimate;
mod module;
pub mod nvrtc_lookup;
mod operations;
mod peer;
pub mod prebuilt;
pub mod programs;
mod queue_trace;
mod sampling;
pub mod shape;
pub mod source;
mod statistics;
pub mod variant;

use std::cell::{Cell, RefCell};

use super::contract::Params;
use super::memory::Real;
use super::plan::{BoundaryArrays, Group};
use super::{DeviceError, Physics, Plan, Work};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use crate::physics::BoundaryKind;
use arrays::Arrays;
pub use compiler::BuildError;
use cudarc::driver::{CudaEvent, CudaGraph, sys};
pub use driver::Gpu;
pub use error::CudaError;
use error::failed;
use kernels::LoadedKernels;
use memory::Staging;
pub use memory_estimate::MemoryEstimate;
use programs::Constants;
use variant::Variant;

/// A GPU as a device of precision R.
pub struct CudaDevice<R: Real> {
    gpu: Gpu,
    plan: Plan,
    variant: Variant,
    use_graph: bool,
    /// Kernels of each of the plan's groups.
    kernels: Vec<LoadedKernels>,
    params: Params<R>,
    arrays: Arrays,
    halo: halo::Halo,
    peers: peer::Peers,
    /// What frontier kernels have to wait for of the compute queue.
    before: CudaEvent,
    /// The newest sweep over frontier cells, which the next one over interior cells has to wait for.
    swept: CudaEvent,
    /// Whether there was one that the compute queue has not waited for.
    sweeping: Cell<bool>,
    /// Whether the frontier queue has any work that the compute queue has not waited for.
    ahead: Cell<bool>,
    watch: RefCell<Option<queue_trace::QueueTrace>>,
    interface: Option<interface::Interface>,
    statistics: Option<statistics::Statistics>,
    samplings: Vec<sampling::Sampling>,
    staging: Staging,
    /// The step that the device stands on, to write it only when it changes.
    dt: Option<R>,
    /// The recorded step.
    graph: Option<CudaGraph>,
    /// Steps until one that is made to fail, so that tests see how a fault is reported (FR_LES_INJECT_FAULT).
    fault: Option<u64>,
    built: String,
}

/// How a device is to be used.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Approximate reciprocals and roots.
    pub fast: bool,
    /// Record and replay time steps.
    pub graph: bool,
}

impl<R: Real> CudaDevice<R> {
    /// Builds the kernels and allocates everything. `kinds` holds the condition of every named
    /// boundary ([`crate::physics::BoundaryKind`]).
    pub fn new(
        gpu: Gpu,
        mesh: &Mesh,
        geometry: &Geometry,
        elements: &Elements,
        physics: &Physics,
        kinds: &[BoundaryKind],
        options: Options,
    ) -> Result<Self, CudaError> {
        shape::check_environment()?;
        let mut plan = Plan::new(mesh, geometry, elements.order, 1, shape::width);
        let mut params = Params::<R>::constants(&elements.line, physics);
        params.boundaries = i32::from(!plan.boundary_faces.is_empty());
        params.uniform = i32::from(plan.uniform());
        let variant = |group: &Group| Variant {
            kind: group.kind,
            order: elements.order,
            double: R::DOUBLE,
            fast: options.fast,
            curved: !group.affine(),
        };
        let variants: Vec<Variant> = plan.groups.iter().map(variant).collect();
        let begin = std::time::Instant::now();
        let assembly = module::assemble(&gpu, &variants, &Constants::of(&params))?;
        let kernels = variants
            .iter()
            .zip(assembly.programs.iter().zip(&assembly.images))
            .map(|(variant, (programs, images))| LoadedKernels::load(&gpu, variant, programs, images))
            .collect::<Result<Vec<_>, _>>()?;
        let built = format!("{} in {:.2} s", assembly.origin, begin.elapsed().as_secs_f64());
        let boundary = BoundaryArrays::new(&plan, geometry, elements, kinds);
        let arrays = Arrays::new::<R>(&gpu, &plan, elements, &boundary, physics)?;
        for group in &mut plan.groups {
            (group.metrics, group.normals) = (Vec::new(), Vec::new());
        }
        plan.slots = Vec::new();
        let mut device = CudaDevice {
            staging: Staging::new(&gpu)?,
            halo: halo::Halo::new::<R>(&gpu, &plan)?,
            peers: peer::Peers::new(&gpu, &plan)?,
            before: gpu.event(false)?,
            swept: gpu.event(false)?,
            sweeping: Cell::new(false),
            ahead: Cell::new(false),
            watch: RefCell::new(None),
            gpu,
            plan,
            variant: variants[0],
            use_graph: options.graph,
            kernels,
            params,
            arrays,
            interface: None,
            statistics: None,
            samplings: Vec::new(),
            dt: None,
            graph: None,
            fault: std::env::var("FR_LES_INJECT_FAULT")
                .ok()
                .and_then(|n| n.parse().ok())
                .filter(|&n| n > 0),
            built,
        };
        device.connect();
        Ok(device)
    }

    /// Records what `work` launches.
    fn record(&mut self, work: &mut Work) -> Result<CudaGraph, DeviceError> {
        self.join_frontier()?;
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.gpu
            .compute
            .begin_capture(mode)
            .map_err(failed("recording a step"))?;
        let worked = self.record_both_queues(work);
        // Ended in any case, so that the queue can be used again.
        let flags = sys::CUgraphInstantiate_flags_enum(0);
        let graph = self.gpu.compute.end_capture(flags).map_err(failed("recording a step"));
        worked?;
        Ok(graph?.ok_or(CudaError::Call {
            call: "recording a step",
            text: "nothing was launched".to_owned(),
        })?)
    }

    /// Lets both queues of kernels take part in what is being recorded, from its begin to its end.
    fn record_both_queues(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        if self.plan.halo.neighbours.is_empty() {
            return work(self);
        }
        self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?;
        work(self)?;
        self.gpu.order(&self.gpu.frontier, &self.gpu.compute)?;
        self.ahead.set(false);
        self.sweeping.set(false);
        Ok(())
    }

    /// Lets the compute queue wait for all of the frontier queue.
    fn join_frontier(&self) -> Result<(), CudaError> {
        self.sweeping.set(false);
        if self.ahead.replace(false) {
            self.gpu.order(&self.gpu.frontier, &self.gpu.compute)?;
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<(), CudaError> {
        self.join_frontier()?;
        self.gpu.compute.synchronize().map_err(failed("waiting for the GPU"))
    }
}

impl<R: Real> Drop for CudaDevice<R> {
    fn drop(&mut self) {
        // Nothing may be freed under a kernel that still runs.
        let _ = self.synchronize();
    }
}
