//! VTK's Lagrange cells: their numbers, and the order in which VTK numbers their nodes.
//!
//! VTK numbers the nodes from the outside to the inside: the vertices, then the inner nodes of the edges, of the faces,
//! and of the cell. The caller's order runs through the lattice of a cell, x first, then y, then z. The inner nodes of
//! a face or of a cell are numbered along its lattice in hexahedra and wedges. In tetrahedra they form a smaller
//! triangle or tetrahedron with vertices, edges and an interior of its own. In hexahedra the vertical edges are in the
//! counter-clockwise order of the vertices: (0,0), (p,0), (p,p), (0,p). VTK before version 9 had the last two swapped,
//! and its XML readers still reorder old files. The HDF reader does not: it expects the new order in every file.
//!
//! VTK has no Lagrange pyramid. A hexahedron whose upper face is collapsed to the apex is drawn instead.

use crate::element::{ElementKind, FaceShape};

/// A point of a cell's lattice: multiples of 1/p along the three directions.
type Lattice = [usize; 3];

/// Returns VTK's number for the kind of cell that draws a shape.
pub(super) fn cell_type(shape: ElementKind) -> u8 {
    match shape {
        ElementKind::Tet => 71,
        ElementKind::Hex | ElementKind::Pyramid => 72,
        ElementKind::Prism => 73,
    }
}

/// Returns the caller's numbers of a cell's nodes, of order `p` >= 1, in VTK's order: a permutation of 0..nodes.
pub(super) fn node_order(shape: ElementKind, p: usize) -> Vec<usize> {
    let triangle = |p: usize| (p + 1) * (p + 2) / 2;
    let tetrahedron = |p: usize| triangle(p) * (p + 3) / 3;
    // Rows j of p + 1 - j nodes each.
    let in_triangle = |p: usize, i: usize, j: usize| i + j * (2 * p + 3 - j) / 2;
    let (nodes, number): (Vec<Lattice>, &dyn Fn(Lattice) -> usize) = match shape {
        ElementKind::Hex | ElementKind::Pyramid => (hexahedron(p), &|[i, j, k]| i + (p + 1) * (j + (p + 1) * k)),
        ElementKind::Prism => (wedge(p), &|[i, j, k]| in_triangle(p, i, j) + triangle(p) * k),
        // The nodes of the layers from k on are those of a tetrahedron of order p - k.
        ElementKind::Tet => (
            tetrahedron_of(p, [[0, 0, 0], [p, 0, 0], [0, p, 0], [0, 0, p]]),
            &|[i, j, k]| tetrahedron(p) - tetrahedron(p - k) + in_triangle(p - k, i, j),
        ),
    };
    nodes.into_iter().map(number).collect()
}

/// Returns VTK's number for the kind of cell that draws a face.
pub(super) fn face_type(shape: FaceShape) -> u8 {
    match shape {
        FaceShape::Triangle => 69,
        FaceShape::Quad => 70,
    }
}

/// Returns the caller's numbers of a face's nodes in VTK's order; see [`node_order`].
pub(super) fn face_order(shape: FaceShape, p: usize) -> Vec<usize> {
    match shape {
        FaceShape::Triangle => {
            let nodes = triangle_of(p, [[0, 0, 0], [p, 0, 0], [0, p, 0]]);
            nodes.into_iter().map(|[i, j, _]| i + j * (2 * p + 3 - j) / 2).collect()
        }
        FaceShape::Quad => {
            let mut nodes = vec![[0, 0], [p, 0], [p, p], [0, p]];
            nodes.extend((1..p).map(|t| [t, 0]));
            nodes.extend((1..p).map(|t| [p, t]));
            nodes.extend((1..p).map(|t| [t, p]));
            nodes.extend((1..p).map(|t| [0, t]));
            nodes.extend((1..p).flat_map(|j| (1..p).map(move |i| [i, j])));
            nodes.into_iter().map(|[i, j]| i + (p + 1) * j).collect()
        }
    }
}

fn hexahedron(p: usize) -> Vec<Lattice> {
    let corners = [[0, 0], [p, 0], [p, p], [0, p]];
    let mut nodes = Vec::with_capacity((p + 1).pow(3));
    for z in [0, p] {
        nodes.extend(corners.map(|[x, y]| [x, y, z]));
    }
    for z in [0, p] {
        // Edges of a horizontal face; all run in the positive direction, whatever the sense of the vertices.
        nodes.extend((1..p).map(|t| [t, 0, z]));
        nodes.extend((1..p).map(|t| [p, t, z]));
        nodes.extend((1..p).map(|t| [t, p, z]));
        nodes.extend((1..p).map(|t| [0, t, z]));
    }
    for [x, y] in corners {
        nodes.extend((1..p).map(|t| [x, y, t]));
    }
    for normal in 0..3 {
        // In a face the lower of the two remaining directions runs first.
        let (first, second) = [(1, 2), (0, 2), (0, 1)][normal];
        for side in [0, p] {
            for b in 1..p {
                for a in 1..p {
                    let mut node = [side; 3];
                    (node[first], node[second]) = (a, b);
                    nodes.push(node);
                }
            }
        }
    }
    for k in 1..p {
        for j in 1..p {
            nodes.extend((1..p).map(|i| [i, j, k]));
        }
    }
    nodes
}

