//! What preconditions the linear systems: sweeps, an incomplete elimination, or multigrid cycles.

use super::elimination::Elimination;
use super::hierarchy::Hierarchy;
use super::matrix::Matrix;
use crate::device::DeviceError;
use crate::device::contract::SteadyParams;
use crate::steady::machine::Machine;

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
    /// Computes the factors of a matrix. `flow` are parameters that lead to the flow of which it is the Jacobian.
    pub fn factor(self, matrix: &Matrix<M>, flow: &SteadyParams) -> Result<(), DeviceError> {
        match self {
            Method::Sweeps(_) => matrix.factor(),
            Method::Elimination(elimination) => elimination.factor(matrix, flow),
            Method::Cycles(hierarchy) => {
                matrix.factor()?;
                hierarchy.factor(matrix)
            }
        }
    }

    /// Computes an approximate solution x of A x = b, with its halo. `scratch` is a vector in double precision.
    pub fn apply(self, matrix: &Matrix<M>, b: *const f32, x: *mut f32, scratch: *mut f64) -> Result<(), DeviceError> {
        match self {
            Method::Sweeps(sweeps) => {
                matrix.solve_blocks(b, x)?;
                matrix.sweep(b, x, 0..sweeps)
            }
            Method::Elimination(elimination) => elimination.solve(matrix, b, x),
            Method::Cycles(hierarchy) => hierarchy.cycle(0, matrix, b, x, scratch),
        }
    }
}
