//! The faces between ranks, as both sides list them.

use std::collections::BTreeMap;

use super::{Mesh, Side};
use crate::element::{ElementKind, FaceShape};

/// A face behind which another rank's cell lies.
#[derive(Debug, Clone, Copy)]
pub struct RemoteFace {
    /// The cell, in this rank's numbering.
    pub cell: usize,
    /// Its face.
    pub face: usize,
    /// How the other side's face points are numbered against ours.
    pub orientation: usize,
    /// Whether the other side is seen after a rotation.
    pub rotated: bool,
    /// The face as this side names it.
    pub here: FaceKey,
    /// The face as the other side names it.
    pub there: FaceKey,
}

/// What sorts faces in the same way on both sides: kind of the cell, shape, number of the cell in the whole mesh, and which
/// of its faces it is.
pub type FaceKey = (ElementKind, FaceShape, usize, usize);

impl RemoteFace {
    /// Its shape.
    pub fn shape(&self) -> FaceShape {
        self.here.1
    }
}

impl Mesh {
    /// The faces behind which other ranks' cells lie, by rank.
    pub fn remote_faces(&self) -> BTreeMap<usize, Vec<RemoteFace>> {
        let mut by_rank: BTreeMap<usize, Vec<RemoteFace>> = BTreeMap::new();
        for cell in 0..self.len() {
            for (face, side) in self.cell_sides(cell).iter().enumerate() {
                let Side::Remote {
                    rank,
                    cell: there,
                    kind,
                    face: back,
                    orientation,
                    rotation,
                } = *side
                else {
                    continue;
                };
                let shape = self.kinds[cell].faces()[face].shape;
                by_rank.entry(rank).or_default().push(RemoteFace {
                    cell,
                    face,
                    orientation,
                    rotated: rotation.is_some(),
                    here: (self.kinds[cell], shape, self.global(cell), face),
                    there: (kind, shape, there, back),
                });
            }
        }
        by_rank
    }
}
