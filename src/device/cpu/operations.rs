//! What a device is asked to do, done by the kernels of the CPU.
//!
//! Ranks exchange arrays in the memory of the host, which is where the kernels read and write: what a device with memory of its
//! own fetches and delivers is in its place already.

use rayon::prelude::*;

use super::interface::Interface;
use super::sampling::Sampling;
use super::statistics::Statistics;
use super::{Aligned, CpuDevice, DeviceError, GroupArrays, Plan, Real};
use crate::device::contract::{Kernel, Over};
use crate::device::layout::{gather, gather_cells, scatter};
use crate::device::statistics::Slots;
use crate::device::{
    Device, DeviceInfo, Diagnostics, Field, HaloBuffers, Launch, MemoryUse, SURFACE_VALUES, SamplePoint, Traces, Work,
};

impl<R: Real> Device for CpuDevice<R> {
    fn info(&self) -> DeviceInfo {
        let threads = self.pool.current_num_threads();
        DeviceInfo {
            description: format!(
                "CPU, {threads} thread{}, {} ({} cells side by side), {} precision",
                if threads == 1 { "" } else { "s" },
                self.set,
                self.plan.lanes,
                if R::DOUBLE { "double" } else { "single" }
            ),
            threads: Some(threads),
            gpu: None,
        }
    }

    fn memory(&self) -> MemoryUse {
        let plan = &self.plan;
        let optional = |a: &Option<Aligned<R>>| a.as_ref().map_or(0, Aligned::bytes);
        MemoryUse {
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
                + (plan.cell_of_slot.len() + plan.slot_of_cell.len()) * 8,
        }
    }

    fn plan(&self) -> &Plan {
        &self.plan
    }

    fn read(&self, field: Field) -> Result<Vec<f64>, DeviceError> {
        let plan = &self.plan;
        let doubles = |values: &[R]| values.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        Ok(match field {
            Field::State => gather(plan, self.start.as_slice()),
            Field::RightHandSide => gather(plan, self.acc.as_slice()),
            Field::Compensation => (self.comp.as_ref()).map_or(Vec::new(), |comp| gather(plan, comp.as_slice())),
            Field::HaloStates => doubles(&self.start.as_slice()[plan.state_len()..plan.ghost_start()]),
            Field::HaloTraces => {
                let halos = plan.trace_len()..plan.ghost_trace_start();
                (self.traces.as_ref()).map_or(Vec::new(), |traces| doubles(&traces.as_slice()[halos]))
            }
            Field::PerCell(values) => gather_cells(plan, self.per_cell.as_slice(), values),
            Field::BoundaryFluxes => self.boundary_fluxes.as_slice().to_vec(),
            Field::SurfaceValues => (self.surface_values.as_ref()).map_or(Vec::new(), |v| v.as_slice().to_vec()),
            Field::Statistics => self.gathered_statistics(),
            Field::InterfaceFlux => (self.interface.as_ref()).map_or(Vec::new(), |arrays| {
                let size = arrays.flux.as_slice().len() / plan.cell_of_slot.len();
                gather_cells(plan, arrays.flux.as_slice(), size)
            }),
            Field::Source | Field::Force | Field::TimeStep | Field::BoundaryData | Field::Traces => {
                return Err(field.is_write_only());
            }
        })
    }

    fn write(&mut self, field: Field, values: &[f64]) -> Result<(), DeviceError> {
        let round = |to: &mut [R]| {
            to.iter_mut()
                .zip(values)
                .for_each(|(to, &from)| *to = R::from_f64(from))
        };
        match field {
            Field::State => {
                scatter(&self.plan, values, self.start.as_mut_slice());
                if let Some(comp) = &mut self.comp {
                    comp.as_mut_slice().fill(R::default());
                }
            }
            Field::Compensation => {
                if let Some(comp) = &mut self.comp {
                    scatter(&self.plan, values, comp.as_mut_slice());
                }
            }
            Field::Source => {
                let array = self.source.get_or_insert_with(|| Aligned::zeros(self.plan.state_len()));
                scatter(&self.plan, values, array.as_mut_slice());
                self.params.source = array.as_ptr();
            }
            Field::Force => {
                round(&mut self.force[..]);
                self.params.force = self.force.as_ptr();
            }
            Field::TimeStep => {
                *self.dt = R::from_f64(values[0]);
                self.params.dt = &raw const *self.dt;
            }
            Field::BoundaryData => round(self.boundary_data.as_mut_slice()),
            Field::Traces => self.traces.iter_mut().for_each(|traces| round(traces.as_mut_slice())),
            Field::Statistics => self.scatter_statistics(values)?,
            _ => return Err(field.is_read_only()),
        }
        Ok(())
    }

    fn launch(&mut self, launch: Launch) -> Result<(), DeviceError> {
        let Launch {
            kernel, input, cells, ..
        } = launch;
        if kernel == Kernel::SurfaceValues {
            let size = SURFACE_VALUES * self.plan.boundary_points();
            let values = self.surface_values.get_or_insert_with(|| Aligned::zeros(size));
            self.params.surface_values = values.as_mut_ptr();
        }
        match kernel.spec().over {
            Over::Cells => {
                let update = launch
                    .update
                    .map(|(output, update)| (self.buffer(output), update.numbers()));
                self.over_blocks(kernel, input, cells, |p| {
                    if let Some((out, (stage, fraction, weight))) = update {
                        p.out = out;
                        p.stage = stage as i32;
                        p.fraction = R::from_f64(fraction);
                        p.weight = R::from_f64(weight);
                    }
                });
            }
            Over::BoundaryPoints => self.over_boundary(kernel, input, |p| p.boundary_count),
            Over::BoundaryFaces => self.over_boundary(kernel, input, |p| p.boundary_count / p.face_size),
            Over::Items => {
                return Err(DeviceError::Lacking(
                    "a kernel with arguments of its own, launched without them,",
                ));
            }
        }
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
        self.run(self.groups[0].kernels.get(Kernel::Pack), params, 0..sent.len());
        Ok(())
    }

    fn halo_buffers(&mut self, traces: Traces) -> Result<HaloBuffers, DeviceError> {
        // What comes is received where it is read.
        let incoming = match traces {
            Traces::States(buffer) => self.buffer(buffer).wrapping_add(self.plan.state_len()),
            Traces::Viscous => self.params.traces.wrapping_add(self.plan.trace_len()),
        };
        Ok(HaloBuffers {
            outgoing: self.outgoing.as_ptr().cast(),
            incoming: incoming.cast(),
            real: size_of::<R>(),
        })
    }

    fn diagnostics(&mut self) -> &mut dyn Diagnostics {
        self
    }

    fn repeat(&mut self, work: &mut Work) -> Result<(), DeviceError> {
        work(self)
    }

    fn seconds(&mut self, work: &mut Work) -> Result<f64, DeviceError> {
        let begin = std::time::Instant::now();
        work(self)?;
        Ok(begin.elapsed().as_secs_f64())
    }
}

impl<R: Real> Diagnostics for CpuDevice<R> {
    fn begin_statistics(&mut self, slots: &Slots) -> Result<(), DeviceError> {
        self.new_statistics(slots);
        Ok(())
    }

    fn add_to_statistics(&mut self, weight: f64) -> Result<(), DeviceError> {
        self.add_sample(weight)
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

    fn interface_flux(&mut self, by_faces: bool) -> Result<(), DeviceError> {
        self.run_interface(by_faces)
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
