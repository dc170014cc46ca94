//! Everything in device memory, allocated once.

use rayon::prelude::*;

use super::driver::Gpu;
use super::error::CudaError;
use super::memory::Array;
use crate::device::memory::Real;
use crate::device::operators::Operators;
use crate::device::plan::BoundaryArrays;
use crate::device::{FLUXES, INTEGRALS, MemoryUse, Physics, Plan, RATES};
use crate::element::Elements;

/// The arrays of a run.
pub struct Arrays {
    pub start: Array,
    pub a: Array,
    pub b: Array,
    pub acc: Array,
    pub comp: Array,
    pub traces: Array,
    pub viscous: Array,
    pub groups: Vec<GroupArrays>,
    pub slots: Array,
    pub slot_kind: Array,
    pub tables: Array,
    pub boundary: [Array; 8],
    pub boundary_data: Array,
    pub boundary_normals: Array,
    pub boundary_areas: Array,
    pub boundary_fluxes: Array,
    pub surface_values: Array,
    pub rotations: Array,
    pub source: Array,
    pub per_cell: Array,
    pub dt: Array,
    pub force: Array,
}

/// What the cells of a group have in common.
pub struct GroupArrays {
    pub metrics: Array,
    pub normals: Array,
    pub operators: Array,
    pub face_points: Array,
}

impl Arrays {
    /// Allocates everything, and brings over what does not change.
    pub fn new<R: Real>(
        gpu: &Gpu,
        plan: &Plan,
        elements: &Elements,
        boundary: &BoundaryArrays,
        physics: &Physics,
    ) -> Result<Self, CudaError> {
        let real = size_of::<R>();
        let zeros = |values: usize, size: usize| Array::zeros(gpu, values * size);
        let rounded = |values: &[f64]| {
            let values: Vec<R> = values.par_iter().map(|&x| R::from_f64(x)).collect();
            Array::from_slice(gpu, &values)
        };
        let state = plan.ghost_start() + plan.ghost_len;
        let viscous = |values: usize| if physics.gas.viscosity.is_some() { values } else { 0 };
        let comp = if physics.kahan { plan.state_len() } else { 0 };
        let group = |group: &crate::device::plan::Group| {
            let operators = Operators::new(elements, group.kind, true);
            Ok(GroupArrays {
                metrics: rounded(&group.metrics)?,
                normals: rounded(&group.normals)?,
                operators: rounded(&operators.values)?,
                face_points: Array::from_slice(gpu, &operators.face_points)?,
            })
        };
        Ok(Arrays {
            start: zeros(state, real)?,
            a: zeros(state, real)?,
            b: zeros(state, real)?,
            acc: zeros(plan.state_len(), real)?,
            comp: zeros(comp, real)?,
            traces: zeros(viscous(plan.ghost_trace_start() + plan.ghost_trace_len()), real)?,
            viscous: zeros(viscous(plan.viscous_len()), real)?,
            groups: plan.groups.iter().map(group).collect::<Result<_, CudaError>>()?,
            slots: Array::from_slice(gpu, &plan.slots)?,
            slot_kind: Array::from_slice(gpu, &plan.slot_kind)?,
            tables: Array::from_slice(gpu, &plan.tables)?,
            boundary: [
                Array::from_slice(gpu, &boundary.cell)?,
                Array::from_slice(gpu, &boundary.trace)?,
                Array::from_slice(gpu, &boundary.ghost)?,
                Array::from_slice(gpu, &boundary.ghost_trace)?,
                Array::from_slice(gpu, &boundary.points)?,
                Array::from_slice(gpu, &boundary.kind)?,
                Array::from_slice(gpu, &boundary.partner)?,
                Array::from_slice(gpu, &boundary.rotation)?,
            ],
            boundary_data: zeros(5 * plan.boundary_points(), real)?,
            boundary_normals: rounded(&boundary.normals)?,
            boundary_areas: rounded(&boundary.areas)?,
            boundary_fluxes: zeros(FLUXES * plan.boundary_faces.len(), 8)?,
            surface_values: zeros(0, 8)?,
            rotations: rounded(&plan.rotations)?,
            source: zeros(0, real)?,
            per_cell: zeros(plan.cell_of_slot.len() * INTEGRALS.max(RATES), 8)?,
            dt: zeros(1, real)?,
            force: zeros(3, real)?,
        })
    }

    /// What they take.
    pub fn memory(&self) -> MemoryUse {
        let sum = |arrays: &[&Array]| arrays.iter().map(|a| a.bytes()).sum::<usize>();
        let of_group = |g: &GroupArrays| sum(&[&g.metrics, &g.normals, &g.operators, &g.face_points]);
        MemoryUse {
            state: sum(&[&self.start, &self.a, &self.b, &self.acc, &self.comp]),
            traces: sum(&[&self.traces, &self.viscous]),
            geometry: self.groups.iter().map(of_group).sum(),
            connectivity: sum(&[&self.slots, &self.slot_kind, &self.tables])
                + sum(&[&self.boundary_data, &self.boundary_normals, &self.boundary_areas])
                + self.boundary.iter().map(Array::bytes).sum::<usize>(),
            other: sum(&[&self.source, &self.per_cell, &self.dt, &self.force])
                + sum(&[&self.boundary_fluxes, &self.surface_values]),
        }
    }
}
