//! The arrays of the steady solver on a machine: what each holds, how long it is, and which parameter of the kernels
//! leads to it, stated once. Allocation, parameters, the memory in use and the estimate of it follow.

use crate::device::Frames;
use crate::device::contract::SteadyParams;
use crate::device::table::arrays;
use crate::physics::{PointData, Turbulence};

/// Number of the variables of the mean flow, which come first in a state.
pub const FLOW: usize = 5;

/// What the lengths of the lists of edges depend on.
#[derive(Debug, Clone, Copy, Default)]
pub struct EdgeSizes {
    /// Slots of vertices.
    pub slots: usize,
    /// Slices of owned vertices.
    pub slices: usize,
    /// Places of edges.
    pub edges: usize,
}

arrays! {
    /// The edges of the vertices of a level, or the ties of these to the vertices of another level.
    Edges, EdgeSizes, SteadyParams, bytes_of_edges;
    /// Number of edges of each vertex.
    degree: f64, connectivity, |s| s.slots => degree;
    /// First edge of each slice, and their end.
    first: i64, connectivity, |s| s.slices + 1 => first_edge;
    /// Slots at the other ends.
    neighbour: i32, connectivity, |s| s.edges => neighbour;
}

/// What the lengths of the arrays of a flow depend on.
#[derive(Debug, Clone, Copy)]
pub struct FlowSizes {
    /// Model of turbulence.
    pub turbulence: Turbulence,
    /// Slots of vertices.
    pub slots: usize,
    /// Places of edges.
    pub edges: usize,
    /// Whether a vertex has the layer of a curved wall.
    pub layers: bool,
    /// Numbers of the rotations across edges; 0 without one.
    pub turns: usize,
    /// The rotating frames of the cells.
    pub frames: Frames,
    /// Rows of values that walls hold.
    pub wall_rows: usize,
    /// Rows of areas of vertices on boundaries.
    pub boundary_rows: usize,
    /// Most boundaries of a vertex.
    pub parts: usize,
}

impl FlowSizes {
    /// Number of equations of the model.
    fn equations(&self) -> usize {
        self.turbulence.equations()
    }

    /// Number of variables of the state.
    fn variables(&self) -> usize {
        FLOW + self.equations()
    }

    /// `values` of each slot if the model has equations of k and omega, else `otherwise`.
    fn of_two_equations(&self, values: usize, otherwise: usize) -> usize {
        let has = self.turbulence.has_two_equations();
        self.slots * if has { values } else { otherwise }
    }
}

/// Numbers of the closure of a model of k and omega: the eddy viscosity and two diffusivities.
pub const CLOSURE: usize = 3;

arrays! {
    /// The arrays of a flow on the points.
    FlowArrays, FlowSizes, SteadyParams, bytes_of_flow;
    /// State.
    state: f64, state, |s| s.variables() * s.slots => state, out;
    /// State at the beginning of the step.
    start: f64, state, |s| s.variables() * s.slots => start;
    /// Gradient of the state.
    gradient: f64, state, |s| 3 * s.variables() * s.slots => gradient;
    /// Sums of the central convective fluxes.
    convection: f64, state, |s| FLOW * s.slots => convection;
    /// Sums of what dissipates.
    dissipation: f64, state, |s| FLOW * s.slots => dissipation;
    /// Sums of the equations of the model, and the coefficients of its own values.
    eddy_sums: f64, state, |s| 2 * s.equations() * s.slots => eddy_sums;
    /// Invariants of gradients for the model.
    sources: f64, state, |s| s.of_two_equations(4, 1) => sources;
    /// Eddy viscosity of a model of k and omega, and what k and omega diffuse with.
    closure: f64, state, |s| s.of_two_equations(CLOSURE, 0) => closure;
    /// Factors of the blocks of the local step.
    blocks: f64, state, |s| FLOW * FLOW * s.slots => blocks;
    /// What enters the dual cells, once something does.
    source: f64, state, |_s| 0 => source;
    /// Volumes of the dual cells.
    volume: f64, geometry, |s| s.slots => volume;
    /// Normals of layers, and distances from the wall.
    layer: f64, geometry, |s| if s.layers { 4 * s.slots } else { 0 } => layer;
    /// Distances from the nearest wall.
    wall_distance: f64, geometry, |s| s.slots => wall_distance;
    /// Area vectors of the edges.
    area: f64, geometry, |s| 3 * s.edges => area;
    /// Vectors to the other ends.
    displacement: f64, geometry, |s| 3 * s.edges => displacement;
    /// Places of the rotations across the edges.
    turn: i32, connectivity, |s| if s.turns > 0 { s.edges } else { 0 } => turn;
    /// These rotations.
    turns: f64, geometry, |s| s.turns => turns;
    /// Velocity of the rotating frame.
    frame_velocity: f64, geometry, |s| if s.frames == Frames::None { 0 } else { 3 * s.slots } => frame_velocity;
    /// Angular speed of the frame of each vertex, if there are several.
    frame_speed: f64, geometry, |s| if s.frames == Frames::Several { s.slots } else { 0 } => frame_speed;
    /// Row of each vertex among the values that walls hold.
    wall_row: i32, connectivity, |s| s.slots => wall_row;
    /// These values.
    wall_values: f64, connectivity, |s| 5 * s.wall_rows => wall_values;
    /// Row of each vertex among the areas on boundaries.
    boundary_row: i32, connectivity, |s| s.slots => boundary_row;
    /// These areas.
    part_area: f64, connectivity, |s| 3 * s.parts * s.boundary_rows => part_area;
}

