//! Closed curves in the plane: uniform periodic B-splines of degree 5.
//!
//! Their curvature has two continuous derivatives, so that neither the wall nor the pressure along it has a kink
//! where two pieces meet.

use super::plane::Point;

/// Degree of the pieces.
const DEGREE: usize = 5;
/// Control points on which a piece depends.
pub(super) const SUPPORT: usize = DEGREE + 1;

/// A closed curve with one control point for each piece.
#[derive(Debug, Clone)]
pub(super) struct ClosedSpline {
    /// Control points, `[piece]`.
    pub control: Vec<Point>,
    /// Length of a piece in the parameter.
    pub step: f64,
}

/// A point of the curve with the first two derivatives along the parameter.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jet {
    /// Position.
    pub point: Point,
    /// First derivative.
    pub first: Point,
    /// Second derivative.
    pub second: Point,
}

impl Jet {
    /// Returns the curvature; it is positive where the curve turns to the left.
    pub fn curvature(&self) -> f64 {
        let ([a, b], [c, d]) = (self.first, self.second);
        (a * d - b * c) / a.hypot(b).powi(3)
    }
}

/// Returns the values of the six basis functions of a piece, or their derivatives of order `derivative` (at most 3), at
/// the fraction `f` of the piece, in units of the piece's length. Function j belongs to the control point j pieces
/// back.
pub(super) fn basis(f: f64, derivative: usize) -> [f64; SUPPORT] {
    // Cox and de Boor's recursion from degree 0 up, for knots one apart (de Boor 1978, A Practical Guide to Splines).
    let mut values = [0.0; SUPPORT];
    values[0] = 1.0;
    for degree in 1..=DEGREE - derivative {
        for j in (0..=degree).rev() {
            let x = f + j as f64;
            let before = if j > 0 { values[j - 1] } else { 0.0 };
            values[j] = (x * values[j] + ((degree + 1) as f64 - x) * before) / degree as f64;
        }
    }
    // The derivative of a basis function is a difference of two of one degree less.
    for _ in 0..derivative {
        for j in (1..SUPPORT).rev() {
            values[j] -= values[j - 1];
        }
    }
    values
}

impl ClosedSpline {
    /// Returns the piece of a parameter and the fraction of the piece.
    pub fn piece(&self, u: f64) -> (usize, f64) {
        locate(u, self.step, self.control.len())
    }

    /// Evaluates the curve.
    pub fn at(&self, u: f64) -> Jet {
        let (piece, f) = self.piece(u);
        let n = self.control.len();
        let sum = |derivative: usize| -> Point {
            let scale = self.step.powi(-(derivative as i32));
            let weights = basis(f, derivative);
            std::array::from_fn(|d| {
                let terms = (0..SUPPORT).map(|j| weights[j] * self.control[(piece + n - j) % n][d]);
                scale * terms.sum::<f64>()
            })
        };
        Jet {
            point: sum(0),
            first: sum(1),
            second: sum(2),
        }
    }
}

/// Returns the piece of a parameter on a closed curve of `pieces` pieces, and the fraction of the piece.
pub(super) fn locate(u: f64, step: f64, pieces: usize) -> (usize, f64) {
    let x = (u / step).rem_euclid(pieces as f64);
    let piece = (x as usize).min(pieces - 1);
    (piece, x - piece as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basis_functions_sum_to_one_and_match_the_known_values() {
        for f in [0.0, 0.3, 0.77, 1.0] {
            assert!((basis(f, 0).iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for derivative in 1..=3 {
                assert!(basis(f, derivative).iter().sum::<f64>().abs() < 1e-13);
            }
        }
        // At a knot the values are the Eulerian numbers 1, 26, 66, 26, 1 over 5!.
        let known = [0.0, 1.0, 26.0, 66.0, 26.0, 1.0].map(|n| n / 120.0);
        for (value, known) in basis(0.0, 0).into_iter().zip(known) {
            assert!((value - known).abs() < 1e-15);
        }
    }

    #[test]
    fn derivatives_are_those_of_the_values() {
        let (f, h) = (0.4, 1e-4);
        for derivative in 0..3 {
            let (low, high) = (basis(f - h, derivative), basis(f + h, derivative));
            let exact = basis(f, derivative + 1);
            for j in 0..SUPPORT {
                assert!(((high[j] - low[j]) / (2.0 * h) - exact[j]).abs() < 1e-7);
            }
        }
    }
}
