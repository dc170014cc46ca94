//! NVIDIA GPUs: the same plan and the same kernels as on the CPU, one cell after the other (LANE = 1).
//!
//! The machine code of a kernel depends on the kind of cell, the order, the precision, the options of the case and the
//! architecture of the GPU, so it is made where it is used: `source` gives the text, `programs` the constants, `compiler` turns
//! it into machine code by NVRTC, which `library` finds, `cache` keeps it, `prebuilt` stands in where there is no NVRTC, and
//! `assembly` puts this together. `architecture` and `shape` know what GPUs offer and what kernels ask for. `driver`, `memory`,
//! `arrays`, `launch` and `kernels` are the device itself; a time step is recorded once as a graph and replayed, so that small
//! cases do not wait for launches. `halo` and `peer` bring traces to other ranks, by way of the host or straight; `watch` notes
//! what the queues do.

pub mod architecture;
mod arrays;
mod assembly;
pub mod cache;
pub mod compiler;
mod driver;
mod error;
mod halo;
mod interface;
mod kernels;
mod launch;
pub mod library;
mod memory;
mod needs;
mod peer;
pub mod prebuilt;
pub mod programs;
pub mod shape;
pub mod source;
mod watch;

use std::cell::{Cell, RefCell};
use std::ops::Range;

use super::layout::gather_cells;
use super::memory::Real;
use super::params::Params;
use super::plan::{BoundaryArrays, Group};
use super::{
    Buffer, Card, Cells, Device, DeviceError, FLUXES, HostTraces, INTEGRALS, Memory, Physics, Plan, RATES, Rates, Span,
    StageUpdate, Traces, Work,
};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
use arrays::Arrays;
pub use compiler::BuildError;
use cudarc::driver::{CudaEvent, CudaGraph, sys};
pub use driver::Gpu;
pub use error::CudaError;
use error::failed;
use kernels::Kernels;
use memory::{Array, Staging};
pub use needs::Needs;
use programs::{Constants, Variant};

