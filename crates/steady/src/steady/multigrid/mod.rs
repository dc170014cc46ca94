//! Coarser levels of agglomerates of the vertices, on which a preconditioner solves what changes slowly on the points.
//!
//! Each rank makes its part of them, and no partition changes them. A level has a dual like that of the points, so that
//! the same kernels run on it.

mod agglomeration;
mod levels;
mod lists;
mod pairs;
mod surface;

pub use levels::{Coarsening, Level, Levels, Meshes};
pub use lists::Lists;
