//! The arrays of a run: what each holds, how long it is, and which parameter of the kernels leads to it, stated once
//! for every machine.

mod of_boundaries;
mod on_demand;

use super::contract::{
    BOUNDARY_VALUES, FLUXES, FilterWord, Frames, InterfaceFace, MORTAR_VALUES, MatchingRow, MortarFace, MortarPart,
    NO_FAULT, Params, SCALARS, Slot, VALUES_PER_CELL, WALL_LAW_CELLS,
};
use super::memory::Real;
use super::operators::Operators;
use super::plan::{BoundaryArrays, Group, Plan};
use super::rounding::{round_into, rounded};
use super::store::{Memory, Store};
use super::table::arrays;
use super::{Buffer, DeviceError, MemoryUse, Physics, bounds::LARGEST_BOUNDS};
use crate::element::Elements;
use crate::geometry::Geometry;
use crate::physics::Shock;

/// What the lengths of the arrays depend on.
#[derive(Debug, Clone, Copy)]
pub struct Sizes<'a> {
    /// Layout of the cells, boundary faces and halos.
    pub plan: &'a Plan,
    /// Bytes of a real.
    pub real: usize,
    /// Whether there are viscous terms.
    pub viscous: bool,
    /// Whether updates are compensated.
    pub kahan: bool,
    /// Whether the time scheme is in 2N form, which needs no second stage buffer.
    pub low_storage: bool,
    /// Whether there are passive scalars.
    pub scalars: bool,
    /// Whether there is a sub-grid model.
    pub sgs: bool,
    /// Whether an inlet is turbulent.
    pub turbulence: bool,
    /// Whether a boundary relaxes.
    pub relaxed: bool,
    /// The frames of the cells.
    pub frames: Frames,
    /// Whether a wall is modelled.
    pub wall_models: bool,
    /// Filter of the states.
    pub shock: Shock,
    /// Number of named boundaries.
    pub names: usize,
    /// What is allocated after the other arrays.
    pub later: Later,
}

/// What is allocated after the other arrays, when there is something to write into it: the estimate of memory counts
/// it, and the first allocation leaves it out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Later {
    /// Whether there is a volume source.
    pub source: bool,
    /// Points of the cells that bars may meet.
    pub bar_points: usize,
    /// Points of the cells in sponges.
    pub sponge_points: usize,
}

impl Sizes<'_> {
    /// Values of a state with its halos, ghosts and matching points.
    fn state(&self) -> usize {
        match self.shock {
            Shock::EntropyFilter => self.plan.entropy_start() + self.plan.padded_cells(),
            _ => self.plan.ghost_start() + self.plan.ghost_len + self.plan.matching_len(),
        }
    }

    /// `len` if steps may be taken back: where states are filtered.
    fn if_taken_back(&self, len: usize) -> usize {
        if self.shock == Shock::None { 0 } else { len }
    }

    /// `len` if a wall is modelled.
    fn if_modelled(&self, len: usize) -> usize {
        if self.wall_models { len } else { 0 }
    }

    /// `len` if there are interfaces or mortars.
    fn if_interfaces(&self, len: usize) -> usize {
        if self.plan.interfaces.table.is_none() { 0 } else { len }
    }

    /// `len` if the frames of the cells rotate.
    fn if_rotating(&self, len: usize) -> usize {
        if self.frames == Frames::None { 0 } else { len }
    }

    /// `len` if there are viscous terms.
    fn if_viscous(&self, len: usize) -> usize {
        if self.viscous { len } else { 0 }
    }

    /// `len` if there are passive scalars.
    fn if_scalars(&self, len: usize) -> usize {
        if self.scalars { len } else { 0 }
    }

    /// `len` if a boundary relaxes.
    fn if_relaxed(&self, len: usize) -> usize {
        if self.relaxed { len } else { 0 }
    }

    /// One value a block if so many points have values of their own.
    fn blocks_if(&self, points: usize) -> usize {
        if points > 0 { self.plan.blocks() } else { 0 }
    }
}

