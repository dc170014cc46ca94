//! Solution points of the reference elements. Faces of the same shape have the same points on every kind.
//!
//! Edges are Gauss-Lobatto, squares Gauss-Lobatto x Gauss-Lobatto, triangles the warp & blend points of T. Warburton,
//! J. Engrg. Math. 56 (2006) 247. Inside a tetrahedron the faces' warps are blended as in J. S. Hesthaven & T.
//! Warburton, Nodal Discontinuous Galerkin Methods (2008), section 10.1, but with the triangle's parameter: that of the
//! book would give tetrahedra other face points than prisms from degree 3 on. Inside a pyramid the points are
//! tabulated; J. Chan & T. Warburton, SIAM J. Sci. Comput. 37 (2015) A2151, compare several such sets and find little
//! between them.

use super::kind::{ElementKind, FaceShape, triangle_index};
use super::line::{gauss_lobatto, lagrange_matrix};

/// Warburton's blending parameter of the triangle, by degree from 1.
const ALPHA: [f64; 8] = [0.0, 0.0, 1.4152, 0.1001, 0.2751, 0.98, 1.0999, 1.2832];

/// Points inside the pyramid, by degree from 1: integer coordinates and position. They minimise the Lebesgue constant
/// for the given face points, as found by a search along coordinates.
const PYRAMID_INTERIOR: [&[([usize; 3], [f64; 3])]; 6] = [
    &[],
    &[],
    &[([1, 1, 1], [0.0, 0.0, 0.2885])],
    &[([1, 1, 1], [-0.3064, -0.3064, 0.2436]), ([1, 1, 2], [0.0, 0.0, 0.5515])],
    &[
        ([1, 1, 1], [-0.4795, -0.4795, 0.2030]),
        ([1, 2, 1], [-0.4592, 0.0, 0.1812]),
        ([2, 2, 1], [0.0, 0.0, 0.1770]),
        ([1, 1, 2], [-0.2404, -0.2404, 0.4207]),
        ([1, 1, 3], [0.0, 0.0, 0.6775]),
    ],
    &[
        ([1, 1, 1], [-0.6212, -0.6212, 0.1568]),
        ([1, 2, 1], [-0.6078, -0.2541, 0.1460]),
        ([2, 2, 1], [-0.2371, -0.2371, 0.1315]),
        ([1, 1, 2], [-0.3885, -0.3885, 0.3562]),
        ([1, 2, 2], [-0.3837, 0.0, 0.3539]),
        ([2, 2, 2], [0.0, 0.0, 0.3634]),
        ([1, 1, 3], [-0.2079, -0.2079, 0.5467]),
        ([1, 1, 4], [0.0, 0.0, 0.7842]),
    ],
];

/// The one-dimensional warp: the shift from equispaced to Gauss-Lobatto points, as a polynomial of the position.
struct Warp {
    alpha: f64,
    equispaced: Vec<f64>,
    shift: Vec<f64>,
}

impl Warp {
    fn new(order: usize) -> Self {
        let equispaced: Vec<f64> = (0..=order).map(|i| 2.0 * i as f64 / order as f64 - 1.0).collect();
        let shift = gauss_lobatto(order)
            .0
            .iter()
            .zip(&equispaced)
            .map(|(x, e)| x - e)
            .collect();
        Warp {
            alpha: ALPHA[order - 1],
            equispaced,
            shift,
        }
    }

    /// Shift along the edge from barycentric coordinate `a` to `b` at a point whose third coordinate is `c`.
    fn along_edge(&self, a: f64, b: f64, c: f64) -> f64 {
        let x = b - a;
        let shift: f64 = lagrange_matrix(&self.equispaced, &[x])
            .iter()
            .zip(&self.shift)
            .map(|(l, s)| l * s)
            .sum();
        // The shift contains the factor 1 - x^2, which is 4 a b on the edge.
        4.0 * a * b * shift / (1.0 - x * x) * (1.0 + (self.alpha * c).powi(2))
    }

    /// Shifts of the three barycentric coordinates of a point of the triangle other than a vertex.
    fn in_triangle(&self, l: [f64; 3]) -> [f64; 3] {
        let mut shift = [0.0; 3];
        for c in 0..3 {
            let (a, b) = ((c + 1) % 3, (c + 2) % 3);
            if l[a] > 0.0 && l[b] > 0.0 {
                let half = 0.5 * self.along_edge(l[a], l[b], l[c]);
                shift[a] -= half;
                shift[b] += half;
            }
        }
        shift
    }
}

/// Barycentric coordinates, with respect to (-1, -1), (1, -1), (-1, 1), of the points of the triangle.
fn triangle_barycentric(order: usize) -> Vec<[f64; 3]> {
    let warp = Warp::new(order);
    let p = order as f64;
    FaceShape::Triangle
        .lattice(order)
        .into_iter()
        .map(|[i, j]| {
            let l = [order - i - j, i, j].map(|i| i as f64 / p);
            let shift = warp.in_triangle(l);
            std::array::from_fn(|v| l[v] + shift[v])
        })
        .collect()
}

/// Points of the triangle (-1, -1), (1, -1), (-1, 1).
pub fn triangle_nodes(order: usize) -> Vec<[f64; 2]> {
    triangle_barycentric(order)
        .iter()
        .map(|l| [l[1] - l[2] - l[0], l[2] - l[0] - l[1]])
        .collect()
}

