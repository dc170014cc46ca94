//! The division of a cube into cells.
//!
//! Corners of the cube are numbered by their coordinates as bits, x + 2 y + 4 z; number 8 is the centre. A face of the
//! cube is either whole or split along the diagonal from its lowest to its highest corner, which is the same diagonal
//! for both cubes at the face. There are three ways to divide a cube:
//!
//! - the hexahedron itself;
//! - two prisms along z, separated by the plane x = y;
//! - pyramids on faces of the cube: on all six faces with the apex in the centre, or on the three faces that do not
//!   contain corner 0 with the apex there.
//!
//! A pyramid whose base is split is replaced by two tetrahedra, so that such a cube fits any neighbour. With all faces
//! split, the three pyramids about corner 0 become Kuhn's six tetrahedra.

use super::connect::orientation_of;
use super::cube_nodes::{CENTRE, CubeNodes};
use crate::element::ElementKind;

/// A way to divide a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CubeDivision {
    /// One hexahedron.
    Hex,
    /// Two prisms along z.
    Prisms,
    /// Six pyramids about the centre.
    Centre,
    /// Three pyramids about corner 0.
    Corner,
    /// Six tetrahedra.
    Tets,
}

impl CubeDivision {
    /// Requirement for the face at the low or high end of direction d: split (`Some(true)`), whole (`Some(false)`) or
    /// either (`None`).
    pub fn wants_split(self, d: usize, high: bool) -> Option<bool> {
        match self {
            CubeDivision::Hex => Some(false),
            CubeDivision::Prisms => Some(d == 2),
            CubeDivision::Centre => None,
            CubeDivision::Corner if high => None,
            CubeDivision::Corner | CubeDivision::Tets => Some(true),
        }
    }
}

/// A cell of a divided cube.
#[derive(Debug)]
pub(super) struct SubCell {
    pub kind: ElementKind,
    /// Levels of the geometry nodes in the three directions (see [`CubeNodes`]), `[node]`.
    pub nodes: Vec<[usize; 3]>,
    /// Faces in the order of the reference element.
    pub faces: Vec<SubCellFace>,
}

/// A face of a cell of a divided cube.
#[derive(Debug)]
pub(super) struct SubCellFace {
    /// Vertices of the cube at the corners of the face.
    pub vertices: Vec<u32>,
    /// Neighbour or end of the cube.
    pub to: BehindFace,
}

/// The other side of a face of a cell of a divided cube.
#[derive(Debug, Clone, Copy)]
pub(super) enum BehindFace {
    /// Another cell of the cube.
    Inner {
        part: usize,
        face: usize,
        orientation: usize,
    },
    /// The face 2 d (low) or 2 d + 1 (high) of the cube.
    Outer(usize),
}

/// A cube divided in one way, with each face whole or split.
#[derive(Debug)]
pub(super) struct DividedCube {
    pub parts: Vec<SubCell>,
    /// Number of geometry nodes of all cells.
    pub nodes: usize,
    /// Number of faces of all cells.
    pub faces: usize,
}

impl DividedCube {
    /// Divides a cube; `split` are the faces that are split. New coordinates of nodes are added to `levels`.
    pub fn new(division: CubeDivision, split: [bool; 6], levels: &mut CubeNodes) -> Self {
        let cells = match division {
            CubeDivision::Hex => vec![(ElementKind::Hex, vec![0, 1, 3, 2, 4, 5, 7, 6])],
            CubeDivision::Prisms => vec![
                (ElementKind::Prism, vec![0, 1, 3, 4, 5, 7]),
                (ElementKind::Prism, vec![0, 3, 2, 4, 7, 6]),
            ],
            CubeDivision::Centre => (0..6).flat_map(|end| on_face(end, split[end], CENTRE)).collect(),
            CubeDivision::Corner | CubeDivision::Tets => {
                [1, 3, 5].iter().flat_map(|&end| on_face(end, split[end], 0)).collect()
            }
        };
        let vertices: Vec<Vec<Vec<u32>>> = cells
            .iter()
            .map(|(kind, corners)| {
                let faces = kind.faces().iter();
                faces
                    .map(|face| face.vertices.iter().map(|&v| corners[v]).collect())
                    .collect()
            })
            .collect();
        let parts: Vec<SubCell> = cells
            .iter()
            .enumerate()
            .map(|(part, (kind, corners))| SubCell {
                kind: *kind,
                nodes: levels.cell(*kind, corners),
                faces: vertices[part]
                    .iter()
                    .map(|face| SubCellFace {
                        vertices: face.clone(),
                        to: end_of(face).map_or_else(|| neighbour_inside(&vertices, part, face), BehindFace::Outer),
                    })
                    .collect(),
            })
            .collect();
        DividedCube {
            nodes: parts.iter().map(|part| part.nodes.len()).sum(),
            faces: parts.iter().map(|part| part.faces.len()).sum(),
            parts,
        }
    }

