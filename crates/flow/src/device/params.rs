//! Values of the arguments of a launch ([`Params`]): constants of the run, and pointers to the arrays of a launch.

use std::ops::Range;

use super::Physics;
use super::contract::{BOUNDARY_VALUES, FLUXES, Frames, LEVELS, MAX_N, Params, SCALARS, SURFACE_VALUES};
use super::memory::Real;
use super::plan::{BoundarySet, Plan};
use crate::element::{ElementKind, FaceShape, LineElement};
use crate::physics::WALL_PRANDTL;

/// A point of a boundary face has as many values in the room `physics` as in the kernels.
const _: () = assert!(size_of::<crate::physics::PointData>() == BOUNDARY_VALUES * size_of::<f64>());

/// The kernels have as many scalars as a case may have.
const _: () = assert!(SCALARS == crate::physics::MOST_SCALARS);

/// The kernels have the levels of the paired scheme.
const _: () = assert!(LEVELS == crate::runge_kutta::paired::LEVELS);

/// Assertions that the fields have the offsets that the build script has asserted in the kernels.
mod check {
    use crate::device::contract::{
        BarNumbers, GatherIndex, InterfaceFace, MatchingRow, MortarFace, MortarPart, Params, SampledPoint, Sent, Slot,
        SteadyParams,
    };
    use std::mem::offset_of;
    include!(concat!(env!("OUT_DIR"), "/params_check.rs"));
}

impl<R: Real> Params<R> {
    /// Returns the parameters of a launch over blocks of one group. Arrays with values of the cells themselves begin at
    /// the first cell of the launch. Metric terms and normals must be those of the group.
    pub fn of_blocks(mut self, plan: &Plan, g: usize, blocks: Range<usize>) -> Self {
        let (group, lanes) = (&plan.groups[g], plan.lanes);
        let begin = blocks.start;
        let cells = begin * lanes;
        let state = 5 * (group.first_point + cells * group.points);
        self.own = self.u.wrapping_add(state);
        self.out = self.out.wrapping_add(state);
        self.u_n = self.u_n.wrapping_add(state);
        self.acc = self.acc.wrapping_add(state);
        self.kahan_term = self.kahan_term.wrapping_add(state);
        self.own_scalars = self.scalars.wrapping_add(state);
        self.eddy = self.eddy.wrapping_add(state / 5);
        if !self.source.is_null() {
            self.source = self.source.wrapping_add(state);
        }
        if self.rotates != 0 {
            self.frame_velocity = self.frame_velocity.wrapping_add(state / 5 * 3);
        }
        if self.rotates == Frames::Several as i32 {
            self.frame_speed = self.frame_speed.wrapping_add((group.begin + begin) * lanes);
        }
        let face_points = group.first_face_point + cells * group.face_points;
        self.own_traces = self.traces.wrapping_add(4 * face_points);
        let viscous = plan.viscous_start(g)
            + if group.kind == ElementKind::Hex {
                0
            } else {
                4 * group.points * cells
            };
        self.viscous = self.viscous.wrapping_add(viscous);
        let slots = group.first_slot + cells * group.faces();
        self.slots = self.slots.wrapping_add(slots);
        if !self.entropy_slots.is_null() {
            self.entropy_slots = self.entropy_slots.wrapping_add(slots);
        }
        self.slot_kind = self.slot_kind.wrapping_add(slots / lanes);
        self.metrics = self.metrics.wrapping_add(cells * group.metrics_per_block());
        self.normals = self.normals.wrapping_add(cells * 4 * group.normals_per_block());
        self.first_block = (group.begin + begin) as i64;
        self.blocks = blocks.len() as i64;
        self.metric_points = group.metric_points as i32;
        self
    }

