//! Interfaces: the faces on both sides, where they begin and end, and the rows that they meet on the other side.
//!
//! The solver finds them. The plan lists where the values of their points lie.

use std::ops::Range;

/// A face of an interface, as its row sees it.
#[derive(Debug, Clone)]
pub struct SideFace {
    /// The cell.
    pub cell: usize,
    /// Local number of the face.
    pub face: usize,
    /// Orientation by which its points are numbered along the direction of the interface, then along the other one.
    pub orientation: usize,
    /// Number of the interface.
    pub interface: usize,
    /// 1 if the displacement of the interface is that of the other side, -1 if it is that of this side.
    pub sign: f64,
    /// Speed of the other side in that direction, seen from this one.
    pub speed: f64,
    /// The direction (0, 1, 2).
    pub along: usize,
    /// Distance of its beginning from that of its row.
    pub first: f64,
    /// Its length.
    pub length: f64,
    /// Distance of the beginning of its row from that of the row on the other side, where the mesh has them.
    pub offset: f64,
    /// Length of both rows.
    pub period: f64,
    /// The row on the other side, as a range of [`Interfaces::faces`].
    pub row: Range<usize>,
}

/// The interfaces of a run.
#[derive(Debug, Clone, Default)]
pub struct Interfaces {
    /// The faces, of each row in the order in which they lie.
    pub faces: Vec<SideFace>,
}
