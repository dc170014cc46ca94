//! Division of prisms, tetrahedra and hexahedra into hexahedra with the same shape of the whole mesh.
//!
//! Hexahedra take the solver least time a point, and generators make tetrahedra. A tetrahedron is divided into four
//! hexahedra, one at each vertex, whose other corners are the middles of its edges and faces and its own. A prism is
//! divided into three, which keep its height. Triangles are thereby divided into three quadrilaterals, so that both
//! cells at a face agree. A hexahedron is divided into halves in each direction in which a cell behind its faces is.
//! Pyramids have no such division: at the apex four faces would meet.
//!
//! The geometry does not change: the map from a new cell to the old one is linear in each coordinate, so that the
//! shape is of the same degree in each.

use rayon::prelude::*;
use thiserror::Error;

use super::connect::orientation_of;
use super::geometry_nodes::combined;
use super::types::{Mesh, Side};
use crate::element::{Correction, ElementKind, FaceShape, PerKind, ReferenceElement};

/// Why a mesh is not divided.
#[derive(Debug, Error, PartialEq)]
pub enum HexesError {
    /// There are pyramids.
    #[error(
        "{count} of the cells are pyramids, which cannot be divided into hexahedra that fit their neighbours; the \
         first is {name} at ({:.6}, {:.6}, {:.6}): divide a mesh of prisms, tetrahedra and hexahedra",
        at[0], at[1], at[2]
    )]
    Pyramids {
        /// How many.
        count: usize,
        /// Name of the first.
        name: String,
        /// Mean of its nodes.
        at: [f64; 3],
    },
    /// Faces meet smaller ones.
    #[error(
        "{0} faces of the mesh meet smaller ones at hanging nodes, behind which cells cannot be divided to fit: divide \
         a mesh whose faces match"
    )]
    HangingNodes(usize),
    /// There is nothing to divide.
    #[error("all cells are hexahedra already")]
    Already,
}

/// A point of a cell: the mean of some of its vertices, as bits.
type Place = u8;

/// Directions in which a cell is divided into halves: those of a hexahedron, and the height, 2, of a prism.
type Halves = [bool; 3];

/// What lies behind a face of a piece of a cell.
#[derive(Debug, Clone, Copy)]
enum Behind {
    /// A piece of the same cell.
    Piece {
        piece: usize,
        face: usize,
        orientation: usize,
    },
    /// A face of the cell.
    Face(usize),
}

/// A cell divided into hexahedra.
#[derive(Debug)]
struct Division {
    /// Corners of the pieces, in the order of the hexahedron.
    corners: Vec<[Place; 8]>,
    /// What lies behind their faces.
    behind: Vec<[Behind; 6]>,
    /// Weights of the nodes of the cell at the nodes of the pieces, `[piece][node][node of the cell]`.
    weights: Vec<f64>,
}

/// Corners of a face of a piece, in the order of the face.
fn face_of(corners: &[Place; 8], face: usize) -> [u32; 4] {
    let vertices = ElementKind::Hex.faces()[face].vertices;
    std::array::from_fn(|i| u32::from(corners[vertices[i]]))
}

/// Finds the face of a piece that has the same corners as another face, and its orientation as seen from there.
fn meeting(pieces: &[[Place; 8]], from: [u32; 4], but: Option<usize>) -> Option<Behind> {
    let faces = (0..pieces.len()).flat_map(|piece| (0..6).map(move |face| (piece, face)));
    faces
        .filter(|(piece, _)| Some(*piece) != but)
        .find_map(|(piece, face)| {
            let orientation = orientation_of(&from, &face_of(&pieces[piece], face))?;
            Some(Behind::Piece {
                piece,
                face,
                orientation,
            })
        })
}

