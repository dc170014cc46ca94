//! The benchmark of mesh loops: the same sums over a mesh by loops over cells, faces, edges and nodes, which scatter
//! with atomic adds or by colours, gather, or store and gather.
//!
//! The solvers gather. These loops (ptx/loops) exist to keep that choice measured, with the kernels of Y. Weng et al.,
//! Adv. Aerodyn. 3 (2021) 21, for cell-centred schemes and of F. Gisbert, R. Corral & G. Pastor (2011) for edge-based
//! ones. [`Tables`] has the cells, faces, edges and nodes of a mesh, [`Numbering`] the orders in which they are stored,
//! and [`measure`](fn@measure) times the loops of the list [`LOOPS`] on a machine.

mod arrays;
mod colours;
mod fields;
mod lists;
mod machine;
mod measure;
mod modes;
mod numbering;
mod tables;

pub use fields::Fields;
pub use machine::LoopMachine;
pub use measure::{Row, copy_bandwidth, measure};
pub use modes::{LOOPS, LoopSpec, Mode};
pub use numbering::Numbering;
pub use tables::{Sizes, Tables, TablesError};
