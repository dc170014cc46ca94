//! Errors in dividing a mesh.

use thiserror::Error;

/// Largest count and largest sum of weights, for which METIS uses 32 bits.
pub const METIS_MAX: usize = i32::MAX as usize;

/// An error in dividing a mesh.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DivideError {
    /// There are fewer cells than parts, or the number of parts is zero.
    #[error("{cells} cells cannot be divided among {parts} ranks: there must be at least one cell a rank")]
    Parts {
        /// Number of cells of the mesh.
        cells: usize,
        /// Requested number of parts.
        parts: usize,
    },
    /// There are fewer parts of the mesh than ranks, since cells at interfaces and at hanging nodes stay together.
    #[error(
        "{parts} ranks are too many: all cells at interfaces are on one rank, and so are those that meet at hanging \
         nodes, so that at most {most} ranks can share the mesh"
    )]
    Together {
        /// Most parts that the mesh can have.
        most: usize,
        /// Requested number of parts.
        parts: usize,
    },
    /// The mesh exceeds the 32-bit numbers of METIS.
    #[error(
        "the mesh is too large to be divided: {cells} cells have {sides} sides to other cells, \
         but at most {METIS_MAX} can be counted"
    )]
    TooLarge {
        /// Number of cells of the mesh.
        cells: usize,
        /// Number of sides that lead to other cells.
        sides: usize,
    },
    /// A side does not lead back.
    #[error("cell {from} leads to cell {to}, which does not exist or does not lead back")]
    OneWay {
        /// The cell.
        from: usize,
        /// Its neighbour.
        to: usize,
    },
    /// METIS failed.
    #[error("METIS cannot divide the mesh into {parts} parts: {reason}")]
    Metis {
        /// Requested number of parts.
        parts: usize,
        /// The reason given by METIS.
        reason: String,
    },
}
