//! Where a mesh comes from: a box to be made, or a file.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::motion::Motion;

/// Where the mesh comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum MeshSource {
    /// A box, made at the start.
    Box(BoxMesh),
    /// A file.
    File {
        /// Its path.
        path: PathBuf,
        /// Pairs of boundaries to join.
        periodic: Vec<PeriodicPair>,
    },
}

/// A box of cells, optionally stretched and warped.
#[derive(Debug, Clone, PartialEq)]
pub struct BoxMesh {
    /// Number of cells in x, y, z.
    pub cells: [usize; 3],
    /// Lower corner.
    pub lower: [f64; 3],
    /// Upper corner.
    pub upper: [f64; 3],
    /// Directions that are periodic.
    pub periodic: [bool; 3],
    /// What the cubes are divided into.
    pub elements: BoxElements,
    /// Per direction: `Some(lam)` clusters the points to both ends, y_n = (1 - tanh(lam (1/2 - n/N))/tanh(lam/2))/2.
    pub stretch: [Option<f64>; 3],
    /// Relative amplitude of a smooth distortion of the whole box (0: straight).
    pub warp: f64,
    /// Whether the distortion bends the cells or only moves their vertices (then cells stay trilinear).
    pub warp_kind: WarpKind,
}

/// What the cubes of a box are divided into.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum BoxElements {
    /// Hexahedra: every cube is one.
    #[default]
    Hex,
    /// Two prisms a cube, along z.
    Prism,
    /// Six tetrahedra a cube.
    Tet,
    /// Six pyramids a cube, about its centre.
    Pyramid,
    /// All four kinds in a fixed pattern, in which every pair of kinds meets that can; an even number of cubes each way, 4 in x.
    Mixed,
}

/// How `warp` acts on cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarpKind {
    /// Cells are curved: every geometry node follows the distortion.
    #[default]
    Curved,
    /// Only the vertices follow it: cells are trilinear.
    Trilinear,
}

/// Two boundaries that are one place.
#[derive(Debug, Clone, PartialEq)]
pub struct PeriodicPair {
    /// Name of the first boundary.
    pub first: String,
    /// Name of the second.
    pub second: String,
    /// Carries the first to the second.
    pub motion: Motion,
}
