//! What preconditions the linear systems: sweeps, an incomplete elimination, or multigrid cycles.

use super::hierarchy::Hierarchy;
use super::lines::Lines;
use super::matrix::{Elimination, Matrix};
use crate::device::DeviceError;
use crate::steady::machine::Machine;
use crate::steady::solver::Solver;

/// What a preconditioner does.
pub enum Method<'a, M: Machine> {
    /// So many sweeps over the colours.
    Sweeps(usize),
    /// The factors of an incomplete elimination.
    Elimination(&'a Elimination<M>),
    /// Cycles on coarser levels.
    Cycles(&'a Hierarchy<M>),
}

impl<M: Machine> Clone for Method<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Machine> Copy for Method<'_, M> {}

impl<M: Machine> Method<'_, M> {
    /// Computes the factors of a matrix.
    ///
    /// # Errors
    /// The machine fails.
    pub fn factor(self, solver: &Solver<M>, matrix: &Matrix<M>, lines: &Lines) -> Result<(), DeviceError> {
        match self {
            Method::Sweeps(_) => matrix.factor(solver, lines),
            Method::Elimination(elimination) => matrix.eliminate(solver, lines, elimination),
            Method::Cycles(hierarchy) => {
                matrix.factor(solver, lines)?;
                hierarchy.factor(solver, matrix)
            }
        }
    }

    /// Computes an approximate solution x of A x = b, with its halo. `scratch` is a vector in double precision.
    ///
    /// # Errors
    /// The machine fails.
    pub fn apply(
        self,
        solver: &Solver<M>,
        (matrix, lines): (&Matrix<M>, &Lines),
        (b, x): (*const f32, *mut f32),
        scratch: *mut f64,
    ) -> Result<(), DeviceError> {
        match self {
            Method::Sweeps(sweeps) => {
                matrix.solve_blocks(solver, (b, x))?;
                matrix.sweep(solver, lines, (b, x), 0..sweeps)
            }
            Method::Elimination(elimination) => matrix.substitute(solver, (lines, elimination), (b, x)),
            Method::Cycles(hierarchy) => hierarchy.cycle(0, (solver, lines, matrix), (b, x), scratch),
        }
    }
}
