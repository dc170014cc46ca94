//! What can be wrong with a mesh on which a steady solution is computed, and with its export.

use thiserror::Error;

use super::rotation::MOST_ANGLES;
use crate::format::location;
use crate::geometry::GeometryError;
use crate::io;

/// An error in the construction of a median dual.
#[derive(Debug, Error)]
pub enum DualError {
    /// The sub-mesh of a mesh that is periodic by rotation cannot be written.
    #[error(
        "the mesh is periodic by rotation, which is not written to files of SU2: use sides that are periodic by \
         translation, or walls"
    )]
    Rotated,
    /// Faces meet smaller ones.
    #[error(
        "{faces} faces of the mesh meet smaller ones at hanging nodes, which the steady solver and files of SU2 do not \
         have: use a mesh whose faces match, or a run in time"
    )]
    HangingNodes {
        /// Number of such faces on this rank.
        faces: usize,
    },
    /// Sides are periodic by rotations about different axes.
    #[error(
        "sides of the mesh are periodic by rotations about different axes, and the steady solver knows one axis with \
         at most {MOST_ANGLES} angles: compute rows with different axes one by one"
    )]
    Rotations,
    /// A shift does not go together with the rotation.
    #[error(
        "the mesh is periodic by a rotation and by the shift {}, which is not along its axis: the steady solver \
         joins shifts along the axis only", location(*shift)
    )]
    AcrossAxis {
        /// The shift.
        shift: [f64; 3],
    },
    /// A point lies on the axis of the rotation.
    #[error(
        "the point {} lies on the axis of the rotation by which the mesh is periodic, where the steady solver has no \
         median dual: leave out the axis by a wall of small radius", location(*at)
    )]
    OnAxis {
        /// Its position.
        at: [f64; 3],
    },
    /// Points that faces unite are no periodic images of each other.
    #[error(
        "the points {} and {} are joined by periodic boundaries, but no sum of periods of the mesh leads from one to \
         the other", location(*at), location(*other)
    )]
    NoPeriod {
        /// Position of a point.
        at: [f64; 3],
        /// Position of the other.
        other: [f64; 3],
    },
    /// The dual of a vertex has no positive volume.
    #[error(
        "the sub-cells of degree {order} around the point {} of {cell} are inverted: the volume of its dual is \
         {volume:.3e}, and it must be positive ({others} more such points); refine the mesh or change `steady.points`",
        location(*at)
    )]
    NotPositive {
        /// Name of the cell, with its number and its tag if it has one.
        cell: String,
        /// Degree of the points.
        order: usize,
        /// The smallest volume.
        volume: f64,
        /// Position of the vertex.
        at: [f64; 3],
        /// Number of other vertices with such volumes.
        others: usize,
    },
    /// Another rank has found an error.
    #[error("rank {0} has found an error in the mesh")]
    OnOtherRank(usize),
}

/// An error in the export of a sub-mesh or of a solution on it.
#[derive(Debug, Error)]
pub enum ExportError {
    /// A cell is inverted or degenerate.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The sub-mesh cannot be built.
    #[error(transparent)]
    Dual(#[from] DualError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] io::Error),
}
