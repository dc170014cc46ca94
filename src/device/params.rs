//! The kernels' parameter block; same fields in the same order as `struct Params` of ptx/params.h.

use super::memory::Real;
use super::plan::{BoundarySet, Plan, Sent, Slot};
use super::sampling::Sampled;
use super::{FLUXES, Physics, SURFACE_VALUES};
use crate::element::{ElementKind, LineElement};

/// Most points of a line.
pub const MAX_N: usize = 9;

/// What one kernel launch sees. Pointers are device addresses; units are those of the case.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // each field is described in ptx/params.h
pub struct Params<R> {
    pub u: *const R,
    pub own: *const R,
    pub out: *mut R,
    pub un: *mut R,
    pub acc: *mut R,
    pub comp: *mut R,
    pub traces: *mut R,
    pub own_traces: *mut R,
    pub viscous: *mut R,
    pub metrics: *const R,
    pub normals: *const R,
    pub source: *const R,
    pub force: *const R,
    pub slots: *const Slot,
    pub slot_kind: *const u8,
    pub tables: *const i32,
    pub operators: *const R,
    pub face_points: *const i32,
    pub boundary_cell: *const i64,
    pub boundary_trace: *const i64,
    pub boundary_ghost: *const i64,
    pub boundary_ghost_trace: *const i64,
    pub boundary_points: *const i32,
    pub boundary_kind: *const i32,
    pub boundary_partner: *const Slot,
    pub boundary_rotation: *const i32,
    pub rotations: *const R,
    pub boundary_data: *const R,
    pub boundary_normal: *const R,
    pub boundary_area: *const R,
    pub boundary_fluxes: *mut f64,
    pub surface_values: *mut f64,
    pub boundary_count: i64,
    pub cell_points: i64,
    pub face_size: i64,
    pub ghost_base: i64,
    pub sent: *const Sent,
    pub sent_values: i64,
    pub sampled: *const Sampled,
    pub sample_weights: *const f64,
    pub samples: *mut f64,
    pub per_cell: *mut f64,
    pub first_block: i64,
    pub dt: *const R,
    pub range_begin: i64,
    pub fraction: R,
    pub weight: R,
    pub interface_flux: *mut R,
    pub faces: *const i64,
    pub range_end: i64,
    pub sums: *mut f64,
    pub sum_factors: *const i32,
    pub sum_lists: *const i32,
    pub sum_list: *const i32,
    pub sum_quantities: i64,
    pub sum_slots: i64,
    pub sum_members: i64,
    pub sample_weight: f64,
    pub diff: [R; MAX_N * MAX_N],
    pub correction: [R; MAX_N],
    pub weights: [R; MAX_N],
    pub gamma: R,
    pub gas_constant: R,
    pub cv: R,
    pub cp: R,
    pub conductivity_factor: R,
    pub mu: R,
    pub sutherland_factor: R,
    pub sutherland_s: R,
    pub sgs_factor: R,
    pub sgs_conductivity_factor: R,
    pub split: i32,
    pub riemann: i32,
    pub viscosity: i32,
    pub stage: i32,
    pub kahan: i32,
    pub boundaries: i32,
    pub uniform: i32,
    pub metric_points: i32,
    pub sgs: i32,
}

impl<R: Real> Params<R> {
    /// For a launch over the blocks of one group from `begin` on, counted in the group: arrays in which a cell finds its own
    /// values begin at the first of them. Metric terms and normals are to be those of the group.
    pub fn of_blocks(mut self, plan: &Plan, g: usize, begin: usize) -> Self {
        let (group, lanes) = (&plan.groups[g], plan.lanes);
        let cells = begin * lanes;
        let state = 5 * (group.first_point + cells * group.points);
        self.own = self.u.wrapping_add(state);
        self.out = self.out.wrapping_add(state);
        self.un = self.un.wrapping_add(state);
        self.acc = self.acc.wrapping_add(state);
        self.comp = self.comp.wrapping_add(state);
        if !self.source.is_null() {
            self.source = self.source.wrapping_add(state);
        }
        let face_points = group.first_face_point + cells * group.face_points;
        self.own_traces = self.traces.wrapping_add(4 * face_points);
        let viscous = plan.viscous_start(g)
            + if group.kind == ElementKind::Hex {
                0
            } else {
                12 * group.points * cells
            };
        self.viscous = self.viscous.wrapping_add(viscous);
        let slots = group.first_slot + cells * group.faces();
        self.slots = self.slots.wrapping_add(slots);
        self.slot_kind = self.slot_kind.wrapping_add(slots / lanes);
        self.metrics = self.metrics.wrapping_add(cells * group.metrics_per_block());
        self.normals = self.normals.wrapping_add(cells * 4 * group.normals_per_block());
        self.first_block = (group.begin + begin) as i64;
        self.metric_points = group.metric_points as i32;
        self
    }

