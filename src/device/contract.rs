//! The contract between the host and the kernels of ptx/: every fact that both sides must state in the same way, stated once.
//!
//! - [`params!`](Params) lists the arguments of every kernel. From it follow the struct [`Params`], its C++ twin `struct Params`,
//!   the constants that are frozen into GPU programs, and assertions of every field's offset on both sides.
//! - `records!` lists the structures in arrays that kernels read: [`GatherIndex`], [`Slot`], [`Sent`], [`SampledPoint`].
//! - [`KERNELS`] lists the kernels: their files, what they range over, their shared memory. From it follow the files that are
//!   compiled, the tables of functions on the CPU, the programs and launch shapes on the GPU.
//! - Enumerations that are marked `#[repr(i32)]`, here or anywhere else in `src/`, get a C++ twin: `RiemannSolver::Hllc` is
//!   `RIEMANN_HLLC`, the first word of the type's name and that of the variant.
//!
//! The build script includes this file, and writes `params.h` and `kinds.h` for both compilers. A new parameter is one line here
//! and the place that sets it; a new kernel is one entry in [`KERNELS`] and its file in ptx/kernels.

use crate::element::ElementKind;

/// Largest number of points of a line.
pub const MAX_N: usize = 9;
/// Values that a point of a ghost holds: the state (5) and the primitive variables that the gradient sees (4).
pub const GHOST_VALUES: usize = 9;
/// Values of a cell left by `time_step_bounds`: acoustic rate, viscous rate, whether the state is unphysical.
pub const TIME_STEP_BOUNDS: usize = 3;
/// Integrals of a cell left by `bulk`: mass and momentum (3).
pub const BULKS: usize = 4;
/// Integrals of a cell left by `integrals`: [`SUMS`] sums, then extremes.
pub const INTEGRALS: usize = 17;
/// Number of the integrals that are sums.
pub const SUMS: usize = 10;
/// Fluxes through a boundary face: mass, momentum (3), the viscous part of the momentum (3), energy.
pub const FLUXES: usize = 8;
/// Values at a point of a boundary face: density, velocity (3), temperature, the convective (3) and the viscous part (3) of the
/// momentum that flows out, the heat that flows out.
pub const SURFACE_VALUES: usize = 12;
/// Rows of factors of statistics: weight, density, velocity (3), pressure, temperature.
pub const FACTORS: usize = 7;

/// The numbers above that the kernels use, by their names.
pub const NUMBERS: &[(&str, usize)] = &[
    ("MAX_N", MAX_N),
    ("GHOST_VALUES", GHOST_VALUES),
    ("SURFACE_VALUES", SURFACE_VALUES),
];

/// Stages of a time step, as sweep 2 knows them.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The right-hand side itself is kept.
    RhsOnly,
    /// The first stage starts the sum over the stages.
    First,
    /// A middle stage adds to it.
    Middle,
    /// The last stage advances the state.
    Last,
}

impl Stage {
    /// All stages, in the order of their numbers.
    pub const ALL: [Stage; 4] = [Stage::RhsOnly, Stage::First, Stage::Middle, Stage::Last];

    /// Name in labels of programs.
    pub const fn name(self) -> &'static str {
        match self {
            Stage::RhsOnly => "rhs",
            Stage::First => "first",
            Stage::Middle => "middle",
            Stage::Last => "last",
        }
    }
}

/// How the lanes of a block find their neighbours on one side.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// The neighbours of all lanes lie side by side.
    SideBySide,
    /// Every lane has a slot of its own.
    Scattered,
    /// At least one lane has a boundary there.
    Boundary,
}

/// Marks in the list of faces, in place of the offset of the other side.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaceMark {
    /// The face of this lane is in another row.
    OfOther = -1,
    /// The face of this lane has a boundary on its other side.
    Alone = -2,
}

/// A field of a structure that host and kernels share.
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// Name on both sides.
    pub name: &'static str,
    /// Type as Rust writes it.
    pub rust_type: &'static str,
    /// Offset in bytes where a real has 8 bytes, and where it has 4.
    pub offsets: [usize; 2],
}

/// A structure that host and kernels share.
#[derive(Debug, Clone, Copy)]
pub struct RecordSpec {
    /// Name on both sides.
    pub name: &'static str,
    /// Size and alignment in bytes.
    pub size_and_align: [usize; 2],
    /// Fields in their order in memory.
    pub fields: &'static [FieldSpec],
}

