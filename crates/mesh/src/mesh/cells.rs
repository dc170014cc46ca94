//! Cells described by their corner vertices, and faces described by their vertices.

use super::types::CellFace;
use crate::element::ElementKind;

/// The cells of a mesh, described by their corner vertices.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    /// Kind of each cell, `[cell]`.
    pub kinds: &'a [ElementKind],
    /// Numbers of the corner vertices, `[cell][corner]`, in the order of the reference element.
    pub corners: &'a [u32],
    /// Offsets of the cells in `corners`, `[cell + 1]`.
    pub first_corner: &'a [usize],
}

/// The vertices of a face in the order of its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaceVertices {
    vertices: [u32; 4],
    len: usize,
}

impl FaceVertices {
    /// Creates a face of three or four vertices.
    pub fn new(list: &[u32]) -> Self {
        let mut vertices = [0; 4];
        vertices[..list.len()].copy_from_slice(list);
        Self {
            vertices,
            len: list.len(),
        }
    }

    /// The three or four vertices.
    pub fn as_slice(&self) -> &[u32] {
        &self.vertices[..self.len]
    }

    /// Returns a key that is equal for faces with the same vertices in any order. For a triangle the last vertex is
    /// repeated, which no quadrilateral has, since its vertices differ.
    pub fn key(&self) -> [u32; 4] {
        let mut key = self.vertices;
        key[..self.len].sort_unstable();
        if self.len == 3 {
            key[3] = key[2];
        }
        key
    }

    /// Returns the face with each vertex replaced; `None` if one has no replacement.
    pub(super) fn replaced(&self, by: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let mut vertices = [0; 4];
        for (new, &old) in vertices.iter_mut().zip(self.as_slice()) {
            *new = by(old)?;
        }
        Some(Self {
            vertices,
            len: self.len,
        })
    }
}

impl Cells<'_> {
    /// Vertices of a face.
    pub fn face(&self, CellFace { cell, face }: CellFace) -> FaceVertices {
        let corners = &self.corners[self.first_corner[cell]..self.first_corner[cell + 1]];
        let local = self.kinds[cell].faces()[face].vertices;
        let mut vertices = [0; 4];
        for (vertex, &corner) in vertices.iter_mut().zip(local) {
            *vertex = corners[corner];
        }
        FaceVertices {
            vertices,
            len: local.len(),
        }
    }
}

/// Mean of a face's vertices.
pub(super) fn centre(face: FaceVertices, positions: &[[f64; 3]]) -> [f64; 3] {
    let vertices = face.as_slice();
    let share = 1.0 / vertices.len() as f64;
    std::array::from_fn(|d| vertices.iter().map(|&v| positions[v as usize][d] * share).sum())
}
