//! Neighbours of cells, found by matching the vertices of their faces.
//!
//! Inside the mesh two faces meet if they have the same vertices. Across a periodic boundary they meet if a map carries
//! the vertices of one to those of the other. Vertices are never identified for this purpose: in a mesh that is one or
//! two cells wide, several faces would then have the same vertices and could not be distinguished.

use std::collections::HashMap;
use std::sync::LazyLock;

use rayon::slice::ParallelSliceMut;

pub use super::cells::{Cells, FaceVertices};
use super::connect_error::{ConnectError, FaceLocation, Nearest};
use super::types::{CellFace, Side};
use crate::element::{ElementKind, FaceShape};

/// The side that [`connect`] gives to a face without a partner. It is replaced later, by a boundary or, in
/// [`Faces::join`], by a cell.
pub const OPEN: Side = Side::Boundary(usize::MAX);

/// Sides of all cells during the assembly of a mesh.
#[derive(Debug, Clone)]
pub struct Faces {
    /// Sides of the faces, `[cell][face]`.
    pub sides: Vec<Side>,
    /// Offsets of the cells in `sides`, `[cell + 1]`.
    pub first_side: Vec<usize>,
    /// Faces without a partner, in ascending order; their sides are [`OPEN`].
    pub open: Vec<CellFace>,
}

/// The neighbour's vertex at each of our vertices, `[orientation][our vertex]`, for triangles and quadrilaterals.
static COINCIDENT_VERTICES: LazyLock<[Vec<[usize; 4]>; 2]> = LazyLock::new(|| {
    [FaceShape::Triangle, FaceShape::Quad].map(|shape| {
        let there = |orientation| {
            let mut at = [0; 4];
            (0..shape.vertices()).for_each(|v| at[v] = shape.oriented_point(orientation, v, 1));
            at
        };
        (0..shape.orientations()).map(there).collect()
    })
});

/// Returns the orientation of two faces with the same vertices, each listed in the order of its own cell; `None` if the
/// vertices differ or run around the faces in different orders.
pub fn orientation_of(ours: &[u32], theirs: &[u32]) -> Option<usize> {
    if ours.len() != theirs.len() {
        return None;
    }
    COINCIDENT_VERTICES[ours.len() - 3]
        .iter()
        .position(|at| ours.iter().zip(at).all(|(v, at)| *v == theirs[*at]))
}

/// Finds the neighbours of all cells inside the mesh. `corners` are the corner vertices of the cells in the order of
/// the reference element; those of cell c are `first_corner[c]..first_corner[c + 1]`.
///
/// # Errors
/// Cells do not fit together: more than two of them share a face, two join the vertices of their common face
/// differently, a cell is collapsed, or a quadrilateral meets a triangle.
pub fn connect(kinds: &[ElementKind], corners: &[u32], first_corner: &[usize]) -> Result<Faces, ConnectError> {
    let cells = Cells {
        kinds,
        corners,
        first_corner,
    };
    let entries = faces_by_vertices(cells)?;
    let mut faces = Faces::open(kinds);
    let at = |i: usize| CellFace {
        cell: entries[i].1 >> 3,
        face: entries[i].1 & 7,
    };
    let mut i = 0;
    while i < entries.len() {
        let alike = entries[i..].iter().take(3).take_while(|e| e.0 == entries[i].0).count();
        match alike {
            1 => faces.open.push(at(i)),
            2 => {
                if !faces.connect_pair(cells, at(i), at(i + 1), Some, None) {
                    let both = [at(i), at(i + 1)];
                    return Err(ConnectError::Twisted(Box::new(both.map(FaceLocation::new))));
                }
            }
            _ => {
                let three = [at(i), at(i + 1), at(i + 2)];
                return Err(ConnectError::ThreeCells(Box::new(three.map(FaceLocation::new))));
            }
        }
        i += alike;
    }
    faces.open.sort_unstable();
    faces.refuse_quads_on_triangles(cells)?;
    Ok(faces)
}

/// Lists all faces, each as the key of its vertices and as 8 cell + face. The list is sorted by both, so that nothing
/// depends on the number of threads.
fn faces_by_vertices(cells: Cells) -> Result<Vec<([u32; 4], usize)>, ConnectError> {
    let mut entries = Vec::new();
    for (cell, kind) in cells.kinds.iter().enumerate() {
        for face in 0..kind.faces().len() {
            let at = CellFace { cell, face };
            let vertices = cells.face(at);
            let list = vertices.as_slice();
            if (1..list.len()).any(|i| list[..i].contains(&list[i])) {
                return Err(ConnectError::Collapsed {
                    place: Box::new(FaceLocation::new(at)),
                });
            }
            entries.push((vertices.key(), cell << 3 | face));
        }
    }
    entries.par_sort_unstable();
    Ok(entries)
}

