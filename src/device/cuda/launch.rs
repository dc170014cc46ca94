//! Launches: parameters pointed at the arrays, and a kernel over all cells or all boundary faces.

use super::kernels::{Kernel, Kernels};
use super::memory::Array;
use super::{CudaDevice, CudaError};
use crate::device::layout::{gather, scatter};
use crate::device::memory::Real;
use crate::device::params::Params;
use crate::device::{Buffer, Cells};

impl<R: Real> CudaDevice<R> {
    /// Points the parameters at the arrays, whose places do not change any more.
    pub(super) fn connect(&mut self) {
        let (p, a) = (&mut self.params, &self.arrays);
        p.un = a.start.pointer();
        p.acc = a.acc.pointer();
        p.comp = a.comp.pointer();
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
        p.boundary_partner = partner.pointer();
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

    /// Runs a kernel over cells of every group.
    pub(super) fn over_cells(
        &self,
        kernel: impl Fn(&Kernels) -> &Kernel,
        input: Buffer,
        cells: Cells,
        set: impl Fn(&mut Params<R>),
    ) -> Result<(), CudaError> {
        let mut params = self.params;
        params.u = self.buffer(input);
        set(&mut params);
        for (g, (arrays, kernels)) in self.arrays.groups.iter().zip(&self.kernels).enumerate() {
            let (blocks, kernel) = (self.plan.groups[g].blocks(cells), kernel(kernels));
            params.metrics = arrays.metrics.pointer();
            params.normals = arrays.normals.pointer();
            params.operators = arrays.operators.pointer();
            params.face_points = arrays.face_points.pointer();
            let params = params.of_blocks(&self.plan, g, blocks.start);
            kernel.launch(&self.gpu.compute, blocks.len() / kernel.shape.cells, &params)?;
        }
        Ok(())
    }

    /// Runs a kernel over the boundary faces of every set: `count` of the parameters says over how many items.
    pub(super) fn over_boundary(
        &self,
        kernel: impl Fn(&Kernels) -> &Kernel,
        input: Buffer,
        count: impl Fn(&Params<R>) -> i64,
    ) -> Result<(), CudaError> {
        let mut params = self.params;
        params.u = self.buffer(input);
        for set in &self.plan.boundary_sets {
            let (kernel, params) = (
                kernel(&self.kernels[set.group]),
                params.of_boundary_set(&self.plan, set),
            );
            let blocks = (count(&params) as usize).div_ceil(kernel.shape.threads);
            kernel.launch(&self.gpu.compute, blocks, &params)?;
        }
        Ok(())
    }

    /// Values left by a diagnostic kernel, in device order.
    pub(super) fn per_cell(&self, quantities: usize) -> Result<Vec<f64>, CudaError> {
        self.staging
            .download(&self.gpu, &self.arrays.per_cell, self.plan.occupant.len() * quantities)
    }

    pub(super) fn upload(&self, values: &[f64], to: &Array) -> Result<(), CudaError> {
        let mut field = vec![R::default(); self.plan.state_len()];
        scatter(&self.plan, values, &mut field);
        self.staging.upload(&self.gpu, &field, to)
    }

    pub(super) fn download(&self, array: &Array) -> Result<Vec<f64>, CudaError> {
        let field: Vec<R> = self.staging.download(&self.gpu, array, self.plan.state_len())?;
        Ok(gather(&self.plan, &field))
    }
}
