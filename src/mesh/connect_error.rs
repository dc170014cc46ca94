//! Why cells cannot be connected, with the cells and places that the reader of the message can look up.

use std::fmt;

use super::cells::{Cells, centre};
use crate::words::place;

/// A face in a message.
#[derive(Debug, Clone, PartialEq)]
pub struct FacePlace {
    /// The cell, counted from 0 in the order of the mesh.
    pub cell: usize,
    /// Its face.
    pub face: usize,
    /// The cell's tag in the mesh file.
    pub tag: Option<u64>,
    /// The middle of the face.
    pub centre: Option<[f64; 3]>,
}

impl FacePlace {
    pub(super) fn new((cell, face): (usize, usize)) -> Self {
        Self {
            cell,
            face,
            tag: None,
            centre: None,
        }
    }

    /// Adds what only the mesh file knows.
    pub fn locate(&mut self, cells: Cells, tags: &[u64], positions: &[[f64; 3]]) {
        self.tag = tags.get(self.cell).copied();
        self.centre = Some(centre(cells.face(self.cell, self.face), positions));
    }
}

impl fmt::Display for FacePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tag {
            Some(tag) => write!(f, "face {} of cell {tag}", self.face)?,
            None => write!(f, "face {} of the mesh's cell number {}", self.face, self.cell)?,
        }
        match self.centre {
            Some(at) => write!(f, " at {}", place(at)),
            None => Ok(()),
        }
    }
}

/// Why cells cannot be connected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConnectError {
    /// More than two cells have a face in common.
    #[error(
        "three cells share one face: {}, {} and {}; a face has at most two sides, so cells overlap or one is there twice",
        .0[0], .0[1], .0[2]
    )]
    ThreeCells(Box<[FacePlace; 3]>),
    /// Two faces have the same vertices, but around the face in different orders.
    #[error("{} and {} have the same four vertices, but join them in different orders: one of the cells is twisted", .0[0], .0[1])]
    Twisted(Box<[FacePlace; 2]>),
    /// A cell has one vertex at two corners.
    #[error("{place} has the same vertex at two corners: cells collapsed to another shape are not supported")]
    Collapsed {
        /// A face with the vertex.
        place: Box<FacePlace>,
    },
    /// A quadrilateral meets triangles.
    #[error(
        "non-conforming mesh: the quadrilateral {} meets the triangle {}; a layer of pyramids or prisms has to lie between",
        .0[0], .0[1]
    )]
    QuadMeetsTriangle(Box<[FacePlace; 2]>),
    /// Faces of a periodic boundary have no partner on the other side.
    #[error("{count} faces of a periodic boundary have no partner on the other, first {place}{nearest}")]
    Unmatched {
        /// How many, of the boundary that `place` belongs to.
        count: usize,
        /// The first of them.
        place: Box<FacePlace>,
        /// How far the nearest candidate is off.
        nearest: Nearest,
    },
}

/// How far the nearest candidate for a partner is off, if positions were compared at all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest(pub Option<(f64, f64)>);

impl fmt::Display for Nearest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((distance, tolerance)) => {
                write!(
                    f,
                    "; after the periodic motion the nearest face is {distance:.3e} away, allowed are {tolerance:.3e}"
                )
            }
            None => Ok(()),
        }
    }
}

impl ConnectError {
    /// Adds the cells' tags and the faces' positions to the message.
    pub fn locate(mut self, cells: Cells, tags: &[u64], positions: &[[f64; 3]]) -> Self {
        let places: &mut [FacePlace] = match &mut self {
            Self::ThreeCells(places) => places.as_mut_slice(),
            Self::Twisted(places) | Self::QuadMeetsTriangle(places) => places.as_mut_slice(),
            Self::Collapsed { place } | Self::Unmatched { place, .. } => std::slice::from_mut(place),
        };
        places.iter_mut().for_each(|place| place.locate(cells, tags, positions));
        self
    }
}
