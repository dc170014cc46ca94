//! Statistics of turbulence: means over time, and over directions in which the flow is homogeneous, of products of density,
//! velocity, pressure and temperature, from which stresses, fluxes and third moments follow.
//!
//! A device sums the products over time, for each slot of each cell (ptx/statistics.cu); `slots` finds the slots, `places` adds
//! those of all cells that lie at the same place, `moments` turns sums into moments about the mean, `walls` has what walls feel,
//! and `files` writes it. Means are Reynolds means: of the quantities themselves, not weighted with the density.

mod files;
mod moments;
mod places;
mod slots;
mod walls;

pub use files::{Profile, Span, in_lines};
pub use moments::{Column, MOMENTS, QUANTITIES, columns, factors};
pub use places::Places;
pub use slots::{Misaligned, slots_of, slots_per_cell};
pub use walls::{Wall, WallSurface, reynolds_number};

use crate::input::AXES;

/// Directions in words.
pub fn in_words(directions: [bool; 3]) -> String {
    let names: Vec<&str> = (0..3).filter(|&d| directions[d]).map(|d| AXES[d]).collect();
    names.join(" and ")
}