/// Vertices of a hexahedron at a level of a direction: the low end, the high end, or both for the middle.
const HEX_LEVELS: [[Place; 3]; 3] = {
    let low = [0b1001_1001, 0b0011_0011, 0b0000_1111];
    [
        [low[0], !low[0], 0xff],
        [low[1], !low[1], 0xff],
        [low[2], !low[2], 0xff],
    ]
};

/// Corners of the pieces of a cell.
fn pieces(kind: ElementKind, halves: Halves) -> Vec<[Place; 8]> {
    const LOW: usize = 0;
    const HIGH: usize = 1;
    const MIDDLE: usize = 2;
    let intervals = |halved: bool| {
        if halved {
            vec![[LOW, MIDDLE], [MIDDLE, HIGH]]
        } else {
            vec![[LOW, HIGH]]
        }
    };
    let lattice = ElementKind::Hex.lattice_vertices(1);
    match kind {
        ElementKind::Hex => {
            let [x, y, z] = halves.map(intervals);
            let mut all = Vec::with_capacity(8);
            for z in &z {
                for y in &y {
                    for x in &x {
                        all.push(std::array::from_fn(|corner| {
                            let [i, j, k] = lattice[corner];
                            HEX_LEVELS[0][x[i]] & HEX_LEVELS[1][y[j]] & HEX_LEVELS[2][z[k]]
                        }));
                    }
                }
            }
            all
        }
        ElementKind::Prism => {
            let mut all = Vec::with_capacity(6);
            for z in intervals(halves[2]) {
                for vertex in 0..3 {
                    let bit = |turn: usize| 1 << ((vertex + turn) % 3);
                    let [v, a, b] = [0, 1, 2].map(bit);
                    let square = [[v, v | b], [v | a, v | a | b]];
                    let at = |place: Place, level: usize| match level {
                        LOW => place,
                        HIGH => place << 3,
                        _ => place | place << 3,
                    };
                    all.push(std::array::from_fn(|corner| {
                        let [i, j, k] = lattice[corner];
                        at(square[i][j], z[k])
                    }));
                }
            }
            all
        }
        ElementKind::Tet => {
            // The others of each vertex, so that the directions to them form a right-handed system.
            let others = [[1, 2, 3], [2, 0, 3], [0, 1, 3], [0, 2, 1]];
            let piece = |vertex: usize| {
                std::array::from_fn(|corner| {
                    let along = lattice[corner];
                    let with = |d: usize| if along[d] == 1 { 1 << others[vertex][d] } else { 0 };
                    1 << vertex | with(0) | with(1) | with(2)
                })
            };
            (0..4).map(piece).collect()
        }
        ElementKind::Pyramid => Vec::new(),
    }
}

/// Mean of the vertices of a place in reference coordinates.
fn position(kind: ElementKind, place: Place) -> [f64; 3] {
    let vertices: Vec<[f64; 3]> = (0..kind.vertices())
        .filter(|v| place >> v & 1 == 1)
        .map(|v| kind.vertex(v))
        .collect();
    std::array::from_fn(|d| vertices.iter().map(|x| x[d]).sum::<f64>() / vertices.len() as f64)
}

impl Division {
    fn new(kind: ElementKind, halves: Halves, order: usize) -> Self {
        let corners = pieces(kind, halves);
        let set = |vertices: &[usize]| vertices.iter().fold(0, |set: Place, v| set | 1 << v);
        let behind = |piece: usize, face: usize| {
            let here = face_of(&corners[piece], face);
            let used = here.iter().fold(0, |all, place| all | *place as Place);
            let outer = kind.faces().iter().position(|f| used & !set(f.vertices) == 0);
            match outer {
                Some(face) => Behind::Face(face),
                None => meeting(&corners, here, Some(piece)).expect("pieces of a cell fit each other"),
            }
        };
        let behind = (0..corners.len())
            .map(|piece| std::array::from_fn(|face| behind(piece, face)))
            .collect();
        let hex = ReferenceElement::new(ElementKind::Hex, order, Correction::default());
        let linear = ReferenceElement::new(ElementKind::Hex, 1, Correction::default());
        let shape = linear.interpolation(&hex.points);
        let points: Vec<[f64; 3]> = corners
            .iter()
            .flat_map(|corners| {
                // The points of degree 1 are numbered along x, y and z, and the vertices around the faces.
                let mut places = [[0.0; 3]; 8];
                for (corner, at) in ElementKind::Hex.lattice_vertices(1).into_iter().enumerate() {
                    places[ElementKind::Hex.index(at, 1)] = position(kind, corners[corner]);
                }
                combined(&shape, &places)
            })
            .collect();
        let weights = ReferenceElement::new(kind, order, Correction::default()).interpolation(&points);
        Division {
            corners,
            behind,
            weights,
        }
    }
}

