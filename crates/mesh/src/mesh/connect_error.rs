//! Errors in the connectivity of cells, with the tags and positions that a user can look up.

use std::fmt;

use super::cells::{Cells, centre};
use super::types::CellFace;
use crate::format::location;

/// The location of a face, for messages.
#[derive(Debug, Clone, PartialEq)]
pub struct FaceLocation {
    /// The cell, counted from 0 in the order of the mesh.
    pub cell: usize,
    /// The face of the cell.
    pub face: usize,
    /// Tag of the cell in the mesh file.
    pub tag: Option<u64>,
    /// Mean of the face's vertices.
    pub centre: Option<[f64; 3]>,
}

impl FaceLocation {
    pub(super) fn new(at: CellFace) -> Self {
        Self {
            cell: at.cell,
            face: at.face,
            tag: None,
            centre: None,
        }
    }

    /// Adds the cell's tag and the position of the face.
    pub fn locate(&mut self, cells: Cells, tags: &[u64], positions: &[[f64; 3]]) {
        let at = CellFace {
            cell: self.cell,
            face: self.face,
        };
        self.tag = tags.get(self.cell).copied();
        self.centre = Some(centre(cells.face(at), positions));
    }
}

impl fmt::Display for FaceLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tag {
            Some(tag) => write!(f, "face {} of cell {tag}", self.face)?,
            None => write!(f, "face {} of the mesh's cell number {}", self.face, self.cell)?,
        }
        match self.centre {
            Some(at) => write!(f, " at {}", location(at)),
            None => Ok(()),
        }
    }
}

/// An error that prevents cells from being connected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ConnectError {
    /// More than two cells have a face in common.
    #[error(
        "three cells share one face: {}, {} and {}; a face has at most two sides, so cells overlap or one occurs twice",
        .0[0], .0[1], .0[2]
    )]
    ThreeCells(Box<[FaceLocation; 3]>),
    /// Two faces have the same vertices, but in different orders around the face.
    #[error(
        "{} and {} have the same four vertices, but join them in different orders: one of the cells is twisted",
        .0[0], .0[1]
    )]
    Twisted(Box<[FaceLocation; 2]>),
    /// A cell has one vertex at two corners.
    #[error("{place} has the same vertex at two corners: cells collapsed to another shape are not supported")]
    Collapsed {
        /// A face with this vertex.
        place: Box<FaceLocation>,
    },
    /// A quadrilateral meets triangles.
    #[error(
        "non-conforming mesh: the quadrilateral {} meets the triangle {}; \
         a layer of pyramids or prisms has to lie between",
        .0[0], .0[1]
    )]
    QuadMeetsTriangle(Box<[FaceLocation; 2]>),
    /// Faces of a periodic boundary have no partner on the other side.
    #[error("{count} faces of a periodic boundary have no partner on the other, first {place}{nearest}")]
    Unmatched {
        /// Number of such faces on the boundary to which `place` belongs.
        count: usize,
        /// The first of them.
        place: Box<FaceLocation>,
        /// Distance of the nearest candidate.
        nearest: Nearest,
    },
}

/// Distance of the nearest candidate for a partner, and the tolerance; `None` if positions were not compared.
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
    /// Adds the tags of the cells and the positions of the faces to the message.
    pub fn locate(mut self, cells: Cells, tags: &[u64], positions: &[[f64; 3]]) -> Self {
        let places: &mut [FaceLocation] = match &mut self {
            Self::ThreeCells(places) => places.as_mut_slice(),
            Self::Twisted(places) | Self::QuadMeetsTriangle(places) => places.as_mut_slice(),
            Self::Collapsed { place } | Self::Unmatched { place, .. } => std::slice::from_mut(place),
        };
        places.iter_mut().for_each(|place| place.locate(cells, tags, positions));
        self
    }
}