fn wedge(p: usize) -> Vec<Lattice> {
    let corners = [[0, 0], [p, 0], [0, p]];
    // The sides of the triangle, each from its first vertex to its second, t steps along.
    let sides: [fn(usize, usize) -> [usize; 2]; 3] = [|_, t| [t, 0], |p, t| [p - t, t], |p, t| [0, p - t]];
    let inside = |k: usize| (1..p).flat_map(move |j| (1..p - j).map(move |i| [i, j, k]));

    let mut nodes = Vec::with_capacity((p + 1).pow(2) * (p + 2) / 2);
    for z in [0, p] {
        nodes.extend(corners.map(|[x, y]| [x, y, z]));
    }
    for z in [0, p] {
        for side in sides {
            nodes.extend((1..p).map(|t| side(p, t)).map(|[x, y]| [x, y, z]));
        }
    }
    for [x, y] in corners {
        nodes.extend((1..p).map(|t| [x, y, t]));
    }
    nodes.extend([0, p].into_iter().flat_map(inside));
    for side in sides {
        for z in 1..p {
            nodes.extend((1..p).map(|t| side(p, t)).map(|[x, y]| [x, y, z]));
        }
    }
    nodes.extend((1..p).flat_map(inside));
    nodes
}

/// Returns the lattice of a tetrahedron with edges of `p` steps.
fn tetrahedron_of(p: usize, corners: [Lattice; 4]) -> Vec<Lattice> {
    const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
    const FACES: [[usize; 3]; 4] = [[0, 1, 3], [2, 3, 1], [0, 3, 2], [0, 2, 1]];
    let mut nodes = frame(p, corners, &EDGES);
    if p > 2 {
        for face in FACES {
            nodes.extend(triangle_of(p - 3, inner(p, face.map(|vertex| corners[vertex]))));
        }
    }
    if p > 3 {
        nodes.extend(tetrahedron_of(p - 4, inner(p, corners)));
    }
    nodes
}

/// Returns the lattice of a triangle with sides of `p` steps.
fn triangle_of(p: usize, corners: [Lattice; 3]) -> Vec<Lattice> {
    let mut nodes = frame(p, corners, &[[0, 1], [1, 2], [2, 0]]);
    if p > 2 {
        nodes.extend(triangle_of(p - 3, inner(p, corners)));
    }
    nodes
}

/// Vertices and edges of a triangle or tetrahedron; those without extent are a single node.
fn frame<const N: usize>(p: usize, corners: [Lattice; N], edges: &[[usize; 2]]) -> Vec<Lattice> {
    if p == 0 {
        return vec![corners[0]];
    }
    let mut nodes = corners.to_vec();
    for &[from, to] in edges {
        let at = |t, d| (corners[from][d] * (p - t) + corners[to][d] * t) / p;
        nodes.extend((1..p).map(|t| [at(t, 0), at(t, 1), at(t, 2)]));
    }
    nodes
}

/// Returns the corners of the interior of a triangle or tetrahedron: each goes one step towards every other one.
fn inner<const N: usize>(p: usize, corners: [Lattice; N]) -> [Lattice; N] {
    corners.map(|corner| {
        // N - 1 steps of 1/p, counted from the sum so that nothing is negative.
        let step = |d: usize| corner[d] * (p - N) + corners.iter().map(|other| other[d]).sum::<usize>();
        [step(0) / p, step(1) / p, step(2) / p]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_permutation() {
        for p in 1..=10 {
            for shape in [
                ElementKind::Hex,
                ElementKind::Prism,
                ElementKind::Tet,
                ElementKind::Pyramid,
            ] {
                let mut order = node_order(shape, p);
                order.sort_unstable();
                assert!(
                    order.into_iter().eq(0..crate::io::node_count(shape, p)),
                    "{shape:?}, p = {p}"
                );
            }
        }
    }

    #[test]
    fn faces_are_permutations_too() {
        for p in 1..=10 {
            for shape in [FaceShape::Triangle, FaceShape::Quad] {
                let mut order = face_order(shape, p);
                order.sort_unstable();
                assert!(order.into_iter().eq(0..shape.points(p)), "{shape:?}, p = {p}");
            }
        }
        assert_eq!(face_order(FaceShape::Quad, 2), [0, 2, 8, 6, 1, 5, 7, 3, 4]);
        assert_eq!(face_order(FaceShape::Triangle, 2), [0, 2, 5, 1, 4, 3]);
    }

    /// The orders 1 and 2 written out: the linear cells, and the nodes that VTK documents for the quadratic ones.
    #[test]
    fn low_orders_as_documented() {
        assert_eq!(node_order(ElementKind::Hex, 1), [0, 1, 3, 2, 4, 5, 7, 6]);
        let vertices = [0, 2, 8, 6, 18, 20, 26, 24];
        let edges = [1, 5, 7, 3, 19, 23, 25, 21, 9, 11, 17, 15];
        let faces_and_centre = [12, 14, 10, 16, 4, 22, 13];
        assert_eq!(
            node_order(ElementKind::Hex, 2),
            [&vertices[..], &edges, &faces_and_centre].concat()
        );

        assert_eq!(node_order(ElementKind::Prism, 1), [0, 1, 2, 3, 4, 5]);
        let vertices = [0, 2, 5, 12, 14, 17];
        let edges = [1, 4, 3, 13, 16, 15, 6, 8, 11];
        let faces = [7, 10, 9];
        assert_eq!(
            node_order(ElementKind::Prism, 2),
            [&vertices[..], &edges, &faces].concat()
        );

        assert_eq!(node_order(ElementKind::Tet, 1), [0, 1, 2, 3]);
        assert_eq!(node_order(ElementKind::Tet, 2), [0, 2, 5, 9, 1, 4, 3, 6, 7, 8]);
    }
}
