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

/// A key that sorts faces in the same way on both sides, by its fields in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FaceKey {
    /// Kind of the cell.
    pub kind: ElementKind,
    /// Shape of the face.
    pub shape: FaceShape,
    /// Number of the cell in the whole mesh.
    pub cell: usize,
    /// Number of the face in its cell.
    pub face: usize,
}

impl RemoteFace {
    /// Shape of the face.
    pub fn shape(&self) -> FaceShape {
        self.here.shape
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
                    here: FaceKey {
                        kind: self.kinds[cell],
                        shape,
                        cell: self.global(cell),
                        face,
                    },
                    there: FaceKey {
                        kind,
                        shape,
                        cell: there,
                        face: back,
                    },
                });
            }
        }
        by_rank
    }
}
