//! What a run reports of itself: integrals over the domain, what flows through its boundaries, and progress.

mod boundaries;
mod integrals;
mod progress;
mod spectrum;

pub use boundaries::{Boundaries, BoundaryFlux};
pub use integrals::{COLUMNS, Integrals};
pub use progress::Progress;
pub use spectrum::{QUANTITIES, Spectrum};
