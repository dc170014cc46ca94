//! The numbers by which traces on both sides of a mortar are joined: the faces meet on parts of the larger one, which
//! are the whole of a line or one of its halves in each direction, and share fluxes at the points of a Gauss rule there
//! (D. A. Kopriva, S. L. Woodruff & M. Y. Hussaini, Int. J. Numer. Methods Eng. 53 (2002) 105).

use super::basis::{gauss_jacobi, line_modes};
use super::line::{gauss_lobatto, lagrange_matrix};

/// Returns numbers for the line of N = p + 1 Gauss-Lobatto points and three shares of it: all of it, its lower and its
/// upper half. First the values of the Lagrange polynomials of the line at the N Gauss points of each share
/// (3 x N x N, the polynomials innermost); then the shares of these points in the projection at the points of the line,
/// of values for a unit of length of the share's own reference line (3 x N x N, the points of the line innermost); then
/// the weights of the Gauss points, whose sum is 1 (N). Projections of the parts of a line add up to that of the line,
/// which returns polynomials of degree p as they are, where each part has its length as a factor.
pub fn mortar_rule(order: usize) -> Vec<f64> {
    let (points, _) = gauss_lobatto(order);
    let n = points.len();
    let (gauss, weights) = gauss_jacobi(n, 0);
    let modes: Vec<_> = points.iter().map(|&x| line_modes(order, x)).collect();
    let places: Vec<f64> = [[1.0, 0.0], [0.5, -0.5], [0.5, 0.5]]
        .iter()
        .flat_map(|[scale, shift]| gauss.iter().map(move |x| scale * x + shift))
        .collect();
    let mut rule: Vec<f64> = places.iter().flat_map(|&x| lagrange_matrix(&points, &[x])).collect();
    for (&x, weight) in places.iter().zip(weights.iter().cycle()) {
        let there = line_modes(order, x);
        let product = |i: usize| modes[i].iter().zip(&there).map(|(a, b)| a.0 * b.0).sum::<f64>();
        rule.extend((0..n).map(|i| weight * product(i)));
    }
    rule.extend(weights.iter().map(|weight| 0.5 * weight));
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projections_of_halves_add_up_to_the_polynomial() {
        for order in 1..=8 {
            let n = order + 1;
            let rule = mortar_rule(order);
            let (points, _) = gauss_lobatto(order);
            let f: Vec<f64> = points.iter().map(|x| 0.3 + x.powi(order as i32)).collect();
            let at = |share: usize, g: usize| &rule[(share * n + g) * n..][..n];
            let value = |share: usize, g: usize| at(share, g).iter().zip(&f).map(|(a, b)| a * b).sum::<f64>();
            let weights = &rule[6 * n * n..];
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for (shares, length) in [(&[0][..], 1.0), (&[1, 2], 0.5)] {
                for i in 0..n {
                    let all = shares.iter().flat_map(|share| (0..n).map(move |g| (*share, g)));
                    let sum: f64 = all
                        .map(|(share, g)| length * rule[3 * n * n + (share * n + g) * n + i] * value(share, g))
                        .sum();
                    assert!((sum - f[i]).abs() < 1e-12, "p {order}, {i}: {sum} {}", f[i]);
                }
            }
        }
    }
}
