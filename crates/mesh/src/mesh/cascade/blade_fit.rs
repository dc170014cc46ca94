//! The blade of few numbers that is nearest to the points of a profile, by least squares of their distances from its
//! outline (K. Levenberg, Quarterly of Applied Mathematics 2 (1944) 164).

use nalgebra::{DMatrix, DVector};

use super::blade::Blade;
use super::bspline;
use super::plane::Point;

/// Most steps of the method.
const MOST_STEPS: usize = 200;
/// Relative decrease of the sum of squares below which the fit has converged.
const CONVERGED: f64 = 1e-9;
/// Segments to either side of the last nearest one among which the next is looked for.
const REACH: usize = 12;
/// Numbers of a blade before those of the camber line.
const PLACES: usize = 3;

/// A blade and its distances from the points.
#[derive(Debug, Clone)]
pub struct BladeFit {
    /// The blade.
    pub blade: Blade,
    /// Distance of each point from the outline in chords; positive inside of it.
    pub distances: Vec<f64>,
}

impl BladeFit {
    /// Returns the blade with so many control values of camber and thickness that is nearest to the points, which go
    /// once round to the left. Both numbers are at least 2.
    pub fn new(points: &[Point], [camber, thickness]: [usize; 2]) -> Self {
        let first = guess(points, camber, thickness);
        let blade = |numbers: &DVector<f64>| Blade {
            leading_edge: [numbers[0], numbers[1]],
            axial_chord: numbers[2],
            camber: numbers.iter().skip(PLACES).take(camber).copied().collect(),
            thickness: numbers.iter().skip(PLACES + camber).copied().collect(),
        };
        let mut numbers = DVector::from_iterator(
            PLACES + camber + thickness,
            first
                .leading_edge
                .into_iter()
                .chain([first.axial_chord])
                .chain(first.camber)
                .chain(first.thickness),
        );
        // The centre of the trailing edge is inside of the profile. Without this a thin spike beyond it costs nothing.
        let end = points.iter().map(|point| point[0]).fold(f64::NEG_INFINITY, f64::max);
        let mut near = Feet::all(&blade(&numbers).outline(), points);
        let mut damping = 1e-3;
        for _ in 0..MOST_STEPS {
            let column = |j: usize| {
                // Degrees are larger numbers than lengths.
                let step = if (PLACES..PLACES + camber).contains(&j) {
                    1e-4
                } else {
                    1e-7
                };
                let mut other = numbers.clone();
                other[j] += step;
                let moved = near.again(&blade(&other).outline(), points);
                (moved.distances - &near.distances) / step
            };
            let columns: Vec<DVector<f64>> = (0..numbers.len()).map(column).collect();
            let slopes = DMatrix::from_columns(&columns);
            let square = slopes.tr_mul(&slopes);
            let right = slopes.tr_mul(&near.distances);
            let before = near.distances.norm_squared();
            let mut gain = 0.0;
            while damping < 1e9 {
                let mut damped = square.clone();
                (0..numbers.len()).for_each(|j| damped[(j, j)] *= 1.0 + damping);
                let step = damped.cholesky().map(|factors| factors.solve(&right));
                let next = step.map(|step| &numbers - step);
                let next = next.filter(|next| next[2] > 0.0 && next[0] + next[2] < end && blade(next).points().is_ok());
                let next = next.map(|next| (Feet::all(&blade(&next).outline(), points), next));
                match next.filter(|(feet, _)| feet.distances.norm_squared() < before) {
                    Some((feet, next)) => {
                        gain = 1.0 - feet.distances.norm_squared() / before;
                        (near, numbers) = (feet, next);
                        damping *= 0.1;
                        break;
                    }
                    None => damping *= 10.0,
                }
            }
            if gain < CONVERGED {
                break;
            }
        }
        BladeFit {
            blade: blade(&numbers),
            distances: near.distances.iter().copied().collect(),
        }
    }

    /// Returns the largest distance and the number of the point that has it.
    pub fn worst(&self) -> (f64, usize) {
        let each = self.distances.iter().map(|d| d.abs()).zip(0..);
        each.fold((0.0, 0), |most, next| if next.0 > most.0 { next } else { most })
    }

    /// Returns the root mean square distance.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.distances.iter().map(|d| d * d).sum();
        (sum / self.distances.len() as f64).sqrt()
    }
}

/// The feet of points on an outline.
struct Feet {
    /// The segment of each.
    segments: Vec<usize>,
    distances: DVector<f64>,
}

