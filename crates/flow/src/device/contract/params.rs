//! The arguments of every kernel: those that change from launch to launch, and the constants of a run.

use super::family::{ConstantValue, constant_value, parameters};
use super::numbers::{LEVELS, MAX_N, SCALARS};
use super::records::{
    BarNumbers, FieldSpec, InterfaceFace, MatchingRow, MortarFace, MortarPart, SampledPoint, Sent, Slot,
};

parameters! {
    /// What a launch hands to its kernel. Pointers are addresses on the device; units are those of the case.
    ///
    /// A launch over cells sees the cells of one kind whose metric terms are held in one way. Arrays in which a cell
    /// finds its own values begin at the first of these cells; `u` and `traces` are the whole arrays, in which it finds
    /// its neighbours.
    Params<R>, reals [Params<f64>, Params<f32>], ARGUMENTS, CONSTANTS;
    arguments {
        /// Input of this stage, all cells: `[block][variable][point][lane]`, then halos and ghosts.
        u: *const R,
        /// The same from the first cell of the launch.
        own: *const R,
        /// Output of this stage.
        out: *mut R,
        /// State at the beginning of the step.
        u_n: *mut R,
        /// Sum of b_m k_m, or the register of a scheme in 2N form; after `STAGE_RHS_ONLY` the right-hand side itself.
        acc: *mut R,
        /// Running compensation of Kahan's summation, or null.
        kahan_term: *mut R,
        /// Outward viscous flux at face points, `[block][face][4][face point][lane]`, then halos and ghosts; all cells.
        traces: *mut R,
        /// The same from the first cell of the launch.
        own_traces: *mut R,
        /// Weak divergence of the viscous flux inside the cells, `[block][4][point][lane]`; dense elements only.
        viscous: *mut R,
        /// Input of this stage of the passive scalars, rho c of each as one of the five variables of `u`, and arranged
        /// as that (ptx/method/scalar.h).
        scalars: *const R,
        /// The same from the first cell of the launch.
        own_scalars: *const R,
        /// Values of the scalars at the boundaries, `[boundary face][2 SCALARS][face point]`: those that flow in or
        /// that walls hold, then 1 for each that a wall holds and 0 for others.
        scalar_data: *const R,
        /// Contravariant metric terms Ja^d_n and 1/J, `[block][10][point][lane]`, or `[block][3][4][lane]` of affine
        /// cells.
        metrics: *const R,
        /// Outward area vectors in rows of four: `[block][face][4][lane]` of affine cells,
        /// `[block][face point][4][lane]` of others. Curved hexahedra find them in their metric terms.
        normals: *const R,
        /// Mass, force and heat per volume, `[block][5][point][lane]`, or null.
        source: *const R,
        /// Velocity of the rotating frame, `[block][3][point][lane]`; there if `rotates` is not 0.
        frame_velocity: *const R,
        /// Angular speed of the frame of each cell, `[block][lane]`; there if cells have frames of their own.
        frame_speed: *const R,
        /// Eddy viscosity of the sub-grid model (density times length squared over time), `[block][point][lane]`, once
        /// an output asks for it.
        eddy: *mut R,
        /// One force per volume for all points (3), or null. It is in memory, so that a recorded step can be replayed
        /// with another one.
        force: *const R,
        /// Neighbour slots, `[block][face][lane]`.
        slots: *const Slot,
        /// Kinds of the slots (`SlotKind`), `[block][face]`.
        slot_kind: *const u8,
        /// Lists of face points: offsets in u, or in traces.
        tables: *const i32,
        /// Operators of dense elements (ptx/method/dense_operators.h).
        operators: *const R,
        /// The cell's point at each face point.
        face_points: *const i32,
        /// Offset in u of the cell of each boundary face. All faces of a launch have the same shape, and all their
        /// cells have the same kind.
        boundary_cell: *const i64,
        /// Offset of the face's own trace in traces.
        boundary_trace: *const i64,
        /// Offset of the ghost state in u.
        boundary_ghost: *const i64,
        /// Offset of the ghost trace in traces.
        boundary_ghost_trace: *const i64,
        /// Where `tables` lists the face's points in the cell.
        boundary_points: *const i32,
        /// Conditions of the faces (`BoundaryKind`).
        boundary_kind: *const i32,
        /// The cell on the other side of faces with `BOUNDARY_ROTATED`.
        boundary_exterior: *const Slot,
        /// Which of `rotations` carries vectors to that cell.
        boundary_rotation: *const i32,
        /// Rotations, rows of nine.
        rotations: *const R,
        /// Data of the conditions, `[boundary face][BOUNDARY_VALUES][face point]`; their meaning depends on the kind
        /// (ptx/physics/boundary.h).
        boundary_data: *const R,
        /// Outward unit normals, `[boundary face][3][face point]`.
        boundary_normal: *const R,
        /// Outward area vectors and weights of the points, `[boundary face][4][face point]`.
        boundary_area: *const R,
        /// Velocity fluctuations of turbulent inlets, `[boundary point][3]`; there if `turbulence` is not 0.
        boundary_fluctuation: *mut R,
        /// Points of one turbulent inlet, `[group][TURBULENT_VALUES][point][lane]` in groups of TURBULENT_POINTS:
        /// position (3), factor of the stresses (6), velocity per unit of the correction (3).
        turbulence_points: *const R,
        /// Where the fluctuation of each of these points goes, `[group][point][lane]`; -1 of padding.
        turbulence_targets: *const i64,
        /// Wave vectors in turns per length and directions times amplitude, `[6][mode]`.
        turbulence_modes: *const R,
        /// Amplitudes of the modes, `[LENGTH_ROWS][mode]`, if they differ along the inlet; the directions then have the
        /// length 1. Null if they do not.
        turbulence_amplitudes: *const R,
        /// Place of each point among these rows, `[group][point][lane]`.
        turbulence_places: *const R,
        /// Phases in turns and frequencies, `[2][mode]`.
        turbulence_phases: *const f64,
        /// Phases at the time of the launch, less the nearest whole number, `[mode]`.
        turbulence_turns: *mut R,
        /// Time of the launch and the correction of the mass flow then (2). They are in memory, so that a recorded step
        /// can be replayed at another time.
        turbulence_now: *const f64,
        /// Number of modes, a multiple of MODE_SLICES.
        mode_count: i64,
        /// Velocity of the rotating frame where a condition is applied in the absolute frame, `[boundary point][3]`,
        /// and 0 elsewhere; there if `rotates` is not 0.
        boundary_frame: *const R,
        /// Which of the named boundaries the face belongs to.
        boundary_name: *const i32,
        /// Relaxed values of the points of this stage's input, `[boundary face][face point]`, or null if no boundary
        /// relaxes.
        relaxed: *const f64,
        /// Relaxed values at the start of the step, which the last stage advances.
        relaxed_start: *mut f64,
        /// Relaxed values of the next stage.
        relaxed_out: *mut f64,
        /// Sum of b_m times the rates of the relaxed values, or their register; between steps the impedance times the
        /// terms along the face when they were last noted.
        relaxed_sum: *mut f64,
        /// Mean pressure of the face of each point when it was last noted, of relaxed outlets.
        noted_pressure: *mut f64,
        /// What the launch does with the relaxed values (`RelaxedUpdate`).
        relaxed_update: i64,
        /// What a relaxed outlet seeks over its area, `[name][2]`: a pressure, and the share of the pressures noted.
        held_pressure: *const f64,
        /// Matching points in cells of this rank; a launch goes over them.
        matching_rows: *const MatchingRow,
        /// Points of the cells that have a weight, as offsets from the first value of the cell.
        matching_points: *const i32,
        /// Values of their Lagrange functions at the matching points.
        matching_weights: *const R,
        /// Offset in u of the state at the matching point of each boundary point, there if `wall_models` is not 0.
        matching_state: *const i64,
        /// Height of these matching points over the wall.
        matching_height: *const R,
        /// The law of the wall: pairs of value and slope (ptx/physics/wall_model.h).
        wall_law: *const R,
        /// Faces of interfaces, of each row one after the other.
        interface_faces: *const InterfaceFace,
        /// Which of them each boundary face is, -2 - m if it is face m of mortars; there if `interfaces` is not 0.
        interface_face: *const i32,
        /// Numbers of the line of points for interfaces (ptx/method/interface.h).
        interface_rule: *const f64,
        /// Common convective fluxes through the faces of interfaces and mortars, arranged as the ghost states.
        interface_flux: *mut R,
        /// Values at the Gauss points of the faces of interfaces, `[10][face][interface_parts * N][N]`: the common
        /// convective flux, and density, velocity and temperature of the other side; later its viscous traces.
        interface_values: *mut R,
        /// Shares of these points in the projections at the points of a line, `[face][interface_parts * N][N]`.
        interface_shares: *mut R,
        /// Most parts of a face of an interface.
        interface_parts: i64,
        /// Lines of all Gauss points of interfaces, for which these values have room.
        interface_items: i64,
        /// Displacement of each interface at the moment of the input of this stage, and its cosine and sine,
        /// `[interface][INTERFACE_SHIFTS]`; in memory, so that a recorded step can be replayed at another time.
        interface_shift: *const f64,
        /// Numbers of the faces of interfaces that turn: for each the direction of the circle at the points of a line
        /// (2 N), the radii of its lines (N), and cosine and sine of the angles by which vectors in the copies -1, 0,
        /// ... of the row on the other side are turned, where the mesh has both.
        interface_circles: *const f64,
        /// Parts of faces that meet smaller ones, those of a face one after the other.
        mortar_parts: *const MortarPart,
        /// Faces at mortars.
        mortar_faces: *const MortarFace,
        /// Numbers of the line of points for mortars (crates/base/src/element/mortar_rule.rs).
        mortar_rule: *const f64,
        /// Values at the Gauss points of parts, `[MORTAR_VALUES][part][N][N]`
        /// (ptx/method/mortar.h).
        mortar_values: *mut R,
        /// Gauss points of all parts.
        mortar_items: i64,
        /// Where `tables` lists the points of ghosts at interfaces and mortars, or -1 without any. Other ghosts have a
        /// list of their own with the same numbers.
        interface_table: i64,
        /// Dual base vectors of the surface at the points, `[boundary face][6][face point]`: the gradient along a face
        /// is the sum of them times the derivatives along the two directions of the face.
        boundary_dual: *const R,
        /// Derivatives along the two directions of these faces, `[2][face point][face point]`.
        face_derivatives: *const R,
        /// Fluxes through the faces, `[boundary face][FLUXES]`.
        boundary_fluxes: *mut f64,
        /// Values at the points of the faces, `[boundary face][SURFACE_VALUES][face point]`.
        surface_values: *mut f64,
        /// Items of the launch: face points of boundary faces, face points that are sent, values that are sampled,
        /// groups of points of a turbulent inlet.
        boundary_count: i64,
        /// Points of one of these cells.
        cell_points: i64,
        /// Points of one of these faces.
        face_size: i64,
        /// Offset of the first ghost state in u.
        ghost_base: i64,
        /// Face points that other ranks need: `sent_values` of each go from u to out.
        sent: *const Sent,
        /// Variables of a point that is sent.
        sent_values: i64,
        /// Points at which the state is wanted; a launch goes over five values of each.
        sampled: *const SampledPoint,
        /// Weights of the cells' points for the sampled points.
        sample_weights: *const f64,
        /// The samples, `[point][5]`.
        samples: *mut f64,
        /// Diagnostics, one column a cell: `[block][quantity][lane]`.
        per_cell: *mut f64,
        /// Slots of the cells of this rank, without padding.
        total_slots: *const i32,
        /// Number of these cells.
        total_cells: i64,
        /// Values that the kernel left of each cell.
        total_values: i64,
        /// Cells of a chunk; the last one may have fewer.
        chunk_cells: i64,
        /// Number of chunks.
        total_chunks: i64,
        /// Totals of each chunk, `[chunk][TOTAL_WORDS][value]`.
        chunk_totals: *mut i64,
        /// Totals of all chunks, `[TOTAL_WORDS][value]`.
        totals: *mut i64,
        /// Blocks of all cells before those of the launch.
        first_block: i64,
        /// Blocks of the launch.
        blocks: i64,
        /// The time step; in memory, so that a recorded step can be replayed with another.
        dt: *const R,
        /// Rows of bars at the moment of the input of this stage; in memory for the same reason.
        bar_rows: *const BarNumbers,
        /// x and y of the points of blocks that bars may meet, `[block][2][point][lane]`.
        bar_points: *const R,
        /// Offset of each block in `bar_points`, or -1; all blocks.
        bar_cells: *const i64,
        /// Row of bars whose forces are wanted.
        bar_row: i64,
        /// Offset of each block in `sponge_rate`, or -1 of a block without a cell in a sponge; all blocks.
        sponge_cells: *const i64,
        /// Rates at which the state decays towards its target, `[block][point][lane]`.
        sponge_rate: *const R,
        /// Targets of the state, `[block][5][point][lane]`.
        sponge_target: *mut f64,
        /// 1 over the averaging time of targets that are running means, `[block][point][lane]`; 0 of others.
        sponge_mean: *const f64,
        /// Least entropy of each cell of the input of this stage, `[block][lane]`; all cells. Null without an entropy
        /// filter.
        entropy: *const R,
        /// That of the output of this stage.
        entropy_out: *mut R,
        /// Offset in u of the least entropy of the other side of each face; at a boundary -1, or -2 - the place in
        /// `boundary_data` of a wall that may have a temperature, `[block][face][lane]`.
        entropy_slots: *const i64,
        /// How far the filter took each cell to its mean in this step, from 0 to 1, `[block][lane]`; all cells.
        filter_strength: *mut R,
        /// What a launch of the filter does (`FilterUpdate`).
        filter_update: i64,
        /// A density of the flow, with which those of the points are compared (ptx/method/note.h).
        typical_rho: R,
        /// What the filter did since the host looked (`FilterWord`, ptx/method/note.h).
        filter_acts: *mut i64,
        /// The first unphysical state that a stage wrote since the host looked: step, stage and cell in one number, or
        /// the largest one (ptx/method/note.h).
        fault: *mut i64,
        /// Largest bounds on the time step of the cells of a launch, `[TIME_STEP_BOUNDS]`, as the bits of reals.
        largest_bounds: *mut i64,
        /// Number of the step since the host looked, from 1; in memory, so that a recorded step can be replayed.
        step_number: *const i64,
        /// Number of the stage in the step, from 1.
        stage_number: i64,
        /// Numbers of the cells in the whole mesh, `[block][lane]`, -1 of padding; all cells.
        cell_numbers: *const i64,
        /// First item of the range that a launch goes through (GPU).
        range_begin: i64,
        /// out = u_n + fraction dt k; in 2N form B_m.
        fraction: R,
        /// Weight b_m of the stage; in 2N form A_m, in the paired scheme the share of k_1 (ptx/method/update.h).
        weight: R,
        /// In the paired scheme the level of the cell of each boundary face, else null.
        boundary_level: *const i32,
        /// Shares of the last rate of each level in the paired scheme.
        level_shares: [R; LEVELS],
        /// Sums of statistics over slots of points, `[block][quantity][slot][lane]` from the first cell of the launch.
        sums: *mut f64,
        /// Rows of factors of each quantity, in four bits each.
        sum_factors: *const i32,
        /// The points of all slots of a cell, `[slot][member]`; one list for each way in which cells lie.
        sum_lists: *const i32,
        /// Where the list of a cell begins, `[block][lane]` from the first cell of the launch.
        sum_list: *const i32,
        /// Number of quantities that the kernel adds.
        sum_quantities: i64,
        /// Number of sums of a cell, of the quantities of all kernels.
        sums_of_cell: i64,
        /// Slots of a cell.
        sum_slots: i64,
        /// Points of a slot.
        sum_members: i64,
        /// Weight of the present state; of running means the time since the last update.
        sample_weight: f64,
    }
    constants {
        /// Derivative D_ik, rows of N.
        diff: [R; MAX_N * MAX_N],
        /// Correction g_left'(xi_i); g_right'(xi_i) = -g_left'(xi_(N-1-i)).
        correction: [R; MAX_N],
        /// Gauss-Lobatto weights.
        weights: [R; MAX_N],
        /// Ratio of the specific heats.
        gamma: R,
        /// Specific gas constant.
        gas_constant: R,
        /// Specific heat at constant volume.
        cv: R,
        /// Specific heat at constant pressure.
        cp: R,
        /// Heat conductivity over dynamic viscosity, cp / Pr.
        conductivity_factor: R,
        /// Constant dynamic viscosity.
        mu: R,
        /// Factor of Sutherland's law, mu = factor T sqrt(T) / (T + S).
        sutherland_factor: R,
        /// Temperature S of Sutherland's law.
        sutherland_s: R,
        /// Square of the constant of the sub-grid model: mu_t = rho sgs_factor Delta^2 D.
        sgs_factor: R,
        /// Heat conductivity over eddy viscosity, cp / Pr_t.
        sgs_conductivity_factor: R,
        /// Heat conductivity over eddy viscosity of wall models, cp / Pr_t.
        wall_conductivity_factor: R,
        /// Constant of the artificial bulk viscosity times (2/N)^2; 0 for none (ptx/physics/bulk_viscosity.h).
        bulk_factor: R,
        /// Number of passive scalars.
        scalar_count: i32,
        /// 1 over the Schmidt numbers of the scalars.
        scalar_diffusion: [R; SCALARS],
        /// 1 over their turbulent Schmidt numbers.
        scalar_eddy_diffusion: [R; SCALARS],
        /// Form of the convective derivative (`Split`).
        split: i32,
        /// Interface flux (`Riemann`).
        riemann: i32,
        /// Correction of the entropy of cells (`EntropyCorrection`).
        entropy_correction: i32,
        /// Law of the viscosity (`ViscosityLaw`).
        viscosity: i32,
        /// Stage of the time step (`Stage`).
        stage: i32,
        /// Whether the update is compensated.
        kahan: i32,
        /// Whether the time scheme is in 2N form.
        low_storage: i32,
        /// Whether the time scheme is the paired one.
        paired: i32,
        /// Whether there are boundary faces.
        boundaries: i32,
        /// 1 if the mesh has one kind of cell, else 0.
        uniform: i32,
        /// Points at which a cell holds metric terms: 1 in affine cells, else all.
        metric_points: i32,
        /// Sub-grid model (`SgsModel`).
        sgs: i32,
        /// Whether an inlet is turbulent.
        turbulence: i32,
        /// Whether the amplitudes of the modes of an inlet differ along it.
        turbulence_varies: i32,
        /// Whether a wall is modelled.
        wall_models: i32,
        /// Whether one is modelled by the equilibrium equations.
        wall_equilibrium: i32,
        /// Number of interfaces; 1 where there are mortars alone.
        interfaces: i32,
        /// Whether there are faces that meet smaller ones.
        mortars: i32,
        /// Whether their sides are divided along circles about an axis, and turn.
        interface_turns: i32,
        /// Filter of the states after each stage (`Shock`).
        shock: i32,
        /// Decrease of the entropy that the filter allows in a stage.
        entropy_tolerance: R,
        /// Number of rows of bars.
        bars: i32,
        /// Whether there are sponges.
        sponges: i32,
        /// Whether the frames of the cells rotate (`Frames`).
        rotates: i32,
        /// Angular velocity of the frame, or the unit vector along the axis of several.
        angular_velocity: [R; 3],
    }
}
