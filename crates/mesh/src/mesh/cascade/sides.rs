//! The periodic sides: the line in the middle between two blades, continued upstream and downstream.
//!
//! Between the blades the line has the same distance in y from both. It is straight beyond the blade, along the flow.
//! From the downstream end of a strip on it goes straight upstream along x, so that the strip is a rectangle.

use super::plane::{Point, distance, extent};
use super::settings::Cascade;
use super::wall::Wall;

/// Largest angle of a side from x, so that the cells in the corners of the outlet are not too sharp. The sides are
/// inside the flow and need not follow it.
const STEEPEST: f64 = 62.0 * std::f64::consts::PI / 180.0;

/// The lower side as a function of x; the upper one is a pitch above it.
#[derive(Debug, Clone)]
pub(super) struct SideLine {
    /// Knots of a cubic spline, x ascending.
    knots: Vec<Point>,
    /// Slopes at the knots.
    slopes: Vec<f64>,
    /// Upstream of this x the line runs along x.
    straight_from: Option<f64>,
}

impl SideLine {
    /// Lays the line through the middles between the blades.
    pub fn new(settings: &Cascade, wall: &Wall) -> Self {
        /// Knots between the blades, and the part of the blade's extent in x that they leave free at both ends.
        const KNOTS: usize = 9;
        const FREE: f64 = 0.06;
        /// Points of the wall.
        const SAMPLES: usize = 4000;
        let outline: Vec<Point> = (0..SAMPLES)
            .map(|i| wall.at(wall.length() * i as f64 / SAMPLES as f64).point)
            .collect();
        let [from, to] = extent(&outline);
        let knot = |i: usize| {
            let f = FREE + (1.0 - 2.0 * FREE) * i as f64 / (KNOTS - 1) as f64;
            let x = from + f * (to - from);
            [x, middle(&outline, x) - 0.5 * settings.pitch]
        };
        let knots: Vec<Point> = (0..KNOTS).map(knot).collect();
        let ends = settings.ends.map(|end| end.angle.clamp(-STEEPEST, STEEPEST).tan());
        SideLine {
            slopes: clamped_slopes(&knots, ends),
            knots,
            straight_from: settings.strip.map(|strip| strip.to),
        }
    }

    /// Returns y of the lower side.
    pub fn y(&self, x: f64) -> f64 {
        let x = self.straight_from.map_or(x, |from| x.max(from));
        let last = self.knots.len() - 1;
        for (end, beyond) in [(0, x <= self.knots[0][0]), (last, x >= self.knots[last][0])] {
            if beyond {
                return self.knots[end][1] + self.slopes[end] * (x - self.knots[end][0]);
            }
        }
        let i = self.knots.partition_point(|knot| knot[0] <= x);
        let [x0, y0] = self.knots[i - 1];
        let [x1, y1] = self.knots[i];
        let h = x1 - x0;
        let u = (x - x0) / (x1 - x0);
        let m0 = self.slopes[i - 1] * h;
        let m1 = self.slopes[i] * h;
        let v = 1.0 - u;
        y0 * v * v * (1.0 + 2.0 * u) + y1 * u * u * (3.0 - 2.0 * u) + m0 * u * v * v - m1 * u * u * v
    }

    /// Returns points of the line from one x to another, at distances of about `size` at each point.
    pub fn divide(&self, from: f64, to: f64, size: impl Fn(Point) -> f64) -> Vec<Point> {
        const STEPS: usize = 4000;
        let at = |i: usize| -> Point {
            let x = match i {
                0 => from,
                STEPS => to,
                _ => from + (to - from) * i as f64 / STEPS as f64,
            };
            [x, self.y(x)]
        };
        let mut counts = vec![0.0];
        for i in 0..STEPS {
            let a = at(i);
            let b = at(i + 1);
            counts.push(counts[i] + distance(a, b) / size([0, 1].map(|d| 0.5 * (a[d] + b[d]))));
        }
        let parts = counts[STEPS].round().max(1.0) as usize;
        let inner = (1..parts).map(|part| {
            let count = counts[STEPS] * part as f64 / parts as f64;
            let i = counts.partition_point(|c| *c <= count).clamp(1, STEPS);
            let f = (count - counts[i - 1]) / (counts[i] - counts[i - 1]);
            let x = at(i - 1)[0] + f * (at(i)[0] - at(i - 1)[0]);
            [x, self.y(x)]
        });
        [at(0)].into_iter().chain(inner).chain([at(STEPS)]).collect()
    }
}

/// Middle in y of a closed outline at x.
fn middle(outline: &[Point], x: f64) -> f64 {
    let n = outline.len();
    let sides = (0..n).map(|i| (outline[i], outline[(i + 1) % n]));
    let crossed = sides.filter(|(a, b)| (a[0] <= x) != (b[0] <= x));
    let heights = crossed.map(|(a, b)| a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1]));
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let [low, high] = heights.fold(none, |[low, high], y| [low.min(y), high.max(y)]);
    0.5 * (low + high)
}

/// Slopes at the knots of the cubic spline with given slopes at both ends, at equal steps of x.
fn clamped_slopes(knots: &[Point], ends: [f64; 2]) -> Vec<f64> {
    let n = knots.len();
    let step = knots[1][0] - knots[0][0];
    // Continuity of the second derivative: m[i-1] + 4 m[i] + m[i+1] = 3 (y[i+1] - y[i-1])/step; by elimination.
    let mut upper = vec![0.0; n];
    let mut right = vec![ends[0]; n];
    for i in 1..n - 1 {
        let pivot = 4.0 - upper[i - 1];
        upper[i] = 1.0 / pivot;
        right[i] = (3.0 * (knots[i + 1][1] - knots[i - 1][1]) / step - right[i - 1]) / pivot;
    }
    let mut slopes = vec![ends[1]; n];
    for i in (0..n - 1).rev() {
        slopes[i] = right[i] - upper[i] * slopes[i + 1];
    }
    slopes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line y = x^3 - x between -1 and 1.
    fn cubic() -> SideLine {
        let f = |x: f64| x * x * x - x;
        let knots: Vec<Point> = (0..5).map(|i| -1.0 + 0.5 * i as f64).map(|x| [x, f(x)]).collect();
        SideLine {
            slopes: clamped_slopes(&knots, [2.0, 2.0]),
            knots,
            straight_from: None,
        }
    }

    #[test]
    fn a_cubic_is_reproduced_and_continued_by_its_tangents() {
        let line = cubic();
        for x in [-1.0, -0.83, -0.2, 0.0, 0.4, 1.0f64] {
            assert!((line.y(x) - (x.powi(3) - x)).abs() < 1e-14, "{x}");
        }
        assert!((line.y(2.0) - 2.0).abs() < 1e-14 && (line.y(-1.5) + 1.0).abs() < 1e-14);
        let strip = SideLine {
            straight_from: Some(-1.5),
            ..line
        };
        assert_eq!(strip.y(-4.0), strip.y(-1.5));
    }

    #[test]
    fn parts_of_the_line_have_the_wanted_length() {
        let points = cubic().divide(-1.0, 1.0, |p| 0.02 + 0.01 * p[0]);
        assert_eq!((points[0][0], points[points.len() - 1][0]), (-1.0, 1.0));
        for pair in points.windows(2) {
            let wanted = 0.02 + 0.005 * (pair[0][0] + pair[1][0]);
            assert!((distance(pair[0], pair[1]) / wanted - 1.0).abs() < 0.02);
        }
    }
}