    /// For a launch over the faces of one set.
    pub fn of_boundary_set(mut self, plan: &Plan, set: &BoundarySet) -> Self {
        let (first, points) = (set.faces.start, set.first_point);
        self.boundary_cell = self.boundary_cell.wrapping_add(first);
        self.boundary_trace = self.boundary_trace.wrapping_add(first);
        self.boundary_ghost = self.boundary_ghost.wrapping_add(first);
        self.boundary_ghost_trace = self.boundary_ghost_trace.wrapping_add(first);
        self.boundary_points = self.boundary_points.wrapping_add(first);
        self.boundary_kind = self.boundary_kind.wrapping_add(first);
        self.boundary_partner = self.boundary_partner.wrapping_add(first);
        self.boundary_rotation = self.boundary_rotation.wrapping_add(first);
        self.boundary_data = self.boundary_data.wrapping_add(5 * points);
        self.boundary_normal = self.boundary_normal.wrapping_add(3 * points);
        self.boundary_area = self.boundary_area.wrapping_add(4 * points);
        self.boundary_fluxes = self.boundary_fluxes.wrapping_add(FLUXES * first);
        self.surface_values = self.surface_values.wrapping_add(SURFACE_VALUES * points);
        self.face_size = set.shape.points(plan.order) as i64;
        self.cell_points = plan.groups[set.group].points as i64;
        self.boundary_count = set.len() as i64 * self.face_size;
        self
    }

    /// The parameters that do not change during a run; all others are zero or null.
    pub fn constants(line: &LineElement, physics: &Physics) -> Self {
        // SAFETY: Params holds numbers and raw pointers only, for which all-zero bytes are valid (null).
        let mut p: Params<R> = unsafe { std::mem::zeroed() };
        assert!(line.len() <= MAX_N, "orders go up to 8");
        let fill = |to: &mut [R], from: &[f64]| to.iter_mut().zip(from).for_each(|(t, &f)| *t = R::from_f64(f));
        fill(&mut p.diff, &line.diff);
        fill(&mut p.correction, &line.correction);
        fill(&mut p.weights, &line.weights);
        let gas = &physics.gas;
        let cv = gas.gas_constant / (gas.gamma - 1.0);
        let cp = gas.gamma * cv;
        let viscosity = gas.viscosity_constants();
        p.gamma = R::from_f64(gas.gamma);
        p.gas_constant = R::from_f64(gas.gas_constant);
        p.cv = R::from_f64(cv);
        p.cp = R::from_f64(cp);
        p.conductivity_factor = R::from_f64(cp / gas.prandtl);
        p.mu = R::from_f64(viscosity.mu);
        p.sutherland_factor = R::from_f64(viscosity.factor);
        p.sutherland_s = R::from_f64(viscosity.s);
        p.viscosity = viscosity.law as i32;
        p.split = physics.scheme.split as i32;
        p.riemann = physics.scheme.riemann as i32;
        p.kahan = i32::from(physics.kahan);
        if let Some(sgs) = &physics.sgs {
            p.sgs = sgs.model as i32;
            p.sgs_factor = R::from_f64(sgs.constant * sgs.constant);
            p.sgs_conductivity_factor = R::from_f64(cp / sgs.prandtl);
        }
        p
    }
}
