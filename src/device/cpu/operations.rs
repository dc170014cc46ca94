//! What a device is asked to do, done by the kernels of the CPU.
//!
//! Ranks exchange arrays in the memory of the host, which is where the kernels read and write: what a device with memory of its
//! own fetches and delivers is in its place already.

use std::ops::Range;

use rayon::prelude::*;

use super::interface::Interface;
use super::sampling::Sampling;
use super::statistics::Statistics;
use super::{Aligned, BULKS, Buffer, Cells, CpuDevice, DeviceError, GroupArrays, INTEGRALS, Plan, RATES, Real};
use crate::device::contract::Kernel;
use crate::device::layout::{gather, gather_cells, scatter};
use crate::device::statistics::Slots;
use crate::device::{Device, HostTraces, Memory, Rates, SURFACE_VALUES, SamplePoint, StageUpdate, Traces, Work};

impl<R: Real> CpuDevice<R> {
    /// Values per cell left by a diagnostic kernel, in mesh order.
    fn per_cell(&self, quantities: usize) -> Vec<f64> {
        gather_cells(&self.plan, self.per_cell.as_slice(), quantities)
    }
}

impl<R: Real> Device for CpuDevice<R> {
    fn describe(&self) -> String {
        format!(
            "CPU, {} thread{}, {} ({} cells side by side), {} precision",
            self.pool.current_num_threads(),
            if self.pool.current_num_threads() == 1 { "" } else { "s" },
            self.set,
            self.plan.lanes,
            if R::DOUBLE { "double" } else { "single" }
        )
    }

    fn threads(&self) -> Option<usize> {
        Some(self.pool.current_num_threads())
    }

