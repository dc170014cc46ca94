//! The line of Gauss-Lobatto points from which hexahedra are built: points, weights, derivative and correction
//! functions.
//!
//! Sources: H. T. Huynh, AIAA 2007-4079 (correction functions g_DG and g_2); P. E. Vincent, P. Castonguay & A. Jameson,
//! J. Sci. Comput. 47 (2011) 50 (both as members of one family).

use crate::element::Correction;

/// The Gauss-Lobatto points of [-1, 1] with the operators of flux reconstruction on them.
#[derive(Debug, Clone)]
pub struct LineElement {
    /// Points in ascending order, `[n]` with n = p + 1.
    pub points: Vec<f64>,
    /// Quadrature weights, `[n]`; their sum is 2.
    pub weights: Vec<f64>,
    /// Derivative matrix D_ik, `[n][n]`.
    pub diff: Vec<f64>,
    /// Derivative of the left correction function at the points, `[n]`; the right one is its mirror image with opposite
    /// sign.
    pub correction: Vec<f64>,
}

impl LineElement {
    /// Creates the line of degree `order`, at least 1.
    pub fn new(order: usize, correction: Correction) -> Self {
        let (points, weights) = gauss_lobatto(order);
        let diff = derivative_matrix(&points);
        let correction = correction_derivative(order, &points, &weights, correction);
        LineElement {
            points,
            weights,
            diff,
            correction,
        }
    }

    /// Number of points n = p + 1.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Returns false: a line always has points.
    pub fn is_empty(&self) -> bool {
        false
    }
}

/// Legendre polynomial of degree `n` and its derivative at `x`.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let mut p0 = 1.0;
    let mut p1 = x;
    let mut d0 = 0.0;
    let mut d1 = 1.0;
    if n == 0 {
        return (p0, d0);
    }
    for k in 1..n {
        let k = k as f64;
        let p2 = ((2.0 * k + 1.0) * x * p1 - k * p0) / (k + 1.0);
        let d2 = d0 + (2.0 * k + 1.0) * p1;
        (p0, p1, d0, d1) = (p1, p2, d1, d2);
    }
    (p1, d1)
}