impl Feet {
    /// Looks for the feet on all segments.
    fn all(outline: &[Point], points: &[Point]) -> Self {
        let n = outline.len();
        Feet::of(outline, points, |_| (0..n).collect())
    }

    /// Looks for the feet near those on an outline that was little different.
    fn again(&self, outline: &[Point], points: &[Point]) -> Self {
        let n = outline.len();
        Feet::of(outline, points, |i| {
            (0..=2 * REACH)
                .map(|k| (self.segments[i] + n + k - REACH) % n)
                .collect()
        })
    }

    fn of(outline: &[Point], points: &[Point], among: impl Fn(usize) -> Vec<usize>) -> Self {
        let n = outline.len();
        let foot = |(i, point): (usize, &Point)| {
            let distance = |segment: usize| {
                let [ax, ay] = outline[segment];
                let [bx, by] = outline[(segment + 1) % n];
                let dx = bx - ax;
                let dy = by - ay;
                let px = point[0] - ax;
                let py = point[1] - ay;
                let share = ((px * dx + py * dy) / (dx * dx + dy * dy)).clamp(0.0, 1.0);
                let away = (px - share * dx).hypot(py - share * dy);
                // The inside is to the left.
                (away, if dx * py - dy * px < 0.0 { -away } else { away })
            };
            let each = among(i).into_iter().map(|segment| (distance(segment), segment));
            let nearest = each
                .min_by(|a, b| a.0.0.total_cmp(&b.0.0))
                .expect("an outline has segments");
            (nearest.1, nearest.0.1)
        };
        let (segments, distances): (Vec<usize>, Vec<f64>) = points.iter().enumerate().map(foot).unzip();
        Feet {
            segments,
            distances: DVector::from_vec(distances),
        }
    }
}

/// Returns a blade that roughly has the heights of the profile: the middle of both sides and their distance.
fn guess(points: &[Point], camber: usize, thickness: usize) -> Blade {
    let by_x = |a: &&Point, b: &&Point| a[0].total_cmp(&b[0]);
    let first = *points.iter().min_by(by_x).expect("a profile has points");
    let last = *points.iter().max_by(by_x).expect("a profile has points");
    let chord = last[0] - first[0];
    // Lower and upper side at a share of the axial chord.
    let sides = |s: f64| {
        let x = first[0] + s * chord;
        let segments = (0..points.len()).map(|i| (points[i], points[(i + 1) % points.len()]));
        let across = segments.filter(|(a, b)| (a[0] - x) * (b[0] - x) <= 0.0 && a[0] != b[0]);
        let heights = across.map(|(a, b)| a[1] + (x - a[0]) / (b[0] - a[0]) * (b[1] - a[1]));
        heights.fold([f64::INFINITY, f64::NEG_INFINITY], |[l, h], y| [l.min(y), h.max(y)])
    };
    let middle = |s: f64| 0.5 * (sides(s)[0] + sides(s)[1]);
    const STEP: f64 = 0.05;
    let angle = |s: f64| {
        let s = s.clamp(2.0 * STEP, 1.0 - 2.0 * STEP);
        ((middle(s + STEP) - middle(s - STEP)) / (2.0 * STEP * chord)).atan()
    };
    let over_root = |i: usize| {
        let s = bspline::place(thickness, i).clamp(STEP, 1.0 - STEP);
        let [low, high] = sides(s);
        0.5 * (high - low) * angle(s).cos() / s.sqrt()
    };
    Blade {
        leading_edge: first,
        axial_chord: 0.99 * chord,
        camber: (0..camber)
            .map(|i| angle(bspline::place(camber, i)).to_degrees())
            .collect(),
        thickness: (0..thickness).map(over_root).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blade_is_found_again_from_its_points() {
        let blade = Blade {
            leading_edge: [0.01, -0.02],
            axial_chord: 0.85,
            camber: vec![35.0, 30.0, -10.0, -50.0, -62.0],
            thickness: vec![0.12, 0.1, 0.11, 0.09, 0.05, 0.02, 0.01],
        };
        let points: Vec<Point> = blade.points().expect("a blade").into_iter().step_by(3).collect();
        let fit = BladeFit::new(&points, [5, 7]);
        assert!(fit.worst().0 < 1e-7, "{:?}", fit.worst());
        for (found, true_one) in fit.blade.camber.iter().zip(&blade.camber) {
            assert!((found - true_one).abs() < 1e-2, "{:?}", fit.blade);
        }
        for (found, true_one) in fit.blade.thickness.iter().zip(&blade.thickness) {
            assert!((found - true_one).abs() < 1e-4, "{:?}", fit.blade);
        }
    }
}
