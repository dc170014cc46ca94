//! Who is whose neighbour: faces of cells are matched by their vertices.
//!
//! Inside the mesh two faces meet if they have the same vertices. Across a periodic boundary they meet if a map carries the
//! vertices of one to those of the other. Vertices are never identified for that: where the mesh is one or two cells wide,
//! several faces would then have the same vertices, and no one could tell them apart.

use std::collections::HashMap;
use std::sync::LazyLock;

use rayon::slice::ParallelSliceMut;

use super::Side;
use super::connect_error::{ConnectError, FacePlace, Nearest};
use crate::element::{ElementKind, FaceShape};

/// What [`connect`] puts behind a face that has no partner; to be replaced by a boundary or, by [`Faces::join`], a cell.
pub const OPEN: Side = Side::Boundary(usize::MAX);

/// The cells of a mesh by their corners.
#[derive(Debug, Clone, Copy)]
pub struct Cells<'a> {
    /// Kind of each cell.
    pub kinds: &'a [ElementKind],
    /// Global numbers of the corner vertices, cell by cell, in the order of the reference element.
    pub corners: &'a [u32],
    /// Where each cell starts in `corners`; one more than there are cells.
    pub first_corner: &'a [usize],
}

/// The vertices of a face in their cell's order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FaceVertices {
    vertices: [u32; 4],
    len: usize,
}

impl FaceVertices {
    /// The three or four vertices.
    pub fn as_slice(&self) -> &[u32] {
        &self.vertices[..self.len]
    }

    /// The same for faces with the same vertices, in whatever order. A triangle is filled up with a number that no
    /// quadrilateral has last, since its vertices differ.
    pub fn key(&self) -> [u32; 4] {
        let mut key = self.vertices;
        key[..self.len].sort_unstable();
        if self.len == 3 {
            key[3] = key[2];
        }
        key
    }

