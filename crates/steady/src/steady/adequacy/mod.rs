//! The report on whether a mesh is fine enough for a large-eddy simulation, from the steady solution on its points.
//!
//! The limits are those that are usual for wall-resolved simulations with high-order schemes, and the report says so.

mod measured;
mod stations;
mod text;
mod volume;
mod walls;

pub use measured::Adequacy;
pub use stations::Station;
pub use text::{text, warnings};
pub use volume::TurbulentCell;
pub use walls::{INNER, WallFace};
