//! The triangle from which prisms are built; all triangular faces share its mass matrix.

use nalgebra::DMatrix;

use super::basis::{line_modes, triangle_modes, triangle_quadrature};
use super::dense::{derivatives, rows, vandermonde};
use super::kind::{ElementKind, FaceShape};
use super::line::gauss_lobatto;
use super::nodes::triangle_nodes;

/// The points and operators of the triangle (-1, -1), (1, -1), (-1, 1).
#[derive(Debug, Clone)]
pub struct Triangle {
    /// Polynomial degree.
    pub order: usize,
    /// Points, `[nt]` with nt = (p + 1)(p + 2)/2.
    pub points: Vec<[f64; 2]>,
    /// Integrals of the Lagrange functions, `[nt]`; their sum is 2.
    pub weights: Vec<f64>,
    /// Derivative matrices along r and s, `[nt][nt]` each.
    pub diff: [Vec<f64>; 2],
    /// Lifting M^-1 (edge mass), `[nt][3 n]`: its columns are the points of the edges on which faces 2, 3 and 4 of a
    /// prism stand, along their first direction. Edges are measured by their parameter in [-1, 1].
    pub edge_lift: Vec<f64>,
    /// Integrals of an edge's Lagrange functions, `[3 n]`; the same for the three edges.
    pub edge_weights: Vec<f64>,
    inverse_vandermonde: DMatrix<f64>,
}

impl Triangle {
    /// Creates the triangle of degree `order`.
    pub fn new(order: usize) -> Self {
        let points = triangle_nodes(order);
        let modes: Vec<_> = points.iter().map(|&x| triangle_modes(order, x)).collect();
        let rule: Vec<_> = triangle_quadrature(order)
            .into_iter()
            .map(|(x, w)| (triangle_modes(order, x), w))
            .collect();
        let v = vandermonde(&modes);
        let inverse = v.clone().try_inverse().expect("points of the triangle are unisolvent");
        let diff = derivatives(&v, &inverse, &rule);

        let nt = points.len();
        let n = order + 1;
        let edge_mass = line_mass(order);
        let mut trace = DMatrix::zeros(nt, 3 * n);
        for (edge, indices) in Self::edges(order).iter().enumerate() {
            for (a, &t) in indices.iter().enumerate() {
                for b in 0..n {
                    trace[(t, edge * n + b)] += edge_mass[(a, b)];
                }
            }
        }
        let edge_lift = rows(&(&v * v.transpose() * trace));
        Triangle {
            order,
            weights: constant_integral(&inverse, 2.0),
            diff,
            edge_lift,
            edge_weights: gauss_lobatto(order).1.repeat(3),
            points,
            inverse_vandermonde: inverse,
        }
    }

    /// Points of the edges in the order of the columns of `edge_lift`.
    pub fn edges(order: usize) -> [Vec<usize>; 3] {
        [2, 3, 4].map(|face| {
            let mut points = ElementKind::Prism.face_indices(face, order);
            points.truncate(order + 1);
            points
        })
    }

    /// Values of the Lagrange functions at `targets`, `[target][nt]`.
    pub fn interpolation(&self, targets: &[[f64; 2]]) -> Vec<f64> {
        let modes: Vec<_> = targets.iter().map(|&x| triangle_modes(self.order, x)).collect();
        if modes.is_empty() {
            return Vec::new();
        }
        rows(&(vandermonde(&modes) * &self.inverse_vandermonde))
    }
}

/// Integrals of the Lagrange functions. Only the first mode, a constant of unit norm, has a non-zero integral.
pub fn constant_integral(inverse_vandermonde: &DMatrix<f64>, volume: f64) -> Vec<f64> {
    inverse_vandermonde.row(0).iter().map(|c| c * volume.sqrt()).collect()
}

/// Exact mass matrix of Gauss-Lobatto points.
pub fn line_mass(order: usize) -> DMatrix<f64> {
    let points = gauss_lobatto(order).0;
    let v = DMatrix::from_fn(points.len(), points.len(), |i, j| line_modes(order, points[i])[j].0);
    let inverse = v.try_inverse().expect("Gauss-Lobatto points are unisolvent");
    inverse.tr_mul(&inverse)
}

/// Exact mass matrix of a face's points in the measure of the standard triangle or square.
pub fn face_mass(shape: FaceShape, order: usize) -> DMatrix<f64> {
    match shape {
        FaceShape::Triangle => {
            let inverse = Triangle::new(order).inverse_vandermonde;
            inverse.tr_mul(&inverse)
        }
        FaceShape::Quad => {
            let line = line_mass(order);
            line.kronecker(&line)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_commute_and_lifting_conserves() {
        for order in 1..=6 {
            let e = Triangle::new(order);
            let nt = e.points.len();
            let [r, s] = e.diff.clone().map(|d| DMatrix::from_row_slice(nt, nt, &d));
            assert!((&r * &s - &s * &r).amax() < 1e-11, "{order}");
            let lift = DMatrix::from_row_slice(nt, 3 * (order + 1), &e.edge_lift);
            let sum = DMatrix::from_row_slice(1, nt, &e.weights) * lift;
            for (a, b) in sum.iter().zip(&e.edge_weights) {
                assert!((a - b).abs() < 1e-13, "{order}");
            }
        }
    }
}
