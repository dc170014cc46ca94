//! What a device is asked to do, put into the queues of a GPU.

use std::ops::Range;

use super::error::failed;
use super::launch::label;
use super::memory::Array;
use super::{CudaDevice, Real};
use super::{interface, sampling, statistics};
use crate::device::contract::{Kernel, Over, Stage};
use crate::device::layout::gather_cells;
use crate::device::statistics::Slots;
use crate::device::{
    Buffer, Cells, Device, DeviceError, DeviceInfo, Diagnostics, FLUXES, Field, HaloBuffers, HaloTransport, Launch,
    MemoryUse, PeerHandles, Plan, SURFACE_VALUES, SamplePoint, Span, Traces, Work,
};

impl<R: Real> CudaDevice<R> {
    /// Sets the time step, unless it is the one that the device has.
    fn set_step(&mut self, dt: f64) -> Result<(), DeviceError> {
        let dt = R::from_f64(dt);
        if self
            .dt
            .is_some_and(|old| old.to_f64().to_bits() == dt.to_f64().to_bits())
        {
            return Ok(());
        }
        self.write_numbers(&self.arrays.dt, &[dt])?;
        self.dt = Some(dt);
        Ok(())
    }
}

impl<R: Real> Device for CudaDevice<R> {
    fn info(&self) -> DeviceInfo {
        DeviceInfo {
            description: format!(
                "{}, {} precision, {} arithmetic; kernels {}",
                self.gpu.name,
                if R::DOUBLE { "double" } else { "single" },
                if self.variant.fast { "fast" } else { "strict" },
                self.built
            ),
            threads: None,
            gpu: Some(self.gpu.id),
        }
    }

