//! The operators of flux reconstruction on every kind of element, as plain matrices on its points.
//!
//! Derivatives are M^-1 S with S_d = integral of phi d_d phi. On hexahedra, prisms and tetrahedra these are the
//! derivatives of the interpolant. The rational functions of pyramids leave their space when differentiated, so their
//! derivatives are projected. This keeps polynomials exact, and makes the integral of a derivative over a cell equal to
//! the integral over its faces. Corrections are those of the line in line directions and DG lifting, M^-1 (face mass),
//! elsewhere.

use nalgebra::DMatrix;

use super::basis::modes;
use super::dense::{rows, vandermonde};
use super::kind::{ElementKind, FaceShape};
use super::line::{LineElement, gauss_lobatto, lagrange_matrix};
use super::nodes::nodes;
use super::operators::{hex_operators, modal_operators, outer, prism_operators};
use super::reference_face::ReferenceFace;
use super::triangle::Triangle;
use crate::element::Correction;

/// The points and operators of an element of one kind and degree.
#[derive(Debug, Clone)]
pub struct ReferenceElement {
    /// Kind of element.
    pub kind: ElementKind,
    /// Polynomial degree p.
    pub order: usize,
    /// Reference coordinates of the solution points, `[point]`.
    pub points: Vec<[f64; 3]>,
    /// Integrals of the Lagrange functions, `[point]`; their sum is the volume.
    pub weights: Vec<f64>,
    /// Derivative matrices along the three reference directions, `[point][point]` each.
    pub diff: [Vec<f64>; 3],
    /// Faces of the element.
    pub faces: Vec<ReferenceFace>,
    /// Contribution to the divergence of a unit jump of outward flux in each face point, `[point][face point]`.
    pub lift: Vec<f64>,
    /// Integrals of the faces' Lagrange functions over their standard shapes, `[face point]` over all faces.
    pub face_weights: Vec<f64>,
    interpolant: Interpolant,
}

/// The form in which the Lagrange functions are evaluated away from the points.
#[derive(Debug, Clone)]
enum Interpolant {
    Line(Vec<f64>),
    Extruded(Box<Triangle>, Vec<f64>),
    Modal(DMatrix<f64>),
}

