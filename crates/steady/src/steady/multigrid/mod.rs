//! Coarser levels of agglomerates of the vertices, on which a preconditioner solves what changes slowly on the points.
//!
//! All ranks make the same levels from the whole mesh. A level has a dual like that of the points, so that the same
//! kernels run on it.

mod agglomeration;
mod levels;
mod lists;

pub use levels::{Coarsening, Level, Levels, Meshes};
pub use lists::Lists;
