//! Derivatives along faces, and area vectors of faces from the positions of their own points.
//!
//! Area vectors are taken in the symmetric curl form of the metric terms (D. A. Kopriva, J. Sci. Comput. 26 (2006)
//! 301). The component of a curl along the normal of a face needs derivatives along the face only. Both cells of a face
//! therefore compute the same numbers from the same points, and on hexahedra, prisms and tetrahedra these are the
//! normal components of the metric terms of the cell.

use super::kind::FaceShape;
use super::line::LineElement;
use super::triangle::Triangle;
use crate::element::Correction;
use crate::vector::dot;

/// The derivatives along the two directions of a face.
#[derive(Debug, Clone)]
pub struct FaceDerivatives {
    /// Derivative matrices along a and b, `[face point][face point]` each.
    pub diff: [Vec<f64>; 2],
}

impl FaceDerivatives {
    /// Creates the derivatives of degree `order` on the standard face.
    pub fn new(shape: FaceShape, order: usize) -> Self {
        let diff = match shape {
            FaceShape::Triangle => Triangle::new(order).diff,
            FaceShape::Quad => {
                let line = LineElement::new(order, Correction::Radau);
                let n = line.len();
                let nf = n * n;
                let mut diff = [vec![0.0; nf * nf], vec![0.0; nf * nf]];
                for b in 0..n {
                    for a in 0..n {
                        let row = (a + n * b) * nf;
                        for k in 0..n {
                            diff[0][row + k + n * b] = line.diff[a * n + k];
                            diff[1][row + a + n * k] = line.diff[b * n + k];
                        }
                    }
                }
                diff
            }
        };
        FaceDerivatives { diff }
    }

    /// Area vectors along a x b per unit of the standard face's measure, `[face point]`. Multiplied by
    /// [`super::Face::sign`] they point out of the cell.
    pub fn areas(&self, positions: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let nf = positions.len();
        // A shift of the origin does not change the areas; one close to the face keeps rounding small.
        let center: [f64; 3] = std::array::from_fn(|m| positions.iter().map(|x| x[m]).sum::<f64>() / nf as f64);
        let x: [Vec<f64>; 3] = std::array::from_fn(|m| positions.iter().map(|x| x[m] - center[m]).collect());
        let dx = x.each_ref().map(|x| [0, 1].map(|d| differentiate(&self.diff[d], x)));
        let mut areas = vec![[0.0; 3]; nf];
        for n in 0..3 {
            let (m, l) = ((n + 1) % 3, (n + 2) % 3);
            let potential =
                |d: usize| -> Vec<f64> { (0..nf).map(|f| x[l][f] * dx[m][d][f] - x[m][f] * dx[l][d][f]).collect() };
            let ab = differentiate(&self.diff[0], &potential(1));
            let ba = differentiate(&self.diff[1], &potential(0));
            for f in 0..nf {
                areas[f][n] = -0.5 * (ab[f] - ba[f]);
            }
        }
        areas
    }
}

impl FaceDerivatives {
    /// Dual base vectors of the surface through the points of a face, `[face point][direction]`. The gradient of a
    /// function along the surface is the sum of these vectors times its derivatives along the two directions.
    pub fn dual_base(&self, positions: &[[f64; 3]]) -> Vec<[[f64; 3]; 2]> {
        let component = |m: usize| -> Vec<f64> { positions.iter().map(|x| x[m]).collect() };
        let slopes = [0, 1, 2].map(|m| self.diff.each_ref().map(|diff| differentiate(diff, &component(m))));
        let dual = |l: usize| {
            let [a, b] = [0, 1].map(|d| [0, 1, 2].map(|m: usize| slopes[m][d][l]));
            let aa = dot(a, a);
            let ab = dot(a, b);
            let bb = dot(b, b);
            let determinant = aa * bb - ab * ab;
            let combined = |of_a: f64, of_b: f64| [0, 1, 2].map(|m| (of_a * a[m] + of_b * b[m]) / determinant);
            [combined(bb, -ab), combined(-ab, aa)]
        };
        (0..positions.len()).map(dual).collect()
    }
}

