//! The wall of the blade: the smoothed profile by its arc length, from the trailing edge round to the left.

use super::plane::Point;
use super::smooth::Smoothed;
use super::spline::{ClosedSpline, Jet};

/// Points of the wall among which the edges are sought.
const SAMPLES: usize = 2000;

/// The wall by its arc length.
#[derive(Debug, Clone)]
pub(super) struct Wall {
    spline: ClosedSpline,
    /// Arc length from parameter 0 to the beginning of each piece, and round.
    arcs: Vec<f64>,
    /// Arc length of the trailing edge from parameter 0.
    start: f64,
    /// Arc length of the leading edge from the trailing edge.
    pub leading: f64,
}

/// A point of the wall.
#[derive(Debug, Clone, Copy)]
pub(super) struct Foot {
    /// Position.
    pub point: Point,
    /// Unit normal into the gas.
    pub normal: Point,
    /// Curvature, positive where the wall is convex.
    pub curvature: f64,
}

impl Foot {
    /// Returns the point at this distance from the wall.
    pub fn above(&self, distance: f64) -> Point {
        [0, 1].map(|d| self.point[d] + distance * self.normal[d])
    }
}

fn speed(jet: &Jet) -> f64 {
    jet.first[0].hypot(jet.first[1])
}

/// Points and weights of Gauss's rule of 5 points on [0, 1] (Abramowitz and Stegun 1964, table 25.4).
const RULE: [(f64, f64); 5] = [
    (0.046_910_077_030_668_01, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// Arc length of the curve between two parameters.
fn arc(spline: &ClosedSpline, from: f64, to: f64) -> f64 {
    let each = RULE.iter().map(|(f, w)| w * speed(&spline.at(from + f * (to - from))));
    (to - from) * each.sum::<f64>()
}

impl Wall {
    /// Measures the curve and finds the leading and the trailing edge: the points that lie farthest against the flow of
    /// the inlet and farthest along that of the outlet, whose angles from x are given in radians.
    pub fn new(smoothed: &Smoothed, [inlet, outlet]: [f64; 2]) -> Self {
        let spline = smoothed.spline.clone();
        let pieces = spline.control.len();
        let mut arcs = vec![0.0];
        for piece in 0..pieces {
            let from = piece as f64 * spline.step;
            arcs.push(arcs[piece] + arc(&spline, from, from + spline.step));
        }
        let mut wall = Wall {
            spline,
            arcs,
            start: 0.0,
            leading: 0.0,
        };
        let leading = wall.farthest([-inlet.cos(), -inlet.sin()]);
        let trailing = wall.farthest([outlet.cos(), outlet.sin()]);
        wall.leading = (leading - trailing).rem_euclid(wall.length());
        wall.start = trailing;
        wall
    }

    /// Arc length of the point that is farthest in a direction.
    fn farthest(&self, [x, y]: Point) -> f64 {
        let at = |i: usize| self.length() * i as f64 / SAMPLES as f64;
        let height = |i: usize| {
            let point = self.at(at(i)).point;
            point[0] * x + point[1] * y
        };
        let all = (0..SAMPLES).map(|i| (height(i), i));
        let none = (f64::NEG_INFINITY, 0);
        at(all.fold(none, |most, next| if next.0 > most.0 { next } else { most }).1)
    }

    /// Returns the length of the wall.
    pub fn length(&self) -> f64 {
        self.arcs[self.arcs.len() - 1]
    }

    /// Returns the point at an arc length from the trailing edge; the wall is closed.
    pub fn at(&self, s: f64) -> Foot {
        let s = (self.start + s).rem_euclid(self.length());
        let piece = self.arcs.partition_point(|arc| *arc <= s).clamp(1, self.arcs.len() - 1) - 1;
        let from = piece as f64 * self.spline.step;
        let rest = s - self.arcs[piece];
        let mut u = from + self.spline.step * rest / (self.arcs[piece + 1] - self.arcs[piece]);
        for _ in 0..4 {
            u -= (arc(&self.spline, from, u) - rest) / speed(&self.spline.at(u));
        }
        let jet = self.spline.at(u);
        let size = speed(&jet);
        Foot {
            point: jet.point,
            normal: [jet.first[1] / size, -jet.first[0] / size],
            curvature: jet.curvature(),
        }
    }

    /// Returns the arc length from the trailing edge of a parameter of the spline.
    pub fn arc_of(&self, u: f64) -> f64 {
        let (piece, f) = self.spline.piece(u);
        let from = piece as f64 * self.spline.step;
        let s = self.arcs[piece] + arc(&self.spline, from, from + f * self.spline.step);
        (s - self.start).rem_euclid(self.length())
    }
}