impl Faces {
    /// The faces of cells of which none is connected; `open` is empty.
    fn open(kinds: &[ElementKind]) -> Self {
        let mut first_side = Vec::with_capacity(kinds.len() + 1);
        first_side.push(0);
        let mut total = 0;
        first_side.extend(kinds.iter().map(|kind| {
            total += kind.faces().len();
            total
        }));
        Faces {
            sides: vec![OPEN; total],
            first_side,
            open: Vec::new(),
        }
    }

    /// The side of a face.
    pub fn side(&mut self, at: CellFace) -> &mut Side {
        &mut self.sides[self.first_side[at.cell] + at.face]
    }

    /// Connects two faces, where `map` carries the vertices of `ours` to those of `theirs`. Returns false, and changes
    /// nothing, if their vertices do not agree.
    pub(super) fn connect_pair(
        &mut self,
        cells: Cells,
        ours: CellFace,
        theirs: CellFace,
        map: impl Fn(u32) -> Option<u32>,
        rotations: Option<[usize; 2]>,
    ) -> bool {
        let there = cells.face(theirs);
        let Some(here) = cells.face(ours).replaced(map) else {
            return false;
        };
        let to_there = orientation_of(here.as_slice(), there.as_slice());
        let to_here = orientation_of(there.as_slice(), here.as_slice());
        let (Some(to_there), Some(to_here)) = (to_there, to_here) else {
            return false;
        };
        let side = |CellFace { cell, face }, orientation, way: usize| match rotations {
            None => Side::Cell {
                cell,
                face,
                orientation,
            },
            Some(rotations) => Side::Rotated {
                cell,
                face,
                orientation,
                rotation: rotations[way],
            },
        };
        *self.side(ours) = side(theirs, to_there, 0);
        *self.side(theirs) = side(ours, to_here, 1);
        true
    }

    /// Joins the open faces `here` to the open faces `there` across a periodic boundary; `map` gives the vertex there
    /// of each vertex here. If the boundary is periodic by rotation, `rotations` are the indices in
    /// [`super::Mesh::rotations`] of the rotations from here to there and back.
    ///
    /// # Errors
    /// Returns [`ConnectError::Unmatched`] if a face has no partner.
    pub fn join(
        &mut self,
        cells: Cells,
        here: &[CellFace],
        there: &[CellFace],
        map: &HashMap<u32, u32>,
        rotations: Option<[usize; 2]>,
    ) -> Result<(), ConnectError> {
        let map = |v: u32| map.get(&v).copied();
        let mut by_key: HashMap<[u32; 4], CellFace> = there.iter().map(|&at| (cells.face(at).key(), at)).collect();
        let mut unmatched = Vec::new();
        for &ours in here {
            let theirs = cells
                .face(ours)
                .replaced(map)
                .and_then(|face| by_key.remove(&face.key()));
            match theirs {
                Some(theirs) if self.connect_pair(cells, ours, theirs, map, rotations) => {}
                _ => unmatched.push(ours),
            }
        }
        self.drop_joined();
        if unmatched.is_empty() {
            unmatched.extend(by_key.into_values());
            unmatched.sort_unstable();
        }
        match unmatched.first() {
            None => Ok(()),
            Some(&first) => Err(ConnectError::Unmatched {
                count: unmatched.len(),
                place: Box::new(FaceLocation::new(first)),
                nearest: Nearest(None),
            }),
        }
    }

    /// Removes faces that got a partner from the list of open faces.
    pub(super) fn drop_joined(&mut self) {
        let sides = &self.sides;
        let first_side = &self.first_side;
        self.open.retain(|at| sides[first_side[at.cell] + at.face] == OPEN);
    }

