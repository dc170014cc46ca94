//! Implicit steps of the steady solver: backward Euler, linearised, with the Jacobian of the fluxes of first order.

mod colours;
mod elimination;
mod galerkin;
mod hierarchy;
mod keys;
mod krylov;
mod lines;
mod matrix;
mod preconditioner;
mod settings;
mod solver;
mod timing;

pub(crate) use keys::ImplicitKeys;
pub use krylov::Solved;
pub(super) use krylov::bytes_of_vectors;
pub use lines::{Lines, keep_lines_whole};
pub(super) use matrix::Unknowns;
pub use settings::{Implicit, Preconditioner, Refresh};
pub use solver::{ImplicitSolver, LinearSystem, Solutions, Step, System};
pub use timing::{Timings, seconds_of_explicit_step};
