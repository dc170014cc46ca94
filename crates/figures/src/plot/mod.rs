//! Figures of the files of runs. The integrals of a run beside a reference show at a glance whether its result is
//! right, so that a figure takes one command and is ready for print.
//!
//! [`series`], [`integrals`], [`profiles`], [`blades`], [`phases`], [`traverses`], [`spectra`], [`slices`] and
//! [`convergence`] decide the contents of each panel of a [`figure`], and [`draw`] draws any such description. The
//! drawing below it (layout, panels, axes, text) does not depend on flows.

mod axis;
pub mod blades;
mod chi_square;
pub mod colours;
mod columns;
mod contour;
pub mod convergence;
mod draw;
mod error;
mod exponents;
mod field;
pub mod figure;
pub mod integrals;
mod layout;
mod legend;
mod page;
mod panel;
pub mod peak;
pub mod phases;
mod points;
pub mod profiles;
mod render;
pub mod series;
pub mod slices;
pub mod spectra;
mod stored;
mod strokes;
mod thinned;
mod tiles;
mod traces;
pub mod traverses;
mod usual;
mod welch;

pub use draw::{draw, draw_sized, png, svg};
pub use error::Error;
pub use exponents::raised;
pub use field::Field;
pub use stored::Stored;
pub use thinned::thinned;