    fn memory(&self) -> MemoryUse {
        let mut memory = self.arrays.memory();
        memory.connectivity += self.halo.bytes();
        memory.other += self.interface.as_ref().map_or(0, interface::Interface::bytes);
        memory.other += self.statistics.as_ref().map_or(0, statistics::Statistics::bytes);
        memory.other += self.samplings.iter().map(sampling::Sampling::bytes).sum::<usize>();
        memory
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn read(&self, field: Field) -> Result<Vec<f64>, DeviceError> {
        let (arrays, plan) = (&self.arrays, &self.plan);
        let doubles = |array: &Array, values: usize| self.staging.download::<f64>(&self.gpu, array, values);
        Ok(match field {
            Field::State => self.download(&arrays.start)?,
            Field::RightHandSide => self.download(&arrays.acc)?,
            Field::Compensation if arrays.comp.bytes() == 0 => Vec::new(),
            Field::Compensation => self.download(&arrays.comp)?,
            Field::HaloStates => {
                self.join_frontier()?;
                self.halo_values(&arrays.start, plan.state_len()..plan.ghost_start())?
            }
            Field::HaloTraces => {
                self.join_frontier()?;
                self.halo_values(&arrays.traces, plan.trace_len()..plan.ghost_trace_start())?
            }
            Field::PerCell(values) => gather_cells(plan, &self.per_cell(values)?, values),
            Field::BoundaryFluxes => doubles(&arrays.boundary_fluxes, FLUXES * plan.boundary_faces.len())?,
            Field::SurfaceValues => doubles(&arrays.surface_values, arrays.surface_values.bytes() / 8)?,
            Field::Statistics => self.gathered_statistics()?,
            Field::InterfaceFlux => self.interface_values()?,
            Field::Source | Field::Force | Field::TimeStep | Field::BoundaryData | Field::Traces => {
                return Err(field.is_write_only());
            }
        })
    }

    fn write(&mut self, field: Field, values: &[f64]) -> Result<(), DeviceError> {
        let rounded = || values.iter().map(|&x| R::from_f64(x)).collect::<Vec<R>>();
        match field {
            Field::State => {
                self.upload(values, &self.arrays.start)?;
                self.arrays.comp.clear(&self.gpu.compute)?;
            }
            Field::Compensation => {
                if self.arrays.comp.bytes() > 0 {
                    self.upload(values, &self.arrays.comp)?;
                }
            }
            Field::Source => {
                if self.arrays.source.bytes() == 0 {
                    self.arrays.source = Array::zeros(&self.gpu, self.plan.state_len() * size_of::<R>())?;
                    self.params.source = self.arrays.source.pointer();
                    self.graph = None;
                }
                self.upload(values, &self.arrays.source)?;
            }
            Field::Force => {
                if self.params.force.is_null() {
                    // Steps recorded so far know of no force.
                    self.params.force = self.arrays.force.pointer();
                    self.graph = None;
                }
                self.write_numbers(&self.arrays.force, &rounded())?;
            }
            Field::TimeStep => self.set_step(values[0])?,
            Field::BoundaryData => {
                self.join_frontier()?;
                self.staging.upload(&self.gpu, &rounded(), &self.arrays.boundary_data)?;
            }
            Field::Traces => {
                self.staging.upload(&self.gpu, &rounded(), &self.arrays.traces)?;
                self.gpu.order(&self.gpu.compute, &self.gpu.frontier)?;
            }
            Field::Statistics => self.scatter_statistics(values)?,
            _ => return Err(field.is_read_only()),
        }
        Ok(())
    }

    fn launch(&mut self, launch: Launch) -> Result<(), DeviceError> {
        let Launch {
            kernel, input, cells, ..
        } = launch;
        if kernel == Kernel::SurfaceValues && self.arrays.surface_values.bytes() == 0 {
            let values = SURFACE_VALUES * self.plan.boundary_points();
            self.arrays.surface_values = Array::zeros(&self.gpu, values * 8)?;
            self.params.surface_values = self.arrays.surface_values.pointer();
        }
        match kernel.spec().over {
            Over::Cells => {
                let update = launch
                    .update
                    .map(|(output, update)| (self.buffer(output), update.numbers()));
                let stage = update.map_or(Stage::RhsOnly, |(_, (stage, ..))| stage);
                self.over_cells(label(kernel, cells), kernel, stage, input, cells, |p| {
                    if let Some((out, (stage, fraction, weight))) = update {
                        p.out = out;
                        p.stage = stage as i32;
                        p.fraction = R::from_f64(fraction);
                        p.weight = R::from_f64(weight);
                    }
                })?;
            }
            Over::BoundaryPoints => self.over_boundary(kernel, input, |p| p.boundary_count)?,
            Over::BoundaryFaces => self.over_boundary(kernel, input, |p| p.boundary_count / p.face_size)?,
            Over::Items => {
                return Err(DeviceError::Lacking(
                    "a kernel with arguments of its own, launched without them,",
                ));
            }
        }
        Ok(())
    }

    fn pack(&mut self, traces: Traces) -> Result<(), DeviceError> {
        self.pack_traces(traces)
    }

    fn halo_buffers(&mut self, traces: Traces) -> Result<HaloBuffers, DeviceError> {
        self.host_buffers(traces)
    }

    fn transport(&mut self) -> Option<&mut dyn HaloTransport> {
        Some(self)
    }

    fn diagnostics(&mut self) -> &mut dyn Diagnostics {
        self
    }

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        if let Some(steps) = &mut self.fault {
            *steps -= 1;
            if *steps == 0 {
                self.fault = None;
                self.over_cells(
                    "fault",
                    Kernel::TimeStepBounds,
                    Stage::RhsOnly,
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
}

impl<R: Real> HaloTransport for CudaDevice<R> {
    fn export_handles(&self) -> Result<Vec<PeerHandles>, DeviceError> {
        self.peer_handles()
    }

    fn connect(&mut self, peers: &[(usize, PeerHandles)]) -> Result<(), DeviceError> {
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

    fn start_d2h(&mut self, traces: Traces, values: Range<usize>) -> Result<usize, DeviceError> {
        self.fetch_piece(traces, values)
    }

    fn d2h_done(&mut self, piece: usize) -> Result<bool, DeviceError> {
        self.piece_is_down(piece)
    }

    fn start_h2d(&mut self, traces: Traces, values: Range<usize>) -> Result<(), DeviceError> {
        self.deliver_values(traces, values)
    }

    fn await_halo(&mut self, traces: Traces) -> Result<(), DeviceError> {
        self.wait_for_traces(traces)
    }

    fn start_trace(&mut self) -> Result<(), DeviceError> {
        self.begin_watch()
    }

    fn finish_trace(&mut self) -> Result<Vec<Span>, DeviceError> {
        self.end_watch()
    }
}

impl<R: Real> Diagnostics for CudaDevice<R> {
    fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError> {
        Ok(self.new_statistics(slots)?)
    }

    fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError> {
        self.add_sample(weight)
    }

    fn plan_samples(&mut self, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError> {
        Ok(self.add_sampling(points, room)?)
    }

    fn sample(&mut self, set: usize) -> Result<(), DeviceError> {
        Ok(self.take_sample(set)?)
    }

    fn samples(&mut self, set: usize) -> Result<Vec<f64>, DeviceError> {
        Ok(self.fetch_samples(set)?)
    }

    fn interface_flux(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        self.run_interface(by_faces)
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
