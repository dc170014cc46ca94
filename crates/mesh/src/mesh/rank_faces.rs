//! The faces between ranks, in an order that both sides can determine.

use std::collections::BTreeMap;

use super::types::{Mesh, Side};
use crate::element::{ElementKind, FaceShape};

/// A face whose neighbour is a cell of another rank.
#[derive(Debug, Clone, Copy)]
pub struct RemoteFace {
    /// The cell, in this rank's numbering.
    pub cell: usize,
    /// The face of the cell.
    pub face: usize,
    /// Numbering of the neighbour's face points relative to ours.
    pub orientation: usize,
    /// Index into [`Mesh::rotations`] if the boundary is periodic by rotation.
    pub rotation: Option<usize>,
    /// Sort key of the face on this side.
    pub here: FaceKey,
    /// Sort key of the neighbour's face.
    pub there: FaceKey,
}

/// A key that sorts faces in the same way on both sides: kind of the cell, shape of the face, number of the cell in the
/// whole mesh, and number of the face in its cell.
pub type FaceKey = (ElementKind, FaceShape, usize, usize);

impl RemoteFace {
    /// Shape of the face.
    pub fn shape(&self) -> FaceShape {
        self.here.1
    }
}

impl Mesh {
    /// Faces whose neighbours are cells of other ranks, by rank.
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
                    rotation,
                    here: (self.kinds[cell], shape, self.global(cell), face),
                    there: (kind, shape, there, back),
                });
            }
        }
        by_rank
    }
}
