//! What a run reports of itself: integrals over the domain, and progress.

mod integrals;
mod progress;

pub use integrals::{COLUMNS, Integrals};
pub use progress::Progress;
