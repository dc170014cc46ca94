//! The mesh: cells with their geometry nodes, and what lies behind each face.
//!
//! A mesh is independent of the solution's order and of the device. Cells carry a global id that never changes with
//! ordering or partition; sums and hashes are taken in its order, which makes results independent of both.

mod annulus;
mod assemble;
mod box_mesh;
mod cell_counts;
mod cells;
mod check;
pub mod connect;
mod connect_error;
mod convert;
mod division;
mod error;
mod gmsh;
mod lattice;
mod motion;
pub mod native;
pub mod ordering;
mod outside;
pub mod partition;
mod periodic;
mod places;
pub mod quality;
mod raw;
mod read;
mod remote;
mod source;
#[cfg(test)]
mod test_meshes;

pub use annulus::{Annulus, AnnulusError};
pub use box_mesh::{BoxError, build_box, check_box};
pub use cell_counts::CellCounts;
pub use check::Fault;
pub use connect_error::{ConnectError, FacePlace, Nearest};
pub use error::{GmshProblem, MeshError, Place, TopologyProblem};
pub use gmsh::{read_gmsh, read_gmsh_bytes};
pub use motion::Motion;
pub(crate) use read::is_native;
pub use read::{ReadError, read_mesh, read_share};
pub use remote::{FaceName, RemoteFace};
pub use source::{BoxElements, BoxMesh, MeshSource, PeriodicPair, WarpKind};

use crate::element::ElementKind;

/// A mesh of hexahedra, prisms, tetrahedra and pyramids.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Degree of the geometry, the same for all cells: 1 for straight ones.
    pub geometry_order: usize,
    /// Kind of each cell.
    pub kinds: Vec<ElementKind>,
    /// Geometry nodes cell by cell, on the element's points of degree `geometry_order`.
    pub nodes: Vec<[f64; 3]>,
    /// Where each cell's nodes begin, and the end of the last.
    pub first_node: Vec<usize>,
    /// What lies behind the faces, cell by cell.
    pub sides: Vec<Side>,
    /// Where each cell's sides begin, and the end of the last.
    pub first_side: Vec<usize>,
    /// Names of the boundaries, indexed by [`Side::Boundary`].
    pub boundary_names: Vec<String>,
    /// Pairs of names that are no boundaries any more, because the two were joined as periodic; for messages.
    pub joined: Vec<[String; 2]>,
    /// Rotations of [`Side::Rotated`]: x_there = R x_here, rows of R; vectors turn alike.
    pub rotations: Vec<[[f64; 3]; 3]>,
    /// The cells' tags in the mesh file, for messages; empty if the mesh was generated.
    pub tags: Vec<u64>,
    /// Where cells lie in a generated box; used to place neighbours side by side in memory.
    pub structured: Option<Structured>,
    /// Which part of a larger mesh this is; `None` if it is the whole one.
    pub part: Option<Part>,
}

/// What a rank knows of the whole mesh of which it holds a part. Cells keep the order that they have in the whole mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Number of each cell in the whole mesh, ascending.
    pub global: Vec<usize>,
    /// Cells of the whole mesh.
    pub cells: usize,
    /// Hash of the whole mesh.
    pub hash: u64,
}

/// A box of cubes, each divided in the same way: cell c is part c % per_cube of cube c / per_cube, and cubes are counted in x first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structured {
    /// Cubes in each direction.
    pub dims: [usize; 3],
    /// Cells of a cube.
    pub per_cube: usize,
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
        /// How its face points are numbered against ours ([`crate::element::FaceShape::oriented_point`]).
        orientation: usize,
    },
    /// Another cell's face, seen after a rotation.
    Rotated {
        /// The neighbour.
        cell: usize,
        /// Its face.
        face: usize,
        /// As for [`Side::Cell`].
        orientation: usize,
        /// Index into [`Mesh::rotations`].
        rotation: usize,
    },
    /// A face of a cell that another rank holds.
    Remote {
        /// That rank.
        rank: usize,
        /// The cell's number in the whole mesh.
        cell: usize,
        /// Its kind.
        kind: ElementKind,
        /// As for [`Side::Cell`].
        face: usize,
        /// As for [`Side::Cell`].
        orientation: usize,
        /// As for [`Side::Rotated`], if it is seen after one.
        rotation: Option<usize>,
    },
    /// A boundary.
    Boundary(usize),
}

