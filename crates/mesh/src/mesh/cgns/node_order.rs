//! The order in which CGNS numbers the nodes of an element (SIDS, section 3.3, with the extensions to cubic and quartic
//! elements of M. Yu and Z. J. Wang).
//!
//! The vertices come first, then the nodes inside the edges, inside the faces, and inside the volume. Inside a
//! quadrilateral they run around it in rings, inside a triangle they form a triangle of lower order. Inside a volume
//! they follow each other layer by layer. Nodes are given by their integer coordinates on the lattice of the element,
//! as in [`ElementKind::lattice`]. They lie at equal distances, as programs that write such files place them.

use crate::element::{ElementKind, FaceShape};

/// Edges (from, to) and faces of an element. The origin of a face is its first vertex; its first direction runs to its
/// second vertex, its second direction to its last.
struct Topology {
    edges: &'static [[usize; 2]],
    faces: &'static [&'static [usize]],
}

const HEX: Topology = Topology {
    edges: &[
        [0, 1],
        [1, 2],
        [2, 3],
        [3, 0],
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
        [4, 5],
        [5, 6],
        [6, 7],
        [7, 4],
    ],
    faces: &[
        &[0, 1, 2, 3],
        &[0, 1, 5, 4],
        &[1, 2, 6, 5],
        &[2, 3, 7, 6],
        &[3, 0, 4, 7],
        &[4, 5, 6, 7],
    ],
};
const PRISM: Topology = Topology {
    edges: &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 4], [2, 5], [3, 4], [4, 5], [5, 3]],
    faces: &[&[0, 1, 2], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5], &[3, 4, 5]],
};
const TET: Topology = Topology {
    edges: &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
    faces: &[&[0, 1, 2], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]],
};
const PYRAMID: Topology = Topology {
    edges: &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]],
    faces: &[&[0, 1, 2, 3], &[0, 1, 4], &[1, 2, 4], &[2, 3, 4], &[3, 0, 4]],
};

impl Topology {
    fn of(kind: ElementKind) -> &'static Self {
        match kind {
            ElementKind::Hex => &HEX,
            ElementKind::Prism => &PRISM,
            ElementKind::Tet => &TET,
            ElementKind::Pyramid => &PYRAMID,
        }
    }
}

/// Returns the vertices of the faces of a cell, in the order of the faces in CGNS.
pub fn faces(kind: ElementKind) -> &'static [&'static [usize]] {
    Topology::of(kind).faces
}

/// Lattice points of a square of `order` intervals, ring after ring from the outside, each round to the left.
fn rings(order: usize) -> Vec<[usize; 2]> {
    let mut points = Vec::new();
    for first in 0..=order / 2 {
        let last = order - first;
        if first == last {
            points.push([first, first]);
            continue;
        }
        points.extend((first..last).map(|i| [i, first]));
        points.extend((first..last).map(|j| [last, j]));
        points.extend((first..last).map(|i| [last + first - i, last]));
        points.extend((first..last).map(|j| [first, last + first - j]));
    }
    points
}

/// Lattice points of a triangle: vertices, edges, and the triangle inside.
fn triangle(order: usize) -> Vec<[usize; 2]> {
    if order == 0 {
        return vec![[0, 0]];
    }
    let mut points = vec![[0, 0], [order, 0], [0, order]];
    points.extend((1..order).map(|t| [t, 0]));
    points.extend((1..order).map(|t| [order - t, t]));
    points.extend((1..order).map(|t| [0, order - t]));
    points.extend(inside(FaceShape::Triangle, order));
    points
}

/// Lattice points (i, j) inside a face.
fn inside(shape: FaceShape, order: usize) -> Vec<[usize; 2]> {
    let points = match shape {
        FaceShape::Triangle if order >= 3 => triangle(order - 3),
        FaceShape::Quad if order >= 2 => rings(order - 2),
        _ => Vec::new(),
    };
    points.into_iter().map(|point| point.map(|i| i + 1)).collect()
}

/// Lattice points (i, j) of a triangle or a quadrilateral.
pub fn face_lattice(shape: FaceShape, order: usize) -> Vec<[usize; 2]> {
    match shape {
        FaceShape::Triangle => triangle(order),
        FaceShape::Quad => {
            let ring = |[i, j]: [usize; 2]| [i * order, j * order];
            let mut points: Vec<[usize; 2]> = [[0, 0], [1, 0], [1, 1], [0, 1]].map(ring).to_vec();
            // The first ring without the corners gives the edges in the order of the vertices.
            points.extend(rings(order).into_iter().filter(|at| {
                let corner = at.iter().all(|i| *i == 0 || *i == order);
                !corner && at.iter().any(|i| *i == 0 || *i == order)
            }));
            points.extend(inside(shape, order));
            points
        }
    }
}

