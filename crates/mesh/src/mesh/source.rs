//! The sources of a mesh: a box to be generated, or a file.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::motion::Motion;

/// The source of the mesh of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum MeshSource {
    /// A box, generated at the start.
    Box(BoxMesh),
    /// A file.
    File {
        /// Path of the file.
        path: PathBuf,
        /// Pairs of boundaries to be joined as periodic.
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
    /// True for periodic directions.
    pub periodic: [bool; 3],
    /// Elements into which the cubes are divided.
    pub elements: BoxElements,
    /// Stretching in each direction: `Some(lam)` clusters vertices to both ends,
    /// y_n = (1 - tanh(lam (1/2 - n/N)) / tanh(lam/2)) / 2.
    pub stretch: [Option<f64>; 3],
    /// Amplitude of a smooth distortion of the whole box relative to its shortest side; 0 for a straight box.
    pub warp: f64,
    /// Effect of the distortion on the cells.
    pub warp_kind: WarpKind,
}

/// The elements into which the cubes of a box are divided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum BoxElements {
    /// Hexahedra, one a cube.
    #[default]
    Hex,
    /// Two prisms a cube, along z.
    Prism,
    /// Six tetrahedra a cube.
    Tet,
    /// Six pyramids a cube, about its centre.
    Pyramid,
    /// All four kinds in a fixed pattern in which all possible pairs of kinds meet. The number of cubes must be even in
    /// every direction, and at least 4 in x.
    Mixed,
}

/// The effect of `warp` on cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WarpKind {
    /// Cells are curved: every geometry node follows the distortion.
    #[default]
    Curved,
    /// Only the vertices follow the distortion: cells are trilinear.
    Trilinear,
}

/// The boundaries of a file that are joined as periodic beyond those that the file joins itself, and those that are
/// not.
#[derive(Debug, Clone, Copy, Default)]
pub struct Joins<'a> {
    /// Pairs that are joined.
    pub pairs: &'a [PeriodicPair],
    /// Names of pairs that stay apart, although the file joins them.
    pub apart: &'a [[String; 2]],
}

impl<'a> Joins<'a> {
    /// Pairs that are joined beyond those of the file.
    pub fn of(pairs: &'a [PeriodicPair]) -> Self {
        Joins { pairs, apart: &[] }
    }
}

/// Two boundaries that are identified with each other.
#[derive(Debug, Clone, PartialEq)]
pub struct PeriodicPair {
    /// Name of the first boundary.
    pub first: String,
    /// Name of the second boundary.
    pub second: String,
    /// Motion that carries the first boundary to the second.
    pub motion: Motion,
}