arrays! {
    /// The arrays of a run.
    Arrays, Sizes, Params<R> where R: Real, of_table;
    with
    /// Arrays of each group of cells.
    groups: Vec<GroupArrays<S>>;
    /// State at the start of the step, then halos, ghosts, states at matching points, and the least entropies of the
    /// cells if they are filtered.
    start: R, state, |s| s.state() => u_n;
    /// First stage buffer.
    a: R, state, |s| s.state();
    /// Second stage buffer.
    b: R, state, |s| if s.low_storage { 0 } else { s.state() };
    /// Sum over the stages, register of a scheme in 2N form, or the right-hand side.
    acc: R, state, |s| s.plan.state_len() => acc;
    /// Kahan's compensation.
    kahan_term: R, state, |s| if s.kahan { s.plan.state_len() } else { 0 } => kahan_term;
    /// Viscous traces, then halos and ghosts.
    traces: R, traces, |s| s.if_viscous(s.plan.ghost_trace_start() + s.plan.ghost_trace_len()) => traces;
    /// Weak divergence of the viscous flux in dense elements.
    viscous: R, traces, |s| s.if_viscous(s.plan.viscous_len()) => viscous;
    /// Neighbour slots.
    slots: Slot, connectivity, |s| s.plan.slot_len() => slots;
    /// Kinds of the slots.
    slot_kind: u8, connectivity, |s| s.plan.slot_len() / s.plan.lanes => slot_kind;
    /// Lists of face points.
    tables: i32, connectivity, |s| s.plan.tables.len() => tables;
    /// Cells of the boundary faces.
    boundary_cell: i64, connectivity, |s| s.plan.boundary_len() => boundary_cell;
    /// Viscous traces of the boundary faces.
    boundary_trace: i64, connectivity, |s| s.plan.boundary_len() => boundary_trace;
    /// Ghost states of the boundary faces.
    boundary_ghost: i64, connectivity, |s| s.plan.boundary_len() => boundary_ghost;
    /// Ghost traces of the boundary faces.
    boundary_ghost_trace: i64, connectivity, |s| s.plan.boundary_len() => boundary_ghost_trace;
    /// Lists of the points of the boundary faces.
    boundary_points: i32, connectivity, |s| s.plan.boundary_len() => boundary_points;
    /// Conditions of the boundary faces.
    boundary_kind: i32, connectivity, |s| s.plan.boundary_len() => boundary_kind;
    /// Exterior cells of the boundary faces.
    boundary_exterior: Slot, connectivity, |s| s.plan.boundary_len() => boundary_exterior;
    /// Rotations of the boundary faces.
    boundary_rotation: i32, connectivity, |s| s.plan.boundary_len() => boundary_rotation;
    /// Data of the boundary conditions.
    boundary_data: R, connectivity, |s| BOUNDARY_VALUES * s.plan.boundary_points() => boundary_data;
    /// Velocity fluctuations of turbulent inlets, `[boundary point][3]`.
    boundary_fluctuation: R, connectivity, |s| if s.turbulence { 3 * s.plan.boundary_points() } else { 0 }
        => boundary_fluctuation;
    /// Velocity of the rotating frame where a condition is applied in the absolute frame, `[boundary point][3]`.
    boundary_frame: R, connectivity, |s| s.if_rotating(3 * s.plan.boundary_points()) => boundary_frame;
    /// Names of the boundary faces.
    boundary_name: i32, connectivity, |s| s.plan.boundary_len() => boundary_name;
    /// Levels of the cells of the boundary faces in the paired scheme.
    boundary_level: i32, connectivity, |s| if s.plan.classes.is_empty() { 0 } else { s.plan.boundary_len() }
        => boundary_level;
    /// Relaxed values of the boundary points at the start of the step.
    relaxed_start: f64, other, |s| s.if_relaxed(s.plan.boundary_points()) => relaxed_start;
    /// Those of the first stage buffer.
    relaxed_a: f64, other, |s| s.if_relaxed(s.plan.boundary_points());
    /// Those of the second stage buffer.
    relaxed_b: f64, other, |s| if s.low_storage { 0 } else { s.if_relaxed(s.plan.boundary_points()) };
    /// Sum of the rates of the relaxed values over the stages, or their register; between steps what was noted of the
    /// terms along the face.
    relaxed_sum: f64, other, |s| s.if_relaxed(s.plan.boundary_points()) => relaxed_sum;
    /// Mean pressures of the faces of relaxed outlets when they were last noted.
    noted_pressure: f64, other, |s| s.if_relaxed(s.plan.boundary_points()) => noted_pressure;
    /// What relaxed outlets seek over their areas.
    held_pressure: f64, other, |s| 2 * s.names => held_pressure;
    /// Matching points of modelled walls.
    matching_rows: MatchingRow, connectivity, |s| s.plan.matching.rows.len() => matching_rows;
    /// Points of their cells.
    matching_points: i32, connectivity, |s| s.plan.matching.points.len() => matching_points;
    /// Weights of these points.
    matching_weights: R, connectivity, |s| s.plan.matching.weights.len() => matching_weights;
    /// Offsets of the states at the matching points of the boundary points.
    matching_state: i64, connectivity, |s| s.if_modelled(s.plan.boundary_points()) => matching_state;
    /// Heights of these points over the wall.
    matching_height: R, connectivity, |s| s.if_modelled(s.plan.boundary_points()) => matching_height;
    /// The law of the wall, pairs of value and slope.
    wall_law: R, other, |s| s.if_modelled(2 * (WALL_LAW_CELLS + 1)) => wall_law;
    /// Faces of interfaces.
    interface_faces: InterfaceFace, connectivity, |s| s.plan.interfaces.faces.len() => interface_faces;
    /// Which of them each boundary face is.
    interface_face: i32, connectivity, |s| s.if_interfaces(s.plan.boundary_len()) => interface_face;
    /// Numbers of the line of points for interfaces.
    interface_rule: f64, other, |s| s.plan.interfaces.rule.len() => interface_rule;
    /// Common convective fluxes through the faces of interfaces, arranged as the ghost states.
    interface_flux: R, state, |s| s.if_interfaces(s.plan.ghost_len) => interface_flux;
    /// Values at the Gauss points of their faces.
    interface_values: R, other, |s| 10 * s.plan.interfaces.items(s.plan.order) => interface_values;
    /// Shares of these points in projections.
    interface_shares: R, other, |s| s.plan.interfaces.items(s.plan.order) => interface_shares;
    /// Numbers of their faces that turn.
    interface_circles: f64, connectivity, |s| s.plan.interfaces.circles.len() => interface_circles;
    /// Parts of faces that meet smaller ones.
    mortar_parts: MortarPart, connectivity, |s| s.plan.mortars.parts.len() => mortar_parts;
    /// Faces at mortars.
    mortar_faces: MortarFace, connectivity, |s| s.plan.mortars.faces.len() => mortar_faces;
    /// Numbers of the line of points for mortars.
    mortar_rule: f64, other, |s| s.plan.mortars.rule.len() => mortar_rule;
    /// Values at the Gauss points of their parts.
    mortar_values: R, other, |s| MORTAR_VALUES * s.plan.mortars.items(s.plan.order) => mortar_values;
    /// Displacements of the interfaces at the moments of a step, once there are some.
    interface_shift: f64, other, |_s| 0 => interface_shift;
    /// Dual base vectors of the surface at the points of the boundary faces.
    boundary_dual: R, connectivity, |s| s.if_relaxed(6 * s.plan.boundary_points()) => boundary_dual;
    /// Derivatives along the directions of triangular, then of quadrilateral faces.
    face_derivatives: R, connectivity, |s| s.if_relaxed(s.plan.face_derivatives_len()) => face_derivatives;
    /// Unit normals at the points of the boundary faces.
    boundary_normal: R, connectivity, |s| 3 * s.plan.boundary_points() => boundary_normal;
    /// Area vectors and weights at the points of the boundary faces.
    boundary_area: R, connectivity, |s| 4 * s.plan.boundary_points() => boundary_area;
    /// Rotations to exterior cells.
    rotations: R, connectivity, |s| s.plan.rotations.len() => rotations;
    /// Fluxes through the boundary faces.
    boundary_fluxes: f64, other, |s| FLUXES * s.plan.boundary_len() => boundary_fluxes;
    /// Values at the points of the boundary faces, once an output asks for them ([`Arrays::add_surface_values`]).
    surface_values: f64, other, |_s| 0 => surface_values;
    /// Eddy viscosity of the sub-grid model, if scalars diffuse by it, or once an output asks for it
    /// ([`Arrays::add_eddy`]).
    eddy: R, other, |s| if s.sgs { s.if_scalars(s.plan.state_len() / 5) } else { 0 } => eddy;
    /// Volume source, once there is one ([`Arrays::add_source`]).
    source: R, other, |s| if s.later.source { s.plan.state_len() } else { 0 } => source;
    /// Velocity of the rotating frame.
    frame_velocity: R, other, |s| s.if_rotating(s.plan.state_len() / 5 * 3) => frame_velocity;
    /// Angular speeds of the frames of the cells.
    frame_speed: R, other, |s| if s.frames == Frames::Several { s.plan.padded_cells() } else { 0 } => frame_speed;
    /// Rows of bars at the moments of a step, once there are bars.
    bar_rows: f64, other, |_s| 0 => bar_rows;
    /// Positions of the points of blocks that bars may meet.
    bar_points: R, other, |s| 2 * s.later.bar_points => bar_points;
    /// Offsets of the blocks in these positions.
    bar_cells: i64, other, |s| s.blocks_if(s.later.bar_points) => bar_cells;
    /// Offsets of the blocks in the rates of sponges, once there are sponges.
    sponge_cells: i64, other, |s| s.blocks_if(s.later.sponge_points) => sponge_cells;
    /// Rates of sponges.
    sponge_rate: R, other, |s| s.later.sponge_points => sponge_rate;
    /// Targets of sponges.
    sponge_target: f64, other, |s| 5 * s.later.sponge_points => sponge_target;
    /// 1 over the averaging times of sponges.
    sponge_mean: f64, other, |s| s.later.sponge_points => sponge_mean;
    /// Places of the least entropies across the faces.
    entropy_slots: i64, connectivity, |s| if s.shock == Shock::EntropyFilter { s.plan.slot_len() } else { 0 }
        => entropy_slots;
    /// How far the filter took each cell to its mean.
    filter_strength: R, other, |s| if s.shock == Shock::None { 0 } else { s.plan.padded_cells() } => filter_strength;
    /// What the filter did since the host looked (ptx/method/note.h).
    filter_acts: i64, other, |s| if s.shock == Shock::None { 0 } else { FilterWord::COUNT } => filter_acts;
    /// State at the last good look, if steps may be taken back, arranged as the one at the start of the step.
    kept_state: R, state, |s| s.if_taken_back(s.state());
    /// Kahan's compensation then.
    kept_compensation: R, state, |s| s.if_taken_back(if s.kahan { s.plan.state_len() } else { 0 });
    /// Relaxed values of the boundary points then.
    kept_relaxed: f64, other, |s| s.if_taken_back(s.if_relaxed(s.plan.boundary_points()));
    /// How far the filter had taken each cell to its mean then.
    kept_strength: R, other, |s| s.if_taken_back(s.plan.padded_cells());
    /// Passive scalars at the start of the step, arranged as the state.
    scalars_start: R, state, |s| s.if_scalars(s.state()) => scalars;
    /// Those of the first stage buffer.
    scalars_a: R, state, |s| s.if_scalars(s.state());
    /// Those of the second stage buffer.
    scalars_b: R, state, |s| if s.low_storage { 0 } else { s.if_scalars(s.state()) };
    /// Sum over the stages of the scalars, or their register.
    scalars_acc: R, state, |s| s.if_scalars(s.plan.state_len());
    /// Kahan's compensation of the scalars.
    scalars_kahan: R, state, |s| if s.kahan { s.if_scalars(s.plan.state_len()) } else { 0 };
    /// Diffusive traces of the scalars, then halos and ghosts.
    scalar_traces: R, traces, |s| s.if_scalars(s.if_viscous(s.plan.ghost_trace_start() + s.plan.ghost_trace_len()));
    /// Weak divergence of the diffusive flux of the scalars in dense elements.
    scalar_viscous: R, traces, |s| s.if_scalars(s.if_viscous(s.plan.viscous_len()));
    /// Values of the scalars at the boundaries.
    scalar_data: R, connectivity, |s| s.if_scalars(2 * SCALARS * s.plan.boundary_points()) => scalar_data;
    /// Scalars at the last good look, if steps may be taken back.
    kept_scalars: R, state, |s| s.if_taken_back(s.if_scalars(s.state()));
    /// Kahan's compensation of the scalars then.
    kept_scalars_kahan: R, state,
        |s| s.if_taken_back(if s.kahan { s.if_scalars(s.plan.state_len()) } else { 0 });
    /// The first unphysical state that a stage wrote since the host looked (ptx/method/note.h).
    fault: i64, other, |_s| 1 => fault;
    /// Largest bounds on the time step by level and kind of cell.
    largest_bounds: i64, other, |_s| LARGEST_BOUNDS => largest_bounds;
    /// Number of the step since the host looked.
    step_number: i64, other, |_s| 1 => step_number;
    /// Numbers of the cells in the whole mesh.
    cell_numbers: i64, connectivity, |s| s.plan.padded_cells() => cell_numbers;
    /// Diagnostics of each cell.
    per_cell: f64, other, |s| s.plan.padded_cells() * VALUES_PER_CELL => per_cell;
    /// Time step.
    dt: R, other, |_s| 1 => dt;
    /// Force per volume; the parameters lead to it once there is one.
    force: R, other, |_s| 3;
}

