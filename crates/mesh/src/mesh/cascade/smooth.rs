//! Smoothing of the published points of a profile.
//!
//! Published coordinates are rounded and often read off a drawing. A curve through all of them has a curvature that
//! wanders, and the pressure on the blade follows it. The smoothed curve is the spline that minimises
//!
//!   integral |c(u) - point|^2 du + strength * integral |c'''(u)|^2 du
//!
//! The parameter u is the arc length over a local scale, the length on which the wall turns by 60 degrees. The nose and
//! the trailing edge are therefore smoothed over as few degrees of turning as the flat sides, and keep their shapes.
//! The strength is the largest one with which the root mean square distance of the points stays within the tolerance.
//! The points are projected onto the curve after each fit, so that their distances are normal to it and their spacing
//! has no effect (Hoschek 1988, Comput. Aided Geom. Des. 5, 27).

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::plane::{Point, distance, minus};
use super::spline::{ClosedSpline, SUPPORT, basis, locate};
use crate::input::Problem;

/// Turning of the wall over the local scale, in radians.
const TURN: f64 = std::f64::consts::FRAC_PI_3;
/// Largest local scale over the chord.
const LONGEST: f64 = 0.3;
/// Growth of the local scale per length.
const GROWTH: f64 = 0.3;
/// Pieces of the spline per unit of the parameter.
const PIECES: f64 = 8.0;
/// Range of the decimal logarithm of the strength.
const STRENGTHS: [f64; 2] = [-9.0, 1.0];
/// Bisections of that range.
const BISECTIONS: usize = 16;
/// Most pieces of the spline: a round blade with two square edges needs 700, and the matrix of 2000 takes 32 MB.
const MOST_PIECES: usize = 2000;
/// Fits of a strength, with a projection of the points after each.
const FITS: usize = 6;

/// A smoothed curve and its distances from the points.
#[derive(Debug, Clone)]
pub(super) struct Smoothed {
    /// The curve.
    pub spline: ClosedSpline,
    /// Parameter of the curve nearest to each point.
    pub nearest: Vec<f64>,
    /// Distance of each point from the curve.
    pub distances: Vec<f64>,
}

impl Smoothed {
    /// Returns the root mean square distance.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.distances.iter().map(|d| d * d).sum();
        (sum / self.distances.len() as f64).sqrt()
    }

    /// Returns the largest distance and the number of the point that has it.
    pub fn largest(&self) -> (f64, usize) {
        let each = self.distances.iter().copied().zip(0..);
        each.fold((0.0, 0), |most, next| if next.0 > most.0 { next } else { most })
    }
}

/// Returns the smoothest curve from which the points have a root mean square distance of at most the tolerance, or the
/// closest one if the tolerance is finer than the spline can follow. The points go round once; `chord` is the length
/// of the profile.
///
/// # Errors
/// The wall turns so sharply and so often that the spline would have too many pieces.
pub(super) fn smooth(points: &[Point], chord: f64, tolerance: f64) -> Result<Smoothed, Problem> {
    let fit = Fit::new(points, chord)?;
    let [mut low, mut high] = STRENGTHS;
    let mut best = fit.solve(low);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        let curve = fit.solve(middle);
        if curve.mean() <= tolerance {
            (low, best) = (middle, curve);
        } else {
            high = middle;
        }
    }
    Ok(best)
}