/// Lattice points of a cell.
pub fn cell_lattice(kind: ElementKind, order: usize) -> Vec<[usize; 3]> {
    let topology = Topology::of(kind);
    let vertices = kind.lattice_vertices(order);
    let mut points = vertices.clone();
    for &[a, b] in topology.edges {
        let at = |t: usize| std::array::from_fn(|d| (vertices[a][d] * (order - t) + vertices[b][d] * t) / order);
        points.extend((1..order).map(at));
    }
    for corners in topology.faces {
        let [origin, a, b] = [corners[0], corners[1], corners[corners.len() - 1]].map(|v| vertices[v]);
        let shape = match corners.len() {
            3 => FaceShape::Triangle,
            _ => FaceShape::Quad,
        };
        points.extend(inside(shape, order).into_iter().map(|[i, j]| {
            std::array::from_fn(|d| (origin[d] * (order - i) + a[d] * i + b[d] * j - origin[d] * j) / order)
        }));
    }
    for k in 1..order {
        // The layers of a tetrahedron and of a pyramid are smaller with every step.
        let (shape, size) = match kind {
            ElementKind::Hex => (FaceShape::Quad, order),
            ElementKind::Prism => (FaceShape::Triangle, order),
            ElementKind::Tet => (FaceShape::Triangle, order - k),
            ElementKind::Pyramid => (FaceShape::Quad, order - k),
        };
        points.extend(inside(shape, size).into_iter().map(|[i, j]| [i, j, k]));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_one_place() {
        for order in 1..=4 {
            for kind in ElementKind::ALL {
                let mut places: Vec<usize> = cell_lattice(kind, order)
                    .into_iter()
                    .map(|at| kind.index(at, order))
                    .collect();
                places.sort_unstable();
                assert!(places.into_iter().eq(0..kind.points(order)), "{kind} of order {order}");
            }
            for shape in [FaceShape::Triangle, FaceShape::Quad] {
                let mut places = face_lattice(shape, order);
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), shape.points(order));
            }
        }
    }

    /// Numbers, from 0, of the nodes of the prisms PENTA_40 and PENTA_75 by their places on the lattice, from the
    /// tables of SU2's reader of CGNS files.
    const PENTA: [&[usize]; 2] = [
        &[
            0, 6, 7, 1, 11, 24, 8, 10, 9, 2, 12, 25, 26, 14, 34, 38, 29, 33, 30, 16, 13, 28, 27, 15, 35, 39, 32, 36,
            31, 17, 3, 18, 19, 4, 23, 37, 20, 22, 21, 5,
        ],
        &[
            0, 6, 7, 8, 1, 14, 33, 34, 9, 13, 35, 10, 12, 11, 2, 15, 36, 37, 38, 18, 56, 66, 67, 45, 55, 68, 46, 54,
            47, 21, 16, 43, 44, 39, 19, 57, 69, 70, 52, 62, 71, 53, 61, 48, 22, 17, 42, 41, 40, 20, 58, 72, 73, 51, 59,
            74, 50, 60, 49, 23, 3, 24, 25, 26, 4, 32, 63, 64, 27, 31, 65, 28, 30, 29, 5,
        ],
    ];

    #[test]
    fn prisms_are_numbered_as_in_the_tables_of_another_reader() {
        for (order, table) in [3, 4].into_iter().zip(PENTA) {
            for (number, at) in cell_lattice(ElementKind::Prism, order).into_iter().enumerate() {
                assert_eq!(
                    table[ElementKind::Prism.index(at, order)],
                    number,
                    "{at:?} of order {order}"
                );
            }
        }
    }

    #[test]
    fn nodes_inside_quartic_elements_follow_the_tables_of_the_standard() {
        // The first and the last node inside the second face, and those inside the volume.
        let prism = cell_lattice(ElementKind::Prism, 4);
        assert_eq!([prism[36], prism[39], prism[44]], [[1, 0, 1], [3, 0, 2], [2, 0, 2]]);
        assert_eq!([prism[63], prism[66], prism[74]], [[1, 1, 4], [1, 1, 1], [1, 2, 3]]);
        let pyramid = cell_lattice(ElementKind::Pyramid, 4);
        assert_eq!(
            [pyramid[37], pyramid[43], pyramid[54]],
            [[2, 2, 0], [2, 1, 2], [1, 1, 2]]
        );
        let hex = cell_lattice(ElementKind::Hex, 3);
        assert_eq!([hex[48], hex[51], hex[58]], [[0, 2, 1], [0, 2, 2], [2, 2, 1]]);
        let tet = cell_lattice(ElementKind::Tet, 4);
        assert_eq!([tet[24], tet[31], tet[34]], [[1, 2, 0], [0, 2, 1], [1, 1, 1]]);
    }
}