/// Both directions of a quadrilateral of a cell: that of its first and second vertex, and that of its first and third.
/// `None` is an edge of a triangle of the cell, which is always divided.
fn directions(kind: ElementKind, face: usize) -> [Option<usize>; 2] {
    let vertices = kind.faces()[face].vertices;
    [vertices[1], vertices[2]].map(|to| {
        let (from, to) = (kind.vertex(vertices[0]), kind.vertex(to));
        match kind {
            ElementKind::Hex => (0..3).find(|d| from[*d] != to[*d]),
            _ => (from[2] != to[2]).then_some(2),
        }
    })
}

/// The neighbour's vertices at those of a face, as the number of its vertex at each of ours.
fn vertices_there(shape: FaceShape, orientation: usize) -> [usize; 4] {
    let mut there = [0; 4];
    (0..shape.vertices()).for_each(|v| there[v] = shape.oriented_point(orientation, v, 1));
    there
}

/// Finds the directions in which cells are halved, since their neighbours divide the faces between them.
fn halves(mesh: &Mesh) -> Vec<Halves> {
    let mut halves = vec![[false; 3]; mesh.len()];
    let mut changed: Vec<usize> = (0..mesh.len())
        .filter(|cell| mesh.kinds[*cell] == ElementKind::Prism)
        .collect();
    while let Some(cell) = changed.pop() {
        let kind = mesh.kinds[cell];
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            let Some(there) = side.neighbour() else { continue };
            let shape = kind.faces()[face].shape;
            if shape == FaceShape::Triangle {
                continue;
            }
            let theirs = directions(mesh.kinds[there.cell], there.face);
            let at = vertices_there(shape, there.orientation);
            for (ours, direction) in directions(kind, face).into_iter().enumerate() {
                if direction.is_some_and(|d| !halves[cell][d]) {
                    continue;
                }
                // Vertices 0 and 1, or 2 and 3, lie along the neighbour's first direction.
                let along_first = at[0] / 2 == at[ours + 1] / 2;
                let Some(d) = theirs[usize::from(!along_first)] else {
                    continue;
                };
                if !halves[there.cell][d] {
                    halves[there.cell][d] = true;
                    changed.push(there.cell);
                }
            }
        }
    }
    halves
}