/// Product D f, computed from differences of f: since D annihilates constants, this is equal, and rounding is smaller.
pub fn differentiate(diff: &[f64], f: &[f64]) -> Vec<f64> {
    diff.chunks(f.len())
        .zip(f)
        .map(|(row, own)| row.iter().zip(f).map(|(d, f)| d * (f - own)).sum())
        .collect()
}

/// Metric terms Ja^d_m at `[3 d + m][point]` in the symmetric curl form, for tests.
pub fn curl_metrics(diff: &[Vec<f64>; 3], positions: &[[f64; 3]]) -> Vec<f64> {
    let np = positions.len();
    let x: [Vec<f64>; 3] = std::array::from_fn(|m| positions.iter().map(|x| x[m]).collect());
    let mut metrics = vec![0.0; 9 * np];
    for n in 0..3 {
        let (m, l) = ((n + 1) % 3, (n + 2) % 3);
        let a: [Vec<f64>; 3] = std::array::from_fn(|d| {
            let (dm, dl) = (differentiate(&diff[d], &x[m]), differentiate(&diff[d], &x[l]));
            (0..np).map(|p| x[l][p] * dm[p] - x[m][p] * dl[p]).collect()
        });
        for d in 0..3 {
            let (e, f) = ((d + 1) % 3, (d + 2) % 3);
            let (fe, ef) = (differentiate(&diff[e], &a[f]), differentiate(&diff[f], &a[e]));
            for p in 0..np {
                metrics[(3 * d + n) * np + p] = -0.5 * (fe[p] - ef[p]);
            }
        }
    }
    metrics
}

/// A smooth curved mapping, for tests.
pub fn bend([x, y, z]: [f64; 3]) -> [f64; 3] {
    [
        x + 0.1 * (y + 2.0 * z).sin() + 0.05 * x * y,
        1.2 * y + 0.1 * (z - x).cos() + 0.03 * x * z,
        0.9 * z + 0.1 * (x * y + 0.5 * x).sin(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{ElementKind, ReferenceElement};

    #[test]
    fn areas_are_the_normal_metric_terms_of_curved_cells_whose_derivatives_commute() {
        for kind in [ElementKind::Hex, ElementKind::Prism, ElementKind::Tet] {
            for order in 1..=6 {
                let e = ReferenceElement::new(kind, order, Correction::Radau);
                let np = e.len();
                let positions: Vec<[f64; 3]> = e.points.iter().map(|&x| bend(x)).collect();
                let metrics = curl_metrics(&e.diff, &positions);
                for (number, face) in e.faces.iter().enumerate() {
                    let on_face: Vec<[f64; 3]> = face.points.iter().map(|&p| positions[p]).collect();
                    let areas = FaceDerivatives::new(face.shape, order).areas(&on_face);
                    let sign = kind.faces()[number].sign;
                    for (area, &p) in areas.iter().zip(&face.points) {
                        for m in 0..3 {
                            let normal: f64 = (0..3).map(|d| face.normal[d] * metrics[(3 * d + m) * np + p]).sum();
                            let error = (sign * area[m] - normal).abs();
                            assert!(error < 1e-12, "{kind} {order} face {number}: {error:e}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn areas_of_a_pyramid_close_its_surface() {
        let kind = ElementKind::Pyramid;
        for order in 1..=6 {
            let e = ReferenceElement::new(kind, order, Correction::Radau);
            let mut sum = [0.0; 3];
            for (number, face) in e.faces.iter().enumerate() {
                let on_face: Vec<[f64; 3]> = face.points.iter().map(|&p| bend(e.points[p])).collect();
                let areas = FaceDerivatives::new(face.shape, order).areas(&on_face);
                for (f, area) in areas.iter().enumerate() {
                    for m in 0..3 {
                        sum[m] += kind.faces()[number].sign * e.face_weights[face.first + f] * area[m];
                    }
                }
            }
            assert!(sum.iter().all(|s| s.abs() < 1e-13), "{order}: {sum:?}");
        }
    }
}