/// The arrays of a group of cells.
pub struct GroupArrays<S: Store> {
    metrics: S::Array,
    normals: S::Array,
    operators: S::Array,
    face_points: S::Array,
}

impl<S: Store> GroupArrays<S> {
    fn new<R: Real>(
        store: &S,
        plan: &Plan,
        group: &Group,
        geometry: &Geometry,
        operators: &Operators,
    ) -> Result<Self, DeviceError> {
        let cells = group.cells(plan.lanes);
        let [terms, areas] = [group.metrics_per_block(), 4 * group.normals_per_block()].map(|size| cells * size);
        let (mut metrics, mut normals) = (
            store.zeros(size_of::<R>() * terms)?,
            store.zeros(size_of::<R>() * areas)?,
        );
        store.fill::<R>(&mut metrics, terms, |to| plan.write_metrics(group, geometry, to))?;
        store.fill::<R>(&mut normals, areas, |to| plan.write_normals(group, geometry, to))?;
        let mut face_points = store.zeros(size_of_val(operators.face_points.as_slice()))?;
        store.write(&mut face_points, &operators.face_points)?;
        Ok(GroupArrays {
            metrics,
            normals,
            operators: rounded::<S, R>(store, &operators.values)?,
            face_points,
        })
    }

    fn bytes(&self) -> usize {
        self.metrics.bytes() + self.normals.bytes() + self.operators.bytes() + self.face_points.bytes()
    }