impl Mesh {
    /// Returns a whole mesh of hexahedra alone, into which the cells of this one are divided. Boundaries and periods
    /// stay, and so does the shape.
    ///
    /// # Errors
    /// There are pyramids or hanging nodes, or nothing but hexahedra.
    pub fn into_hexes(self) -> Result<Mesh, HexesError> {
        let is_pyramid = |kind: &&ElementKind| **kind == ElementKind::Pyramid;
        if let Some(first) = self.kinds.iter().position(|kind| is_pyramid(&kind)) {
            return Err(HexesError::Pyramids {
                count: self.kinds.iter().filter(is_pyramid).count(),
                name: self.name_of(first),
                at: self.center(first),
            });
        }
        if self.kinds.iter().all(|kind| *kind == ElementKind::Hex) {
            return Err(HexesError::Already);
        }
        if !self.mortars.is_empty() {
            return Err(HexesError::HangingNodes(self.divided_faces().count()));
        }
        let order = self.geometry_order;
        let halves = halves(&self);
        let number = |[x, y, z]: Halves| usize::from(x) | usize::from(y) << 1 | usize::from(z) << 2;
        let divisions: PerKind<Vec<Division>> = PerKind::new(|kind| {
            let of = |number: usize| Division::new(kind, [0, 1, 2].map(|d| number >> d & 1 == 1), order);
            match kind {
                ElementKind::Pyramid => Vec::new(),
                _ => (0..8).map(of).collect(),
            }
        });
        let division = |cell: usize| &divisions[self.kinds[cell]][number(halves[cell])];
        let mut first = Vec::with_capacity(self.len());
        let mut cells = 0;
        for cell in 0..self.len() {
            first.push(cells);
            cells += division(cell).corners.len();
        }

        let of_cell = |cell: usize| -> (Vec<[f64; 3]>, Vec<Side>) {
            let ours = division(cell);
            let nodes = combined(&ours.weights, self.cell_nodes(cell));
            let mut sides = Vec::with_capacity(6 * ours.corners.len());
            for (corners, behind) in ours.corners.iter().zip(&ours.behind) {
                for (face, behind) in behind.iter().enumerate() {
                    sides.push(match *behind {
                        Behind::Piece {
                            piece,
                            face,
                            orientation,
                        } => Side::Cell {
                            cell: first[cell] + piece,
                            face,
                            orientation,
                        },
                        Behind::Face(outer) => {
                            let corners = face_of(corners, face);
                            self.piece_behind(cell, outer, corners, &first, division)
                        }
                    });
                }
            }
            (nodes, sides)
        };
        let (nodes, sides): (Vec<_>, Vec<_>) = (0..self.len()).into_par_iter().map(of_cell).unzip();
        let points = ElementKind::Hex.points(order);
        Ok(Mesh {
            geometry_order: order,
            kinds: vec![ElementKind::Hex; cells],
            nodes: nodes.concat(),
            first_node: (0..=cells).map(|cell| cell * points).collect(),
            sides: sides.concat(),
            first_side: (0..=cells).map(|cell| cell * 6).collect(),
            boundary_names: self.boundary_names,
            joined: self.joined,
            rotations: self.rotations,
            mortars: Vec::new(),
            tags: Vec::new(),
            structured: None,
            part: None,
        })
    }

    /// Returns what lies behind a part of a cell's face, of which the corners are given as places of the cell.
    fn piece_behind<'a>(
        &self,
        cell: usize,
        face: usize,
        corners: [u32; 4],
        first: &[usize],
        division: impl Fn(usize) -> &'a Division,
    ) -> Side {
        let side = self.cell_sides(cell)[face];
        let Some(there) = side.neighbour() else { return side };
        let ours = self.kinds[cell].faces()[face];
        let theirs = self.kinds[there.cell].faces()[there.face];
        let at = vertices_there(ours.shape, there.orientation);
        let carried = corners.map(|place| {
            let vertices = ours.vertices.iter().enumerate();
            let shared = vertices.filter(|(_, vertex)| place >> **vertex & 1 == 1);
            shared.fold(0, |place, (v, _)| place | 1 << theirs.vertices[at[v]])
        });
        let meeting = meeting(&division(there.cell).corners, carried, None);
        let Some(Behind::Piece {
            piece,
            face,
            orientation,
        }) = meeting
        else {
            unreachable!("both cells divide the face between them alike")
        };
        let cell = first[there.cell] + piece;
        match there.rotation {
            None => Side::Cell {
                cell,
                face,
                orientation,
            },
            Some(rotation) => Side::Rotated {
                cell,
                face,
                orientation,
                rotation,
            },
        }
    }
}

#[cfg(test)]
#[path = "hexes_tests.rs"]
mod tests;