/// Gauss-Lobatto points and weights of degree `order` on [-1, 1]: the ends and the roots of P_p'.
pub fn gauss_lobatto(order: usize) -> (Vec<f64>, Vec<f64>) {
    let p = order as f64;
    let n = order + 1;
    let mut points = vec![0.0; n];
    for i in 0..n {
        let mut x = -(std::f64::consts::PI * i as f64 / p).cos();
        if i == 0 || i == order {
            x = if i == 0 { -1.0 } else { 1.0 };
        } else {
            for _ in 0..50 {
                // Newton on P_p', with (1 - x^2) P_p'' = 2 x P_p' - p (p + 1) P_p.
                let (value, slope) = legendre(order, x);
                let curvature = (2.0 * x * slope - p * (p + 1.0) * value) / (1.0 - x * x);
                let step = slope / curvature;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
        }
        points[i] = x;
    }
    // Enforce exact mirror symmetry, so that both directions of a line round in the same way.
    for i in 0..n / 2 {
        let x = 0.5 * (points[n - 1 - i] - points[i]);
        points[i] = -x;
        points[n - 1 - i] = x;
    }
    if n % 2 == 1 {
        points[n / 2] = 0.0;
    }
    let weights = points
        .iter()
        .map(|&x| 2.0 / (p * (p + 1.0) * legendre(order, x).0.powi(2)))
        .collect();
    (points, weights)
}

/// Barycentric weights of a set of points.
fn barycentric(points: &[f64]) -> Vec<f64> {
    (0..points.len())
        .map(|i| {
            1.0 / (0..points.len())
                .filter(|&k| k != i)
                .map(|k| points[i] - points[k])
                .product::<f64>()
        })
        .collect()
}

/// Derivative matrix D_ik = l_k'(x_i) on Gauss-Lobatto points; its interior diagonal is zero.
fn derivative_matrix(points: &[f64]) -> Vec<f64> {
    let n = points.len();
    let b = barycentric(points);
    let mut d = vec![0.0; n * n];
    for i in 0..n {
        for k in (0..n).filter(|&k| k != i) {
            d[i * n + k] = b[k] / b[i] / (points[i] - points[k]);
        }
    }
    let p = (n - 1) as f64;
    d[0] = -p * (p + 1.0) / 4.0;
    d[n * n - 1] = p * (p + 1.0) / 4.0;
    d
}

/// Values at `targets` of the Lagrange polynomials of `points`, `[target][point]`.
pub fn lagrange_matrix(points: &[f64], targets: &[f64]) -> Vec<f64> {
    let n = points.len();
    let mut m = vec![0.0; targets.len() * n];
    for (t, &x) in targets.iter().enumerate() {
        for k in 0..n {
            m[t * n + k] = (0..n)
                .filter(|&j| j != k)
                .map(|j| (x - points[j]) / (points[k] - points[j]))
                .product::<f64>();
        }
    }
    m
}

/// Derivative g_left'(x_i) of the left correction function. g_DG = (-1)^p (P_p - P_{p+1})/2. The slope of g_2 is zero
/// at all Gauss-Lobatto points but the left end, where it is -1/w_0.
fn correction_derivative(order: usize, points: &[f64], weights: &[f64], correction: Correction) -> Vec<f64> {
    let sign = if order.is_multiple_of(2) { 0.5 } else { -0.5 };
    match correction {
        Correction::Radau => points
            .iter()
            .map(|&x| sign * (legendre(order, x).1 - legendre(order + 1, x).1))
            .collect(),
        Correction::Lobatto => (0..points.len())
            .map(|i| if i == 0 { -1.0 / weights[0] } else { 0.0 })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrature_integrates_polynomials_up_to_degree_2p_minus_1() {
        for p in 1..=8 {
            let (x, w) = gauss_lobatto(p);
            for degree in 0..2 * p {
                let sum: f64 = x.iter().zip(&w).map(|(x, w)| w * x.powi(degree as i32)).sum();
                let exact = if degree % 2 == 0 {
                    2.0 / (degree as f64 + 1.0)
                } else {
                    0.0
                };
                assert!((sum - exact).abs() < 1e-14, "p {p} degree {degree}: {sum} != {exact}");
            }
        }
    }

    #[test]
    fn derivative_is_exact_for_polynomials_of_degree_p() {
        for p in 1..=8 {
            let e = LineElement::new(p, Correction::Radau);
            let n = e.len();
            for degree in 0..=p as i32 {
                for i in 0..n {
                    let d: f64 = (0..n).map(|k| e.diff[i * n + k] * e.points[k].powi(degree)).sum();
                    let exact = if degree == 0 {
                        0.0
                    } else {
                        degree as f64 * e.points[i].powi(degree - 1)
                    };
                    assert!(
                        (d - exact).abs() < 2e-13,
                        "p {p} degree {degree} point {i}: {d} != {exact}"
                    );
                }
            }
        }
    }

    #[test]
    fn derivative_has_the_summation_by_parts_property() {
        for p in 1..=8 {
            let e = LineElement::new(p, Correction::Radau);
            let n = e.len();
            for i in 0..n {
                for k in 0..n {
                    let q = e.weights[i] * e.diff[i * n + k] + e.weights[k] * e.diff[k * n + i];
                    let exact = if i == k {
                        [(0, -1.0), (n - 1, 1.0)].iter().find(|b| b.0 == i).map_or(0.0, |b| b.1)
                    } else {
                        0.0
                    };
                    assert!((q - exact).abs() < 1e-14, "p {p} ({i}, {k}): {q}");
                }
            }
        }
    }

    #[test]
    fn corrections_are_conservative_and_both_families_agree_with_their_polynomials() {
        for p in 1..=8 {
            for c in [Correction::Radau, Correction::Lobatto] {
                let e = LineElement::new(p, c);
                // g(1) - g(-1) = -1, by a quadrature that is exact for g'.
                let sum: f64 = e.correction.iter().zip(&e.weights).map(|(g, w)| g * w).sum();
                assert!((sum + 1.0).abs() < 1e-13, "p {p} {c:?}: {sum}");
            }
            // g_2 from its Legendre form: (-1)^p/2 [P_p - (eta P_{p-1} + P_{p+1})/(1 + eta)], eta = (p+1)/p.
            let e = LineElement::new(p, Correction::Lobatto);
            let eta = (p as f64 + 1.0) / p as f64;
            for (i, &x) in e.points.iter().enumerate() {
                let sign = if p.is_multiple_of(2) { 0.5 } else { -0.5 };
                let g = sign * (legendre(p, x).1 - (eta * legendre(p - 1, x).1 + legendre(p + 1, x).1) / (1.0 + eta));
                assert!(
                    (g - e.correction[i]).abs() < 1e-12,
                    "p {p} point {i}: {g} != {}",
                    e.correction[i]
                );
            }
        }
    }
}