    /// Points the parameters of a launch over this group at its arrays.
    pub fn connect<R: Real>(&self, params: &mut Params<R>) {
        params.metrics = self.metrics.pointer();
        params.normals = self.normals.pointer();
        params.operators = self.operators.pointer();
        params.face_points = self.face_points.pointer();
    }
}

impl<S: Store> Arrays<S> {
    /// Allocates all arrays and writes what does not change. The plan gives up the slots, of which it holds the
    /// host's copy. `by_columns` is the layout of the operators ([`Operators::new`]).
    ///
    /// # Errors
    /// The device fails.
    pub fn new<R: Real>(
        store: &S,
        plan: &mut Plan,
        boundary: BoundaryArrays,
        geometry: &Geometry,
        elements: &Elements,
        physics: &Physics,
        by_columns: bool,
    ) -> Result<Self, DeviceError> {
        let sizes = Sizes {
            plan,
            real: size_of::<R>(),
            viscous: physics.gas.viscosity.is_some(),
            kahan: physics.kahan,
            low_storage: physics.low_storage,
            scalars: physics.scalars.count > 0,
            sgs: physics.sgs.is_some(),
            turbulence: physics.turbulence,
            relaxed: boundary.relaxed,
            frames: physics.frames,
            wall_models: physics.wall_models,
            shock: physics.scheme.shock,
            names: boundary.names,
            later: Later::default(),
        };
        let mut arrays = Arrays::zeros(store, &sizes)?;
        store.write(&mut arrays.fault, &[NO_FAULT])?;
        store.write(&mut arrays.slots, &std::mem::take(&mut plan.slots))?;
        store.write(&mut arrays.entropy_slots, &std::mem::take(&mut plan.entropy_slots))?;
        store.write(&mut arrays.slot_kind, &std::mem::take(&mut plan.slot_kind))?;
        // The host needs the tables, too, to try the exchange.
        store.write(&mut arrays.tables, &plan.tables)?;
        store.write(&mut arrays.boundary_cell, &boundary.cell)?;
        store.write(&mut arrays.boundary_trace, &boundary.trace)?;
        store.write(&mut arrays.boundary_ghost, &boundary.ghost)?;
        store.write(&mut arrays.boundary_ghost_trace, &boundary.ghost_trace)?;
        store.write(&mut arrays.boundary_points, &boundary.points)?;
        store.write(&mut arrays.boundary_kind, &boundary.kind)?;
        store.write(&mut arrays.boundary_exterior, &boundary.exterior)?;
        store.write(&mut arrays.boundary_rotation, &boundary.rotation)?;
        store.write(&mut arrays.boundary_name, &boundary.name)?;
        store.write(&mut arrays.boundary_level, &boundary.level)?;
        round_into::<S, R>(store, &mut arrays.boundary_dual, &boundary.dual)?;
        round_into::<S, R>(store, &mut arrays.face_derivatives, &boundary.derivatives)?;
        round_into::<S, R>(store, &mut arrays.boundary_normal, &boundary.normals)?;
        round_into::<S, R>(store, &mut arrays.boundary_area, &boundary.areas)?;
        round_into::<S, R>(store, &mut arrays.rotations, &plan.rotations)?;
        arrays.write_walls::<R>(store, plan, physics)?;
        arrays.write_interfaces(store, plan)?;
        for group in &plan.groups {
            let modes = physics.scheme.shock != Shock::None;
            let operators = Operators::new(elements, group.kind, by_columns, modes);
            arrays
                .groups
                .push(GroupArrays::new::<R>(store, plan, group, geometry, &operators)?);
        }
        Ok(arrays)
    }

