//! The kinds of elements: vertices, faces, numbering of points in cells and on faces, and orientations of faces.
//!
//! This is the only place that states the faces, normals, volume, numbers of points and highest order of an element.
//! The build script includes this file and writes what the kernels need of it to `elements.h`.
//!
//! Every point has integer coordinates (i, j, k) on a lattice of `order` intervals along each edge. Faces are planes of
//! that lattice, so the points of a face follow from its vertices, and no table per order is needed.

use std::fmt;

use crate::vector::{cross, minus};

/// Declares numbers of points as functions of the number of points of an edge, and as the texts of their formulas.
macro_rules! numbers_of_points {
    ($($(#[doc = $doc:literal])+ $function:ident, $text:ident: $n:ident => $formula:expr;)+) => {
        $(
            $(#[doc = $doc])+
            const fn $function($n: usize) -> usize {
                $formula
            }
            $(#[doc = $doc])+
            const $text: &str = stringify!($formula);
        )+
    };
}

numbers_of_points! {
    /// Number of points of a triangle with n points an edge.
    triangle_points, TRIANGLE_POINTS: n => n * (n + 1) / 2;
    /// Number of points of a square with n points an edge.
    quad_points, QUAD_POINTS: n => n * n;
    /// Number of points of a hexahedron with n points an edge.
    hex_points, HEX_POINTS: n => n * n * n;
    /// Number of points of a prism with n points an edge.
    prism_points, PRISM_POINTS: n => n * (n * (n + 1) / 2);
    /// Number of points of a tetrahedron with n points an edge.
    tet_points, TET_POINTS: n => n * (n + 1) * (n + 2) / 6;
    /// Number of points of a pyramid with n points an edge.
    pyramid_points, PYRAMID_POINTS: n => n * (n + 1) * (2 * n + 1) / 6;
    /// Number of points of the output rule along a coordinate of cells with n points an edge: its Gauss points are
    /// exact to degree 3p, that of a product of three functions.
    rule_line_points, RULE_LINE_POINTS: n => (3 * n - 1) / 2;
}

/// The kind of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementKind {
    /// Hexahedron [-1, 1]^3.
    Hex,
    /// Prism: triangle (-1, -1), (1, -1), (-1, 1) times line [-1, 1].
    Prism,
    /// Tetrahedron (-1, -1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1).
    Tet,
    /// Pyramid with the square base [-1, 1]^2 at z = 0 and the apex at (0, 0, 1).
    Pyramid,
}

/// The shape of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaceShape {
    /// Triangle (-1, -1), (1, -1), (-1, 1).
    Triangle,
    /// Square [-1, 1]^2.
    Quad,
}

/// A face of an element.
#[derive(Debug, Clone, Copy)]
pub struct Face {
    /// Shape of the face.
    pub shape: FaceShape,
    /// Vertices of the element in the order of the face: (a, b, c) of a triangle, (0,0), (1,0), (0,1), (1,1) of a
    /// square.
    pub vertices: &'static [usize],
    /// Sign of the triple product of the face's directions a and b and the outward normal.
    pub sign: f64,
}

const fn tri(vertices: &'static [usize], sign: f64) -> Face {
    Face {
        shape: FaceShape::Triangle,
        vertices,
        sign,
    }
}

const fn quad(vertices: &'static [usize], sign: f64) -> Face {
    Face {
        shape: FaceShape::Quad,
        vertices,
        sign,
    }
}

const HEX_FACES: [Face; 6] = [
    quad(&[0, 3, 4, 7], -1.0),
    quad(&[1, 2, 5, 6], 1.0),
    quad(&[0, 1, 4, 5], 1.0),
    quad(&[3, 2, 7, 6], -1.0),
    quad(&[0, 1, 3, 2], -1.0),
    quad(&[4, 5, 7, 6], 1.0),
];
const PRISM_FACES: [Face; 5] = [
    tri(&[0, 1, 2], -1.0),
    tri(&[3, 4, 5], 1.0),
    quad(&[0, 1, 3, 4], 1.0),
    quad(&[1, 2, 4, 5], 1.0),
    quad(&[0, 2, 3, 5], -1.0),
];
const TET_FACES: [Face; 4] = [
    tri(&[0, 1, 2], -1.0),
    tri(&[0, 1, 3], 1.0),
    tri(&[1, 2, 3], 1.0),
    tri(&[0, 2, 3], -1.0),
];
const PYRAMID_FACES: [Face; 5] = [
    quad(&[0, 1, 3, 2], -1.0),
    tri(&[0, 1, 4], 1.0),
    tri(&[1, 2, 4], 1.0),
    tri(&[3, 2, 4], -1.0),
    tri(&[0, 3, 4], -1.0),
];

const HEX_LATTICE: [[usize; 3]; 8] = [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 1],
    [1, 1, 1],
    [0, 1, 1],
];
const PRISM_LATTICE: [[usize; 3]; 6] = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [0, 1, 1]];
const TET_LATTICE: [[usize; 3]; 4] = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
const PYRAMID_LATTICE: [[usize; 3]; 5] = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]];

