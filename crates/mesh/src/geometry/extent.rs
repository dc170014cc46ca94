//! The extent of points along the axes.

use crate::vector::minus;

/// Corners of the bounding box of points.
pub fn extent(points: &[[f64; 3]]) -> [[f64; 3]; 2] {
    let both = |f: fn(f64, f64) -> f64, start: f64| {
        let fold = |all: [f64; 3], x: &[f64; 3]| std::array::from_fn(|d| f(all[d], x[d]));
        points.iter().fold([start; 3], fold)
    };
    [both(f64::min, f64::INFINITY), both(f64::max, f64::NEG_INFINITY)]
}

/// Sides of the bounding box of points.
pub fn sides(points: &[[f64; 3]]) -> [f64; 3] {
    let [low, high] = extent(points);
    minus(high, low)
}

/// Longest side of the bounding box of points.
pub fn longest_side(points: &[[f64; 3]]) -> f64 {
    sides(points).into_iter().fold(0.0, f64::max)
}
