//! Areas of faces, and volumes from integrals over them.
//!
//! The volume of a cell is a third of the integral of x . n over its faces. Faces are polynomials for all kinds of
//! cells, although the interior of a pyramid is not, so the quadrature is exact and the contributions of a common face
//! cancel.

use crate::element::{FaceDerivatives, FaceShape, Triangle, gauss_lobatto, lagrange_matrix};
use crate::vector::{cross, dot, length};

/// A quadrature rule with the values and derivatives of the face's basis at its points.
pub(super) struct FaceRule {
    weights: Vec<f64>,
    /// Value, derivative along a and derivative along b, each `[quadrature point][face point]`.
    tables: [Vec<f64>; 3],
}

impl FaceRule {
    /// Creates a rule that is exact for volumes of cells of degree `g`.
    pub fn new(shape: FaceShape, g: usize) -> Self {
        // x . (x_a x x_b) is of degree 3 g - 1 in each direction, one more for the collapsed triangle. A rule of n
        // Gauss-Lobatto points is exact to degree 2 n - 3.
        let (x, w) = gauss_lobatto((3 * g).div_ceil(2));
        let pairs = || (0..x.len()).flat_map(|b| (0..x.len()).map(move |a| (a, b)));
        let (values, weights): (Vec<f64>, Vec<f64>) = match shape {
            FaceShape::Quad => {
                let line = lagrange_matrix(&gauss_lobatto(g).0, &x);
                let row = |t: usize| &line[t * (g + 1)..(t + 1) * (g + 1)];
                let product =
                    |(a, b): (usize, usize)| row(b).iter().flat_map(move |l| row(a).iter().map(move |k| l * k));
                (
                    pairs().flat_map(product).collect(),
                    pairs().map(|(a, b)| w[a] * w[b]).collect(),
                )
            }
            FaceShape::Triangle => {
                let points: Vec<[f64; 2]> = pairs()
                    .map(|(a, b)| [0.5 * (1.0 + x[a]) * (1.0 - x[b]) - 1.0, x[b]])
                    .collect();
                let weights = pairs().map(|(a, b)| w[a] * w[b] * 0.5 * (1.0 - x[b])).collect();
                (Triangle::new(g).interpolation(&points), weights)
            }
        };
        let nf = shape.points(g);
        let [along_a, along_b] = FaceDerivatives::new(shape, g)
            .diff
            .map(|diff| product(&values, &diff, nf));
        FaceRule {
            weights,
            tables: [values, along_a, along_b],
        }
    }

    /// Returns the area, and the integral of (x - origin) . n for the normal along a x b.
    pub fn integrate(&self, x: &[[f64; 3]], origin: [f64; 3]) -> (f64, f64) {
        let nf = x.len();
        let (mut area, mut flux) = (0.0, 0.0);
        for (q, w) in self.weights.iter().enumerate() {
            let mut sums = [[0.0; 3]; 3];
            for (sum, table) in sums.iter_mut().zip(&self.tables) {
                for (l, x) in table[q * nf..(q + 1) * nf].iter().zip(x) {
                    (0..3).for_each(|d| sum[d] += l * (x[d] - origin[d]));
                }
            }
            let normal = cross(sums[1], sums[2]);
            area += w * length(normal);
            flux += w * dot(normal, sums[0]);
        }
        (area, flux)
    }
}

/// Product of two row-major matrices; `inner` is the number of columns of the first and the size of the second, which
/// is square.
fn product(left: &[f64], right: &[f64], inner: usize) -> Vec<f64> {
    let row = |l: &[f64]| -> Vec<f64> {
        (0..inner)
            .map(|j| (0..inner).map(|k| l[k] * right[k * inner + j]).sum())
            .collect()
    };
    left.chunks(inner).flat_map(row).collect()
}
