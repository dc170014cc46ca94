//! Launches: parameters pointed at the arrays, and a kernel over all cells or all boundary faces.

use std::ops::Range;

use cudarc::driver::sys;

use super::error::failed;
use super::memory::Array;
use super::queue_trace::{FRONTIER, KERNELS};
use super::{CudaDevice, CudaError};
use crate::device::contract::{Kernel, Params, Stage};
use crate::device::layout::{gather, scatter};
use crate::device::memory::Real;
use crate::device::{Buffer, Cells, DeviceError};

impl<R: Real> CudaDevice<R> {
    /// Points the parameters at the arrays, whose places do not change any more.
    pub(super) fn connect(&mut self) {
        let (p, a) = (&mut self.params, &self.arrays);
        p.u_n = a.start.pointer();
        p.acc = a.acc.pointer();
        p.kahan_term = a.comp.pointer();
        p.traces = a.traces.pointer();
        p.viscous = a.viscous.pointer();
        p.slots = a.slots.pointer();
        p.slot_kind = a.slot_kind.pointer();
        p.tables = a.tables.pointer();
        p.per_cell = a.per_cell.pointer();
        p.dt = a.dt.pointer();
        let [cell, trace, ghost, ghost_trace, points, kind, partner, rotation] = &a.boundary;
        p.boundary_cell = cell.pointer();
        p.boundary_trace = trace.pointer();
        p.boundary_ghost = ghost.pointer();
        p.boundary_ghost_trace = ghost_trace.pointer();
        p.boundary_points = points.pointer();
        p.boundary_kind = kind.pointer();
        p.boundary_exterior = partner.pointer();
        p.boundary_rotation = rotation.pointer();
        p.rotations = a.rotations.pointer();
        p.boundary_data = a.boundary_data.pointer();
        p.boundary_normal = a.boundary_normals.pointer();
        p.boundary_area = a.boundary_areas.pointer();
        p.boundary_fluxes = a.boundary_fluxes.pointer();
        p.source = a.source.pointer();
        p.ghost_base = self.plan.ghost_start() as i64;
    }

    pub(super) fn buffer(&self, buffer: Buffer) -> *mut R {
        match buffer {
            Buffer::Start => &self.arrays.start,
            Buffer::A => &self.arrays.a,
            Buffer::B => &self.arrays.b,
        }
        .pointer()
    }

    /// Runs a kernel over cells of every group, under this label in a queue trace. Frontier cells have a queue of their own:
    /// they wait for all that was in the compute queue before the interior cells, so that both run side by side, and what
    /// other ranks wait for is on its way while the interior is still being computed.
    pub(super) fn over_cells(
        &self,
        label: &'static str,
        kernel: Kernel,
        stage: Stage,
        input: Buffer,
        cells: Cells,
        set: impl Fn(&mut Params<R>),
    ) -> Result<(), CudaError> {
        let mut params = self.params;
        params.u = self.buffer(input);
        set(&mut params);
        let (queue, name) = match cells {
            Cells::Frontier => (&self.gpu.frontier, FRONTIER),
            Cells::Interior | Cells::All => (&self.gpu.compute, KERNELS),
        };
        match cells {
            Cells::Frontier => {
                queue.wait(&self.before).map_err(failed("ordering two queues"))?;
                self.ahead.set(true);
            }
            Cells::Interior => {
                // Not for what has been packed since: that reads what only frontier kernels write.
                if self.sweeping.replace(false) {
                    queue.wait(&self.swept).map_err(failed("ordering two queues"))?;
                }
                self.mark_before()?;
            }
            Cells::All => self.join_frontier()?,
        }
        self.noted(queue, name, label, || {
            for (g, (arrays, kernels)) in self.arrays.groups.iter().zip(&self.kernels).enumerate() {
                let (blocks, kernel) = (self.plan.groups[g].blocks(cells), kernels.get(kernel, stage));
                params.metrics = arrays.metrics.pointer();
                params.normals = arrays.normals.pointer();
                params.operators = arrays.operators.pointer();
                params.face_points = arrays.face_points.pointer();
                let params = params.of_blocks(&self.plan, g, blocks.start);
                kernel.launch(queue, blocks.len() / kernel.shape.cells, &params)?;
            }
            Ok::<_, CudaError>(())
        })?;
        if cells == Cells::Frontier {
            self.swept.record(queue).map_err(failed("recording an event"))?;
            self.sweeping.set(true);
        }
        Ok(())
    }

