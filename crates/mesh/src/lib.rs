//! Meshes, from boxes, files of other programs and profiles of blades, and their geometry.
#![deny(missing_docs)]

use fr_les_base::{element, format, input, io, ranks, vector};

pub mod geometry;
pub mod mesh;
