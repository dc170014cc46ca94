//! Curves through given points: natural cubic splines, continued by their tangents.
//!
//! Hub and casing are such curves of x, and what depends on the radius of a section is one of the radius.

use super::plane::Point;

/// A natural cubic spline; one point makes a constant.
#[derive(Debug, Clone)]
pub(super) struct Curve {
    /// Abscissas, ascending.
    knots: Vec<f64>,
    values: Vec<f64>,
    /// Second derivatives at the knots.
    second: Vec<f64>,
}

impl Curve {
    /// Lays the curve through points with ascending abscissas, at least one.
    pub fn new(points: &[Point]) -> Self {
        let n = points.len();
        let [knots, values] = [0, 1].map(|d| points.iter().map(|p| p[d]).collect::<Vec<f64>>());
        // h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 (s[i] - s[i-1]) with steps h and slopes s; by
        // elimination, with m = 0 at both ends.
        let step = |i: usize| knots[i + 1] - knots[i];
        let slope = |i: usize| (values[i + 1] - values[i]) / step(i);
        let mut upper = vec![0.0; n];
        let mut second = vec![0.0; n];
        for i in 1..n.saturating_sub(1) {
            let pivot = 2.0 * (step(i - 1) + step(i)) - step(i - 1) * upper[i - 1];
            upper[i] = step(i) / pivot;
            second[i] = (6.0 * (slope(i) - slope(i - 1)) - step(i - 1) * second[i - 1]) / pivot;
        }
        for i in (1..n.saturating_sub(1)).rev() {
            second[i] -= upper[i] * second[i + 1];
        }
        Curve { knots, values, second }
    }

    /// Returns the curves of these abscissas that are 1 at one of them and 0 at the others.
    pub fn cardinal(knots: &[f64]) -> Vec<Curve> {
        let one_at = |k: usize| -> Vec<Point> {
            let each = knots.iter().enumerate();
            each.map(|(i, x)| [*x, if i == k { 1.0 } else { 0.0 }]).collect()
        };
        (0..knots.len()).map(|k| Curve::new(&one_at(k))).collect()
    }

    /// Returns the value at an abscissa.
    pub fn at(&self, x: f64) -> f64 {
        let last = self.knots.len() - 1;
        if last == 0 {
            return self.values[0];
        }
        let i = self.knots.partition_point(|knot| *knot <= x).clamp(1, last);
        let h = self.knots[i] - self.knots[i - 1];
        let [a, b] = [self.values[i - 1], self.values[i]];
        let [m, n] = [self.second[i - 1], self.second[i]];
        if x < self.knots[0] {
            return a + (x - self.knots[0]) * ((b - a) / h - h * n / 6.0);
        }
        if x > self.knots[last] {
            return b + (x - self.knots[last]) * ((b - a) / h + h * m / 6.0);
        }
        let v = (x - self.knots[i - 1]) / h;
        let u = 1.0 - v;
        a * u + b * v + h * h / 6.0 * ((u * u * u - u) * m + (v * v * v - v) * n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_natural_cubic_is_reproduced_and_continued_by_its_tangents() {
        // f'' vanishes at 0 and at 3.
        let f = |x: f64| 2.0 - x + 0.3 * (x * x * x / 6.0 - x * x * x * x / 36.0);
        let exact = |n: usize| {
            let points: Vec<Point> = (0..=n).map(|i| 3.0 * i as f64 / n as f64).map(|x| [x, f(x)]).collect();
            let curve = Curve::new(&points);
            let error = |i: usize| (curve.at(0.003 * i as f64) - f(0.003 * i as f64)).abs();
            let most = (0..=1000).map(error).fold(0.0, f64::max);
            (curve, most)
        };
        let ((_, coarse), (curve, fine)) = (exact(8), exact(16));
        assert!(fine < coarse / 12.0 && fine < 1e-5, "{coarse} {fine}");
        let slope = (f(3.0) - f(3.0 - 1e-6)) / 1e-6;
        assert!((curve.at(4.0) - f(3.0) - slope).abs() < 1e-3 && (curve.at(-1.0) - 3.0).abs() < 1e-3);
    }

    #[test]
    fn cardinal_curves_sum_to_one_and_reproduce_a_line() {
        let knots = [1.0, 1.4, 2.0, 3.5];
        let curves = Curve::cardinal(&knots);
        for x in [0.5, 1.0, 1.2, 1.9, 2.0, 3.1, 3.5, 4.2] {
            let sum: f64 = curves.iter().map(|curve| curve.at(x)).sum();
            let line: f64 = curves.iter().zip(knots).map(|(curve, knot)| knot * curve.at(x)).sum();
            assert!(
                (sum - 1.0).abs() < 1e-13 && (line - x).abs() < 1e-13,
                "{x}: {sum} {line}"
            );
        }
        assert_eq!(Curve::cardinal(&[2.0])[0].at(7.0), 1.0);
    }
}