impl ElementKind {
    /// All kinds.
    pub const ALL: [ElementKind; 4] = [
        ElementKind::Hex,
        ElementKind::Prism,
        ElementKind::Tet,
        ElementKind::Pyramid,
    ];

    /// Name in files and messages.
    pub const fn name(self) -> &'static str {
        match self {
            ElementKind::Hex => "hex",
            ElementKind::Prism => "prism",
            ElementKind::Tet => "tet",
            ElementKind::Pyramid => "pyramid",
        }
    }

    /// Noun for one such cell in a sentence.
    pub const fn noun(self) -> &'static str {
        match self {
            ElementKind::Hex => "hexahedron",
            ElementKind::Prism => "prism",
            ElementKind::Tet => "tetrahedron",
            ElementKind::Pyramid => "pyramid",
        }
    }

    /// Noun for several such cells.
    pub const fn plural(self) -> &'static str {
        match self {
            ElementKind::Hex => "hexahedra",
            ElementKind::Prism => "prisms",
            ElementKind::Tet => "tetrahedra",
            ElementKind::Pyramid => "pyramids",
        }
    }

    /// Largest polynomial degree.
    pub const fn max_order(self) -> usize {
        match self {
            ElementKind::Hex => 8,
            _ => 6,
        }
    }

    /// Volume of the reference element.
    pub const fn volume(self) -> f64 {
        match self {
            ElementKind::Hex => 8.0,
            ElementKind::Prism => 4.0,
            ElementKind::Tet | ElementKind::Pyramid => 4.0 / 3.0,
        }
    }

    /// Faces in the order of their numbers.
    pub const fn faces(self) -> &'static [Face] {
        match self {
            ElementKind::Hex => &HEX_FACES,
            ElementKind::Prism => &PRISM_FACES,
            ElementKind::Tet => &TET_FACES,
            ElementKind::Pyramid => &PYRAMID_FACES,
        }
    }

    /// Integer coordinates of the vertices for order 1.
    const fn vertex_lattice(self) -> &'static [[usize; 3]] {
        match self {
            ElementKind::Hex => &HEX_LATTICE,
            ElementKind::Prism => &PRISM_LATTICE,
            ElementKind::Tet => &TET_LATTICE,
            ElementKind::Pyramid => &PYRAMID_LATTICE,
        }
    }

    /// Integer coordinates of the vertices on the lattice of an order, in the order of their numbers.
    pub fn lattice_vertices(self, order: usize) -> Vec<[usize; 3]> {
        let vertices = self.vertex_lattice().iter();
        vertices.map(|at| at.map(|i| i * order)).collect()
    }

    /// Number of vertices.
    pub const fn vertices(self) -> usize {
        self.vertex_lattice().len()
    }

    /// Reference coordinates of a vertex.
    pub fn vertex(self, vertex: usize) -> [f64; 3] {
        let [i, j, k] = self.vertex_lattice()[vertex].map(|i| i as f64);
        match self {
            ElementKind::Pyramid if k == 1.0 => [0.0, 0.0, 1.0],
            ElementKind::Pyramid => [2.0 * i - 1.0, 2.0 * j - 1.0, 0.0],
            _ => [2.0 * i - 1.0, 2.0 * j - 1.0, 2.0 * k - 1.0],
        }
    }

    /// Number of points of an element of degree `order`.
    pub const fn points(self, order: usize) -> usize {
        let n = order + 1;
        match self {
            ElementKind::Hex => hex_points(n),
            ElementKind::Prism => prism_points(n),
            ElementKind::Tet => tet_points(n),
            ElementKind::Pyramid => pyramid_points(n),
        }
    }

    /// Number of points of an element as a formula of the number n of points of an edge, for the kernels.
    pub const fn points_formula(self) -> &'static str {
        match self {
            ElementKind::Hex => HEX_POINTS,
            ElementKind::Prism => PRISM_POINTS,
            ElementKind::Tet => TET_POINTS,
            ElementKind::Pyramid => PYRAMID_POINTS,
        }
    }

    /// Number of points of the output rule ([`super::OutputRule`]) along each collapsed coordinate.
    pub const fn rule_line_points(order: usize) -> usize {
        rule_line_points(order + 1)
    }

    /// The same as a formula of the number n of points of an edge, for the kernels.
    pub const RULE_LINE_FORMULA: &str = RULE_LINE_POINTS;

    /// Number of points of a level of the output rule.
    pub const fn rule_points(self, order: usize) -> usize {
        let line = rule_line_points(order + 1);
        match self {
            ElementKind::Hex | ElementKind::Prism => line * line,
            ElementKind::Tet | ElementKind::Pyramid => line * line * line,
        }
    }

    /// Number of levels of the output rule.
    pub const fn rule_levels(self, order: usize) -> usize {
        match self {
            ElementKind::Hex | ElementKind::Prism => rule_line_points(order + 1),
            ElementKind::Tet | ElementKind::Pyramid => 1,
        }
    }

    /// Number of points of a face.
    pub const fn face_points(self, face: usize, order: usize) -> usize {
        self.faces()[face].shape.points(order)
    }

    /// Number of points of all faces together.
    pub fn total_face_points(self, order: usize) -> usize {
        self.faces().iter().map(|face| face.shape.points(order)).sum()
    }

    /// Number of the point with integer coordinates (i, j, k).
    pub const fn index(self, [i, j, k]: [usize; 3], order: usize) -> usize {
        let n = order + 1;
        match self {
            ElementKind::Hex => i + n * (j + n * k),
            ElementKind::Prism => triangle_index(i, j, order) + triangle_points(n) * k,
            // Layers of a tetrahedron are triangles, those of a pyramid squares, that lose a row each.
            ElementKind::Tet => ElementKind::Tet.points(order) - tet_points(n - k) + triangle_index(i, j, order - k),
            ElementKind::Pyramid => ElementKind::Pyramid.points(order) - pyramid_points(n - k) + i + (n - k) * j,
        }
    }

    /// Integer coordinates of all points, in the order of their numbers.
    pub fn lattice(self, order: usize) -> Vec<[usize; 3]> {
        let mut lattice = Vec::with_capacity(self.points(order));
        for k in 0..=order {
            let m = match self {
                ElementKind::Hex | ElementKind::Prism => order,
                _ => order - k,
            };
            for j in 0..=m {
                let row = match self {
                    ElementKind::Hex | ElementKind::Pyramid => m,
                    _ => m - j,
                };
                lattice.extend((0..=row).map(|i| [i, j, k]));
            }
        }
        lattice
    }

    /// Numbers in the cell of the points of a face, in the face's own order.
    pub fn face_indices(self, face: usize, order: usize) -> Vec<usize> {
        let Face { shape, vertices, .. } = self.faces()[face];
        let corner = |v: usize| self.vertex_lattice()[vertices[v]].map(|i| i as isize);
        let [origin, a, b] = [0, 1, 2].map(corner);
        shape
            .lattice(order)
            .into_iter()
            .map(|[i, j]| {
                let (i, j) = (i as isize, j as isize);
                let at: [usize; 3] = std::array::from_fn(|d| {
                    (order as isize * origin[d] + i * (a[d] - origin[d]) + j * (b[d] - origin[d])) as usize
                });
                self.index(at, order)
            })
            .collect()
    }

    /// Outward normal of a face in reference space; its length is the ratio of the face's area to that of its standard
    /// shape.
    pub fn face_normal(self, face: usize) -> [f64; 3] {
        let Face { vertices, sign, .. } = self.faces()[face];
        let corner = |v: usize| self.vertex(vertices[v]);
        let [origin, a, b] = [0, 1, 2].map(corner);
        let [u, v] = [a, b].map(|x| minus(x, origin).map(|c| 0.5 * c));
        cross(u, v).map(|c| sign * c)
    }
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FaceShape {
    /// Number of points of degree `order`.
    pub const fn points(self, order: usize) -> usize {
        match self {
            FaceShape::Triangle => triangle_points(order + 1),
            FaceShape::Quad => quad_points(order + 1),
        }
    }

    /// Number of points as a formula of the number n of points of an edge, for the kernels.
    pub const fn points_formula(self) -> &'static str {
        match self {
            FaceShape::Triangle => TRIANGLE_POINTS,
            FaceShape::Quad => QUAD_POINTS,
        }
    }

    /// Number of vertices.
    pub const fn vertices(self) -> usize {
        self.points(1)
    }

    /// Number of ways in which two faces of this shape can meet.
    pub const fn orientations(self) -> usize {
        match self {
            FaceShape::Triangle => TRIANGLE_ORIENTATIONS.len(),
            FaceShape::Quad => 8,
        }
    }

    /// Integer coordinates of all points, in the order of their numbers.
    pub fn lattice(self, order: usize) -> Vec<[usize; 2]> {
        (0..=order)
            .flat_map(|j| {
                let row = match self {
                    FaceShape::Triangle => order - j,
                    FaceShape::Quad => order,
                };
                (0..=row).map(move |i| [i, j])
            })
            .collect()
    }

    /// Integer coordinates of a point; an entry of [`FaceShape::lattice`], without the list.
    fn lattice_point(self, point: usize, order: usize) -> [usize; 2] {
        match self {
            FaceShape::Triangle => {
                let (mut i, mut j) = (point, 0);
                while i > order - j {
                    i -= order - j + 1;
                    j += 1;
                }
                [i, j]
            }
            FaceShape::Quad => [point % (order + 1), point / (order + 1)],
        }
    }

    /// Returns the neighbour's number of our face point `point`. Order 1 maps vertices.
    ///
    /// The orientation of squares is a bit field: bit 0 exchanges a and b, then bit 1 reverses a and bit 2 reverses b.
    /// That of triangles is an index into the permutations 012, 120, 201, 021, 210, 102, which list the neighbour's
    /// vertices at our three.
    pub fn oriented_point(self, orientation: usize, point: usize, order: usize) -> usize {
        let [mut i, mut j] = self.lattice_point(point, order);
        match self {
            FaceShape::Triangle => {
                let mut theirs = [0; 3];
                for (ours, vertex) in [order - i - j, i, j]
                    .into_iter()
                    .zip(TRIANGLE_ORIENTATIONS[orientation])
                {
                    theirs[vertex] = ours;
                }
                triangle_index(theirs[1], theirs[2], order)
            }
            FaceShape::Quad => {
                if orientation & 1 != 0 {
                    std::mem::swap(&mut i, &mut j);
                }
                if orientation & 2 != 0 {
                    i = order - i;
                }
                if orientation & 4 != 0 {
                    j = order - j;
                }
                i + (order + 1) * j
            }
        }
    }

    /// Returns the orientation that maps our vertices to the neighbour's, both in the order of their own face; `None`
    /// if the faces do not coincide within `tolerance`.
    pub fn find_orientation(self, ours: &[[f64; 3]], theirs: &[[f64; 3]], tolerance: f64) -> Option<usize> {
        (0..self.orientations()).find(|&o| {
            (0..self.vertices()).all(|v| {
                let other = theirs[self.oriented_point(o, v, 1)];
                (0..3).all(|d| (ours[v][d] - other[d]).abs() <= tolerance)
            })
        })
    }
}

/// Vertices of the neighbour's triangle at our vertices, `[orientation][our vertex]`.
const TRIANGLE_ORIENTATIONS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// Number of the triangle's point (i, j), i fastest.
pub const fn triangle_index(i: usize, j: usize, order: usize) -> usize {
    i + j * (2 * order + 3 - j) / 2
}

#[cfg(test)]
#[path = "kind_tests.rs"]
mod tests;
