//! The parameters and the kernels of the steady solver (ptx/steady), which run over the vertices of a median dual.
//!
//! The functions of ptx/physics take what they need of the gas from a structure `Params`. In the translation units of
//! the steady solver, which define the macro STEADY, this structure has the fields below.

use super::family::{ConstantValue, constant_value, parameters};
use super::records::FieldSpec;

parameters! {
    /// What a launch of the steady solver hands to its kernel. Pointers are addresses on the device.
    SteadyParams, reals [SteadyParams, SteadyParams], STEADY_ARGUMENTS, STEADY_CONSTANTS;
    arguments {
        /// State that is read: density, velocity, temperature, and nu~, or k and omega; `[variable][slot]`.
        state: *const f64,
        /// State at the beginning of the step.
        start: *const f64,
        /// State that a stage or an update writes.
        out: *mut f64,
        /// Gradient of the state, `[variable][3][slot]`.
        gradient: *mut f64,
        /// Invariants of gradients for the turbulence model: |curl v|, |grad nu~|^2 and grad rho . grad nu~,
        /// `[3][slot]`; or strain, vorticity, stretching and grad k . grad omega (ptx/steady/two_equations.h),
        /// `[4][slot]`.
        sources: *mut f64,
        /// Unit normal of the layer at a curved wall, or zero, and distance from the wall, `[4][slot]`
        /// (ptx/steady/layer.h); null if no vertex of the rank and its halo has such a layer.
        layer: *const f64,
        /// Of a model of k and omega: the eddy viscosity, and what k and omega diffuse with; `[3][slot]`.
        closure: *mut f64,
        /// Sums of the central convective fluxes out of the dual cells: mass, momentum, energy; `[5][slot]`.
        convection: *mut f64,
        /// Sums of what dissipates, into the dual cells: the upwind parts and the viscous fluxes; `[5][slot]`.
        dissipation: *mut f64,
        /// What leaves a dual cell by each equation of the turbulence model, and the coefficients of its own values,
        /// `[2][equation][slot]`.
        eddy_sums: *mut f64,
        /// Triangular factors of the blocks of the local step, `[row][column][slot]`.
        blocks: *mut f64,
        /// Mass, momentum, energy and what the turbulence model transports that enter a dual cell per time,
        /// `[variable][slot]`, or null.
        source: *const f64,
        /// Volumes of the dual cells, `[slot]`.
        volume: *const f64,
        /// Distance from the nearest no-slip wall, `[slot]`.
        wall_distance: *const f64,
        /// Number of edges, `[slot]`.
        degree: *const f64,
        /// Number of slots of the state, a multiple of the vertices of a slice.
        slots: i64,
        /// First edge of each slice in `neighbour`, and their end.
        first_edge: *const i64,
        /// Slot at the other end, `[slice][edge of the vertex][vertex of the slice]`.
        neighbour: *const i32,
        /// Area vectors, `[slice][edge of the vertex][3][vertex of the slice]`.
        area: *const f64,
        /// Vectors to the other ends, in the same way.
        displacement: *const f64,
        /// Place in `turns` of the rotation that carries vectors from the other end to the vertex,
        /// `[slice][edge of the vertex][vertex of the slice]`; there if `rotated` is not 0.
        turn: *const i32,
        /// These rotations, each nine numbers row by row.
        turns: *const f64,
        /// Velocity of the rotating frame, `[3][slot]`; there if `rotates` is not 0.
        frame_velocity: *const f64,
        /// Angular speed of the frame of each vertex, `[slot]`; there if `rotates` says that there are several.
        frame_speed: *const f64,
        /// Row of each vertex in `wall_values`; 0 of a vertex that is not on a no-slip wall.
        wall_row: *const i32,
        /// Velocity, temperature where it is given, and omega over the kinematic viscosity, of the vertices on no-slip
        /// walls, `[5][row]`; row 0 is zero.
        wall_values: *const f64,
        /// Number of rows of `wall_values`.
        wall_count: i64,
        /// Row of each vertex in `part_area`; 0 of a vertex on no boundary.
        boundary_row: *const i32,
        /// Outward area vectors of the vertices on boundaries, one of each boundary of a vertex, `[part][3][row]`; zero
        /// of parts that a vertex lacks. Row 0 is zero.
        part_area: *const f64,
        /// Number of rows of `part_area`.
        boundary_rows: i64,
        /// Most boundaries of a vertex.
        parts: i64,
        /// Slots of the vertices of one boundary.
        boundary_vertex: *const i32,
        /// Their outward area vectors, `[vertex of the boundary][3]`.
        boundary_area: *const f64,
        /// Data of the condition there, `[vertex of the boundary][6]` (ptx/physics/boundary.h).
        boundary_data: *const f64,
        /// Velocity of the rotating frame where the condition is applied in the absolute frame,
        /// `[vertex of the boundary][3]`, and 0 elsewhere; there if `rotates` is not 0.
        boundary_frame: *const f64,
        /// Condition of this boundary (`BoundaryKind`).
        boundary_kind: i64,
        /// nu~/nu of gas that enters there.
        boundary_eddy: f64,
        /// Intensity of the turbulence that enters.
        boundary_intensity: f64,
        /// Its eddy viscosity over the viscosity; 0 if its length is given.
        boundary_ratio: f64,
        /// Its length sqrt(k)/(beta*^(1/4) omega).
        boundary_length: f64,
        /// nu~, or k and omega, of gas that enters, `[equation][vertex of the boundary]`; null where the values above
        /// say it.
        boundary_inflow: *const f64,
        /// Number of the vertices of this boundary.
        boundary_count: i64,
        /// Array of which values are packed or unpacked, `[variable][slot]`; null if it is `exchanged_single`.
        exchanged: *mut f64,
        /// Such an array in single precision.
        exchanged_single: *mut f32,
        /// Packed values, `[place in the list][variable]`.
        exchange: *mut f64,
        /// Their slots.
        exchange_list: *const i32,
        /// Number of variables that are exchanged.
        exchanged_values: i64,
        /// Coefficient of the stage.
        alpha: f64,
        /// Part of the present dissipation in that of the stage; 0 computes none.
        blend: f64,
        /// CFL number.
        cfl: f64,
        /// Whether states are reconstructed to second order.
        second_order: i64,
        /// Blocks of a linear system at the neighbours of each vertex, in single precision,
        /// `[slice][edge of the vertex][row][column][vertex of the slice]`.
        offdiagonal: *mut f32,
        /// Own blocks, `[row][column][slot]`.
        diagonal: *mut f64,
        /// Triangular factors of the own blocks, as they are or after the elimination along lines, in single precision.
        factors: *mut f32,
        /// Number of rows of a block.
        unknowns: i64,
        /// Vector that a verb of the linear solver reads, `[row][slot]`.
        vector: *const f64,
        /// Vector that it writes.
        result: *mut f64,
        /// What a preconditioner writes and a product reads, or a new vector of `basis`, in single precision.
        direction: *mut f32,
        /// Vectors of a Krylov space in single precision, `[vector][row][slot]`.
        basis: *const f32,
        /// Number of these vectors.
        basis_count: i64,
        /// Coefficients of these vectors.
        coefficients: *const f64,
        /// Factor of their sum.
        scale: f64,
        /// The bits of the largest modulus in a vector.
        largest: *mut i64,
        /// Parts of dot products, `[vector][2]`.
        sums: *mut i64,
        /// Number of slots of owned vertices.
        owned_slots: i64,
        /// Number of chunks into which these are divided for sums.
        chunks: i64,
        /// First slice of each group of lines that lie side by side, and their end.
        line_begin: *const i32,
        /// Colour of each vertex, `[slot]`.
        colour: *const f64,
        /// What walls hold at each vertex, with the halo (`HeldAtWall`), `[slot]`.
        held: *const i32,
        /// Whether the colours are gone through from the last to the first.
        backward: i64,
        /// Number of slots of the other level of a multigrid cycle.
        other_slots: i64,
        /// Matrix of the finer level, as `offdiagonal`.
        other_offdiagonal: *const f32,
        /// Its own blocks, as `diagonal`.
        other_diagonal: *const f64,
        /// Number of its places of edges.
        other_edges: i64,
        /// Number of places of edges of this level.
        edges: i64,
        /// First block of the finer level that is added to each block: places of edges, then slots; and their end.
        sum_begin: *const i64,
        /// These blocks (ptx/steady/multigrid.cu), or those that another rank adds.
        sum_blocks: *const i32,
        /// First item of the range that a launch goes through (GPU).
        range_begin: i64,
        /// One past the last item (GPU).
        range_end: i64,
    }
    constants {
        /// Ratio of the specific heats.
        gamma: f64,
        /// Specific gas constant.
        gas_constant: f64,
        /// Specific heat at constant volume.
        cv: f64,
        /// Specific heat at constant pressure.
        cp: f64,
        /// Heat conductivity over dynamic viscosity, cp / Pr.
        conductivity_factor: f64,
        /// Heat conductivity over eddy viscosity, cp / Pr_t.
        eddy_conductivity_factor: f64,
        /// Constant dynamic viscosity.
        mu: f64,
        /// Factor of Sutherland's law, mu = factor T sqrt(T) / (T + S).
        sutherland_factor: f64,
        /// Temperature S of Sutherland's law.
        sutherland_s: f64,
        /// Weight of the central slope in the reconstruction.
        kappa: f64,
        /// Two-point flux that the interface flux may be based on (`Split`); none.
        split: i32,
        /// Interface flux (`Riemann`).
        riemann: i32,
        /// Law of the viscosity (`ViscosityLaw`).
        viscosity: i32,
        /// Turbulence model (`Turbulence`).
        turbulence: i32,
        /// Whether its convection is of second order.
        second_order_turbulence: i32,
        /// Whether the mesh is periodic by rotation.
        rotated: i32,
        /// Whether the frame of the mesh rotates, or blocks of cells have frames of their own (`Frames`).
        rotates: i32,
        /// Angular velocity of the frame, or the unit vector along the axis of several.
        angular_velocity: [f64; 3],
    }
}