    /// Refuses an open quadrilateral on which an open triangle of another cell lies: the cells meet, but cannot be
    /// connected.
    fn refuse_quads_on_triangles(&self, cells: Cells) -> Result<(), ConnectError> {
        let of_open = |len: usize| {
            self.open
                .iter()
                .map(|&at| (at, cells.face(at)))
                .filter(move |(_, face)| face.as_slice().len() == len)
        };
        let triangles: HashMap<[u32; 4], CellFace> = of_open(3).map(|(at, face)| (face.key(), at)).collect();
        if triangles.is_empty() {
            return Ok(());
        }
        for (quad, face) in of_open(4) {
            for left_out in 0..4 {
                let mut three = face.as_slice().to_vec();
                three.remove(left_out);
                let key = FaceVertices::new(&three).key();
                if let Some(&triangle) = triangles.get(&key).filter(|t| t.cell != quad.cell) {
                    let both = [quad, triangle].map(FaceLocation::new);
                    return Err(ConnectError::QuadMeetsTriangle(Box::new(both)));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners of one hexahedron, numbered from `start`.
    fn hex(start: u32) -> Vec<u32> {
        (start..start + 8).collect()
    }

    #[test]
    fn one_cell_periodic_in_all_directions_is_its_own_neighbour_on_every_side() {
        let kinds = [ElementKind::Hex];
        let corners = hex(0);
        let first = [0, 8];
        let cells = Cells {
            kinds: &kinds,
            corners: &corners,
            first_corner: &first,
        };
        let mut faces = connect(&kinds, &corners, &first).expect("connects");
        assert_eq!(faces.open.len(), 6);
        for d in 0..3 {
            let [low, high] = [2 * d, 2 * d + 1].map(|face| CellFace { cell: 0, face });
            let pairs = cells.face(low).as_slice().to_vec().into_iter();
            let map = pairs.zip(cells.face(high).as_slice().to_vec()).collect();
            faces.join(cells, &[low], &[high], &map, None).expect("joins");
        }
        assert!(faces.open.is_empty());
        for face in 0..6 {
            let expected = Side::Cell {
                cell: 0,
                face: face ^ 1,
                orientation: 0,
            };
            assert_eq!(*faces.side(CellFace { cell: 0, face }), expected);
        }
    }

    #[test]
    fn orientations_carry_vertices_to_vertices_however_the_cells_are_numbered() {
        // Two prisms on one triangle and two hexahedra on one quadrilateral, the second turned about its axis.
        for turn in 0..3u32 {
            let second = [(turn) % 3, (1 + turn) % 3, (2 + turn) % 3, 6, 7, 8];
            let corners: Vec<u32> = (0..6).chain(second).collect();
            agree(&[ElementKind::Prism; 2], &corners, &[0, 6, 12]);
        }
        for turn in 0..4u32 {
            let ring = |i: u32| (i + turn) % 4;
            let corners: Vec<u32> = (0..8).chain((0..4).map(ring)).chain(8..12).collect();
            agree(&[ElementKind::Hex; 2], &corners, &[0, 8, 16]);
        }
    }

    fn agree(kinds: &[ElementKind], corners: &[u32], first_corner: &[usize]) {
        let cells = Cells {
            kinds,
            corners,
            first_corner,
        };
        let faces = connect(kinds, corners, first_corner).expect("connects");
        let mut met = 0;
        for cell in 0..kinds.len() {
            for face in 0..kinds[cell].faces().len() {
                let Side::Cell {
                    cell: other,
                    face: back,
                    orientation,
                } = faces.sides[faces.first_side[cell] + face]
                else {
                    continue;
                };
                met += 1;
                let ours = cells.face(CellFace { cell, face });
                let theirs = cells.face(CellFace {
                    cell: other,
                    face: back,
                });
                let shape = kinds[cell].faces()[face].shape;
                for (i, v) in ours.as_slice().iter().enumerate() {
                    let at = shape.oriented_point(orientation, i, 1);
                    assert_eq!(theirs.as_slice()[at], *v);
                }
            }
        }
        assert_eq!(met, 2);
    }

    #[test]
    fn three_cells_on_one_face_are_refused() {
        let corners: Vec<u32> = [[0, 1, 2, 3], [0, 1, 2, 4], [0, 1, 2, 5]].concat();
        let error = connect(&[ElementKind::Tet; 3], &corners, &[0, 4, 8, 12]).expect_err("overlaps");
        assert!(matches!(error, ConnectError::ThreeCells(_)), "{error}");
    }

    #[test]
    fn a_quadrilateral_on_two_triangles_is_refused() {
        let kinds = [ElementKind::Hex, ElementKind::Tet, ElementKind::Tet];
        let corners: Vec<u32> = (0..8).chain([4, 5, 6, 8, 4, 6, 7, 8]).collect();
        let error = connect(&kinds, &corners, &[0, 8, 12, 16]).expect_err("does not conform");
        assert!(matches!(error, ConnectError::QuadMeetsTriangle(_)), "{error}");
    }

    #[test]
    fn a_twisted_neighbour_and_a_collapsed_cell_are_refused() {
        let corners: Vec<u32> = (0..8).chain([4, 6, 5, 7, 8, 9, 10, 11]).collect();
        let error = connect(&[ElementKind::Hex; 2], &corners, &[0, 8, 16]).expect_err("twisted");
        assert!(matches!(error, ConnectError::Twisted(_)), "{error}");
        let error = connect(&[ElementKind::Tet], &[0, 1, 2, 2], &[0, 4]).expect_err("collapsed");
        assert!(matches!(error, ConnectError::Collapsed { .. }), "{error}");
    }
}
