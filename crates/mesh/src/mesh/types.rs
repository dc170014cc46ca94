//! What a mesh consists of: its cells with their nodes, the sides of their faces, and the relation of a part to the
//! whole.

use crate::element::ElementKind;

/// Longest name of a boundary, in bytes.
pub const LONGEST_NAME: usize = 255;

/// A mesh of hexahedra, prisms, tetrahedra and pyramids, or a rank's part of one.
#[derive(Debug, Clone, Default)]
pub struct Mesh {
    /// Degree of the geometry, the same for all cells; 1 for straight ones.
    pub geometry_order: usize,
    /// Kind of each cell, `[cell]`.
    pub kinds: Vec<ElementKind>,
    /// Positions of the geometry nodes in the unit of length of the mesh, `[cell][node]`, on the element's points of
    /// degree `geometry_order`.
    pub nodes: Vec<[f64; 3]>,
    /// Offsets of the cells in `nodes`, `[cell + 1]`.
    pub first_node: Vec<usize>,
    /// Sides of the faces, `[cell][face]`.
    pub sides: Vec<Side>,
    /// Offsets of the cells in `sides`, `[cell + 1]`.
    pub first_side: Vec<usize>,
    /// Names of the boundaries, indexed by [`Side::Boundary`].
    pub boundary_names: Vec<String>,
    /// Names of boundaries that were joined as periodic, in pairs; for messages.
    pub joined: Vec<[String; 2]>,
    /// Rotations of [`Side::Rotated`] as rows of R: x_there = R x_here. Vectors turn in the same way.
    pub rotations: Vec<[[f64; 3]; 3]>,
    /// The parts of faces that meet two or four smaller ones, those of a face one after the other, in the order of
    /// the module `mortar`.
    pub mortars: Vec<MortarPart>,
    /// Tags of the cells in the mesh file, `[cell]`, for messages; empty if the mesh was generated.
    pub tags: Vec<u64>,
    /// Structure of a generated box; used to place neighbours side by side in memory.
    pub structured: Option<Structured>,
    /// Relation to the whole mesh if this is a rank's part of it; `None` for a whole mesh.
    pub part: Option<Part>,
}

/// The relation of a rank's part to the whole mesh. Cells keep the order that they have in the whole mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Number of each cell in the whole mesh, ascending, `[cell]`.
    pub global: Vec<usize>,
    /// Number of cells of the whole mesh.
    pub cells: usize,
    /// Hash of the whole mesh.
    pub hash: u64,
}

/// A box of cubes that are all divided in the same way. Cell c is sub-cell c % per_cube of cube c / per_cube, and the
/// number of a cube runs fastest in x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Structured {
    /// Number of cubes in each direction.
    pub dims: [usize; 3],
    /// Number of cells in a cube.
    pub per_cube: usize,
}

/// The other side of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The face of a cell of this rank.
    Cell {
        /// The neighbour.
        cell: usize,
        /// The neighbour's face.
        face: usize,
        /// Numbering of its face points relative to ours ([`crate::element::FaceShape::oriented_point`]).
        orientation: usize,
    },
    /// The face of a cell of this rank, across a boundary that is periodic by rotation.
    Rotated {
        /// The neighbour.
        cell: usize,
        /// The neighbour's face.
        face: usize,
        /// Numbering of its face points, as for [`Side::Cell`].
        orientation: usize,
        /// Index into [`Mesh::rotations`].
        rotation: usize,
    },
    /// The face of a cell that another rank holds.
    Remote {
        /// The rank of the neighbour.
        rank: usize,
        /// Number of the neighbour in the whole mesh.
        cell: usize,
        /// Kind of the neighbour.
        kind: ElementKind,
        /// The neighbour's face.
        face: usize,
        /// Numbering of its face points, as for [`Side::Cell`].
        orientation: usize,
        /// Index into [`Mesh::rotations`] if the boundary is periodic by rotation.
        rotation: Option<usize>,
    },
    /// Smaller faces divide this face, or this face is a part of a larger one. A divided face has the index of its
    /// first part in [`Mesh::mortars`], and a part has its own index. The cells on both sides belong to this rank.
    Mortar(usize),
    /// A boundary, as index into [`Mesh::boundary_names`].
    Boundary(usize),
}

/// A face of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellFace {
    /// The cell.
    pub cell: usize,
    /// The face of the cell.
    pub face: usize,
}

/// The neighbour on this rank behind a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// The neighbour.
    pub cell: usize,
    /// The neighbour's face.
    pub face: usize,
    /// Numbering of its face points, as for [`Side::Cell`].
    pub orientation: usize,
    /// Index into [`Mesh::rotations`] if the boundary is periodic by rotation.
    pub rotation: Option<usize>,
}

/// The share of a face that a part of it has along one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Share {
    /// All of it.
    All,
    /// The half at the beginning, where the reference coordinate is below 0.
    Low,
    /// The half at the end.
    High,
}

