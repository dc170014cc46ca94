//! A linear system on the vertices, with what preconditioners take from it: triangular factors and sweeps.

use std::ops::Range;
use std::rc::Rc;

use super::lines::Lines;
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::physics::Turbulence;
use crate::steady::arrays::{MatrixArrays, MatrixSizes};
use crate::steady::dual::DualMesh;
use crate::steady::exchange::Halo;
use crate::steady::grid::Grid;
use crate::steady::machine::Machine;

/// The kernels of a system.
struct Verbs {
    multiply: SteadyKernel,
    solve_blocks: SteadyKernel,
    factor: SteadyKernel,
    sweep: SteadyKernel,
}

/// Those of the mean flow, with blocks of 5 x 5.
const FLOW: Verbs = Verbs {
    multiply: SteadyKernel::MultiplyFlow,
    solve_blocks: SteadyKernel::SolveBlocksFlow,
    factor: SteadyKernel::FactorFlow,
    sweep: SteadyKernel::SweepFlow,
};

/// Those of nu~.
const EDDY: Verbs = Verbs {
    multiply: SteadyKernel::MultiplyEddy,
    solve_blocks: SteadyKernel::SolveBlocksEddy,
    factor: SteadyKernel::FactorEddy,
    sweep: SteadyKernel::SweepEddy,
};

/// Those of k and omega, with blocks of 2 x 2.
const PAIR: Verbs = Verbs {
    multiply: SteadyKernel::MultiplyPair,
    solve_blocks: SteadyKernel::SolveBlocksPair,
    factor: SteadyKernel::FactorPair,
    sweep: SteadyKernel::SweepPair,
};

/// The unknowns of a system at a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unknowns {
    /// The conserved variables of the mean flow.
    Flow,
    /// nu~.
    Eddy,
    /// k and omega.
    Pair,
}

impl Unknowns {
    /// Those of the model, if there is one.
    pub fn of_model(turbulence: Turbulence) -> Option<Unknowns> {
        match turbulence {
            Turbulence::None => None,
            Turbulence::SaNeg => Some(Unknowns::Eddy),
            Turbulence::KOmega | Turbulence::Sst => Some(Unknowns::Pair),
        }
    }

    /// Those of all systems of a step.
    pub fn of_step(turbulence: Turbulence) -> Vec<Unknowns> {
        std::iter::once(Unknowns::Flow)
            .chain(Unknowns::of_model(turbulence))
            .collect()
    }

    /// Their number.
    pub fn count(self) -> usize {
        match self {
            Unknowns::Flow => 5,
            Unknowns::Eddy => 1,
            Unknowns::Pair => 2,
        }
    }

    fn verbs(self) -> &'static Verbs {
        match self {
            Unknowns::Flow => &FLOW,
            Unknowns::Eddy => &EDDY,
            Unknowns::Pair => &PAIR,
        }
    }
}

/// The blocks of the rows of a vertex: the own one, and those of its edges in their order; each with the local number
/// of the vertex that it multiplies, and `[row][column]`.
pub type Rows = Vec<(u32, Vec<f64>)>;

/// A matrix in blocks on the vertices of a level, and its triangular factors.
pub struct Matrix<M: Machine> {
    /// The rows of a block.
    pub unknowns: Unknowns,
    /// The vertices.
    pub grid: Rc<Grid<M>>,
    /// Lines of vertices, and their colours.
    pub lines: Rc<Lines>,
    arrays: MatrixArrays<M>,
}