impl ReferenceElement {
    /// Creates the element of degree `order`; `correction` applies to the line directions of hexahedra and prisms.
    pub fn new(kind: ElementKind, order: usize, correction: Correction) -> Self {
        let mut faces = Vec::new();
        let mut face_weights = Vec::new();
        let triangle_weights = Triangle::new(order).weights;
        let (line_points, line_weights) = gauss_lobatto(order);
        for (number, face) in kind.faces().iter().enumerate() {
            faces.push(ReferenceFace {
                shape: face.shape,
                normal: kind.face_normal(number),
                points: kind.face_indices(number, order),
                first: face_weights.len(),
            });
            match face.shape {
                FaceShape::Triangle => face_weights.extend(&triangle_weights),
                FaceShape::Quad => face_weights.extend(
                    line_weights
                        .iter()
                        .flat_map(|b| line_weights.iter().map(move |a| a * b)),
                ),
            }
        }
        let operators = match kind {
            ElementKind::Hex => hex_operators(&LineElement::new(order, correction), &faces),
            ElementKind::Prism => prism_operators(&Triangle::new(order), &LineElement::new(order, correction), &faces),
            ElementKind::Tet | ElementKind::Pyramid => modal_operators(kind, order, &faces),
        };
        let interpolant = match kind {
            ElementKind::Hex => Interpolant::Line(line_points),
            ElementKind::Prism => Interpolant::Extruded(Box::new(Triangle::new(order)), line_points),
            ElementKind::Tet | ElementKind::Pyramid => Interpolant::Modal(operators.inverse_vandermonde),
        };
        ReferenceElement {
            kind,
            order,
            points: nodes(kind, order),
            weights: operators.weights,
            diff: operators.diff,
            faces,
            lift: operators.lift,
            face_weights,
            interpolant,
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns false: an element always has points.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Number of points of all faces.
    pub fn face_len(&self) -> usize {
        self.face_weights.len()
    }

    /// Values of the Lagrange functions at `targets`, `[target][point]`.
    pub fn interpolation(&self, targets: &[[f64; 3]]) -> Vec<f64> {
        if targets.is_empty() {
            return Vec::new();
        }
        let along = |line: &[f64], d: usize| {
            let targets: Vec<f64> = targets.iter().map(|x| x[d]).collect();
            lagrange_matrix(line, &targets)
        };
        match &self.interpolant {
            Interpolant::Line(line) => {
                let n = line.len();
                let [x, y, z] = [0, 1, 2].map(|d| along(line, d));
                (0..targets.len())
                    .flat_map(|t| {
                        let row = t * n..(t + 1) * n;
                        let plane = outer(&y[row.clone()], &x[row.clone()]);
                        outer(&z[row], &plane)
                    })
                    .collect()
            }
            Interpolant::Extruded(triangle, line) => {
                let n = line.len();
                let nt = triangle.points.len();
                let flat: Vec<[f64; 2]> = targets.iter().map(|x| [x[0], x[1]]).collect();
                let z = along(line, 2);
                let plane = triangle.interpolation(&flat);
                (0..targets.len())
                    .flat_map(|t| outer(&z[t * n..(t + 1) * n], &plane[t * nt..(t + 1) * nt]))
                    .collect()
            }
            Interpolant::Modal(inverse) => {
                let modes: Vec<_> = targets.iter().map(|&x| modes(self.kind, self.order, x)).collect();
                rows(&(vandermonde(&modes) * inverse))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::basis::quadrature;

    fn all(mut check: impl FnMut(ReferenceElement)) {
        for kind in ElementKind::ALL {
            for order in 1..=kind.max_order() {
                for correction in [Correction::Radau, Correction::Lobatto] {
                    check(ReferenceElement::new(kind, order, correction));
                }
            }
        }
    }

    /// Exponents of the monomials of total degree `order`.
    fn exponents(order: usize) -> Vec<[i32; 3]> {
        let lattice = ElementKind::Tet.lattice(order);
        lattice.into_iter().map(|at| at.map(|i| i as i32)).collect()
    }

    fn monomial(x: [f64; 3], e: [i32; 3]) -> f64 {
        (0..3).map(|d| x[d].powi(e[d])).product()
    }

    fn largest(errors: impl IntoIterator<Item = f64>) -> f64 {
        errors.into_iter().map(f64::abs).fold(0.0, f64::max)
    }

    #[test]
    fn derivatives_are_exact_for_polynomials_of_degree_p() {
        all(|e| {
            let np = e.len();
            for powers in exponents(e.order) {
                let f: Vec<f64> = e.points.iter().map(|&x| monomial(x, powers)).collect();
                for d in 0..3 {
                    let mut lower = powers;
                    lower[d] -= 1;
                    let error = largest((0..np).map(|i| {
                        let slope: f64 = (0..np).map(|k| e.diff[d][i * np + k] * f[k]).sum();
                        let exact = if powers[d] == 0 {
                            0.0
                        } else {
                            powers[d] as f64 * monomial(e.points[i], lower)
                        };
                        slope - exact
                    }));
                    assert!(
                        error < 3e-13,
                        "{} {} {powers:?} direction {d}: {error:e}",
                        e.kind,
                        e.order
                    );
                }
            }
        });
    }

    #[test]
    fn derivatives_annihilate_constants() {
        all(|e| {
            for d in &e.diff {
                let error = largest(d.chunks(e.len()).map(|row| row.iter().sum()));
                assert!(error < 1e-13, "{} {}: {error:e}", e.kind, e.order);
            }
        });
    }

    #[test]
    fn the_sum_of_a_derivative_is_what_the_faces_carry() {
        all(|e| {
            let np = e.len();
            for d in 0..3 {
                let mut sum = vec![0.0; np];
                for i in 0..np {
                    for k in 0..np {
                        sum[k] += e.weights[i] * e.diff[d][i * np + k];
                    }
                }
                for face in &e.faces {
                    for (f, &point) in face.points.iter().enumerate() {
                        sum[point] -= e.face_weights[face.first + f] * face.normal[d];
                    }
                }
                let error = largest(sum);
                assert!(error < 1e-13, "{} {} direction {d}: {error:e}", e.kind, e.order);
            }
        });
    }

    #[test]
    fn weights_sum_to_the_volume_and_face_weights_to_the_area() {
        all(|e| {
            let volume: f64 = e.weights.iter().sum();
            assert!(
                (volume - e.kind.volume()).abs() < 1e-13,
                "{} {}: {volume}",
                e.kind,
                e.order
            );
            for face in &e.faces {
                let area: f64 = e.face_weights[face.first..][..face.points.len()].iter().sum();
                let exact = if face.shape == FaceShape::Quad { 4.0 } else { 2.0 };
                assert!((area - exact).abs() < 1e-13, "{} {}: {area}", e.kind, e.order);
            }
        });
    }

    #[test]
    fn lifting_conserves_what_jumps_at_the_faces() {
        all(|e| {
            let nfp = e.face_len();
            let mut sum: Vec<f64> = e.face_weights.iter().map(|w| -w).collect();
            for (w, row) in e.weights.iter().zip(e.lift.chunks(nfp)) {
                for (sum, lift) in sum.iter_mut().zip(row) {
                    *sum += w * lift;
                }
            }
            let error = largest(sum);
            assert!(error < 1e-13, "{} {}: {error:e}", e.kind, e.order);
        });
    }

    #[test]
    fn interpolation_reproduces_polynomials_and_the_whole_space_of_the_pyramid() {
        for kind in ElementKind::ALL {
            for order in 1..=6 {
                let e = ReferenceElement::new(kind, order, Correction::Radau);
                let targets: Vec<[f64; 3]> = quadrature(kind, 3).into_iter().map(|(x, _)| x).collect();
                let matrix = e.interpolation(&targets);
                let check = |f: &dyn Fn([f64; 3]) -> f64, what: &str| {
                    let values: Vec<f64> = e.points.iter().map(|&x| f(x)).collect();
                    let error = largest(
                        matrix
                            .chunks(e.len())
                            .zip(&targets)
                            .map(|(row, &x)| row.iter().zip(&values).map(|(l, v)| l * v).sum::<f64>() - f(x)),
                    );
                    assert!(error < 1e-12, "{kind} {order} {what}: {error:e}");
                };
                for powers in exponents(order) {
                    check(&|x| monomial(x, powers), &format!("{powers:?}"));
                }
                for mode in 0..kind.points(order) {
                    check(&|x| modes(kind, order, x)[mode].0, &format!("mode {mode}"));
                }
            }
        }
    }

    #[test]
    fn points_are_well_placed() {
        // The Lebesgue constant bounds how much interpolation at the points loses against the best approximation.
        let tet = [1.01, 2.0, 2.95, 4.1, 5.4, 7.3];
        let pyramid = [1.01, 1.9, 2.75, 3.8, 5.1, 6.3];
        for (kind, bounds) in [(ElementKind::Tet, tet), (ElementKind::Pyramid, pyramid)] {
            for order in 1..=6 {
                let e = ReferenceElement::new(kind, order, Correction::Radau);
                let targets = nodes(kind, 6)
                    .into_iter()
                    .chain(quadrature(kind, 15).into_iter().map(|(x, _)| x));
                let matrix = e.interpolation(&targets.collect::<Vec<_>>());
                let lebesgue = largest(matrix.chunks(e.len()).map(|row| row.iter().map(|l| l.abs()).sum()));
                assert!(lebesgue < bounds[order - 1], "{kind} {order}: {lebesgue}");
            }
        }
    }

    #[test]
    fn derivatives_of_simplices_and_prisms_commute() {
        for kind in [ElementKind::Tet, ElementKind::Prism] {
            for order in 1..=6 {
                let e = ReferenceElement::new(kind, order, Correction::Radau);
                let d = e
                    .diff
                    .map(|d| DMatrix::from_row_slice(e.points.len(), e.points.len(), &d));
                for (a, b) in [(0, 1), (1, 2), (2, 0)] {
                    let error = (&d[a] * &d[b] - &d[b] * &d[a]).amax();
                    assert!(error < 1e-11, "{kind} {order}: {error:e}");
                }
            }
        }
    }
}
