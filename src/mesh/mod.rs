//! The mesh: cells with their geometry nodes, and what lies behind each face.
//!
//! A mesh is independent of the solution's order and of the device. Cells carry a global id that never changes with
//! ordering or partition; sums and hashes are taken in its order, which makes results independent of both.

mod box_mesh;
mod face;
pub mod ordering;

pub use box_mesh::build_box;
pub use face::{FACES, face_corners, face_index, find_orientation, orient};

/// A mesh of hexahedra.
#[derive(Debug, Clone)]
pub struct Mesh {
    /// Degree of the geometry: 1 for straight cells.
    pub geometry_order: usize,
    /// Geometry nodes of all cells, (g + 1)^3 a cell on Gauss-Lobatto positions, x index fastest.
    pub nodes: Vec<[f64; 3]>,
    /// What lies behind the six faces of each cell; face 2d is the low side of reference direction d.
    pub sides: Vec<[Side; FACES]>,
    /// Names of the boundaries, indexed by [`Side::Boundary`].
    pub boundary_names: Vec<String>,
    /// Box dimensions where cells lie in lexicographic order, used to place neighbours side by side in memory.
    pub structured: Option<[usize; 3]>,
}

/// What lies behind a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Another cell's face.
    Cell {
        /// The neighbour.
        cell: usize,
        /// Its face.
        face: usize,
        /// How its face points are numbered against ours, see [`orient`].
        orientation: usize,
    },
    /// A boundary.
    Boundary(usize),
}

impl Mesh {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// Geometry nodes of one cell.
    pub fn cell_nodes(&self, cell: usize) -> &[[f64; 3]] {
        let n = (self.geometry_order + 1).pow(3);
        &self.nodes[cell * n..(cell + 1) * n]
    }

    /// Hash of geometry and connectivity, for provenance.
    pub fn hash(&self) -> u64 {
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        for node in self.nodes.iter().flatten() {
            hasher.update(&node.to_le_bytes());
        }
        for side in self.sides.iter().flatten() {
            let words = match *side {
                Side::Cell {
                    cell,
                    face,
                    orientation,
                } => [cell, face, orientation],
                Side::Boundary(name) => [usize::MAX, name, 0],
            };
            for word in words {
                hasher.update(&(word as u64).to_le_bytes());
            }
        }
        hasher.digest()
    }
}