impl<M: Machine> Matrix<M> {
    /// Returns a matrix, which is zero until it is assembled.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(grid: &Rc<Grid<M>>, lines: &Rc<Lines>, unknowns: Unknowns) -> Result<Self, DeviceError> {
        let sizes = MatrixSizes {
            elements: unknowns.count().pow(2),
            slots: grid.slices.slots,
            edges: grid.slices.neighbour.len(),
            groups: lines.begin.len() - 1,
        };
        let mut arrays = MatrixArrays::zeros(&*grid.store, &sizes)?;
        grid.store.write(&mut arrays.line_begin, &lines.begin)?;
        Ok(Matrix {
            unknowns,
            grid: grid.clone(),
            lines: lines.clone(),
            arrays,
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        self.arrays.in_use().total()
    }

    /// Points the parameters of a launch at the matrix.
    pub fn connect(&self, params: &mut SteadyParams) {
        self.arrays.connect(params);
        params.unknowns = self.unknowns.count() as i64;
    }

    /// Parameters of launches that need nothing but the matrix and vectors.
    pub fn params(&self) -> SteadyParams {
        let mut params = self.grid.params;
        self.connect(&mut params);
        params
    }

    /// Makes this the matrix of the finer level that a launch reads.
    pub fn read_as_finer(&self, params: &mut SteadyParams) {
        let own = self.params();
        params.other_offdiagonal = own.offdiagonal;
        params.other_diagonal = own.diagonal;
        params.other_edges = self.grid.slices.neighbour.len() as i64;
        params.other_slots = own.slots;
    }

    /// Computes result = A x, or `from` - A x if that is not null; x has its halo.
    pub fn multiply(&self, x: *mut f32, from: *const f64, result: *mut f64) -> Result<(), DeviceError> {
        let mut params = self.params();
        params.direction = x;
        params.vector = from;
        params.result = result;
        self.grid.over_vertices(self.unknowns.verbs().multiply, params)
    }

    /// Computes result = b - A x; x has its halo.
    pub fn residual(&self, b: *const f32, x: *mut f32, result: *mut f64) -> Result<(), DeviceError> {
        let mut params = self.of_solution(b, x);
        params.result = result;
        self.grid.over_vertices(self.unknowns.verbs().multiply, params)
    }

    /// Parameters of launches that improve x for the right side b.
    pub fn of_solution(&self, b: *const f32, x: *mut f32) -> SteadyParams {
        let mut params = self.params();
        params.basis = b;
        params.direction = x;
        params
    }

    /// Computes the factors of the own blocks along lines.
    pub fn factor(&self) -> Result<(), DeviceError> {
        let all = 0..(self.lines.begin.len() - 1) * self.grid.slice;
        self.grid.launch(self.unknowns.verbs().factor, self.params(), all)
    }

    /// Solves for x with the factors alone. It has its halo then, as after all that solves approximately.
    pub fn solve_blocks(&self, b: *const f32, x: *mut f32) -> Result<(), DeviceError> {
        let params = self.of_solution(b, x);
        self.grid.over_vertices(self.unknowns.verbs().solve_blocks, params)?;
        self.share(Halo::All, x)
    }

    /// Gives these vertices of the halo of x the values of the owners.
    pub fn share(&self, halo: Halo, x: *mut f32) -> Result<(), DeviceError> {
        self.grid.update_halo_of_single(halo, x, self.unknowns.count())
    }

    /// Improves x by sweeps over the colours, of which even numbers go to and odd ones fro. Each colour sees the latest
    /// values of the others.
    pub fn sweep(&self, b: *const f32, x: *mut f32, sweeps: Range<usize>) -> Result<(), DeviceError> {
        let params = self.of_solution(b, x);
        let of_colour = &self.lines.of_colour;
        let mut last = usize::MAX;
        for sweep in sweeps {
            for n in 0..of_colour.len() {
                let colour = if sweep % 2 == 0 { n } else { of_colour.len() - 1 - n };
                // A colour that was swept last has nothing new to see.
                if colour != last {
                    let sweep = self.unknowns.verbs().sweep;
                    self.grid.launch(sweep, params, of_colour[colour].clone())?;
                    self.share(Halo::Colour(colour), x)?;
                }
                last = colour;
            }
        }
        Ok(())
    }

    /// Returns the values of a vector at the owned vertices, `[vertex][row]`.
    pub fn values(&self, dual: &DualMesh, vector: &M::Array) -> Result<Vec<Vec<f64>>, DeviceError> {
        let slots = self.grid.slices.slots;
        let rows = self.unknowns.count();
        let all = self.grid.store.read::<f64>(vector, 0..rows * slots)?;
        let of_vertex = |vertex| {
            let slot = self.grid.slices.slot(vertex);
            (0..rows).map(|v| all[v * slots + slot]).collect()
        };
        Ok((0..dual.owned).map(of_vertex).collect())
    }

    /// Returns the blocks of the rows of each owned vertex.
    pub fn rows(&self, dual: &DualMesh) -> Result<Vec<Rows>, DeviceError> {
        let store = &self.grid.store;
        let slices = &self.grid.slices;
        let slice = self.grid.slice;
        let squares = self.unknowns.count().pow(2);
        let own = store.read::<f64>(&self.arrays.diagonal, 0..squares * slices.slots)?;
        let others = store.read::<f32>(&self.arrays.offdiagonal, 0..squares * slices.neighbour.len())?;
        let of_vertex = |vertex: usize| {
            let slot = slices.slot(vertex);
            let mut blocks = vec![(
                vertex as u32,
                (0..squares).map(|e| own[e * slices.slots + slot]).collect(),
            )];
            let first = slices.first_edge[slot / slice] as usize * squares + slot % slice;
            for (k, edge) in dual.edges(vertex).enumerate() {
                let block = (0..squares).map(|e| f64::from(others[first + (k * squares + e) * slice]));
                blocks.push((dual.neighbour[edge], block.collect()));
            }
            blocks
        };
        Ok((0..dual.owned).map(of_vertex).collect())
    }
}
