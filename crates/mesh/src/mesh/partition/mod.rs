//! Division of a mesh among ranks.
//!
//! Every rank holds some of the cells, in the order that they have in the whole mesh, and knows the faces whose
//! neighbours are on other ranks. Only the speed depends on the division, results do not. METIS balances the costs of
//! the cells and minimises the number of face points between ranks.
//!
//! [`divide`] assigns cells to parts, [`extract`] takes a rank's part out of the whole mesh, [`distribute`] does both
//! on all ranks of a communicator, and [`Report`] measures the quality of a division. [`super::read_part`] reads a part
//! of a native mesh file without the whole mesh.

mod distribute;
mod divide;
mod divide_error;
mod dual_graph;
mod extract;
mod groups;
mod pairing;
mod report;
mod weights;

pub(super) use distribute::divide_on_rank_0;
pub use distribute::{DistributeError, distribute};
pub use divide::divide;
pub(super) use divide::{Behind, divide_cells, seconds_to_divide};
pub use divide_error::DivideError;
pub use extract::extract;
pub(super) use extract::{OtherRank, localise, localise_mortars};
pub(super) use pairing::pairing;
pub use report::{Load, Report};
pub use weights::Weights;

#[cfg(test)]
mod tests;