    /// Frontier kernels from now on wait for what is in the compute queue now.
    pub(super) fn mark_before(&self) -> Result<(), CudaError> {
        self.before
            .record(&self.gpu.compute)
            .map_err(failed("recording an event"))
    }

    /// Runs a kernel over the boundary faces of every set: `count` of the parameters says over how many items.
    pub(super) fn over_boundary(
        &self,
        kernel: Kernel,
        input: Buffer,
        count: impl Fn(&Params<R>) -> i64,
    ) -> Result<(), CudaError> {
        let mut params = self.params;
        params.u = self.buffer(input);
        self.join_frontier()?;
        self.noted(&self.gpu.compute, KERNELS, "boundary faces", || {
            for set in &self.plan.boundary_sets {
                let (kernel, params) = (
                    self.kernels[set.group].get(kernel, Stage::RhsOnly),
                    params.of_boundary_set(&self.plan, set),
                );
                let blocks = (count(&params) as usize).div_ceil(kernel.shape.threads);
                kernel.launch(&self.gpu.compute, blocks, &params)?;
            }
            Ok::<_, CudaError>(())
        })?;
        self.mark_before()
    }

    /// Values left by a diagnostic kernel, in device order.
    pub(super) fn per_cell(&self, quantities: usize) -> Result<Vec<f64>, CudaError> {
        self.staging.download(
            &self.gpu,
            &self.arrays.per_cell,
            self.plan.cell_of_slot.len() * quantities,
        )
    }

    /// Writes a few numbers to the beginning of an array. They travel inside the commands, so steps already in the queue keep
    /// what was there.
    pub(super) fn write_numbers(&self, to: &Array, numbers: &[R]) -> Result<(), CudaError> {
        self.join_frontier()?;
        let words = size_of::<R>() / size_of::<u32>();
        for (i, number) in numbers.iter().enumerate() {
            let bits = match R::DOUBLE {
                true => number.to_f64().to_bits(),
                false => u64::from((number.to_f64() as f32).to_bits()),
            };
            for word in 0..words {
                let place = to.pointer::<u32>().wrapping_add(i * words + word) as sys::CUdeviceptr;
                // SAFETY: the array is alive and holds as many numbers of this many words.
                unsafe { sys::cuMemsetD32Async(place, (bits >> (32 * word)) as u32, 1, self.gpu.compute.cu_stream()) }
                    .result()
                    .map_err(failed("setting numbers of a step"))?;
            }
        }
        Ok(())
    }

    pub(super) fn upload(&self, values: &[f64], to: &Array) -> Result<(), CudaError> {
        let mut field = vec![R::default(); self.plan.state_len()];
        scatter(&self.plan, values, &mut field);
        self.join_frontier()?;
        self.staging.upload(&self.gpu, &field, to)?;
        self.gpu.order(&self.gpu.compute, &self.gpu.frontier)
    }

    pub(super) fn download(&self, array: &Array) -> Result<Vec<f64>, CudaError> {
        self.join_frontier()?;
        let field: Vec<R> = self.staging.download(&self.gpu, array, self.plan.state_len())?;
        Ok(gather(&self.plan, &field))
    }

    /// Some values of an array behind those of the cells.
    pub(super) fn halo_values(&self, array: &Array, range: Range<usize>) -> Result<Vec<f64>, DeviceError> {
        let values: Vec<R> = self.staging.download(&self.gpu, array, range.end)?;
        Ok(values[range].iter().map(|x| x.to_f64()).collect())
    }
}

/// What a queue trace calls a launch.
pub(super) fn label(kernel: Kernel, cells: Cells) -> &'static str {
    match (kernel, cells) {
        (Kernel::Sweep1, Cells::Frontier) => "sweep 1, frontier",
        (Kernel::Sweep1, _) => "sweep 1, interior",
        (Kernel::Sweep2, Cells::Frontier) => "sweep 2, frontier",
        (Kernel::Sweep2, _) => "sweep 2, interior",
        _ => "diagnostics",
    }
}
