//! Figures of the files of runs. The integrals of a run beside a reference show at a glance whether its result is
//! right, so that a figure takes one command and is ready for print.
//!
//! [`integrals`], [`profiles`], [`blades`], [`phases`], [`traverses`], [`spectra`] and [`convergence`] decide the
//! contents of each panel of a [`figure`], and [`draw`] draws any such description. The drawing below it (layout,
//! panels, axes, text) does not depend on flows.

mod axis;
pub mod blades;
pub mod colours;
mod columns;
mod contour;
pub mod convergence;
mod draw;
mod error;
pub mod figure;
pub mod integrals;
mod layout;
mod legend;
mod page;
mod panel;
pub mod peak;
pub mod phases;
pub mod profiles;
mod render;
pub mod spectra;
mod strokes;
mod tiles;
pub mod traverses;
mod welch;

pub use draw::{draw, png, svg};
pub use error::Error;
