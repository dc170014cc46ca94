//! The numbers by which traces on both sides of an interface are joined: lines of points that meet anywhere along the
//! interface share fluxes at the points of a Gauss rule, which each side projects onto its own polynomials (D. A.
//! Kopriva, S. L. Woodruff & M. Y. Hussaini, Int. J. Numer. Methods Eng. 53 (2002) 105).

use super::basis::{gauss_jacobi, line_modes};
use super::line::gauss_lobatto;

/// Returns, for the line of N = p + 1 Gauss-Lobatto points of [-1, 1]: the points (N); for each of them 1 over the
/// product of its distances from the others, which its Lagrange polynomial needs (N); Gauss points (N); their weights
/// (N); and the inverse of the mass matrix of the Lagrange polynomials (N x N). With as many Gauss points as points,
/// the projection returns polynomials of degree p as they are.
pub fn interface_rule(order: usize) -> Vec<f64> {
    let (points, _) = gauss_lobatto(order);
    let n = points.len();
    let inverse = |k: usize| {
        let others = (0..n).filter(|&j| j != k);
        1.0 / others.map(|j| points[k] - points[j]).product::<f64>()
    };
    let (gauss, weights) = gauss_jacobi(n, 0);
    let modes: Vec<_> = points.iter().map(|&x| line_modes(order, x)).collect();
    let product = |i: usize, k: usize| {
        let pairs = modes[i].iter().zip(&modes[k]);
        pairs.map(|((a, _), (b, _))| a * b).sum::<f64>()
    };
    let mut rule = points.clone();
    rule.extend((0..n).map(inverse));
    rule.extend(gauss);
    rule.extend(weights);
    rule.extend((0..n * n).map(|at| product(at / n, at % n)));
    rule
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::lagrange_matrix;

    #[test]
    fn polynomials_are_projected_onto_themselves_from_parts_of_the_line() {
        for order in 1..=8 {
            let n = order + 1;
            let rule = interface_rule(order);
            let (points, gauss) = (&rule[..n], &rule[2 * n..3 * n]);
            let (weights, mass) = (&rule[3 * n..4 * n], &rule[4 * n..]);
            let f = |x: f64| (0..=order).map(|k| (k as f64 + 0.5) * x.powi(k as i32)).sum::<f64>();
            for ends in [
                vec![-1.0, 1.0],
                vec![-1.0, -0.3, 1.0],
                vec![-1.0, -0.999, 0.1, 0.6, 1.0],
            ] {
                for i in 0..n {
                    let mut sum = 0.0;
                    for part in ends.windows(2) {
                        let half = 0.5 * (part[1] - part[0]);
                        for q in 0..n {
                            let x = 0.5 * (part[0] + part[1]) + half * gauss[q];
                            let values = lagrange_matrix(points, &[x]);
                            let share: f64 = (0..n).map(|k| mass[i * n + k] * values[k]).sum();
                            sum += half * weights[q] * share * f(x);
                        }
                    }
                    let exact = f(points[i]);
                    assert!(
                        (sum - exact).abs() < 1e-11 * exact.abs().max(1.0),
                        "p {order}, {i}: {sum} {exact}"
                    );
                }
            }
            // The value of a Lagrange polynomial at a Gauss point by the second numbers.
            let x = gauss[0];
            for k in 0..n {
                let others = (0..n).filter(|&j| j != k);
                let value = rule[n + k] * others.map(|j| x - points[j]).product::<f64>();
                assert!((value - lagrange_matrix(points, &[x])[k]).abs() < 1e-13);
            }
        }
    }
}
