//! NVIDIA GPUs: the same plan and the same kernels as on the CPU, one cell after the other (LANE = 1).
//!
//! The machine code of a kernel depends on the order, the precision, the options of the case and the architecture of the
//! GPU, so it is made where it is used: `source` gives the text, `programs` the constants, `compiler` turns it into machine code by NVRTC, which
//! `library` finds, `cache` keeps it, `prebuilt` stands in where there is no NVRTC, and `assembly` puts this together. `architecture` and `shape` know what
//! GPUs offer and what kernels ask for. `driver`, `memory` and `kernels` are the device itself; a time step is recorded once as a
//! graph and replayed, so that small cases do not wait for launches.

pub mod architecture;
mod assembly;
pub mod cache;
pub mod compiler;
mod driver;
mod error;
mod interface;
mod kernels;
pub mod library;
mod memory;
mod needs;
pub mod prebuilt;
pub mod programs;
pub mod shape;
pub mod source;

use cudarc::driver::{CudaGraph, sys};
use rayon::prelude::*;

use super::boundary::BoundaryArrays;
use super::layout::{gather, scatter};
use super::memory::Real;
use super::params::Params;
use super::{Buffer, Device, DeviceError, INTEGRALS, Memory, Physics, Plan, RATES, Rates, StageUpdate, Work};
use crate::element::LineElement;
use crate::geometry::Geometry;
use crate::mesh::Mesh;
pub use compiler::BuildError;
pub use driver::Gpu;
pub use error::CudaError;
use error::failed;
use kernels::{Kernel, Kernels};
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

