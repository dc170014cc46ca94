//! Points and polygons in the plane of a section.

/// A point of the plane, in chords.
pub(super) type Point = [f64; 2];

/// Difference a - b.
pub(super) fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

/// Distance of two points.
pub(super) fn distance(a: Point, b: Point) -> f64 {
    let [x, y] = minus(a, b);
    x.hypot(y)
}

/// Point at the fraction f of the way from a to b.
pub(super) fn between(a: Point, b: Point, f: f64) -> Point {
    [0, 1].map(|d| a[d] + f * (b[d] - a[d]))
}

/// Twice the area of the triangle a, b, c; positive if it goes round to the left.
pub(super) fn orientation(a: Point, b: Point, c: Point) -> f64 {
    let ([x, y], [z, w]) = (minus(b, a), minus(c, a));
    x * w - y * z
}

/// Distance of a point from the straight line between a and b.
pub(super) fn to_segment(point: Point, a: Point, b: Point) -> f64 {
    let ([x, y], [z, w]) = (minus(b, a), minus(point, a));
    let squared = x * x + y * y;
    let f = if squared > 0.0 { (x * z + y * w) / squared } else { 0.0 };
    distance(point, between(a, b, f.clamp(0.0, 1.0)))
}

/// Least and largest x of points.
pub(super) fn extent(points: &[Point]) -> [f64; 2] {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    points
        .iter()
        .fold(none, |[low, high], p| [low.min(p[0]), high.max(p[0])])
}

/// Returns a place at which a closed polygon crosses itself.
pub(super) fn crossing(points: &[Point]) -> Option<Point> {
    let n = points.len();
    let side = |i: usize| (points[i], points[(i + 1) % n]);
    for i in 0..n {
        for j in i + 2..n {
            let next_to = i == 0 && j == n - 1;
            let ((a, b), (c, d)) = (side(i), side(j));
            let apart = |e: usize| a[e].max(b[e]) < c[e].min(d[e]) || c[e].max(d[e]) < a[e].min(b[e]);
            if next_to || apart(0) || apart(1) {
                continue;
            }
            let (p, q) = (orientation(a, b, c), orientation(a, b, d));
            let (r, s) = (orientation(c, d, a), orientation(c, d, b));
            if p * q <= 0.0 && r * s <= 0.0 {
                let whole = r - s;
                return Some(between(a, b, if whole == 0.0 { 0.0 } else { r / whole }));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_of_eight_crosses_itself_and_a_square_does_not() {
        let eight = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]];
        assert_eq!(crossing(&eight), Some([1.0, 1.0]));
        assert_eq!(crossing(&[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), None);
    }

    #[test]
    fn distances_from_a_segment_end_at_its_ends() {
        let (a, b) = ([0.0, 0.0], [2.0, 0.0]);
        for (point, expected) in [([1.0, 3.0], 3.0), ([-3.0, 4.0], 5.0), ([5.0, 4.0], 5.0)] {
            assert_eq!(to_segment(point, a, b), expected);
        }
    }
}