    /// Memory in use.
    pub fn memory(&self) -> MemoryUse {
        let mut memory = self.in_use();
        memory.geometry += self.groups.iter().map(GroupArrays::bytes).sum::<usize>();
        memory
    }

    /// The array of a state.
    pub fn buffer(&self, buffer: Buffer) -> &S::Array {
        match buffer {
            Buffer::Start => &self.start,
            Buffer::A => &self.a,
            Buffer::B => &self.b,
        }
    }

    /// The relaxed values that belong to a state.
    pub fn relaxed(&self, buffer: Buffer) -> &S::Array {
        match buffer {
            Buffer::Start => &self.relaxed_start,
            Buffer::A => &self.relaxed_a,
            Buffer::B => &self.relaxed_b,
        }
    }

    /// The scalars that belong to a state.
    pub fn scalars(&self, buffer: Buffer) -> &S::Array {
        match buffer {
            Buffer::Start => &self.scalars_start,
            Buffer::A => &self.scalars_a,
            Buffer::B => &self.scalars_b,
        }
    }

    /// Exchanges the state at the start of the step with the first stage buffer.
    pub fn swap_states(&mut self) {
        std::mem::swap(&mut self.start, &mut self.a);
        std::mem::swap(&mut self.scalars_start, &mut self.scalars_a);
        std::mem::swap(&mut self.relaxed_start, &mut self.relaxed_a);
    }
}

/// Returns the memory that the arrays of a run take; operators, kilobytes for each kind of cell, are left out.
pub fn memory_of(sizes: &Sizes) -> MemoryUse {
    let mut memory = of_table(sizes);
    let plan = sizes.plan;
    let terms = |group: &Group| (group.metrics_per_block() + 4 * group.normals_per_block()) * group.cells(plan.lanes);
    memory.geometry += plan.groups.iter().map(terms).sum::<usize>() * sizes.real;
    memory
}

#[cfg(test)]
#[path = "arrays_tests.rs"]
mod tests;
