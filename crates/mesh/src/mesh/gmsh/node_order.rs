//! The order in which Gmsh numbers the nodes of an element.
//!
//! The vertices come first, then the nodes inside the edges, edge by edge, then those inside the faces, and last those
//! inside the volume. The nodes inside a face or a volume form an element of lower order and are numbered by the same
//! rule. Nodes are given by their integer coordinates on the lattice of the element, as in [`ElementKind::lattice`].

use crate::element::{ElementKind, FaceShape};

/// Edges (from, to) and faces of an element in Gmsh's order. The origin of a face is its first vertex; its first
/// direction runs along the edge to its second vertex, its second direction along the edge to its last.
struct Topology {
    edges: &'static [[usize; 2]],
    faces: &'static [&'static [usize]],
}

const TRIANGLE_EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
const QUAD_EDGES: [[usize; 2]; 4] = [[0, 1], [1, 2], [2, 3], [3, 0]];

const HEX: Topology = Topology {
    edges: &[
        [0, 1],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 5],
        [2, 3],
        [2, 6],
        [3, 7],
        [4, 5],
        [4, 7],
        [5, 6],
        [6, 7],
    ],
    faces: &[
        &[0, 3, 2, 1],
        &[0, 1, 5, 4],
        &[0, 4, 7, 3],
        &[1, 2, 6, 5],
        &[2, 3, 7, 6],
        &[4, 5, 6, 7],
    ],
};
const PRISM: Topology = Topology {
    edges: &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [3, 5], [4, 5]],
    faces: &[&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[0, 3, 5, 2], &[1, 2, 5, 4]],
};
const TET: Topology = Topology {
    edges: &[[0, 1], [1, 2], [2, 0], [3, 0], [3, 2], [3, 1]],
    faces: &[&[0, 2, 1], &[0, 1, 3], &[0, 3, 2], &[3, 1, 2]],
};
const PYRAMID: Topology = Topology {
    edges: &[[0, 1], [0, 3], [0, 4], [1, 2], [1, 4], [2, 3], [2, 4], [3, 4]],
    faces: &[&[0, 1, 4], &[3, 0, 4], &[1, 2, 4], &[2, 3, 4], &[0, 3, 2, 1]],
};

impl Topology {
    fn of(kind: ElementKind) -> Self {
        match kind {
            ElementKind::Hex => HEX,
            ElementKind::Prism => PRISM,
            ElementKind::Tet => TET,
            ElementKind::Pyramid => PYRAMID,
        }
    }
}

/// Point `step` of `order` on the line from a to b.
fn along<const D: usize>(a: [usize; D], b: [usize; D], step: usize, order: usize) -> [usize; D] {
    std::array::from_fn(|d| (a[d] * (order - step) + b[d] * step) / order)
}

/// Lattice points of a line in Gmsh's order: the ends first.
fn line(order: usize) -> Vec<usize> {
    match order {
        0 => vec![0],
        _ => [0, order].into_iter().chain(1..order).collect(),
    }
}

/// Lattice points (i, j) of the triangle or the square with these vertices and edges, in Gmsh's order.
fn face(vertices: &[[usize; 2]], edges: &[[usize; 2]], order: usize) -> Vec<[usize; 2]> {
    if order == 0 {
        return vec![[0, 0]];
    }
    let scaled: Vec<[usize; 2]> = vertices.iter().map(|v| v.map(|i| i * order)).collect();
    let mut points = scaled.clone();
    for [a, b] in edges {
        points.extend((1..order).map(|step| along(scaled[*a], scaled[*b], step, order)));
    }
    // Without its sides the lattice of a triangle is three intervals smaller, that of a square two.
    let removed = if vertices.len() == 3 { 3 } else { 2 };
    if order >= removed {
        points.extend(
            face(vertices, edges, order - removed)
                .into_iter()
                .map(|p| p.map(|i| i + 1)),
        );
    }
    points
}

/// Lattice points (i, j) of a triangle or a quadrilateral in Gmsh's order.
pub fn face_lattice(shape: FaceShape, order: usize) -> Vec<[usize; 2]> {
    match shape {
        FaceShape::Triangle => face(&[[0, 0], [1, 0], [0, 1]], &TRIANGLE_EDGES, order),
        FaceShape::Quad => face(&[[0, 0], [1, 0], [1, 1], [0, 1]], &QUAD_EDGES, order),
    }
}

/// Lattice points inside a face, without those on its edges.
fn inside_face(vertices: usize, order: usize) -> Vec<[usize; 2]> {
    let mut points = match vertices {
        3 => face_lattice(FaceShape::Triangle, order),
        _ => face_lattice(FaceShape::Quad, order),
    };
    points.drain(..vertices * order);
    points
}

/// Lattice points of a cell in Gmsh's order.
pub fn cell_lattice(kind: ElementKind, order: usize) -> Vec<[usize; 3]> {
    if order == 0 {
        return vec![[0; 3]];
    }
    let topology = Topology::of(kind);
    let vertices = kind.lattice_vertices(order);
    let mut points = vertices.clone();
    for [a, b] in topology.edges {
        points.extend((1..order).map(|step| along(vertices[*a], vertices[*b], step, order)));
    }
    for corners in topology.faces {
        let [origin, a, b] = [corners[0], corners[1], corners[corners.len() - 1]].map(|v| vertices[v]);
        points.extend(inside_face(corners.len(), order).into_iter().map(|[i, j]| {
            // a and b lie `order` intervals from the origin, in one or more lattice directions each.
            std::array::from_fn(|d| (origin[d] * (order - i) + a[d] * i + b[d] * j - origin[d] * j) / order)
        }));
    }
    let removed = match kind {
        ElementKind::Hex => 2,
        ElementKind::Tet => 4,
        ElementKind::Pyramid => 3,
        ElementKind::Prism => {
            // The only element whose interior is not of its own kind: its layers are triangles without their edges.
            for [i, j] in inside_face(3, order) {
                points.extend(line(order - 2).into_iter().map(|k| [i, j, k + 1]));
            }
            return points;
        }
    };
    if order >= removed {
        points.extend(
            cell_lattice(kind, order - removed)
                .into_iter()
                .map(|p| p.map(|i| i + 1)),
        );
    }
    points
}
