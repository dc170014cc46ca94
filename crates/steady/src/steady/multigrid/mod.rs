//! Multigrid for explicit steps: what changes slowly on the points is solved on coarser levels, which are made of
//! agglomerates of the vertices.
//!
//! A level has a dual like that of the points, so that the same kernels run on it. Coarse levels have states that are
//! constant in each agglomerate, and gradients along the edges alone (thin layer).

mod agglomeration;
mod cycle;
mod keys;
mod levels;
mod lists;

pub use cycle::Multigrid;
pub use keys::LEVELS;
pub(crate) use keys::MultigridKeys;
pub use levels::{Coarsening, Level, Levels};
pub use lists::Lists;