    /// Returns the parameters of a launch over the boundary faces of one set.
    pub fn of_boundary_set(mut self, plan: &Plan, set: &BoundarySet) -> Self {
        let (first, points) = (set.faces.start, set.first_point);
        self.boundary_cell = self.boundary_cell.wrapping_add(first);
        self.boundary_trace = self.boundary_trace.wrapping_add(first);
        self.boundary_ghost = self.boundary_ghost.wrapping_add(first);
        self.boundary_ghost_trace = self.boundary_ghost_trace.wrapping_add(first);
        self.boundary_points = self.boundary_points.wrapping_add(first);
        self.boundary_kind = self.boundary_kind.wrapping_add(first);
        self.boundary_exterior = self.boundary_exterior.wrapping_add(first);
        self.boundary_rotation = self.boundary_rotation.wrapping_add(first);
        self.boundary_data = self.boundary_data.wrapping_add(BOUNDARY_VALUES * points);
        if self.scalar_count != 0 {
            self.scalar_data = self.scalar_data.wrapping_add(2 * SCALARS * points);
        }
        self.boundary_name = self.boundary_name.wrapping_add(first);
        if self.interfaces != 0 {
            self.interface_face = self.interface_face.wrapping_add(first);
        }
        if self.paired != 0 {
            self.boundary_level = self.boundary_level.wrapping_add(first);
        }
        if !self.relaxed.is_null() {
            self.relaxed = self.relaxed.wrapping_add(points);
            self.relaxed_start = self.relaxed_start.wrapping_add(points);
            self.relaxed_out = self.relaxed_out.wrapping_add(points);
            self.relaxed_sum = self.relaxed_sum.wrapping_add(points);
            self.noted_pressure = self.noted_pressure.wrapping_add(points);
            self.boundary_dual = self.boundary_dual.wrapping_add(6 * points);
            if set.shape == FaceShape::Quad {
                let triangle = FaceShape::Triangle.points(plan.order);
                self.face_derivatives = self.face_derivatives.wrapping_add(2 * triangle * triangle);
            }
        }
        self.boundary_normal = self.boundary_normal.wrapping_add(3 * points);
        self.boundary_area = self.boundary_area.wrapping_add(4 * points);
        if self.turbulence != 0 {
            self.boundary_fluctuation = self.boundary_fluctuation.wrapping_add(3 * points);
        }
        if self.wall_models != 0 {
            self.matching_state = self.matching_state.wrapping_add(points);
            self.matching_height = self.matching_height.wrapping_add(points);
        }
        if self.rotates != 0 {
            self.boundary_frame = self.boundary_frame.wrapping_add(3 * points);
        }
        self.boundary_fluxes = self.boundary_fluxes.wrapping_add(FLUXES * first);
        self.surface_values = self.surface_values.wrapping_add(SURFACE_VALUES * points);
        self.face_size = set.shape.points(plan.order) as i64;
        self.cell_points = plan.groups[set.group].points as i64;
        self.boundary_count = set.len() as i64 * self.face_size;
        self
    }

    /// Sets the parameters that depend on the mesh only.
    pub fn of_plan(&mut self, plan: &Plan) {
        self.boundaries = i32::from(plan.boundary_len() > 0);
        self.uniform = i32::from(plan.uniform());
        self.ghost_base = plan.ghost_start() as i64;
        self.interface_table = plan.interfaces.table.map_or(-1, i64::from);
        self.interface_parts = plan.interfaces.parts as i64;
        self.interface_items = plan.interfaces.items(plan.order) as i64;
        self.mortar_items = plan.mortars.items(plan.order) as i64;
        self.interface_turns = i32::from(!plan.interfaces.circles.is_empty());
    }

    /// Returns parameters with the constants of a run. All other fields are zero or null.
    ///
    /// # Panics
    ///
    /// If the order exceeds 8.
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
        p.entropy_correction = physics.scheme.entropy_correction as i32;
        p.wall_models = i32::from(physics.wall_models);
        p.interfaces = physics.interfaces.max(usize::from(physics.mortars)) as i32;
        p.mortars = i32::from(physics.mortars);
        p.wall_equilibrium = i32::from(physics.wall_equilibrium);
        p.wall_conductivity_factor = R::from_f64(cp / WALL_PRANDTL);
        p.shock = physics.scheme.shock as i32;
        // Rounding changes the entropy in single precision by about 1e-6.
        let least = if R::DOUBLE { 0.0 } else { 1e-5 };
        p.entropy_tolerance = R::from_f64(physics.scheme.entropy_tolerance.max(least));
        // A length of the cell is 2 over the gradient of a reference coordinate, and N points share it.
        let points = line.points.len() as f64;
        p.bulk_factor = R::from_f64(physics.scheme.artificial_bulk_viscosity * (2.0 / points).powi(2));
        p.bars = physics.bars as i32;
        p.sponges = i32::from(physics.sponges);
        p.kahan = i32::from(physics.kahan);
        p.low_storage = i32::from(physics.low_storage);
        p.paired = i32::from(physics.paired);
        p.rotates = physics.frames as i32;
        fill(&mut p.angular_velocity, &physics.angular_velocity);
        p.turbulence = i32::from(physics.turbulence);
        p.turbulence_varies = i32::from(physics.turbulence_varies);
        p.scalar_count = physics.scalars.count as i32;
        fill(&mut p.scalar_diffusion, &physics.scalars.diffusion);
        fill(&mut p.scalar_eddy_diffusion, &physics.scalars.eddy_diffusion);
        if let Some(sgs) = &physics.sgs {
            p.sgs = sgs.model as i32;
            p.sgs_factor = R::from_f64(sgs.constant * sgs.constant);
            p.sgs_conductivity_factor = R::from_f64(cp / sgs.prandtl);
        }
        p
    }
}
