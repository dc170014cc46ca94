//! Operators of each kind of element, assembled from those of the line and the triangle or from modes.

use nalgebra::DMatrix;

use super::basis::{modes, quadrature};
use super::dense::{derivatives, rows, vandermonde};
use super::kind::ElementKind;
use super::line::LineElement;
use super::nodes::nodes;
use super::reference_face::ReferenceFace;
use super::triangle::{Triangle, constant_integral, face_mass};

/// Products a_i b_j, j fastest.
pub fn outer(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().flat_map(|a| b.iter().map(move |b| a * b)).collect()
}

/// The operators of an element in the layout of [`super::ReferenceElement`].
pub struct Operators {
    /// Integrals of the Lagrange functions.
    pub weights: Vec<f64>,
    /// Derivative matrices.
    pub diff: [Vec<f64>; 3],
    /// Corrections.
    pub lift: Vec<f64>,
    /// Matrix from values to coefficients of modes; empty for tensor products, which do not need it.
    pub inverse_vandermonde: DMatrix<f64>,
}

/// Lifting from end 0 (left) or 1 (right) of a line. At the left end the jump of the outward flux is minus that of the
/// flux.
fn line_lift(line: &LineElement, side: usize, i: usize) -> f64 {
    -line.correction[if side == 0 { i } else { line.len() - 1 - i }]
}

/// Operators of the hexahedron: those of the line along each direction.
pub fn hex_operators(line: &LineElement, faces: &[ReferenceFace]) -> Operators {
    let n = line.len();
    let np = n * n * n;
    let nfp = 6 * n * n;
    let mut diff = [(); 3].map(|()| vec![0.0; np * np]);
    let mut lift = vec![0.0; np * nfp];
    for d in 0..3 {
        let stride = n.pow(d as u32);
        for p in 0..np {
            let i = p / stride % n;
            let start = p - i * stride;
            for k in 0..n {
                diff[d][p * np + start + k * stride] = line.diff[i * n + k];
            }
        }
        for side in 0..2 {
            let face = &faces[2 * d + side];
            for (f, &point) in face.points.iter().enumerate() {
                let start = point - side * (n - 1) * stride;
                for i in 0..n {
                    lift[(start + i * stride) * nfp + face.first + f] = line_lift(line, side, i);
                }
            }
        }
    }
    let w = &line.weights;
    Operators {
        weights: outer(w, &outer(w, w)),
        diff,
        lift,
        inverse_vandermonde: DMatrix::zeros(0, 0),
    }
}

/// Operators of the prism: those of the triangle in each layer, those of the line across the layers.
pub fn prism_operators(triangle: &Triangle, line: &LineElement, faces: &[ReferenceFace]) -> Operators {
    let n = line.len();
    let nt = triangle.points.len();
    let np = n * nt;
    let nfp = 2 * nt + 3 * n * n;
    let mut diff = [(); 3].map(|()| vec![0.0; np * np]);
    let mut lift = vec![0.0; np * nfp];
    for j in 0..n {
        for t in 0..nt {
            let p = t + nt * j;
            for u in 0..nt {
                for d in 0..2 {
                    diff[d][p * np + u + nt * j] = triangle.diff[d][t * nt + u];
                }
            }
            for k in 0..n {
                diff[2][p * np + t + nt * k] = line.diff[j * n + k];
            }
            for side in 0..2 {
                lift[p * nfp + faces[side].first + t] = line_lift(line, side, j);
            }
            for edge in 0..3 {
                for a in 0..n {
                    lift[p * nfp + faces[2 + edge].first + a + n * j] = triangle.edge_lift[t * 3 * n + edge * n + a];
                }
            }
        }
    }
    Operators {
        weights: outer(&line.weights, &triangle.weights),
        diff,
        lift,
        inverse_vandermonde: DMatrix::zeros(0, 0),
    }
}

/// Operators of elements without tensor structure.
pub fn modal_operators(kind: ElementKind, order: usize, faces: &[ReferenceFace]) -> Operators {
    let at_points: Vec<_> = nodes(kind, order).iter().map(|&x| modes(kind, order, x)).collect();
    let rule: Vec<_> = quadrature(kind, order)
        .into_iter()
        .map(|(x, w)| (modes(kind, order, x), w))
        .collect();
    let v = vandermonde(&at_points);
    let inverse = v.clone().try_inverse().expect("the element's points are unisolvent");
    let mut trace = DMatrix::zeros(kind.points(order), kind.total_face_points(order));
    for face in faces {
        let mass = face_mass(face.shape, order);
        for (a, &point) in face.points.iter().enumerate() {
            for b in 0..face.points.len() {
                trace[(point, face.first + b)] += mass[(a, b)];
            }
        }
    }
    Operators {
        weights: constant_integral(&inverse, kind.volume()),
        diff: derivatives(&v, &inverse, &rule),
        lift: rows(&(&v * v.tr_mul(&trace))),
        inverse_vandermonde: inverse,
    }
}
