//! A linear system on the vertices, with what preconditioners take from it: triangular factors and sweeps.

use std::ops::Range;

use super::lines::Lines;
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::physics::Turbulence;
use crate::steady::dual::DualMesh;
use crate::steady::machine::{Machine, upload};
use crate::steady::solver::Solver;

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
    /// Those of the systems of a step: of the mean flow, and of the model if there is one.
    pub fn of(turbulence: Turbulence) -> &'static [Unknowns] {
        match turbulence {
            Turbulence::None => &[Unknowns::Flow],
            Turbulence::SaNeg => &[Unknowns::Flow, Unknowns::Eddy],
            Turbulence::KOmega | Turbulence::Sst => &[Unknowns::Flow, Unknowns::Pair],
        }
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

/// What an incomplete elimination needs to know of the vertices.
pub struct Elimination<M: Machine> {
    colour: M::Array,
    held: M::Array,
}

impl<M: Machine> Elimination<M> {
    /// Uploads the colours, and what walls hold at each local vertex.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(solver: &Solver<M>, lines: &Lines, held: &[f64]) -> Result<Self, DeviceError> {
        let slices = &solver.slices;
        let by_slot = |value: &dyn Fn(usize) -> f64| {
            let mut all = vec![0.0f64; slices.slots];
            (0..held.len()).for_each(|vertex| all[slices.slot(vertex)] = value(vertex));
            upload(&*solver.store, &all)
        };
        Ok(Elimination {
            colour: by_slot(&|vertex| f64::from(lines.colour[vertex]))?,
            held: by_slot(&|vertex| held[vertex])?,
        })
    }
}

/// A matrix in blocks, and its triangular factors.
pub struct Matrix<M: Machine> {
    /// The rows of a block.
    pub unknowns: Unknowns,
    offdiagonal: M::Array,
    diagonal: M::Array,
    factors: M::Array,
    line_begin: M::Array,
}

