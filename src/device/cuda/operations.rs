//! What a device is asked to do, put into the queues of a GPU.

use std::ops::Range;

use super::error::failed;
use super::memory::Array;

use super::{CudaDevice, Real};
use super::{interface, sampling, statistics};
use crate::device::contract::{Kernel, Stage};
use crate::device::layout::gather_cells;
use crate::device::statistics::Slots;
use crate::device::{
    BULKS, Buffer, Card, Cells, Device, DeviceError, FLUXES, HostTraces, INTEGRALS, Memory, Plan, RATES, Rates,
    SURFACE_VALUES, SamplePoint, Span, StageUpdate, Traces, Work,
};

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
        memory.other += self.statistics.as_ref().map_or(0, statistics::Statistics::bytes);
        memory.other += self.samplings.iter().map(sampling::Sampling::bytes).sum::<usize>();
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
        self.write_numbers(&self.arrays.dt, &[dt])?;
        self.dt = Some(dt);
        Ok(())
    }

    fn set_force(&mut self, force: [f64; 3]) -> Result<(), DeviceError> {
        if self.params.force.is_null() {
            // Steps recorded so far know of no force.
            self.params.force = self.arrays.force.pointer();
            self.graph = None;
        }
        Ok(self.write_numbers(&self.arrays.force, &force.map(R::from_f64))?)
    }

    fn ghost_states(&mut self, input: Buffer) -> Result<(), DeviceError> {
        Ok(self.over_boundary(Kernel::GhostStates, input, |p| p.boundary_count)?)
    }

    fn sweep1(&mut self, input: Buffer, cells: Cells) -> Result<(), DeviceError> {
        Ok(self.over_cells(1, Kernel::Sweep1, Stage::RhsOnly, input, cells, |_| {})?)
    }

    fn ghost_traces(&mut self, input: Buffer) -> Result<(), DeviceError> {
        Ok(self.over_boundary(Kernel::GhostTraces, input, |p| p.boundary_count)?)
    }

    fn sweep2(&mut self, input: Buffer, output: Buffer, update: StageUpdate, cells: Cells) -> Result<(), DeviceError> {
        let out = self.buffer(output);
        let (stage, fraction, weight) = update.numbers();
        Ok(self.over_cells(2, Kernel::Sweep2, stage, input, cells, |p| {
            p.out = out;
            p.stage = stage as i32;
            p.fraction = R::from_f64(fraction);
            p.weight = R::from_f64(weight);
        })?)
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

    fn gpu(&self) -> Option<[u64; 2]> {
        Some(self.gpu.id)
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
        self.over_cells(
            0,
            Kernel::TimeStepBounds,
            Stage::RhsOnly,
            Buffer::Start,
            Cells::All,
            |_| {},
        )?;
        let cells = gather_cells(&self.plan, &self.per_cell(RATES)?, RATES);
        Ok(Rates::of_cells(&self.plan, &cells))
    }

    fn bulk(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_cells(0, Kernel::Bulk, Stage::RhsOnly, Buffer::Start, Cells::All, |_| {})?;
        Ok(gather_cells(&self.plan, &self.per_cell(BULKS)?, BULKS))
    }

    fn integrals(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_cells(0, Kernel::Integrals, Stage::RhsOnly, Buffer::Start, Cells::All, |_| {})?;
        let cells = self.per_cell(INTEGRALS)?;
        Ok(gather_cells(&self.plan, &cells, INTEGRALS))
    }

    fn boundary_fluxes(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_boundary(Kernel::BoundaryFluxes, Buffer::Start, |p| {
            p.boundary_count / p.face_size
        })?;
        let values = FLUXES * self.plan.boundary_faces.len();
        Ok(self.staging.download(&self.gpu, &self.arrays.boundary_fluxes, values)?)
    }

    fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError> {
        Ok(self.new_statistics(slots)?)
    }

    fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError> {
        self.add_sample(weight)
    }

    fn statistics(&self) -> Result<Vec<f64>, DeviceError> {
        self.gathered_statistics()
    }

    fn set_statistics(&mut self, sums: &[f64]) -> Result<(), DeviceError> {
        self.scatter_statistics(sums)
    }

    fn surface_values(&mut self) -> Result<Vec<f64>, DeviceError> {
        let values = SURFACE_VALUES * self.plan.boundary_points();
        if self.arrays.surface_values.bytes() == 0 {
            self.arrays.surface_values = Array::zeros(&self.gpu, values * 8)?;
            self.params.surface_values = self.arrays.surface_values.pointer();
        }
        self.over_boundary(Kernel::SurfaceValues, Buffer::Start, |p| p.boundary_count)?;
        Ok(self.staging.download(&self.gpu, &self.arrays.surface_values, values)?)
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

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        if let Some(steps) = &mut self.fault {
            *steps -= 1;
            if *steps == 0 {
                self.fault = None;
                self.over_cells(
                    0,
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