arrays! {
    /// The vertices of one boundary, of which the sizes are the number.
    BoundaryArrays, usize, SteadyParams, bytes_of_boundary;
    /// Their slots.
    vertex: i32, connectivity, |n| *n => boundary_vertex;
    /// Their outward area vectors.
    area: f64, connectivity, |n| 3 * n => boundary_area;
    /// Data of the condition there.
    data: f64, connectivity, |n| size_of::<PointData>() / size_of::<f64>() * n => boundary_data;
    /// Velocity of the rotating frame seen from that of the condition, once there is one.
    frame: f64, connectivity, |_n| 0 => boundary_frame;
    /// Variables of the model in gas that enters through a mixing plane, once there is one.
    inflow: f64, connectivity, |_n| 0 => boundary_inflow;
}

/// What the lengths of the arrays of a linear system depend on.
#[derive(Debug, Clone, Copy)]
pub struct MatrixSizes {
    /// Elements of a block.
    pub elements: usize,
    /// Slots of vertices.
    pub slots: usize,
    /// Places of edges.
    pub edges: usize,
    /// Groups of lines.
    pub groups: usize,
}

arrays! {
    /// A matrix in blocks, and its triangular factors.
    MatrixArrays, MatrixSizes, SteadyParams, bytes_of_matrix;
    /// Blocks at the neighbours of each vertex.
    offdiagonal: f32, other, |s| s.elements * s.edges => offdiagonal;
    /// Own blocks.
    diagonal: f64, other, |s| s.elements * s.slots => diagonal;
    /// Triangular factors.
    factors: f32, other, |s| s.elements * s.slots => factors;
    /// First slice of each group of lines, and their end.
    line_begin: i32, other, |s| s.groups + 1 => line_begin;
}

arrays! {
    /// What an incomplete elimination needs to know of the vertices, of whose slots the sizes are the number.
    EliminationArrays, usize, SteadyParams, bytes_of_elimination;
    /// Colours.
    colour: f64, other, |slots| *slots => colour;
    /// What walls hold.
    held: i32, other, |slots| *slots => held;
}

/// What the lengths of the vectors of a Krylov method depend on.
#[derive(Debug, Clone, Copy)]
pub struct KrylovSizes {
    /// Values of a vector.
    pub values: usize,
    /// Largest number of iterations.
    pub iterations: usize,
}

arrays! {
    /// The vectors of a Krylov method, among which each launch chooses.
    KrylovArrays, KrylovSizes, SteadyParams, bytes_of_krylov;
    /// The right side, `[row][slot]`.
    right_side: f64, other, |s| s.values;
    /// The solution.
    solution: f64, other, |s| s.values;
    /// What a direction becomes by the matrix.
    product: f64, other, |s| s.values;
    /// The basis, one vector more than iterations.
    basis: f32, other, |s| (s.iterations + 1) * s.values;
    /// What the preconditioner made of it.
    directions: f32, other, |s| s.iterations * s.values;
    /// Coefficients of the vectors of a sum.
    coefficients: f64, other, |s| s.iterations + 1 => coefficients;
    /// The bits of the largest modulus, and the parts of the dot products.
    sums: i64, other, |s| 2 * s.iterations + 5 => largest;
}

arrays! {
    /// The vectors of a coarse level in a multigrid cycle, of whose values the sizes are the number.
    CycleArrays, usize, SteadyParams, bytes_of_cycle;
    /// The right side in single precision.
    right_side: f32, other, |values| *values;
    /// The solution in single precision.
    solution: f32, other, |values| *values;
    /// The residual for which the next level solves.
    residual: f64, other, |values| *values => vector;
}

/// What the lengths of the lists of sums of blocks depend on.
#[derive(Debug, Clone, Copy, Default)]
pub struct GalerkinSizes {
    /// Number of sums: places of edges, then slots.
    pub sums: usize,
    /// Number of blocks that are added.
    pub blocks: usize,
    /// Number of blocks that other ranks add.
    pub sent: usize,
    /// Number of blocks that come from other ranks.
    pub received: usize,
}

arrays! {
    /// The blocks of a finer level that are added to each block of a coarser one.
    GalerkinArrays, GalerkinSizes, SteadyParams, bytes_of_galerkin;
    /// First block of each sum, and their end.
    begin: i64, connectivity, |s| s.sums + 1 => sum_begin;
    /// The blocks.
    blocks: i32, connectivity, |s| s.blocks => sum_blocks;
    /// Blocks that other ranks add.
    sent: i32, connectivity, |s| s.sent;
    /// Their values.
    packed: f64, other, |s| FLOW * FLOW * s.sent;
    /// Values of the blocks that come from other ranks.
    received: f64, other, |s| FLOW * FLOW * s.received => exchange;
}