impl<M: Machine> Matrix<M> {
    /// Returns a matrix, which is zero until it is assembled.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn new(solver: &Solver<M>, lines: &Lines, unknowns: Unknowns) -> Result<Self, DeviceError> {
        let (store, squares) = (&*solver.store, unknowns.count().pow(2));
        let blocks = squares * solver.slices.slots;
        Ok(Matrix {
            unknowns,
            offdiagonal: store.zeros(squares * solver.slices.neighbour.len() * size_of::<f32>())?,
            diagonal: store.zeros(blocks * size_of::<f64>())?,
            factors: store.zeros(blocks * size_of::<f32>())?,
            line_begin: upload(store, &lines.begin)?,
        })
    }

    /// Returns the bytes of its arrays.
    pub fn bytes(&self) -> usize {
        let arrays = [&self.offdiagonal, &self.diagonal, &self.factors, &self.line_begin];
        arrays.map(Memory::bytes).iter().sum()
    }

    /// Parameters of launches that write the matrix and the vector `result`, or read the vector `from`.
    pub fn params(&self, solver: &Solver<M>, from: *const f64, result: *mut f64) -> SteadyParams {
        let mut params = solver.params;
        params.offdiagonal = self.offdiagonal.pointer();
        params.diagonal = self.diagonal.pointer();
        params.factors = self.factors.pointer();
        params.line_begin = self.line_begin.pointer();
        params.unknowns = self.unknowns.count() as i64;
        params.vector = from;
        params.result = result;
        params
    }

    /// Makes this the matrix of the finer level that a launch reads.
    pub fn read_as_finer(&self, params: &mut SteadyParams, solver: &Solver<M>) {
        params.other_offdiagonal = self.offdiagonal.pointer();
        params.other_diagonal = self.diagonal.pointer();
        params.other_edges = solver.slices.neighbour.len() as i64;
        params.other_slots = solver.slices.slots as i64;
    }

    /// Computes result = A x, or `from` - A x if that is not null; x has its halo.
    ///
    /// # Errors
    /// The machine fails.
    pub fn multiply(
        &self,
        solver: &Solver<M>,
        x: *mut f32,
        (from, result): (*const f64, *mut f64),
    ) -> Result<(), DeviceError> {
        let mut params = self.params(solver, from, result);
        params.direction = x;
        solver.over_vertices(self.unknowns.verbs().multiply, params)
    }

    /// Computes b - A x; x has its halo.
    ///
    /// # Errors
    /// The machine fails.
    pub fn residual(
        &self,
        solver: &Solver<M>,
        (b, x): (*const f32, *mut f32),
        result: *mut f64,
    ) -> Result<(), DeviceError> {
        let mut params = self.params(solver, std::ptr::null(), result);
        (params.basis, params.direction) = (b, x);
        solver.over_vertices(self.unknowns.verbs().multiply, params)
    }

    /// Computes the factors of the own blocks along lines.
    ///
    /// # Errors
    /// The machine fails.
    pub fn factor(&self, solver: &Solver<M>, lines: &Lines) -> Result<(), DeviceError> {
        let params = self.params(solver, std::ptr::null(), std::ptr::null_mut());
        let all = 0..(lines.begin.len() - 1) * solver.slice;
        solver.launch(self.unknowns.verbs().factor, params, all)
    }

    /// Computes the factors of an incomplete elimination.
    ///
    /// # Errors
    /// The machine fails.
    pub fn eliminate(
        &self,
        solver: &Solver<M>,
        lines: &Lines,
        elimination: &Elimination<M>,
    ) -> Result<(), DeviceError> {
        let mut params = self.params(solver, std::ptr::null(), std::ptr::null_mut());
        (params.colour, params.held) = (elimination.colour.pointer(), elimination.held.pointer());
        for colour in &lines.of_colour {
            solver.launch(SteadyKernel::Eliminate, params, colour.clone())?;
            solver.update_halo_of_single(params.factors, self.unknowns.count().pow(2))?;
        }
        Ok(())
    }

    /// Solves for x with the factors alone. It has its halo then, as after all that solves approximately.
    ///
    /// # Errors
    /// The machine fails.
    pub fn solve_blocks(&self, solver: &Solver<M>, (b, x): (*const f32, *mut f32)) -> Result<(), DeviceError> {
        let mut params = self.params(solver, std::ptr::null(), std::ptr::null_mut());
        (params.basis, params.direction) = (b, x);
        solver.over_vertices(self.unknowns.verbs().solve_blocks, params)?;
        solver.update_halo_of_single(params.direction, self.unknowns.count())
    }

    /// Improves x by sweeps over the colours, of which even numbers go to and odd ones fro. Each colour sees the latest
    /// values of the others.
    ///
    /// # Errors
    /// The machine fails.
    pub fn sweep(
        &self,
        solver: &Solver<M>,
        lines: &Lines,
        (b, x): (*const f32, *mut f32),
        sweeps: Range<usize>,
    ) -> Result<(), DeviceError> {
        let mut params = self.params(solver, std::ptr::null(), std::ptr::null_mut());
        (params.basis, params.direction) = (b, x);
        let mut last = usize::MAX;
        for sweep in sweeps {
            for n in 0..lines.of_colour.len() {
                let colour = if sweep % 2 == 0 {
                    n
                } else {
                    lines.of_colour.len() - 1 - n
                };
                // A colour that was swept last has nothing new to see.
                if colour != last {
                    solver.launch(self.unknowns.verbs().sweep, params, lines.of_colour[colour].clone())?;
                    solver.update_halo_of_single(params.direction, self.unknowns.count())?;
                }
                last = colour;
            }
        }
        Ok(())
    }

    /// Solves for x with the lower factors of an incomplete elimination, and then with the upper ones.
    ///
    /// # Errors
    /// The machine fails.
    pub fn substitute(
        &self,
        solver: &Solver<M>,
        (lines, elimination): (&Lines, &Elimination<M>),
        (b, x): (*const f32, *mut f32),
    ) -> Result<(), DeviceError> {
        let mut params = self.params(solver, std::ptr::null(), std::ptr::null_mut());
        (params.basis, params.direction) = (b, x);
        params.colour = elimination.colour.pointer();
        for colour in &lines.of_colour {
            solver.launch(SteadyKernel::Substitute, params, colour.clone())?;
            solver.update_halo_of_single(params.direction, self.unknowns.count())?;
        }
        params.backward = 1;
        // The last colour has no later ones.
        for colour in lines.of_colour.iter().rev().skip(1) {
            solver.launch(SteadyKernel::Substitute, params, colour.clone())?;
            solver.update_halo_of_single(params.direction, self.unknowns.count())?;
        }
        Ok(())
    }

    /// Returns the values of a vector at the owned vertices, `[vertex][row]`.
    ///
    /// # Errors
    /// The machine fails.
    pub fn values(&self, solver: &Solver<M>, dual: &DualMesh, vector: &M::Array) -> Result<Vec<Vec<f64>>, DeviceError> {
        let slots = solver.slices.slots;
        let all = solver.store.read::<f64>(vector, 0..self.unknowns.count() * slots)?;
        let of_vertex = |vertex| {
            (0..self.unknowns.count())
                .map(|v| all[v * slots + solver.slices.slot(vertex)])
                .collect()
        };
        Ok((0..dual.owned).map(of_vertex).collect())
    }

    /// Returns the blocks of the rows of each owned vertex with the local numbers of the vertices that they multiply:
    /// the own one, and those of its edges in their order.
    ///
    /// # Errors
    /// The machine fails.
    #[allow(clippy::type_complexity)]
    pub fn rows(&self, solver: &Solver<M>, dual: &DualMesh) -> Result<Vec<Vec<(u32, Vec<f64>)>>, DeviceError> {
        let (slices, slice, squares) = (&solver.slices, solver.slice, self.unknowns.count().pow(2));
        let own = solver.store.read::<f64>(&self.diagonal, 0..squares * slices.slots)?;
        let others = solver
            .store
            .read::<f32>(&self.offdiagonal, 0..squares * slices.neighbour.len())?;
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