    fn memory(&self) -> Memory {
        let plan = &self.plan;
        let optional = |a: &Option<Aligned<R>>| a.as_ref().map_or(0, Aligned::bytes);
        Memory {
            state: self.start.bytes() + self.a.bytes() + self.b.bytes() + self.acc.bytes() + optional(&self.comp),
            traces: optional(&self.traces) + optional(&self.viscous),
            geometry: self.groups.iter().map(GroupArrays::bytes).sum::<usize>(),
            connectivity: size_of_val(plan.slots.as_slice())
                + plan.slot_kind.len()
                + plan.tables.len() * 4
                + self.boundary.bytes()
                + self.boundary_normals.bytes()
                + self.boundary_areas.bytes()
                + self.boundary_data.bytes()
                + self.outgoing.bytes()
                + plan.halo.bytes(),
            other: self.per_cell.bytes()
                + self.boundary_fluxes.bytes()
                + self.surface_values.as_ref().map_or(0, Aligned::bytes)
                + optional(&self.source)
                + self.interface.as_ref().map_or(0, Interface::bytes)
                + self.statistics.as_ref().map_or(0, Statistics::bytes)
                + self.samplings.iter().map(Sampling::bytes).sum::<usize>()
                + (plan.occupant.len() + plan.place.len()) * 8,
        }
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn set_state(&mut self, u: &[f64]) -> Result<(), DeviceError> {
        scatter(&self.plan, u, self.start.as_mut_slice());
        if let Some(comp) = &mut self.comp {
            comp.as_mut_slice().fill(R::default());
        }
        Ok(())
    }

    fn state(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(gather(&self.plan, self.start.as_slice()))
    }

    fn set_compensation(&mut self, compensation: &[f64]) -> Result<(), DeviceError> {
        if let Some(comp) = &mut self.comp {
            scatter(&self.plan, compensation, comp.as_mut_slice());
        }
        Ok(())
    }

    fn compensation(&self) -> Result<Option<Vec<f64>>, DeviceError> {
        let comp = self.comp.as_ref();
        Ok(comp.map(|comp| gather(&self.plan, comp.as_slice())))
    }

    fn rhs(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(gather(&self.plan, self.acc.as_slice()))
    }

    fn set_boundary_data(&mut self, data: &[f64]) -> Result<(), DeviceError> {
        for (to, &from) in self.boundary_data.as_mut_slice().iter_mut().zip(data) {
            *to = R::from_f64(from);
        }
        Ok(())
    }

    fn set_step(&mut self, dt: f64) -> Result<(), DeviceError> {
        *self.dt = R::from_f64(dt);
        self.params.dt = &raw const *self.dt;
        Ok(())
    }

    fn set_source(&mut self, source: &[f64]) -> Result<(), DeviceError> {
        let array = self.source.get_or_insert_with(|| Aligned::zeros(self.plan.state_len()));
        scatter(&self.plan, source, array.as_mut_slice());
        self.params.source = array.as_ptr();
        Ok(())
    }

    fn set_force(&mut self, force: [f64; 3]) -> Result<(), DeviceError> {
        *self.force = force.map(R::from_f64);
        self.params.force = self.force.as_ptr();
        Ok(())
    }

    fn ghost_states(&mut self, input: Buffer) -> Result<(), DeviceError> {
        self.over_boundary(Kernel::GhostStates, input, |p| p.boundary_count);
        Ok(())
    }

    fn sweep1(&mut self, input: Buffer, cells: Cells) -> Result<(), DeviceError> {
        self.over_blocks(Kernel::Sweep1, input, cells, |_| {});
        Ok(())
    }

    fn ghost_traces(&mut self, input: Buffer) -> Result<(), DeviceError> {
        self.over_boundary(Kernel::GhostTraces, input, |p| p.boundary_count);
        Ok(())
    }

    fn sweep2(&mut self, input: Buffer, output: Buffer, update: StageUpdate, cells: Cells) -> Result<(), DeviceError> {
        let out = self.buffer(output);
        self.over_blocks(Kernel::Sweep2, input, cells, |p| {
            p.out = out;
            let (stage, fraction, weight) = update.numbers();
            p.stage = stage as i32;
            p.fraction = R::from_f64(fraction);
            p.weight = R::from_f64(weight);
        });
        Ok(())
    }

    fn pack(&mut self, traces: Traces) -> Result<(), DeviceError> {
        let mut params = self.params;
        let sent = match traces {
            Traces::States(buffer) => {
                (params.u, params.sent_values) = (self.buffer(buffer), 5);
                &self.plan.halo.states
            }
            Traces::Viscous => {
                (params.u, params.sent_values) = (params.traces, 4);
                &self.plan.halo.traces
            }
        };
        params.sent = sent.as_ptr();
        params.boundary_count = sent.len() as i64;
        params.out = self.outgoing.as_mut_ptr();
        self.launch(self.groups[0].kernels.get(Kernel::Pack), params, 0..sent.len());
        Ok(())
    }

    fn host_traces(&mut self, traces: Traces) -> Result<HostTraces, DeviceError> {
        // What comes is received where it is read.
        let incoming = match traces {
            Traces::States(buffer) => self.buffer(buffer).wrapping_add(self.plan.state_len()),
            Traces::Viscous => self.params.traces.wrapping_add(self.plan.trace_len()),
        };
        Ok(HostTraces {
            outgoing: self.outgoing.as_ptr().cast(),
            incoming: incoming.cast(),
            real: size_of::<R>(),
        })
    }

    fn fetch(&mut self, _: Traces, _: Range<usize>) -> Result<usize, DeviceError> {
        Ok(0)
    }

    fn fetched(&mut self, _: usize) -> Result<bool, DeviceError> {
        Ok(true)
    }

    fn deliver(&mut self, _: Traces, _: Range<usize>) -> Result<(), DeviceError> {
        Ok(())
    }

    fn delivered(&mut self, _: Traces) -> Result<(), DeviceError> {
        Ok(())
    }

    fn halo_states(&self) -> Result<Vec<f64>, DeviceError> {
        let halos = self.plan.state_len()..self.plan.ghost_start();
        Ok(self.start.as_slice()[halos].iter().map(|x| x.to_f64()).collect())
    }

    fn set_traces(&mut self, values: &[f64]) -> Result<(), DeviceError> {
        for (to, &from) in self.traces.iter_mut().flat_map(Aligned::as_mut_slice).zip(values) {
            *to = R::from_f64(from);
        }
        Ok(())
    }

    fn halo_traces(&self) -> Result<Vec<f64>, DeviceError> {
        let halos = self.plan.trace_len()..self.plan.ghost_trace_start();
        let values = self.traces.as_ref().map_or(&[][..], |traces| &traces.as_slice()[halos]);
        Ok(values.iter().map(|x| x.to_f64()).collect())
    }

    fn rates(&mut self) -> Result<Rates, DeviceError> {
        self.over_blocks(Kernel::TimeStepBounds, Buffer::Start, Cells::All, |_| {});
        Ok(Rates::of_cells(&self.plan, &self.per_cell(RATES)))
    }

    fn bulk(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_blocks(Kernel::Bulk, Buffer::Start, Cells::All, |_| {});
        Ok(self.per_cell(BULKS))
    }

    fn integrals(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_blocks(Kernel::Integrals, Buffer::Start, Cells::All, |_| {});
        Ok(self.per_cell(INTEGRALS))
    }

    fn boundary_fluxes(&mut self) -> Result<Vec<f64>, DeviceError> {
        self.over_boundary(Kernel::BoundaryFluxes, Buffer::Start, |p| {
            p.boundary_count / p.face_size
        });
        Ok(self.boundary_fluxes.as_slice().to_vec())
    }

    fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError> {
        self.new_statistics(slots);
        Ok(())
    }

    fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError> {
        self.add_sample(weight)
    }

    fn statistics(&self) -> Result<Vec<f64>, DeviceError> {
        Ok(self.gathered_statistics())
    }

    fn set_statistics(&mut self, sums: &[f64]) -> Result<(), DeviceError> {
        self.scatter_statistics(sums)
    }

    fn surface_values(&mut self) -> Result<Vec<f64>, DeviceError> {
        let size = SURFACE_VALUES * self.plan.boundary_points();
        let values = self.surface_values.get_or_insert_with(|| Aligned::zeros(size));
        self.params.surface_values = values.as_mut_ptr();
        self.over_boundary(Kernel::SurfaceValues, Buffer::Start, |p| p.boundary_count);
        Ok(self
            .surface_values
            .as_ref()
            .map_or_else(Vec::new, |v| v.as_slice().to_vec()))
    }

    fn plan_samples(&mut self, points: &[SamplePoint], room: usize) -> Result<usize, DeviceError> {
        Ok(self.add_sampling(points, room))
    }

    fn sample(&mut self, set: usize) -> Result<(), DeviceError> {
        self.take_sample(set);
        Ok(())
    }

    fn samples(&mut self, set: usize) -> Result<Vec<f64>, DeviceError> {
        Ok(std::mem::take(&mut self.samplings[set].taken))
    }

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        work(self)
    }

    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError> {
        let begin = std::time::Instant::now();
        work(self)?;
        Ok(begin.elapsed().as_secs_f64())
    }

    fn interface_flux(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        self.run_interface(by_faces)
    }

    fn interface_fluxes(&self) -> Result<Vec<f64>, DeviceError> {
        let values = |arrays: &Interface<R>| {
            let size = arrays.flux.as_slice().len() / self.plan.occupant.len();
            gather_cells(&self.plan, arrays.flux.as_slice(), size)
        };
        Ok(self.interface.as_ref().map_or_else(Vec::new, values))
    }

    fn copy_bandwidth(&mut self) -> Result<f64, DeviceError> {
        let threads = self.pool.current_num_threads();
        let share = self.start.bytes().max(64 << 20).div_ceil(threads);
        let mut arrays: Vec<(Vec<u8>, Vec<u8>)> = (0..threads).map(|_| (vec![1; share], vec![0; share])).collect();
        let mut best = f64::INFINITY;
        for _ in 0..5 {
            best = best.min(self.seconds(&mut |_| {
                arrays
                    .par_iter_mut()
                    .for_each(|(from, to)| to.copy_from_slice(std::hint::black_box(from)));
                Ok(())
            })?);
        }
        Ok((2 * share * threads) as f64 / best)
    }
}