impl Share {
    /// All shares, in the order of their numbers in files and kernels.
    pub const ALL: [Share; 3] = [Share::All, Share::Low, Share::High];

    /// Length of the share, relative to that of the face.
    pub fn length(self) -> f64 {
        match self {
            Share::All => 1.0,
            Share::Low | Share::High => 0.5,
        }
    }

    /// The coordinate on the whole face, from -1 to 1, of a coordinate on the share, from -1 to 1.
    pub fn on_face(self, x: f64) -> f64 {
        match self {
            Share::All => x,
            Share::Low => 0.5 * x - 0.5,
            Share::High => 0.5 * x + 0.5,
        }
    }
}

/// A part of a face, which a smaller face covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MortarPart {
    /// The larger face.
    pub big: CellFace,
    /// The smaller face.
    pub small: CellFace,
    /// Numbering of the points of the smaller face, as for [`Side::Cell`], seen from a face that were the part alone.
    pub orientation: usize,
    /// The part along the two directions of the larger face.
    pub share: [Share; 2],
}

impl MortarPart {
    /// The cells of both sides.
    pub fn cells(&self) -> [usize; 2] {
        [self.big.cell, self.small.cell]
    }

    /// The part as whole numbers, for files and hashes: cell and face of the larger side, those of the smaller one, the
    /// orientation, and the numbers of both shares in [`Share::ALL`], the second one times 3.
    pub(super) fn words(&self) -> [u64; 6] {
        let [s, t] = self.share.map(|share| share as u64);
        let [big, small] = [self.big, self.small].map(|at| [at.cell as u64, at.face as u64]);
        [big[0], big[1], small[0], small[1], self.orientation as u64, s + 3 * t]
    }

    /// The part of these numbers; `None` if one of them is too large.
    pub(super) fn from_words(words: [u64; 6]) -> Option<Self> {
        let [big, big_face, small, small_face, orientation, shares] =
            words.map(|word| usize::try_from(word).unwrap_or(usize::MAX));
        let share = |number: usize| Share::ALL.get(number).copied();
        Some(MortarPart {
            big: CellFace {
                cell: big,
                face: big_face,
            },
            small: CellFace {
                cell: small,
                face: small_face,
            },
            orientation,
            share: [share(shares % 3)?, share(shares / 3)?],
        })
    }

    /// The part after its cells have been numbered anew.
    pub fn with_cells(self, number: impl Fn(usize) -> usize) -> MortarPart {
        let of = |at: CellFace| CellFace {
            cell: number(at.cell),
            face: at.face,
        };
        MortarPart {
            big: of(self.big),
            small: of(self.small),
            ..self
        }
    }
}

impl Side {
    /// Returns the neighbour on this rank; `None` for other sides.
    pub fn neighbour(self) -> Option<Neighbour> {
        match self {
            Side::Cell {
                cell,
                face,
                orientation,
            } => Some(Neighbour {
                cell,
                face,
                orientation,
                rotation: None,
            }),
            Side::Rotated {
                cell,
                face,
                orientation,
                rotation,
            } => Some(Neighbour {
                cell,
                face,
                orientation,
                rotation: Some(rotation),
            }),
            Side::Remote { .. } | Side::Mortar(_) | Side::Boundary(_) => None,
        }
    }
}

impl Mesh {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Returns true if there are no cells.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Multiplies all coordinates by a number above 0: lengths are then in another unit.
    pub fn scale(&mut self, by: f64) {
        self.nodes.iter_mut().flatten().for_each(|x| *x *= by);
    }

    /// Geometry nodes of one cell, `[node]`.
    pub fn cell_nodes(&self, cell: usize) -> &[[f64; 3]] {
        &self.nodes[self.first_node[cell]..self.first_node[cell + 1]]
    }

    /// Sides of the faces of one cell, `[face]`.
    pub fn cell_sides(&self, cell: usize) -> &[Side] {
        &self.sides[self.first_side[cell]..self.first_side[cell + 1]]
    }

    /// Number of a cell in the whole mesh.
    pub fn global(&self, cell: usize) -> usize {
        self.part.as_ref().map_or(cell, |part| part.global[cell])
    }

    /// Number of cells of the whole mesh.
    pub fn cells_of_all_ranks(&self) -> usize {
        self.part.as_ref().map_or(self.len(), |part| part.cells)
    }

    /// Mean of a cell's nodes.
    pub fn center(&self, cell: usize) -> [f64; 3] {
        let nodes = self.cell_nodes(cell);
        std::array::from_fn(|d| nodes.iter().map(|x| x[d]).sum::<f64>() / nodes.len() as f64)
    }

    /// Name of a cell for messages, with its tag in the mesh file if it has one.
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

    /// Kinds of cells that occur in the mesh.
    pub fn kinds_present(&self) -> Vec<ElementKind> {
        ElementKind::ALL
            .into_iter()
            .filter(|kind| self.kinds.contains(kind))
            .collect()
    }
}