impl Side {
    /// The cell of this rank behind the face, its face, orientation and, if it is seen after one, rotation; `None` elsewhere.
    pub fn neighbour(self) -> Option<(usize, usize, usize, Option<usize>)> {
        match self {
            Side::Cell {
                cell,
                face,
                orientation,
            } => Some((cell, face, orientation, None)),
            Side::Rotated {
                cell,
                face,
                orientation,
                rotation,
            } => Some((cell, face, orientation, Some(rotation))),
            Side::Remote { .. } | Side::Boundary(_) => None,
        }
    }
}

impl Mesh {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Geometry nodes of one cell.
    pub fn cell_nodes(&self, cell: usize) -> &[[f64; 3]] {
        &self.nodes[self.first_node[cell]..self.first_node[cell + 1]]
    }

    /// What lies behind the faces of one cell.
    pub fn cell_sides(&self, cell: usize) -> &[Side] {
        &self.sides[self.first_side[cell]..self.first_side[cell + 1]]
    }

    /// Number of a cell in the whole mesh.
    pub fn global(&self, cell: usize) -> usize {
        self.part.as_ref().map_or(cell, |part| part.global[cell])
    }

    /// Cells of the whole mesh.
    pub fn cells_of_all_ranks(&self) -> usize {
        self.part.as_ref().map_or(self.len(), |part| part.cells)
    }

    /// Mean of a cell's nodes.
    pub fn center(&self, cell: usize) -> [f64; 3] {
        let nodes = self.cell_nodes(cell);
        std::array::from_fn(|d| nodes.iter().map(|x| x[d]).sum::<f64>() / nodes.len() as f64)
    }

    /// How messages name a cell: by its tag in the mesh file if it has one.
    pub fn name_of(&self, cell: usize) -> String {
        match self.tags.get(cell) {
            Some(tag) => format!(
                "{} {} (element {tag} of the mesh file)",
                self.kinds[cell],
                self.global(cell)
            ),
            None => format!("{} {}", self.kinds[cell], self.global(cell)),
        }
    }

    /// The kinds that occur.
    pub fn kinds_present(&self) -> Vec<ElementKind> {
        ElementKind::ALL
            .into_iter()
            .filter(|kind| self.kinds.contains(kind))
            .collect()
    }

    /// Hash of geometry and connectivity of the whole mesh, for provenance.
    pub fn hash(&self) -> u64 {
        if let Some(part) = &self.part {
            return part.hash;
        }
        let mut hasher = xxhash_rust::xxh3::Xxh3::new();
        let mut word = |word: usize| hasher.update(&(word as u64).to_le_bytes());
        self.kinds.iter().for_each(|&kind| word(kind as usize));
        for side in &self.sides {
            let words = match *side {
                Side::Cell {
                    cell,
                    face,
                    orientation,
                } => [cell, face, orientation],
                Side::Rotated {
                    cell,
                    face,
                    orientation,
                    rotation,
                } => [cell, face, orientation + 8 * (1 + rotation)],
                Side::Boundary(name) => [usize::MAX, name, 0],
                Side::Remote { .. } => unreachable!("a whole mesh has no other ranks"),
            };
            words.into_iter().for_each(&mut word);
        }
        for x in self
            .nodes
            .iter()
            .flatten()
            .chain(self.rotations.iter().flatten().flatten())
        {
            hasher.update(&x.to_le_bytes());
        }
        hasher.digest()
    }
}