/// Length on which the wall turns by [`TURN`] at each point, at most [`LONGEST`] chords, and at most growing by
/// [`GROWTH`].
pub(super) fn local_scales(points: &[Point], chord: f64) -> Vec<f64> {
    /// Windows that are tried.
    const WINDOWS: usize = 400;
    let n = points.len();
    let next = |i: usize| (i + 1) % n;
    let sides: Vec<Point> = (0..n).map(|i| minus(points[next(i)], points[i])).collect();
    let lengths: Vec<f64> = sides.iter().map(|[x, y]| x.hypot(*y)).collect();
    // Arc length at each point and direction after it, over two and a half rounds.
    let mut arcs = vec![0.0];
    let mut directions = vec![sides[0][1].atan2(sides[0][0])];
    for i in 1..=3 * n {
        let [a, b] = sides[(i - 1) % n];
        let [c, d] = sides[i % n];
        arcs.push(arcs[i - 1] + lengths[(i - 1) % n]);
        directions.push(directions[i - 1] + (a * d - b * c).atan2(a * c + b * d));
    }
    let direction = |s: f64| {
        let i = arcs.partition_point(|arc| *arc <= s).clamp(1, arcs.len() - 1);
        let f = (s - arcs[i - 1]) / (arcs[i] - arcs[i - 1]);
        // A side has its direction in its middle, and the next one in its own.
        directions[i - 1] + (f - 0.5) * (directions[i] - directions[i - 1])
    };
    let longest = LONGEST * chord;
    let mut scales: Vec<f64> = (0..n)
        .map(|i| {
            let windows = (1..=WINDOWS).map(|w| longest * w as f64 / WINDOWS as f64);
            let turns = |w: &f64| (direction(arcs[i + n] + w / 2.0) - direction(arcs[i + n] - w / 2.0)).abs() >= TURN;
            windows.clone().find(turns).unwrap_or(longest)
        })
        .collect();
    for i in 0..2 * n {
        scales[next(i % n)] = scales[next(i % n)].min(scales[i % n] + GROWTH * lengths[i % n]);
    }
    for i in (0..2 * n).rev() {
        scales[i % n] = scales[i % n].min(scales[next(i % n)] + GROWTH * lengths[i % n]);
    }
    scales
}

/// The fits of one set of points.
struct Fit<'a> {
    points: &'a [Point],
    /// First parameters of the points.
    start: Vec<f64>,
    /// Part of the parameter for which each point stands: half of the ways to its neighbours.
    shares: Vec<f64>,
    step: f64,
    pieces: usize,
    /// Integrals of products of third derivatives of two basis functions.
    penalty: DMatrix<f64>,
}

impl<'a> Fit<'a> {
    fn new(points: &'a [Point], chord: f64) -> Result<Self, Problem> {
        let n = points.len();
        let scales = local_scales(points, chord);
        let mut start = vec![0.0];
        for i in 0..n {
            let j = (i + 1) % n;
            start.push(start[i] + distance(points[i], points[j]) / (0.5 * (scales[i] + scales[j])));
        }
        let ways: Vec<f64> = start.windows(2).map(|w| w[1] - w[0]).collect();
        let shares = (0..n).map(|i| 0.5 * (ways[i] + ways[(i + n - 1) % n])).collect();
        let period = start.pop().unwrap_or(0.0);
        let pieces = ((PIECES * period).ceil() as usize).max(2 * SUPPORT);
        if pieces > MOST_PIECES {
            let sharpest = (0..n).min_by(|&i, &j| scales[i].total_cmp(&scales[j])).unwrap_or(0);
            let [x, y] = points[sharpest];
            return Err(Problem::new(format!(
                "the wall turns too sharply and too often: a smooth curve would have {pieces} pieces, and at most \
                 {MOST_PIECES} are possible; the sharpest place is ({x:.6}, {y:.6}) in chords, where it turns by 60 \
                 degrees within {:.1e}",
                scales[sharpest]
            ))
            .key("profile")
            .help("a point far from its neighbours is often a misprint"));
        }
        let step = period / pieces as f64;
        Ok(Fit {
            points,
            start,
            shares,
            step,
            pieces,
            penalty: penalty(pieces, step),
        })
    }

    /// Fits the curve with the strength 10^`exponent`.
    fn solve(&self, exponent: f64) -> Smoothed {
        let mut nearest = self.start.clone();
        let mut spline = self.fit(&nearest, exponent);
        for _ in 1..FITS {
            self.project(&spline, &mut nearest);
            spline = self.fit(&nearest, exponent);
        }
        self.project(&spline, &mut nearest);
        let each = nearest.iter().zip(self.points);
        let distances = each.map(|(u, point)| distance(spline.at(*u).point, *point)).collect();
        Smoothed {
            spline,
            nearest,
            distances,
        }
    }