/// A GPU as a device of precision R.
pub struct CudaDevice<R: Real> {
    gpu: Gpu,
    plan: Plan,
    variant: Variant,
    use_graph: bool,
    /// Kernels of each of the plan's groups.
    kernels: Vec<Kernels>,
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
    watch: RefCell<Option<watch::Watch>>,
    interface: Option<interface::Interface>,
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
    /// boundary ([`super::boundary_kind`]).
    pub fn new(
        gpu: Gpu,
        mesh: &Mesh,
        geometry: &Geometry,
        elements: &Elements,
        physics: &Physics,
        kinds: &[i32],
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
        let assembly = assembly::assemble(&gpu, &variants, &Constants::of(&params))?;
        let kernels = variants
            .iter()
            .zip(&assembly.images)
            .map(|(variant, images)| Kernels::load(&gpu, variant, images))
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

impl<R: Real> Device for CudaDevice<R> {
    fn describe(&self) -> String {
        format!(
            "{}, {} precision, {} arithmetic; kernels {}",
            self.gpu.name,
            if R::DOUBLE { "double" } else { "single" },
            if self.variant.fast { "fast" } else { "strict" },
            self.built
        )
    }

    fn threads(&self) -> Option<usize> {
        None
    }

    fn memory(&self) -> Memory {
        let mut memory = self.arrays.memory();
        memory.connectivity += self.halo.bytes();
        memory.other += self.interface.as_ref().map_or(0, interface::Interface::bytes);
        memory
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn set_state(&mut self, u: &[f64]) -> Result<(), DeviceError> {
        self.upload(u, &self.arrays.start)?;
        Ok(self.arrays.comp.clear(&self.gpu.compute)?)
    }

    fn state(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(self.download(&self.arrays.start)?)
    }

    fn set_compensation(&mut self, compensation: &[f64]) -> Result<(), DeviceError> {
        if self.arrays.comp.bytes() > 0 {
            self.upload(compensation, &self.arrays.comp)?;
        }
        Ok(())
    }

    fn compensation(&self) -> Result<Option<Vec<f64>>, DeviceError> {
        let present = self.arrays.comp.bytes() > 0;
        Ok(present.then(|| self.download(&self.arrays.comp)).transpose()?)
    }

    fn rhs(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(self.download(&self.arrays.acc)?)
    }

    fn set_boundary_data(&mut self, data: &[f64]) -> Result<(), DeviceError> {
        let values: Vec<R> = data.iter().map(|&x| R::from_f64(x)).collect();
        self.join_frontier()?;
        Ok(self.staging.upload(&self.gpu, &values, &self.arrays.boundary_data)?)
    }

    fn set_source(&mut self, source: &[f64]) -> Result<(), DeviceError> {
        if self.arrays.source.bytes() == 0 {
            self.arrays.source = Array::zeros(&self.gpu, self.plan.state_len() * size_of::<R>())?;
            self.params.source = self.arrays.source.pointer();
            self.graph = None;
        }
        Ok(self.upload(source, &self.arrays.source)?)
    }

    fn set_step(&mut self, dt: f64) -> Result<(), DeviceError> {
        let dt = R::from_f64(dt);
        if self
            .dt
            .is_some_and(|old| old.to_f64().to_bits() == dt.to_f64().to_bits())
        {
            return Ok(());
        }
        // The value travels inside the command, so steps already in the queue keep theirs.
        self.join_frontier()?;
        let (bits, words) = if R::DOUBLE {
            (dt.to_f64().to_bits(), 2)
        } else {
            (u64::from((dt.to_f64() as f32).to_bits()), 1)
        };
        for word in 0..words {
            let to = self.arrays.dt.pointer::<u32>().wrapping_add(word) as sys::CUdeviceptr;
            // SAFETY: the array holds one number of this many words.
            unsafe { sys::cuMemsetD32Async(to, (bits >> (32 * word)) as u32, 1, self.gpu.compute.cu_stream()) }
                .result()
                .map_err(failed("setting the time step"))?;
        }
        self.dt = Some(dt);
        Ok(())
    }

    fn ghost_states(&mut self, input: Buffer) -> Result<(), DeviceError> {
        Ok(self.over_boundary(|k| &k.ghost_states, input, |p| p.boundary_count)?)
    }

    fn sweep1(&mut self, input: Buffer, cells: Cells) -> Result<(), DeviceError> {
        Ok(self.over_cells(1, |k| &k.sweep1, input, cells, |_| {})?)
    }

    fn ghost_traces(&mut self, input: Buffer) -> Result<(), DeviceError> {
        Ok(self.over_boundary(|k| &k.ghost_traces, input, |p| p.boundary_count)?)
    }

    fn sweep2(&mut self, input: Buffer, output: Buffer, update: StageUpdate, cells: Cells) -> Result<(), DeviceError> {
        let out = self.buffer(output);
        let (stage, fraction, weight) = update.numbers();
        Ok(self.over_cells(
            2,
            |k| &k.sweep2[stage as usize],
            input,
            cells,
            |p| {
                p.out = out;
                p.stage = stage;
                p.fraction = R::from_f64(fraction);
                p.weight = R::from_f64(weight);
            },
        )?)
    }

    fn pack(&mut self, traces: Traces) -> Result<(), DeviceError> {
        self.pack_traces(traces)
    }

    fn cards(&self) -> Result<Vec<Card>, DeviceError> {
        self.peer_cards()
    }

    fn connect(&mut self, peers: &[(usize, Card)]) -> Result<(), DeviceError> {
        self.connect_peers(peers)
    }

    fn peers_have_written(&mut self, seconds: f64) -> Result<bool, DeviceError> {
        self.wait_for_peers(seconds)
    }

    fn give_own_memory(&mut self, own: bool) {
        if own && !self.halo.own_memory {
            // MPI lets go of other GPUs' memory when it ends, and needs the context for that.
            std::mem::forget(std::sync::Arc::clone(&self.gpu.context));
        }
        self.halo.own_memory = own;
    }

    fn gpus_here(&self) -> Option<usize> {
        Some(self.gpu.count)
    }

    fn host_traces(&mut self, traces: Traces) -> Result<HostTraces, DeviceError> {
        self.host_buffers(traces)
    }

    fn fetch(&mut self, traces: Traces, values: Range<usize>) -> Result<usize, DeviceError> {
        self.fetch_piece(traces, values)
    }

    fn fetched(&mut self, piece: usize) -> Result<bool, DeviceError> {
        self.piece_is_down(piece)
    }

    fn deliver(&mut self, traces: Traces, values: Range<usize>) -> Result<(), DeviceError> {
        self.deliver_values(traces, values)
    }

    fn delivered(&mut self, traces: Traces) -> Result<(), DeviceError> {
        self.wait_for_traces(traces)
    }

    fn halo_states(&self) -> Result<Vec<f64>, DeviceError> {
        self.join_frontier()?;
        self.halo_values(&self.arrays.start, self.plan.state_len()..self.plan.ghost_start())
    }

    fn set_traces(&mut self, values: &[f64]) -> Result<(), DeviceError> {
        let values: Vec<R> = values.iter().map(|&x| R::from_f64(x)).collect();
        self.staging.upload(&self.gpu, &values, &self.arrays.traces)?;
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn halo_traces(&self) -> Result<Vec<f64>, DeviceError> {
        self.join_frontier()?;
        self.halo_values(
            &self.arrays.traces,
            self.plan.trace_len()..self.plan.ghost_trace_start(),
        )
    }

    fn watch(&mut self) -> Result<(), DeviceError> {
        self.begin_watch()
    }

    fn watched(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.end_watch()
    }

    fn rates(&mut self) -> Result<Rates, DeviceError> {
        self.over_cells(0, |k| &k.rates, Buffer::Start, Cells::All, |_| {})?;
        let cells = gather_cells(&self.plan, &self.per_cell(RATES)?, RATES);
        Ok(Rates::of_cells(&self.plan, &cells))
    }

    fn integrals(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_cells(0, |k| &k.integrals, Buffer::Start, Cells::All, |_| {})?;
        let cells = self.per_cell(INTEGRALS)?;
        Ok(gather_cells(&self.plan, &cells, INTEGRALS))
    }

    fn boundary_fluxes(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_boundary(
            |k| &k.boundary_fluxes,
            Buffer::Start,
            |p| p.boundary_count / p.face_size,
        )?;
        let values = FLUXES * self.plan.boundary_faces.len();
        Ok(self.staging.download(&self.gpu, &self.arrays.boundary_fluxes, values)?)
    }

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        if let Some(steps) = &mut self.fault {
            *steps -= 1;
            if *steps == 0 {
                self.fault = None;
                self.over_cells(
                    0,
                    |k| &k.rates,
                    Buffer::Start,
                    Cells::All,
                    |p| p.u = std::ptr::dangling(),
                )?;
            }
        }
        // Where the host takes part in exchanges in the middle of a step, that cannot be recorded.
        if !self.use_graph || !self.all_are_peers() {
            return work(self);
        }
        if self.graph.is_none() {
            self.graph = Some(self.record(work)?);
        }
        self.join_frontier()?;
        let graph = self.graph.as_ref().expect("recorded just now");
        graph.launch().map_err(failed("replaying a step"))?;
        // What is packed next lies in the frontier queue.
        Ok(self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?)
    }

    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError> {
        self.synchronize()?;
        let (begin, end) = (self.gpu.event(true)?, self.gpu.event(true)?);
        begin.record(&self.gpu.compute).map_err(failed("recording an event"))?;
        work(self)?;
        self.join_frontier()?;
        end.record(&self.gpu.compute).map_err(failed("recording an event"))?;
        let milliseconds = begin.elapsed_ms(&end).map_err(failed("timing"))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    fn interface_flux(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        self.run_interface(by_faces)
    }

    fn interface_fluxes(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(self.interface_values()?)
    }

    fn copy_bandwidth(&mut self) -> Result<f64, DeviceError> {
        // Whatever lies in the stage buffers is written anew before it is read.
        let mut best = f64::INFINITY;
        for _ in 0..10 {
            self.synchronize()?;
            let (begin, end) = (self.gpu.event(true)?, self.gpu.event(true)?);
            begin.record(&self.gpu.compute).map_err(failed("recording an event"))?;
            self.arrays.b.copy_from(&self.arrays.a, &self.gpu.compute)?;
            end.record(&self.gpu.compute).map_err(failed("recording an event"))?;
            best = best.min(f64::from(begin.elapsed_ms(&end).map_err(failed("timing"))?) * 1e-3);
        }
        Ok((2 * self.arrays.a.bytes()) as f64 / best)
    }
}

impl<R: Real> Drop for CudaDevice<R> {
    fn drop(&mut self) {
        // Nothing may be freed under a kernel that still runs.
        let _ = self.synchronize();
    }
}
