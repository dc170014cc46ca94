//! Figures of what runs have written: the integrals of a run beside a reference show at a glance whether its result is
//! right, so a figure takes one command and is fit to print.
//!
//! [`integrals`], [`profiles`], [`mod@bench`] and [`timeline`] decide what belongs in which panel of a [`figure`], and
//! [`draw`] draws any such description. The drawing below it (layout, panels, axes, text) knows nothing of flow.

mod axis;
pub mod bench;
mod draw;
mod error;
pub mod figure;
pub mod integrals;
mod interpolate;
mod lanes;
mod layout;
mod legend;
mod page;
mod panel;
pub mod peak;
pub mod profiles;
mod render;
mod strokes;
pub mod timeline;

pub use draw::draw;
pub use error::Error;