/// Everything in device memory.
struct Arrays {
    start: Array,
    a: Array,
    b: Array,
    acc: Array,
    comp: Array,
    traces: Array,
    metrics: Vec<Array>,
    normals: Array,
    slots: Array,
    slot_kind: Array,
    tables: Array,
    boundary: [Array; 5],
    boundary_data: Array,
    source: Array,
    per_cell: Array,
    dt: Array,
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
        line: &LineElement,
        physics: &Physics,
        kinds: &[i32],
        options: Options,
    ) -> Result<Self, CudaError> {
        let mut plan = Plan::new(mesh, geometry, line, 1, shape::WIDTH);
        let mut params = Params::<R>::constants(line, physics);
        params.boundaries = i32::from(!plan.boundary_faces.is_empty());
        let variant = |points: usize| Variant {
            order: line.len() - 1,
            double: R::DOUBLE,
            fast: options.fast,
            curved: points > 1,
        };
        let variants: Vec<Variant> = plan.groups.iter().map(|g| variant(g.metric_points)).collect();
        let begin = std::time::Instant::now();
        let assembly = assembly::assemble(&gpu, &variants, &Constants::of(&params))?;
        let kernels = variants
            .iter()
            .zip(&assembly.images)
            .map(|(variant, images)| Kernels::load(&gpu, variant, images))
            .collect::<Result<Vec<_>, _>>()?;
        let built = format!("{} in {:.2} s", assembly.origin, begin.elapsed().as_secs_f64());
        let boundary = BoundaryArrays::new(&plan, kinds);
        let arrays = Arrays::new::<R>(&gpu, &plan, &boundary, physics)?;
        plan.groups.iter_mut().for_each(|g| g.metrics = Vec::new());
        plan.normals = Vec::new();
        plan.slots = Vec::new();
        let mut device = CudaDevice {
            staging: Staging::new(&gpu)?,
            gpu,
            plan,
            variant: variant(1),
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

    /// Points the parameters at the arrays, whose places do not change any more.
    fn connect(&mut self) {
        let (p, a) = (&mut self.params, &self.arrays);
        p.un = a.start.pointer();
        p.acc = a.acc.pointer();
        p.comp = a.comp.pointer();
        p.traces = a.traces.pointer();
        p.normals = a.normals.pointer();
        p.slots = a.slots.pointer();
        p.slot_kind = a.slot_kind.pointer();
        p.tables = a.tables.pointer();
        p.per_cell = a.per_cell.pointer();
        p.dt = a.dt.pointer();
        let [cell, trace, metric, face, kind] = &a.boundary;
        p.boundary_cell = cell.pointer();
        p.boundary_trace = trace.pointer();
        p.boundary_metric = metric.pointer();
        p.boundary_face = face.pointer();
        p.boundary_kind = kind.pointer();
        p.boundary_data = a.boundary_data.pointer();
        p.source = a.source.pointer();
        p.ghost_base = self.plan.state_len() as i64;
        p.ghost_trace_base = self.plan.trace_len() as i64;
    }

    fn buffer(&self, buffer: Buffer) -> *mut R {
        match buffer {
            Buffer::Start => &self.arrays.start,
            Buffer::A => &self.arrays.a,
            Buffer::B => &self.arrays.b,
        }
        .pointer()
    }

    /// Runs a kernel over the cells of every group.
    fn over_cells(
        &self,
        kernel: impl Fn(&Kernels) -> &Kernel,
        input: Buffer,
        set: impl Fn(&mut Params<R>),
    ) -> Result<(), CudaError> {
        let mut params = self.params;
        params.u = self.buffer(input);
        set(&mut params);
        for ((group, metrics), kernels) in self.plan.groups.iter().zip(&self.arrays.metrics).zip(&self.kernels) {
            let kernel = kernel(kernels);
            let cells = kernel.shape.cells;
            params.metric_points = group.metric_points as i32;
            // Cells are numbered through all groups; the metric terms of a group begin at its first cell.
            params.metrics = metrics
                .pointer::<R>()
                .wrapping_sub(group.begin * group.metrics_per_block());
            params.first_group = (group.begin / cells) as i64;
            kernel.launch(&self.gpu.compute, (group.end - group.begin) / cells, &params)?;
        }
        Ok(())
    }

    /// Runs a kernel over the boundary face points of every group.
    fn over_boundary(&self, kernel: impl Fn(&Kernels) -> &Kernel, input: Buffer) -> Result<(), CudaError> {
        let mut params = self.params;
        params.u = self.buffer(input);
        let nl = self.plan.nl();
        for ((group, metrics), kernels) in self.plan.groups.iter().zip(&self.arrays.metrics).zip(&self.kernels) {
            let kernel = kernel(kernels);
            params.metric_points = group.metric_points as i32;
            params.metrics = metrics.pointer();
            params.first_group = (group.boundary.start * nl) as i64;
            params.boundary_count = group.boundary.end as i64;
            let blocks = (group.boundary.len() * nl).div_ceil(kernel.shape.threads);
            kernel.launch(&self.gpu.compute, blocks, &params)?;
        }
        Ok(())
    }

    /// Values left by a diagnostic kernel, in device order.
    fn per_cell(&self, quantities: usize) -> Result<Vec<f64>, CudaError> {
        self.staging
            .download(&self.gpu, &self.arrays.per_cell, self.plan.occupant.len() * quantities)
    }

    fn upload(&self, values: &[f64], to: &Array) -> Result<(), CudaError> {
        let mut field = vec![R::default(); self.plan.state_len()];
        scatter(&self.plan, values, 5 * self.plan.np(), &mut field);
        self.staging.upload(&self.gpu, &field, to)
    }

    fn download(&self, array: &Array) -> Result<Vec<f64>, CudaError> {
        let field: Vec<R> = self.staging.download(&self.gpu, array, self.plan.state_len())?;
        Ok(gather(&self.plan, &field, 5 * self.plan.np()))
    }

    /// Records what `work` launches.
    fn record(&mut self, work: &mut Work) -> Result<CudaGraph, DeviceError> {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.gpu
            .compute
            .begin_capture(mode)
            .map_err(failed("recording a step"))?;
        let worked = work(self);
        // Ended in any case, so that the queue can be used again.
        let flags = sys::CUgraphInstantiate_flags_enum(0);
        let graph = self.gpu.compute.end_capture(flags).map_err(failed("recording a step"));
        worked?;
        Ok(graph?.ok_or(CudaError::Call {
            call: "recording a step",
            text: "nothing was launched".to_owned(),
        })?)
    }

    fn synchronize(&self) -> Result<(), CudaError> {
        self.gpu.compute.synchronize().map_err(failed("waiting for the GPU"))
    }
}

impl Arrays {
    fn new<R: Real>(gpu: &Gpu, plan: &Plan, boundary: &BoundaryArrays, physics: &Physics) -> Result<Self, CudaError> {
        let real = size_of::<R>();
        let faces = plan.boundary_faces.len();
        let zeros = |values: usize, size: usize| Array::zeros(gpu, values * size);
        let rounded = |values: &[f64]| {
            let values: Vec<R> = values.par_iter().map(|&x| R::from_f64(x)).collect();
            Array::from_slice(gpu, &values)
        };
        let state = plan.state_len() + plan.ghost_len();
        let traces = if physics.gas.viscosity.is_some() {
            plan.trace_len() + faces * 4 * plan.nl()
        } else {
            0
        };
        let comp = if physics.kahan { plan.state_len() } else { 0 };
        Ok(Arrays {
            start: zeros(state, real)?,
            a: zeros(state, real)?,
            b: zeros(state, real)?,
            acc: zeros(plan.state_len(), real)?,
            comp: zeros(comp, real)?,
            traces: zeros(traces, real)?,
            metrics: plan
                .groups
                .iter()
                .map(|g| rounded(&g.metrics))
                .collect::<Result<_, _>>()?,
            normals: rounded(&plan.normals)?,
            slots: Array::from_slice(gpu, &plan.slots)?,
            slot_kind: Array::from_slice(gpu, &plan.slot_kind)?,
            tables: Array::from_slice(gpu, &plan.tables)?,
            boundary: [
                Array::from_slice(gpu, &boundary.cell)?,
                Array::from_slice(gpu, &boundary.trace)?,
                Array::from_slice(gpu, &boundary.metric)?,
                Array::from_slice(gpu, &boundary.face)?,
                Array::from_slice(gpu, &boundary.kind)?,
            ],
            boundary_data: zeros(faces * 5 * plan.nl(), real)?,
            source: zeros(0, real)?,
            per_cell: zeros(plan.occupant.len() * INTEGRALS.max(RATES), 8)?,
            dt: zeros(1, real)?,
        })
    }

    fn memory(&self) -> Memory {
        let sum = |arrays: &[Array]| arrays.iter().map(Array::bytes).sum::<usize>();
        Memory {
            state: self.start.bytes() + self.a.bytes() + self.b.bytes() + self.acc.bytes() + self.comp.bytes(),
            traces: self.traces.bytes(),
            geometry: sum(&self.metrics) + self.normals.bytes(),
            connectivity: self.slots.bytes()
                + self.slot_kind.bytes()
                + self.tables.bytes()
                + sum(&self.boundary)
                + self.boundary_data.bytes(),
            other: self.source.bytes() + self.per_cell.bytes() + self.dt.bytes(),
        }
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

    fn rhs(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(self.download(&self.arrays.acc)?)
    }

    fn set_boundary_data(&mut self, data: &[f64]) -> Result<(), DeviceError> {
        let values: Vec<R> = data.iter().map(|&x| R::from_f64(x)).collect();
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
        Ok(self.over_boundary(|k| &k.ghost_states, input)?)
    }

    fn sweep1(&mut self, input: Buffer) -> Result<(), DeviceError> {
        Ok(self.over_cells(|k| &k.sweep1, input, |_| {})?)
    }

    fn ghost_traces(&mut self, input: Buffer) -> Result<(), DeviceError> {
        Ok(self.over_boundary(|k| &k.ghost_traces, input)?)
    }

    fn sweep2(&mut self, input: Buffer, output: Buffer, update: StageUpdate) -> Result<(), DeviceError> {
        let out = self.buffer(output);
        let (stage, fraction, weight) = update.numbers();
        Ok(self.over_cells(
            |k| &k.sweep2[stage as usize],
            input,
            |p| {
                p.out = out;
                p.stage = stage;
                p.fraction = R::from_f64(fraction);
                p.weight = R::from_f64(weight);
            },
        )?)
    }

    fn rates(&mut self) -> Result<Rates, DeviceError> {
        self.over_cells(|k| &k.rates, Buffer::Start, |_| {})?;
        let cells = self.per_cell(RATES)?;
        let largest = |q: usize| cells.par_chunks(RATES).map(|c| c[q]).reduce(|| 0.0, f64::max);
        let sick = |c: &[f64]| c[2] != 0.0 || !c[0].is_finite() || !c[1].is_finite();
        let unphysical = cells
            .par_chunks(RATES)
            .zip(&self.plan.occupant)
            .filter_map(|(c, &cell)| sick(c).then_some(cell))
            .min();
        Ok(Rates {
            acoustic: largest(0),
            viscous: largest(1),
            unphysical,
        })
    }

    fn integrals(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_cells(|k| &k.integrals, Buffer::Start, |_| {})?;
        let cells = self.per_cell(INTEGRALS)?;
        Ok(gather(&self.plan, &cells, INTEGRALS))
    }

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        if let Some(steps) = &mut self.fault {
            *steps -= 1;
            if *steps == 0 {
                self.fault = None;
                self.over_cells(|k| &k.rates, Buffer::Start, |p| p.u = std::ptr::dangling())?;
            }
        }
        if !self.use_graph {
            return work(self);
        }
        if self.graph.is_none() {
            self.graph = Some(self.record(work)?);
        }
        let graph = self.graph.as_ref().expect("recorded just now");
        Ok(graph.launch().map_err(failed("replaying a step"))?)
    }

    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError> {
        self.synchronize()?;
        let (begin, end) = (self.gpu.event(true)?, self.gpu.event(true)?);
        begin.record(&self.gpu.compute).map_err(failed("recording an event"))?;
        work(self)?;
        end.record(&self.gpu.compute).map_err(failed("recording an event"))?;
        let milliseconds = begin.elapsed_ms(&end).map_err(failed("timing"))?;
        Ok(f64::from(milliseconds) * 1e-3)
    }

    fn interface_flux(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        Ok(self.run_interface(by_faces)?)
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