    /// Levels of the geometry nodes of all cells.
    pub fn levels(&self) -> impl Iterator<Item = [usize; 3]> {
        self.parts.iter().flat_map(|part| part.nodes.iter().copied())
    }

    /// The face at `end` of this cube that coincides with a face of the cube beyond; `vertices` are numbered in the
    /// cube beyond.
    pub fn facing(&self, end: usize, vertices: &[u32]) -> Option<Link> {
        let here: Vec<u32> = vertices.iter().map(|v| v ^ (1 << (end / 2))).collect();
        let faces = self
            .parts
            .iter()
            .enumerate()
            .flat_map(|(p, part)| part.faces.iter().enumerate().map(move |(f, face)| (p, f, face)));
        faces
            .filter(|(_, _, face)| matches!(face.to, BehindFace::Outer(e) if e == end))
            .find_map(|(part, number, face)| {
                let orientation = orientation_of(&here, &face.vertices)?;
                Some(Link {
                    part,
                    face: number,
                    orientation,
                })
            })
    }
}

/// The face of a sub-cell that lies on a face of a neighbouring cube.
#[derive(Debug, Clone, Copy, Default)]
pub struct Link {
    /// The sub-cell.
    pub part: usize,
    /// The face of the sub-cell.
    pub face: usize,
    /// Numbering of its face points relative to those of the neighbour's face.
    pub orientation: usize,
}

/// Cells on one face of the cube: a pyramid, or two tetrahedra if the face is split.
fn on_face(end: usize, split: bool, apex: u32) -> Vec<(ElementKind, Vec<u32>)> {
    let d = end / 2;
    let high = end % 2;
    let (a, b) = (1 << ((d + 1) % 3), 1 << ((d + 2) % 3));
    // Anticlockwise as seen from inside the cube.
    let around = if high == 0 { [0, a, a + b, b] } else { [0, b, a + b, a] };
    let [v0, v1, v2, v3] = around.map(|v| v + ((high as u32) << d));
    if split {
        vec![
            (ElementKind::Tet, vec![v0, v1, v2, apex]),
            (ElementKind::Tet, vec![v0, v2, v3, apex]),
        ]
    } else {
        vec![(ElementKind::Pyramid, vec![v0, v1, v2, v3, apex])]
    }
}

/// The face of the cube on which a face with these vertices lies.
fn end_of(vertices: &[u32]) -> Option<usize> {
    (0..6).find(|end| {
        let d = end / 2;
        let high = (end % 2) as u32;
        vertices.iter().all(|&v| v != CENTRE && (v >> d & 1) == high)
    })
}

/// The neighbour of a sub-cell at a face inside the cube.
fn neighbour_inside(vertices: &[Vec<Vec<u32>>], own: usize, face: &[u32]) -> BehindFace {
    let others = vertices.iter().enumerate().filter(|(part, _)| *part != own);
    others
        .flat_map(|(part, faces)| faces.iter().enumerate().map(move |(f, theirs)| (part, f, theirs)))
        .find_map(|(part, f, theirs)| {
            orientation_of(face, theirs).map(|orientation| BehindFace::Inner {
                part,
                face: f,
                orientation,
            })
        })
        .expect("cells of a cube meet face to face")
}