/// What walls hold at a vertex.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeldAtWall {
    /// Nothing: it is on no wall with friction.
    Nothing,
    /// The velocity.
    Velocity,
    /// The velocity and the temperature.
    VelocityAndTemperature,
}

/// Declares [`SteadyKernel`].
macro_rules! steady_kernels {
    ($($(#[doc = $doc:literal])+ $kernel:ident = $name:literal in $file:literal over $over:ident,)+) => {
        /// A kernel of the steady solver.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum SteadyKernel {
            $($(#[doc = $doc])+ $kernel,)+
        }

        impl SteadyKernel {
            /// All kernels.
            pub const ALL: &[SteadyKernel] = &[$(SteadyKernel::$kernel),+];

            /// Name of the function.
            pub fn name(self) -> &'static str {
                match self {
                    $(SteadyKernel::$kernel => $name,)+
                }
            }

            /// Name of the file in ptx/steady.
            pub fn file(self) -> &'static str {
                match self {
                    $(SteadyKernel::$kernel => $file,)+
                }
            }

            /// What a launch goes over.
            pub fn over(self) -> SteadyItems {
                match self {
                    $(SteadyKernel::$kernel => SteadyItems::$over,)+
                }
            }
        }
    };
}

/// What a launch of the steady solver goes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteadyItems {
    /// Slots of owned vertices; on a CPU slices of them.
    Vertices,
    /// Lines of vertices; on a CPU groups of lines that lie side by side.
    Lines,
    /// The entries of a list: vertices of a boundary, vertices whose values are exchanged, chunks of slots.
    Points,
}

