//! fr-les: a high-order flux-reconstruction solver for large-eddy simulation of compressible flow.
//!
//! Data flows one way: `case` -> `mesh` -> `geometry` -> `device` -> `solver` -> `monitor` and `io`.
#![deny(missing_docs)]

pub mod case;
pub mod device;
pub mod element;
pub mod geometry;
pub mod mesh;
pub mod solver;