/// Declares structures of numbers, and [`RECORDS`], which describes them.
macro_rules! records {
    ($($(#[doc = $doc:literal])+ #[repr($($repr:tt)+)] struct $name:ident {
        $($(#[doc = $field_doc:literal])+ $field:ident: $type:ty,)+
    })+) => {
        $(
            $(#[doc = $doc])+
            #[repr($($repr)+)]
            #[derive(Debug, Clone, Copy, Default)]
            pub struct $name {
                $($(#[doc = $field_doc])+ pub $field: $type,)+
            }
        )+
        /// The structures in arrays that the kernels read.
        pub const RECORDS: &[RecordSpec] = &[$(RecordSpec {
            name: stringify!($name),
            size_and_align: [size_of::<$name>(), align_of::<$name>()],
            fields: &[$(FieldSpec {
                name: stringify!($field),
                rust_type: stringify!($type),
                offsets: [std::mem::offset_of!($name, $field); 2],
            }),+],
        }),+];
    };
}

records! {
    /// Where the values of the other side of a face lie in one array; as long as one load.
    #[repr(C, align(16))]
    struct GatherIndex {
        /// Offset of the cell, or of the face.
        base: i64,
        /// Distance between variables.
        stride: i32,
        /// Where `tables` lists the face points.
        table: i32,
    }
    /// Where the other side of a face lies.
    #[repr(C)]
    struct Slot {
        /// In the state.
        state: GatherIndex,
        /// In the viscous traces.
        trace: GatherIndex,
    }
    /// A face point that another rank needs: where its values lie, and where they go in what is sent.
    #[repr(C)]
    struct Sent {
        /// Offset of its first value.
        from: i64,
        /// Offset of that value in what is sent.
        to: i64,
        /// Distance between variables where they lie.
        from_stride: i32,
        /// Distance between variables in what is sent.
        to_stride: i32,
    }
    /// A point within a cell at which the state is wanted.
    #[repr(C)]
    struct SampledPoint {
        /// Offset of the cell in `u`.
        from: i64,
        /// Offset of its weights in `sample_weights`.
        weights: i64,
        /// Number of the point in its set.
        to: i64,
    }
}

/// Declares [`Params`], and [`ARGUMENTS`] and [`CONSTANTS`], which describe its fields.
macro_rules! params {
    (arguments { $($(#[doc = $doc:literal])+ $name:ident: $type:ty,)+ }
     constants { $($(#[doc = $constant_doc:literal])+ $constant:ident: $constant_type:tt,)+ }) => {
        /// What a launch hands to its kernel. Pointers are addresses on the device; units are those of the case.
        ///
        /// A launch over cells sees the cells of one kind whose metric terms are held in one way. Arrays in which a cell finds
        /// its own values begin at the first of these cells; `u` and `traces` are the whole arrays, in which it finds its
        /// neighbours.
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        pub struct Params<R> {
            $($(#[doc = $doc])+ pub $name: $type,)+
            $($(#[doc = $constant_doc])+ pub $constant: $constant_type,)+
        }

        /// Arguments that change from launch to launch, in their order in memory.
        pub const ARGUMENTS: &[FieldSpec] = &[$(FieldSpec {
            name: stringify!($name),
            rust_type: stringify!($type),
            offsets: [
                std::mem::offset_of!(Params<f64>, $name),
                std::mem::offset_of!(Params<f32>, $name),
            ],
        }),+];

        /// Constants of a run, which follow the arguments in memory. GPU programs have them as static members instead.
        pub const CONSTANTS: &[FieldSpec] = &[$(FieldSpec {
            name: stringify!($constant),
            rust_type: stringify!($constant_type),
            offsets: [
                std::mem::offset_of!(Params<f64>, $constant),
                std::mem::offset_of!(Params<f32>, $constant),
            ],
        }),+];

        impl<R: Into<f64> + Copy> Params<R> {
            /// The values of [`CONSTANTS`] in their order.
            pub fn constant_values(&self) -> Vec<ConstantValue> {
                vec![$(constant_value!($constant_type, self.$constant)),+]
            }
        }
    };
}

/// The value of a constant.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstantValue {
    /// A whole number.
    Int(i32),
    /// A real; exact, whatever the precision of the run.
    Real(f64),
    /// Several reals.
    Reals(Vec<f64>),
}

/// The value of a field of one of the three types that constants have.
macro_rules! constant_value {
    (i32, $value:expr) => {
        ConstantValue::Int($value)
    };
    (R, $value:expr) => {
        ConstantValue::Real($value.into())
    };
    ([R; $($len:tt)+], $value:expr) => {
        ConstantValue::Reals($value.iter().map(|&x| x.into()).collect())
    };
}

params! {
    arguments {
        /// Input of this stage, all cells: `[block][variable][point][lane]`, then halos and ghosts.
        u: *const R,
        /// The same from the first cell of the launch.
        own: *const R,
        /// Output of this stage.
        out: *mut R,
        /// State at the beginning of the step.
        u_n: *mut R,
        /// Sum of b_m k_m; after `STAGE_RHS_ONLY` the right-hand side itself.
        acc: *mut R,
        /// Running compensation of Kahan's summation, or null.
        kahan_term: *mut R,
        /// Outward viscous flux at face points, `[block][face][4][face point][lane]`, then halos and ghosts; all cells.
        traces: *mut R,
        /// The same from the first cell of the launch.
        own_traces: *mut R,
        /// Viscous flux along the reference directions, `[block][3][4][point][lane]`; dense elements only.
        viscous: *mut R,
        /// Contravariant metric terms Ja^d_n and 1/J, `[block][10][point][lane]`, or `[block][3][4][lane]` of affine cells.
        metrics: *const R,
        /// Outward area vectors in rows of four: `[block][face][4][lane]` of affine cells, `[block][face point][4][lane]` of others
        /// but hexahedra, which find them in their metric terms.
        normals: *const R,
        /// Mass, force and heat per volume, `[block][5][point][lane]`, or null.
        source: *const R,
        /// One force per volume for all points (3), or null; in memory, so that a recorded step can be replayed with another.
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
        /// Boundary faces of one launch, whose cells are of one kind and whose faces of one shape: offset of the cell in u.
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
        /// Data of the conditions, `[boundary face][5][face point]`; their meaning depends on the kind (ptx/physics/boundary.h).
        boundary_data: *const R,
        /// Outward unit normals, `[boundary face][3][face point]`.
        boundary_normal: *const R,
        /// Outward area vectors and weights of the points, `[boundary face][4][face point]`.
        boundary_area: *const R,
        /// Fluxes through the faces, `[boundary face][FLUXES]`.
        boundary_fluxes: *mut f64,
        /// Values at the points of the faces, `[boundary face][SURFACE_VALUES][face point]`.
        surface_values: *mut f64,
        /// Items of the launch: face points of boundary faces, face points that are sent, values that are sampled.
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
        /// Blocks of all cells before those of the launch.
        first_block: i64,
        /// The time step; in memory, so that a recorded step can be replayed with another.
        dt: *const R,
        /// First item of the range that a launch goes through (GPU).
        range_begin: i64,
        /// out = u_n + fraction dt k.
        fraction: R,
        /// Weight b_m of the stage.
        weight: R,
        /// Outward common convective flux, `[block][face][5][face point][lane]`; only for comparing loops (bench_interface.cu).
        interface_flux: *mut R,
        /// Every face once, in rows: block * 6 + face, whether all lanes have another side and these lie side by side, then for each
        /// lane the offset of the other side in interface_flux, or a `FaceMark`.
        faces: *const i64,
        /// One past the last block, or row of `faces`, of a launch.
        range_end: i64,
        /// Sums of statistics over slots of points, `[block][quantity][slot][lane]` from the first cell of the launch.
        sums: *mut f64,
        /// Rows of factors of each quantity, in four bits each.
        sum_factors: *const i32,
        /// The points of all slots of a cell, `[slot][member]`; one list for each way in which cells lie.
        sum_lists: *const i32,
        /// Where the list of a cell begins, `[block][lane]` from the first cell of the launch.
        sum_list: *const i32,
        /// Number of quantities.
        sum_quantities: i64,
        /// Slots of a cell.
        sum_slots: i64,
        /// Points of a slot.
        sum_members: i64,
        /// Weight of the present state.
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
        /// Form of the convective derivative (`Split`).
        split: i32,
        /// Interface flux (`Riemann`).
        riemann: i32,
        /// Law of the viscosity (`ViscosityLaw`).
        viscosity: i32,
        /// Stage of the time step (`Stage`).
        stage: i32,
        /// Whether the update is compensated.
        kahan: i32,
        /// Whether there are boundary faces.
        boundaries: i32,
        /// Whether all cells of the mesh are of one kind.
        uniform: i32,
        /// Points at which a cell holds metric terms: 1 in affine cells, else all.
        metric_points: i32,
        /// Sub-grid model (`SgsModel`).
        sgs: i32,
    }
}

/// What a launch of a kernel goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Blocks of cells.
    Cells,
    /// Face points of a set of boundary faces.
    BoundaryPoints,
    /// Faces of a set of boundary faces.
    BoundaryFaces,
    /// Items that the caller counts, with arguments of its own.
    Items,
}

/// Files of a kernel in ptx/kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// That of hexahedra.
    pub hex: &'static str,
    /// That of all other cells; `None` where they have no such kernel.
    pub dense: Option<&'static str>,
}

impl Files {
    const fn both(file: &'static str) -> Self {
        Files {
            hex: file,
            dense: Some(file),
        }
    }

    const fn hex_only(file: &'static str) -> Self {
        Files { hex: file, dense: None }
    }

    /// The file of a kind of cell.
    pub fn of(&self, kind: ElementKind) -> Option<&'static str> {
        match kind {
            ElementKind::Hex => Some(self.hex),
            _ => self.dense,
        }
    }
}

/// Programs that a kernel is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Every run; compiled once.
    Run,
    /// Every run; GPUs have it compiled once for every [`Stage`].
    RunByStage,
    /// Benchmarks, when they ask for it.
    Bench,
    /// Tests of single pieces of the method, on the CPU only.
    Probe,
}

/// A kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelSpec {
    /// Name of the function.
    pub name: &'static str,
    /// Where it is.
    pub files: Files,
    /// What a launch goes over.
    pub over: Over,
    /// Who uses it.
    pub used_by: Use,
    /// Shared memory of a cell of a block, in bytes.
    pub shared: fn(&CellSizes) -> usize,
}

/// Sizes of a cell as a kernel holds it in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct CellSizes {
    /// Kind of the cell.
    pub kind: ElementKind,
    /// Points of a line.
    pub n: usize,
    /// Points.
    pub points: usize,
    /// Points with the padding that keeps lines of hexahedra in different banks.
    pub padded_points: usize,
    /// Face points.
    pub face_points: usize,
    /// Bytes of a real times the cells side by side.
    real: usize,
    /// Bytes of a double times the cells side by side.
    double: usize,
    /// Values between two cells of a block.
    gap: usize,
}

impl CellSizes {
    /// Sizes on a CPU with `lanes` cells side by side.
    pub fn on_cpu(kind: ElementKind, order: usize, real: usize, lanes: usize) -> Self {
        CellSizes {
            kind,
            n: order + 1,
            points: kind.points(order),
            padded_points: kind.points(order),
            face_points: kind.total_face_points(order),
            real: real * lanes,
            double: 8 * lanes,
            gap: 0,
        }
    }

    /// Sizes on a GPU.
    pub fn on_gpu(kind: ElementKind, order: usize, real: usize) -> Self {
        let n = order + 1;
        let hex = kind == ElementKind::Hex;
        let sizes = Self::on_cpu(kind, order, real, 1);
        CellSizes {
            padded_points: if hex && (n == 6 || n == 8) {
                n * n * (n + 1)
            } else {
                sizes.points
            },
            gap: if hex && n == 4 { 64 / real } else { 0 },
            ..sizes
        }
    }

    /// Bytes of an array of reals.
    fn reals(&self, len: usize) -> usize {
        (len + self.gap) * self.real
    }

    /// Bytes of an array of doubles.
    fn doubles(&self, len: usize) -> usize {
        (len + self.gap) * self.double
    }

    /// Rows of N points, which diagnostics sum up first.
    fn rows(&self) -> usize {
        self.points.div_ceil(self.n)
    }

    /// Primitive variables (5 of hexahedra, 4 of others) and what gradients need.
    fn gradient(&self) -> usize {
        match self.kind {
            ElementKind::Hex => self.reals(5 * self.padded_points) + self.reals(12 * self.padded_points),
            _ => self.reals(12 * self.points) + self.reals(4 * self.points) + self.reals(4 * self.face_points),
        }
    }

    /// Primitive variables and derivatives of hexahedra; rows of the points or fluxes at the faces, and the divergence of others.
    fn divergence(&self) -> usize {
        match self.kind {
            ElementKind::Hex => self.reals(5 * self.padded_points) + self.reals(15 * self.padded_points),
            _ => {
                let rows_or_faces = (20 * self.points).max((10 * self.face_points).next_multiple_of(4));
                self.reals(rows_or_faces) + self.reals((5 * self.points + 5).next_multiple_of(4))
            }
        }
    }
}

/// No shared memory.
const fn none(_: &CellSizes) -> usize {
    0
}

/// Declares [`Kernel`] and [`KERNELS`].
macro_rules! kernels {
    ($($(#[doc = $doc:literal])+ $kernel:ident = $name:literal in $files:expr, $over:ident, $used_by:ident, $shared:expr;)+) => {
        /// Number of a kernel in [`KERNELS`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Kernel {
            $($(#[doc = $doc])+ $kernel,)+
        }

        impl Kernel {
            /// All kernels.
            pub const ALL: &[Kernel] = &[$(Kernel::$kernel),+];
        }

        /// The kernels in the order of [`Kernel`].
        pub const KERNELS: &[KernelSpec] = &[$(KernelSpec {
            name: $name,
            files: $files,
            over: Over::$over,
            used_by: Use::$used_by,
            shared: $shared,
        }),+];
    };
}

kernels! {
    /// Ghost states of the boundary faces.
    GhostStates = "ghost_states" in Files::both("ghosts.cu"), BoundaryPoints, Run, none;
    /// Ghost viscous traces of the boundary faces.
    GhostTraces = "ghost_traces" in Files::both("ghosts.cu"), BoundaryPoints, Run, none;
    /// Fluxes through each boundary face.
    BoundaryFluxes = "boundary_fluxes" in Files::both("surface.cu"), BoundaryFaces, Run, none;
    /// Fluxes and state at each point of the boundary faces.
    SurfaceValues = "surface_values" in Files::both("surface.cu"), BoundaryPoints, Run, none;
    /// Packs what other ranks need.
    Pack = "pack" in Files::both("halo.cu"), Items, Run, none;
    /// State at points within cells.
    Sample = "sample" in Files::both("sample.cu"), Items, Run, none;
    /// Sweep 1: the viscous traces.
    Sweep1 = "sweep1" in Files { hex: "sweep1.cu", dense: Some("sweep1_dense.cu") }, Cells, Run, |e| e.gradient();
    /// Bounds on the time step and health of the state.
    TimeStepBounds = "time_step_bounds" in Files::both("bounds.cu"), Cells, Run, |e| e.doubles(TIME_STEP_BOUNDS * e.rows());
    /// Mass and momentum of each cell.
    Bulk = "bulk" in Files::both("integrals.cu"), Cells, Run, |e| e.doubles(BULKS * e.rows());
    /// Integrals over each cell.
    Integrals = "integrals" in Files::both("integrals.cu"), Cells, Run, |e| e.doubles(INTEGRALS * e.rows()) + e.gradient();
    /// Adds the state to the statistics.
    Statistics = "statistics" in Files::both("statistics.cu"), Cells, Run, |e| e.doubles(FACTORS * e.points);
    /// Sweep 2: divergence of the flux and update.
    Sweep2 = "sweep2" in Files { hex: "sweep2.cu", dense: Some("sweep2_dense.cu") }, Cells, RunByStage, |e| e.divergence();
    /// Common convective flux by a loop over cells.
    InterfaceByCells = "interface_by_cells" in Files::hex_only("bench_interface.cu"), Items, Bench, none;
    /// Common convective flux by a loop over faces.
    InterfaceByFaces = "interface_by_faces" in Files::hex_only("bench_interface.cu"), Items, Bench, none;
    /// Common convective flux of pairs of states.
    ProbeInterfaceFlux = "interface_flux" in Files::hex_only("probe.cu"), Items, Probe, none;
    /// A boundary condition of single states.
    ProbeBoundaryCondition = "boundary_condition" in Files::hex_only("probe.cu"), Items, Probe, none;
    /// The split derivative along single lines.
    ProbeSplitDerivative = "split_derivative" in Files::hex_only("probe.cu"), Items, Probe, none;
}

impl Kernel {
    /// Its entry in [`KERNELS`].
    pub const fn spec(self) -> &'static KernelSpec {
        &KERNELS[self as usize]
    }

    /// Its file for a kind of cell.
    pub fn file(self, kind: ElementKind) -> Option<&'static str> {
        self.spec().files.of(kind)
    }

    /// The kernel of this name.
    pub fn named(name: &str) -> Option<Kernel> {
        Kernel::ALL.iter().copied().find(|kernel| kernel.spec().name == name)
    }
}

/// Files of ptx/kernels that cells of one kind are compiled from for these uses, each once, in the order of [`KERNELS`].
pub fn files_of(kind: ElementKind, uses: &[Use]) -> Vec<&'static str> {
    let mut files = Vec::new();
    for kernel in KERNELS.iter().filter(|kernel| uses.contains(&kernel.used_by)) {
        if let Some(file) = kernel.files.of(kind).filter(|file| !files.contains(file)) {
            files.push(file);
        }
    }
    files
}