    /// The face whose vertices are these, each replaced; `None` if one has no replacement.
    fn replaced(&self, by: impl Fn(u32) -> Option<u32>) -> Option<Self> {
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
    pub fn face(&self, cell: usize, face: usize) -> FaceVertices {
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

/// Sides of all cells while a mesh is put together.
#[derive(Debug, Clone)]
pub struct Faces {
    /// What lies behind each face, cell by cell.
    pub sides: Vec<Side>,
    /// Where each cell starts in `sides`; one more than there are cells.
    pub first_side: Vec<usize>,
    /// Faces (cell, face) without a partner, in ascending order; their sides are [`OPEN`].
    pub open: Vec<(usize, usize)>,
}

/// Middle of the face's vertices.
pub(super) fn centre(face: FaceVertices, positions: &[[f64; 3]]) -> [f64; 3] {
    let vertices = face.as_slice();
    let share = 1.0 / vertices.len() as f64;
    std::array::from_fn(|d| vertices.iter().map(|&v| positions[v as usize][d] * share).sum())
}

/// For each way in which two triangles or two quadrilaterals can meet, their vertex at which each of our vertices lies.
static MEETINGS: LazyLock<[Vec<[usize; 4]>; 2]> = LazyLock::new(|| {
    [FaceShape::Triangle, FaceShape::Quad].map(|shape| {
        let there = |orientation| {
            let mut at = [0; 4];
            (0..shape.vertices()).for_each(|v| at[v] = shape.oriented_point(orientation, v, 1));
            at
        };
        (0..shape.orientations()).map(there).collect()
    })
});

/// The orientation of two faces with the same vertices, each listed in its own cell's order; `None` if the vertices differ
/// or if they run around the faces in different orders.
pub fn orientation_of(ours: &[u32], theirs: &[u32]) -> Option<usize> {
    if ours.len() != theirs.len() {
        return None;
    }
    MEETINGS[ours.len() - 3]
        .iter()
        .position(|at| ours.iter().zip(at).all(|(v, at)| *v == theirs[*at]))
}

/// Finds the neighbours of all cells inside the mesh. `corners` are the corner vertices cell by cell in the order of the
/// reference element; cell c's lie at `first_corner[c]..first_corner[c + 1]`.
pub fn connect(kinds: &[ElementKind], corners: &[u32], first_corner: &[usize]) -> Result<Faces, ConnectError> {
    let cells = Cells {
        kinds,
        corners,
        first_corner,
    };
    let mut first_side = Vec::with_capacity(kinds.len() + 1);
    first_side.push(0);
    let mut total = 0;
    first_side.extend(kinds.iter().map(|kind| {
        total += kind.faces().len();
        total
    }));

    // Sorted by vertices, then by cell and face, so that nothing depends on the number of threads.
    let mut entries: Vec<([u32; 4], usize)> = Vec::with_capacity(total);
    for cell in 0..kinds.len() {
        for face in 0..kinds[cell].faces().len() {
            let vertices = cells.face(cell, face);
            let list = vertices.as_slice();
            if (1..list.len()).any(|i| list[..i].contains(&list[i])) {
                return Err(ConnectError::Collapsed {
                    place: Box::new(FacePlace::new((cell, face))),
                });
            }
            entries.push((vertices.key(), cell << 3 | face));
        }
    }
    entries.par_sort_unstable();

    let mut faces = Faces {
        sides: vec![OPEN; total],
        first_side,
        open: Vec::new(),
    };
    let place = |i: usize| (entries[i].1 >> 3, entries[i].1 & 7);
    let mut i = 0;
    while i < entries.len() {
        let alike = entries[i..].iter().take(3).take_while(|e| e.0 == entries[i].0).count();
        match alike {
            1 => faces.open.push(place(i)),
            2 => {
                if !faces.meet(cells, place(i), place(i + 1), |v| Some(v), None) {
                    let both = [place(i), place(i + 1)];
                    return Err(ConnectError::Twisted(Box::new(both.map(FacePlace::new))));
                }
            }
            _ => {
                let three = [place(i), place(i + 1), place(i + 2)];
                return Err(ConnectError::ThreeCells(Box::new(three.map(FacePlace::new))));
            }
        }
        i += alike;
    }
    faces.open.sort_unstable();
    faces.refuse_quads_on_triangles(cells)?;
    Ok(faces)
}

impl Faces {
    /// What lies behind a face.
    pub fn side(&mut self, (cell, face): (usize, usize)) -> &mut Side {
        &mut self.sides[self.first_side[cell] + face]
    }

    /// Joins two faces, where `map` carries vertices of `ours` to those of `theirs`; whether their vertices agree.
    pub(super) fn meet(
        &mut self,
        cells: Cells,
        ours: (usize, usize),
        theirs: (usize, usize),
        map: impl Fn(u32) -> Option<u32>,
        rotations: Option<[usize; 2]>,
    ) -> bool {
        let there = cells.face(theirs.0, theirs.1);
        let Some(here) = cells.face(ours.0, ours.1).replaced(map) else {
            return false;
        };
        let to_there = orientation_of(here.as_slice(), there.as_slice());
        let to_here = orientation_of(there.as_slice(), here.as_slice());
        let (Some(to_there), Some(to_here)) = (to_there, to_here) else {
            return false;
        };
        let side = |(cell, face), orientation, way: usize| match rotations {
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

    /// Joins the open faces `here` to the open faces `there` across a periodic boundary; `map` gives the vertex there of
    /// each vertex here. `rotations` are the indices of the rotations from here to there and back in the mesh's list, if
    /// the boundary is periodic by rotation.
    pub fn join(
        &mut self,
        cells: Cells,
        here: &[(usize, usize)],
        there: &[(usize, usize)],
        map: &HashMap<u32, u32>,
        rotations: Option<[usize; 2]>,
    ) -> Result<(), ConnectError> {
        let map = |v: u32| map.get(&v).copied();
        let mut by_key: HashMap<[u32; 4], (usize, usize)> =
            there.iter().map(|&(c, f)| (cells.face(c, f).key(), (c, f))).collect();
        let mut unmatched = Vec::new();
        for &ours in here {
            let theirs = cells
                .face(ours.0, ours.1)
                .replaced(map)
                .and_then(|face| by_key.remove(&face.key()));
            match theirs {
                Some(theirs) if self.meet(cells, ours, theirs, map, rotations) => {}
                _ => unmatched.push(ours),
            }
        }
        self.forget_joined();
        if unmatched.is_empty() {
            unmatched.extend(by_key.into_values());
            unmatched.sort_unstable();
        }
        match unmatched.first() {
            None => Ok(()),
            Some(&first) => Err(ConnectError::Unmatched {
                count: unmatched.len(),
                place: Box::new(FacePlace::new(first)),
                nearest: Nearest(None),
            }),
        }
    }

    /// Takes faces that got a partner off the list of open faces.
    pub(super) fn forget_joined(&mut self) {
        let (sides, first_side) = (&self.sides, &self.first_side);
        self.open.retain(|&(cell, face)| sides[first_side[cell] + face] == OPEN);
    }

    /// Refuses an open quadrilateral on which an open triangle of another cell lies: cells meet there, but cannot be joined.
    fn refuse_quads_on_triangles(&self, cells: Cells) -> Result<(), ConnectError> {
        let of_open = |len: usize| {
            self.open
                .iter()
                .map(|&at| (at, cells.face(at.0, at.1)))
                .filter(move |(_, face)| face.as_slice().len() == len)
        };
        let triangles: HashMap<[u32; 4], (usize, usize)> = of_open(3).map(|(at, face)| (face.key(), at)).collect();
        if triangles.is_empty() {
            return Ok(());
        }
        for (quad, face) in of_open(4) {
            for left_out in 0..4 {
                let mut three = [0; 4];
                let rest = (0..4).filter(|&i| i != left_out).map(|i| face.as_slice()[i]);
                three.iter_mut().zip(rest).for_each(|(to, v)| *to = v);
                let key = FaceVertices {
                    vertices: three,
                    len: 3,
                }
                .key();
                if let Some(&triangle) = triangles.get(&key).filter(|t| t.0 != quad.0) {
                    let both = [quad, triangle].map(FacePlace::new);
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
        let (kinds, corners, first) = ([ElementKind::Hex], hex(0), [0, 8]);
        let cells = Cells {
            kinds: &kinds,
            corners: &corners,
            first_corner: &first,
        };
        let mut faces = connect(&kinds, &corners, &first).expect("connects");
        assert_eq!(faces.open.len(), 6);
        for d in 0..3 {
            let pairs = cells.face(0, 2 * d).as_slice().to_vec().into_iter();
            let map = pairs.zip(cells.face(0, 2 * d + 1).as_slice().to_vec()).collect();
            faces
                .join(cells, &[(0, 2 * d)], &[(0, 2 * d + 1)], &map, None)
                .expect("joins");
        }
        assert!(faces.open.is_empty());
        for face in 0..6 {
            let expected = Side::Cell {
                cell: 0,
                face: face ^ 1,
                orientation: 0,
            };
            assert_eq!(*faces.side((0, face)), expected);
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
                let (ours, theirs) = (cells.face(cell, face), cells.face(other, back));
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
