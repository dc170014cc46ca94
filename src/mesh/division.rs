//! How a cube is divided into cells.
//!
//! Corners of the cube are numbered by their coordinates as bits, x + 2 y + 4 z; number 8 is the centre. A face of the cube is
//! whole or split along the diagonal from its lowest to its highest corner, whichever cube looks at it. There are three ways to
//! divide a cube: the hexahedron itself; two prisms along z, cut by the plane x = y; and pyramids that stand on faces of the
//! cube. The pyramids stand on all six faces and meet in the centre, or on the three faces that do not contain corner 0 and
//! meet there. A pyramid whose base is split gives way to two tetrahedra, so that such a cube fits any neighbour; with all
//! faces split the three about corner 0 become Kuhn's six tetrahedra.

use super::connect::orientation_of;
use super::places::{CENTRE, Places};
use crate::element::ElementKind;

/// A way to divide a cube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// Not at all.
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

impl Division {
    /// Whether the face at the low or high end of direction d must be split (`Some(true)`) or whole (`Some(false)`), if it
    /// matters.
    pub fn wants_split(self, d: usize, high: bool) -> Option<bool> {
        match self {
            Division::Hex => Some(false),
            Division::Prisms => Some(d == 2),
            Division::Centre => None,
            Division::Corner if high => None,
            Division::Corner | Division::Tets => Some(true),
        }
    }
}

/// A cell of a divided cube.
#[derive(Debug)]
pub(super) struct Part {
    pub kind: ElementKind,
    /// Geometry nodes, as indices of [`Levels`] in the three directions.
    pub nodes: Vec<[usize; 3]>,
    /// Faces in their local order.
    pub faces: Vec<PartFace>,
}

/// A face of a cell of a divided cube.
#[derive(Debug)]
pub(super) struct PartFace {
    /// Its vertices.
    pub vertices: Vec<u32>,
    /// Where it leads.
    pub to: Towards,
}

/// What lies behind a face of a cell of a divided cube.
#[derive(Debug, Clone, Copy)]
pub(super) enum Towards {
    /// Another cell of the cube.
    Inner {
        part: usize,
        face: usize,
        orientation: usize,
    },
    /// The face 2 d (low) or 2 d + 1 (high) of the cube.
    Outer(usize),
}

/// A cube divided in one way, with its faces whole or split.
#[derive(Debug)]
pub(super) struct Divided {
    pub parts: Vec<Part>,
    /// Geometry nodes of all cells together.
    pub nodes: usize,
    /// Faces of all cells together.
    pub faces: usize,
}

impl Divided {
    /// Divides a cube whose faces are split as `split` says.
    pub fn new(division: Division, split: [bool; 6], places: &mut Places) -> Self {
        let cells = match division {
            Division::Hex => vec![(ElementKind::Hex, vec![0, 1, 3, 2, 4, 5, 7, 6])],
            Division::Prisms => vec![
                (ElementKind::Prism, vec![0, 1, 3, 4, 5, 7]),
                (ElementKind::Prism, vec![0, 3, 2, 4, 7, 6]),
            ],
            Division::Centre => (0..6).flat_map(|end| on_face(end, split[end], CENTRE)).collect(),
            Division::Corner | Division::Tets => {
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
        let parts: Vec<Part> = cells
            .iter()
            .enumerate()
            .map(|(part, (kind, corners))| Part {
                kind: *kind,
                nodes: places.cell(*kind, corners),
                faces: vertices[part]
                    .iter()
                    .map(|face| PartFace {
                        vertices: face.clone(),
                        to: end_of(face).map_or_else(|| partner(&vertices, part, face), Towards::Outer),
                    })
                    .collect(),
            })
            .collect();
        Divided {
            nodes: parts.iter().map(|part| part.nodes.len()).sum(),
            faces: parts.iter().map(|part| part.faces.len()).sum(),
            parts,
        }
    }

    /// Part, face and orientation of the face at end `end` of this cube that has the `vertices` of a face of the cube beyond.
    pub fn facing(&self, end: usize, vertices: &[u32]) -> Option<(usize, usize, usize)> {
        let here: Vec<u32> = vertices.iter().map(|v| v ^ (1 << (end / 2))).collect();
        let faces = self
            .parts
            .iter()
            .enumerate()
            .flat_map(|(p, part)| part.faces.iter().enumerate().map(move |(f, face)| (p, f, face)));
        faces
            .filter(|(_, _, face)| matches!(face.to, Towards::Outer(e) if e == end))
            .find_map(|(p, f, face)| orientation_of(&here, &face.vertices).map(|orientation| (p, f, orientation)))
    }
}

/// The cells on one face of the cube: a pyramid, or two tetrahedra if the face is split.
fn on_face(end: usize, split: bool, apex: u32) -> Vec<(ElementKind, Vec<u32>)> {
    let (d, high) = (end / 2, end % 2);
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
        let (d, high) = (end / 2, (end % 2) as u32);
        vertices.iter().all(|&v| v != CENTRE && (v >> d & 1) == high)
    })
}

/// The other cell of the cube at a face inside it.
fn partner(vertices: &[Vec<Vec<u32>>], own: usize, face: &[u32]) -> Towards {
    let others = vertices.iter().enumerate().filter(|(part, _)| *part != own);
    others
        .flat_map(|(part, faces)| faces.iter().enumerate().map(move |(f, theirs)| (part, f, theirs)))
        .find_map(|(part, f, theirs)| {
            orientation_of(face, theirs).map(|orientation| Towards::Inner {
                part,
                face: f,
                orientation,
            })
        })
        .expect("cells of a cube meet face to face")
}
