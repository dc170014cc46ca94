//! What a run reports of itself: integrals over the domain, what flows through its boundaries, and progress.

mod boundaries;
mod bulk;
mod integrals;
mod progress;
mod spectrum;
pub mod statistics;
mod walls;

pub use boundaries::{Boundaries, BoundaryFlux};
pub use bulk::Bulk;
pub use integrals::{COLUMNS, Integrals};
pub use progress::Progress;
pub use spectrum::{Primitives, QUANTITIES, Spectrum};
pub use walls::{SurfaceFace, SurfacePoint, Surfaces, tangential};