/// Reference coordinates of the solution points of an element.
pub fn nodes(kind: ElementKind, order: usize) -> Vec<[f64; 3]> {
    let (line, _) = gauss_lobatto(order);
    match kind {
        ElementKind::Hex => {
            let lattice = kind.lattice(order);
            lattice.into_iter().map(|at| at.map(|i| line[i])).collect()
        }
        ElementKind::Prism => {
            let triangle = triangle_nodes(order);
            line.iter()
                .flat_map(|&z| triangle.iter().map(move |&[r, s]| [r, s, z]))
                .collect()
        }
        ElementKind::Tet => tet_nodes(order),
        ElementKind::Pyramid => pyramid_nodes(order),
    }
}

fn tet_nodes(order: usize) -> Vec<[f64; 3]> {
    let warp = Warp::new(order);
    let triangle = triangle_barycentric(order);
    let p = order as f64;
    ElementKind::Tet
        .lattice(order)
        .into_iter()
        .map(|[i, j, k]| {
            let integer = [order - i - j - k, i, j, k];
            let mut l = integer.map(|i| i as f64 / p);
            if let Some(opposite) = integer.iter().position(|&i| i == 0) {
                // The points of a face are those of the triangle.
                let [a, b, c]: [usize; 3] = std::array::from_fn(|v| v + usize::from(v >= opposite));
                let face = triangle[triangle_index(integer[b], integer[c], order)];
                (l[a], l[b], l[c]) = (face[0], face[1], face[2]);
            } else {
                let equispaced = l;
                for opposite in 0..4 {
                    let corners: [usize; 3] = std::array::from_fn(|v| v + usize::from(v >= opposite));
                    let height = equispaced[opposite];
                    let blend: f64 = corners
                        .iter()
                        .map(|&v| equispaced[v] / (equispaced[v] + 0.5 * height))
                        .product::<f64>()
                        * (1.0 + (warp.alpha * height).powi(2));
                    let shift = warp.in_triangle(corners.map(|v| equispaced[v]));
                    for (v, shift) in corners.into_iter().zip(shift) {
                        l[v] += blend * shift;
                    }
                }
            }
            [1, 2, 3].map(|v| 2.0 * l[v] - 1.0)
        })
        .collect()
}

fn pyramid_nodes(order: usize) -> Vec<[f64; 3]> {
    let kind = ElementKind::Pyramid;
    let (line, _) = gauss_lobatto(order);
    let triangle = triangle_barycentric(order);
    let mut points = vec![[0.0; 3]; kind.points(order)];
    for j in 0..=order {
        for i in 0..=order {
            points[kind.index([i, j, 0], order)] = [line[i], line[j], 0.0];
        }
    }
    for (number, face) in kind.faces().iter().enumerate().skip(1) {
        let corners = [0, 1, 2].map(|v| kind.vertex(face.vertices[v]));
        for (l, point) in triangle.iter().zip(kind.face_indices(number, order)) {
            points[point] = std::array::from_fn(|d| (0..3).map(|v| l[v] * corners[v][d]).sum());
        }
    }
    for ([i, j, k], point) in kind.lattice(order).into_iter().zip(&mut points) {
        // The table lists the points in x <= y <= 0; all other interior points are images of these.
        let m = order - k;
        let (fold_i, fold_j) = (i.min(m - i), j.min(m - j));
        let listed = |&&(at, _): &&([usize; 3], [f64; 3])| at == [fold_i.min(fold_j), fold_i.max(fold_j), k];
        if let Some((_, [low, high, z])) = PYRAMID_INTERIOR[order - 1].iter().find(listed) {
            let (x, y) = if fold_i <= fold_j { (low, high) } else { (high, low) };
            let mirror = |i: usize| if 2 * i > m { -1.0 } else { 1.0 };
            *point = [mirror(i) * x, mirror(j) * y, *z];
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_of_all_kinds_carry_the_points_of_the_triangle_and_the_square() {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                let points = nodes(kind, order);
                assert_eq!(points.len(), kind.points(order));
                let (line, _) = gauss_lobatto(order);
                for (number, face) in kind.faces().iter().enumerate() {
                    let standard: Vec<[f64; 2]> = match face.shape {
                        FaceShape::Triangle => triangle_nodes(order),
                        FaceShape::Quad => face.shape.lattice(order).iter().map(|at| at.map(|i| line[i])).collect(),
                    };
                    let corner = |v: usize| kind.vertex(face.vertices[v]);
                    let [origin, a, b] = [0, 1, 2].map(corner);
                    for ([u, v], point) in standard.iter().zip(kind.face_indices(number, order)) {
                        for d in 0..3 {
                            let x = origin[d] + 0.5 * ((1.0 + u) * (a[d] - origin[d]) + (1.0 + v) * (b[d] - origin[d]));
                            assert!((x - points[point][d]).abs() < 1e-14, "{kind} {order} face {number}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn triangle_points_keep_their_places_under_all_permutations_of_the_vertices() {
        for order in 1..=6 {
            let points = triangle_barycentric(order);
            let shape = FaceShape::Triangle;
            for orientation in 0..shape.orientations() {
                let vertices = [0, 1, 2].map(|v| shape.oriented_point(orientation, v, 1));
                for (t, l) in points.iter().enumerate() {
                    let other = points[shape.oriented_point(orientation, t, order)];
                    for v in 0..3 {
                        assert!((l[v] - other[vertices[v]]).abs() < 1e-15, "{order} {orientation} {t}");
                    }
                }
            }
        }
    }

    #[test]
    fn triangle_edges_are_gauss_lobatto() {
        for order in 1..=6 {
            let (line, _) = gauss_lobatto(order);
            for (i, x) in line.iter().enumerate() {
                let point = triangle_nodes(order)[i];
                assert!(
                    (point[0] - x).abs() < 1e-15 && (point[1] + 1.0).abs() < 1e-15,
                    "{order} {i}"
                );
            }
        }
    }
}