    /// Solves the normal equations for points at given parameters.
    fn fit(&self, at: &[f64], exponent: f64) -> ClosedSpline {
        let m = self.pieces;
        let mut matrix = &self.penalty * 10f64.powf(exponent);
        let mut right = [DVector::zeros(m), DVector::zeros(m)];
        for ((u, share), point) in at.iter().zip(&self.shares).zip(self.points) {
            let (piece, f) = locate(*u, self.step, m);
            let values = basis(f, 0);
            for j in 0..SUPPORT {
                let row = (piece + m - j) % m;
                for k in 0..SUPPORT {
                    matrix[(row, (piece + m - k) % m)] += share * values[j] * values[k];
                }
                for d in 0..2 {
                    right[d][row] += share * values[j] * point[d];
                }
            }
        }
        let factors = cyclic_cholesky(matrix)
            .expect("the penalty of a closed curve vanishes for constants only, which the points determine");
        let [x, y] = right.map(|right| factors.solve(&right));
        ClosedSpline {
            control: x.iter().zip(&y).map(|(x, y)| [*x, *y]).collect(),
            step: self.step,
        }
    }

    /// Moves the parameters to the feet of the points by Newton's method.
    fn project(&self, spline: &ClosedSpline, at: &mut [f64]) {
        for (u, point) in at.iter_mut().zip(self.points) {
            for _ in 0..4 {
                let jet = spline.at(*u);
                let [a, b] = minus(*point, jet.point);
                let slope = jet.first[0].powi(2) + jet.first[1].powi(2) - a * jet.second[0] - b * jet.second[1];
                let change = (a * jet.first[0] + b * jet.first[1]) / slope;
                *u += change.clamp(-0.1, 0.1);
            }
        }
    }
}

/// Returns the factors of a symmetric positive matrix in which row i has entries in the columns up to SUPPORT - 1
/// beside it, counted cyclically, or `None` if it is not positive. The lower factor has entries there and in the last
/// SUPPORT - 1 rows. Each is computed as a dense factorisation does.
fn cyclic_cholesky(mut matrix: DMatrix<f64>) -> Option<Cholesky<f64, Dyn>> {
    let n = matrix.nrows();
    let width = SUPPORT - 1;
    let last = n.saturating_sub(width);
    for j in 0..n {
        let first = if j < last { j.saturating_sub(width) } else { 0 };
        for k in first..j {
            let factor = -matrix[(j, k)];
            for i in (j..last.min(k + width + 1)).chain(j.max(last)..n) {
                matrix[(i, j)] += factor * matrix[(i, k)];
            }
        }
        if matrix[(j, j)] <= 0.0 {
            return None;
        }
        let root = matrix[(j, j)].sqrt();
        matrix[(j, j)] = root;
        for i in (j + 1..last.min(j + width + 1)).chain(last.max(j + 1)..n) {
            matrix[(i, j)] /= root;
        }
    }
    Some(Cholesky::pack_dirty(matrix))
}

/// Returns the matrix of the penalty.
fn penalty(pieces: usize, step: f64) -> DMatrix<f64> {
    // Third derivatives have degree 2. Gauss quadrature with three points integrates their products exactly.
    let offset = 0.6f64.sqrt() / 2.0;
    let rule = [(0.5 - offset, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + offset, 5.0 / 18.0)];
    let mut matrix = DMatrix::zeros(pieces, pieces);
    for (f, weight) in rule {
        let values = basis(f, 3);
        for piece in 0..pieces {
            for j in 0..SUPPORT {
                for k in 0..SUPPORT {
                    let at = ((piece + pieces - j) % pieces, (piece + pieces - k) % pieces);
                    matrix[at] += weight * values[j] * values[k] / step.powi(5);
                }
            }
        }
    }
    matrix
}

#[cfg(test)]
#[path = "smooth_tests.rs"]
mod tests;