steady_kernels! {
    /// Gradients of the state by least squares.
    Gradients = "gradients" in "gradients.cu" over Vertices,
    /// Invariants of the weighted gradients for the turbulence model.
    SourceGradients = "source_gradients" in "gradients.cu" over Vertices,
    /// Invariants of these for a model of k and omega.
    ShearGradients = "shear_gradients" in "gradients.cu" over Vertices,
    /// Convective fluxes.
    Convection = "convection" in "residual.cu" over Vertices,
    /// Viscous fluxes.
    Diffusion = "diffusion" in "residual.cu" over Vertices,
    /// Convective fluxes through one boundary.
    BoundaryConvection = "boundary_convection" in "residual.cu" over Points,
    /// Sums of the equation of nu~.
    Turbulence = "turbulence" in "turbulence.cu" over Vertices,
    /// nu~ that enters through one boundary.
    BoundaryTurbulence = "boundary_turbulence" in "turbulence.cu" over Points,
    /// Update of nu~.
    TurbulenceUpdate = "turbulence_update" in "turbulence.cu" over Vertices,
    /// Eddy viscosity and diffusivities of a model of k and omega.
    Closure = "closure" in "two_equations.cu" over Vertices,
    /// Sums of its equations.
    TwoEquations = "two_equations" in "two_equations.cu" over Vertices,
    /// k and omega that enter through one boundary.
    BoundaryTwoEquations = "boundary_two_equations" in "two_equations.cu" over Points,
    /// Update of k and omega.
    TwoEquationsUpdate = "two_equations_update" in "two_equations.cu" over Vertices,
    /// Linear system of k and omega with its right side.
    TwoEquationsSystem = "two_equations_system" in "two_equations.cu" over Vertices,
    /// Addition of the increments of k and omega.
    AddTwoEquationsIncrement = "add_two_equations_increment" in "two_equations.cu" over Vertices,
    /// Blocks of the local step.
    Blocks = "blocks" in "update.cu" over Vertices,
    /// A stage of the step.
    Stage = "stage" in "update.cu" over Vertices,
    /// Addition of the increment of an implicit step.
    AddIncrement = "add_increment" in "update.cu" over Vertices,
    /// Values for other ranks.
    Pack = "pack" in "update.cu" over Points,
    /// Values from other ranks.
    Unpack = "unpack" in "update.cu" over Points,
    /// Jacobian of the residuals of first order, with the local step.
    Jacobian = "jacobian" in "jacobian.cu" over Vertices,
    /// The part of one boundary in it.
    BoundaryJacobian = "boundary_jacobian" in "jacobian.cu" over Points,
    /// Factors of an incomplete elimination, mean flow.
    Eliminate = "eliminate" in "jacobian.cu" over Vertices,
    /// Right side of an implicit step of the mean flow.
    RightSide = "right_side" in "jacobian.cu" over Vertices,
    /// Linear system of nu~ with its right side.
    EddySystem = "eddy_system" in "jacobian.cu" over Vertices,
    /// Addition of the increment of nu~.
    AddEddyIncrement = "add_eddy_increment" in "jacobian.cu" over Vertices,
    /// Product of the matrix of the mean flow with a vector.
    MultiplyFlow = "multiply_flow" in "linear.cu" over Vertices,
    /// The same for nu~.
    MultiplyEddy = "multiply_eddy" in "linear.cu" over Vertices,
    /// The same for k and omega.
    MultiplyPair = "multiply_pair" in "linear.cu" over Vertices,
    /// Solution with the own blocks of the mean flow.
    SolveBlocksFlow = "solve_blocks_flow" in "linear.cu" over Vertices,
    /// The same for nu~.
    SolveBlocksEddy = "solve_blocks_eddy" in "linear.cu" over Vertices,
    /// The same for k and omega.
    SolveBlocksPair = "solve_blocks_pair" in "linear.cu" over Vertices,
    /// Triangular factors along lines, mean flow.
    FactorFlow = "factor_flow" in "linear.cu" over Lines,
    /// The same for nu~.
    FactorEddy = "factor_eddy" in "linear.cu" over Lines,
    /// The same for k and omega.
    FactorPair = "factor_pair" in "linear.cu" over Lines,
    /// Gauss-Seidel for lines, mean flow.
    SweepFlow = "sweep_flow" in "linear.cu" over Lines,
    /// The same for nu~.
    SweepEddy = "sweep_eddy" in "linear.cu" over Lines,
    /// The same for k and omega.
    SweepPair = "sweep_pair" in "linear.cu" over Lines,
    /// Solution with the factors of the incomplete elimination, mean flow.
    Substitute = "substitute" in "linear.cu" over Vertices,
    /// Sum of vectors.
    Combine = "combine" in "linear.cu" over Vertices,
    /// Largest modulus in a vector.
    Largest = "largest" in "linear.cu" over Points,
    /// Dot products in whole numbers.
    Dots = "dots" in "linear.cu" over Points,
    /// Sums over the members of agglomerates.
    Restriction = "restriction" in "multigrid.cu" over Vertices,
    /// Matrix of a coarser level by sums of blocks.
    Galerkin = "galerkin" in "multigrid.cu" over Points,
    /// Blocks for other ranks.
    PackBlocks = "pack_blocks" in "multigrid.cu" over Points,
    /// Addition of the solution of agglomerates to that of their members.
    CorrectDirection = "correct_direction" in "multigrid.cu" over Vertices,
    /// Elementary functions, for tests.
    ElementaryFunctions = "elementary_functions" in "probe.cu" over Vertices,
}

/// Returns the files of ptx/steady, each once.
pub fn steady_files() -> Vec<&'static str> {
    let mut files: Vec<&str> = SteadyKernel::ALL.iter().map(|kernel| kernel.file()).collect();
    files.dedup();
    files
}
