//! The distance from the curved surface through the points of a face.
//!
//! Newton's method finds where the vector from the surface to the position is normal to both directions of the surface.
//! If that is beyond the face, it finds the nearest points of the edges in the same way. The result is the distance of
//! some point of the surface in any case, so that it is never below the distance of the face.

use crate::element::{FaceDerivatives, FaceShape, Triangle, gauss_lobatto, lagrange_matrix};
use crate::vector::{Vector, dot, minus};

/// Most steps of Newton's method.
const STEPS: usize = 20;
/// Step of a coordinate of the face below which it has converged.
const CONVERGED: f64 = 1e-12;
/// Largest step of a coordinate of the face.
const LONGEST_STEP: f64 = 0.5;
/// Distance of a coordinate beyond the face within which the search goes on.
const BEYOND: f64 = 0.5;

/// Surfaces of faces of one shape and degree.
#[derive(Debug)]
pub struct FaceSurfaces {
    shape: FaceShape,
    /// Coordinates of the points of the face.
    points: Vec<[f64; 2]>,
    /// Derivative matrices along both directions, `[point][point]`.
    diff: [Vec<f64>; 2],
    triangle: Triangle,
    line: Vec<f64>,
}

/// A point of a surface: position, first derivatives along a and b, and second ones aa, ab, bb.
struct Place {
    x: Vector,
    first: [Vector; 2],
    second: [Vector; 3],
}

impl FaceSurfaces {
    /// Creates the interpolation of a shape and degree.
    pub fn new(shape: FaceShape, order: usize) -> Self {
        let (triangle, line) = (Triangle::new(order), gauss_lobatto(order).0);
        let points = match shape {
            FaceShape::Triangle => triangle.points.clone(),
            FaceShape::Quad => line.iter().flat_map(|&b| line.iter().map(move |&a| [a, b])).collect(),
        };
        FaceSurfaces {
            shape,
            points,
            diff: FaceDerivatives::new(shape, order).diff,
            triangle,
            line,
        }
    }

    /// Values of the Lagrange functions at coordinates of the face.
    fn values(&self, [a, b]: [f64; 2]) -> Vec<f64> {
        match self.shape {
            FaceShape::Triangle => self.triangle.interpolation(&[[a, b]]),
            FaceShape::Quad => {
                let [a, b] = [a, b].map(|x| lagrange_matrix(&self.line, &[x]));
                b.iter().flat_map(|y| a.iter().map(move |x| x * y)).collect()
            }
        }
    }

    fn place(&self, face: &[Vector], at: [f64; 2]) -> Place {
        let n = face.len();
        // The row of values times a matrix of derivatives is the row of derivatives.
        let along = |row: &[f64], d: usize| -> Vec<f64> {
            let column = |j: usize| (0..n).map(|i| row[i] * self.diff[d][i * n + j]).sum();
            (0..n).map(column).collect()
        };
        // Differences from the first point keep rounding small; rows of derivatives annihilate constants.
        let sum = |row: &[f64]| -> Vector {
            let terms = row.iter().zip(face);
            terms.fold([0.0; 3], |sum: Vector, (w, x)| {
                std::array::from_fn(|d| sum[d] + w * (x[d] - face[0][d]))
            })
        };
        let row = self.values(at);
        let (a, b) = (along(&row, 0), along(&row, 1));
        let offset = sum(&row);
        Place {
            x: std::array::from_fn(|d| face[0][d] + offset[d]),
            first: [sum(&a), sum(&b)],
            second: [sum(&along(&a, 0)), sum(&along(&a, 1)), sum(&along(&b, 1))],
        }
    }

    /// Position of the surface through the points of a face at coordinates of the face.
    pub fn position(&self, face: &[Vector], at: [f64; 2]) -> Vector {
        self.place(face, at).x
    }

    /// Returns the mean of the coordinates of some points of the face.
    pub fn middle(&self, points: [usize; 3]) -> [f64; 2] {
        std::array::from_fn(|d| points.iter().map(|&p| self.points[p][d]).sum::<f64>() / 3.0)
    }

    /// Returns the square of the distance of a position from the surface through the points of a face. The search
    /// begins at the point number `start`.
    pub fn square_of_distance(&self, x: Vector, face: &[Vector], start: usize) -> f64 {
        if let Some(square) = self.inside(x, face, self.points[start]) {
            return square;
        }
        let corners: &[[f64; 2]] = match self.shape {
            FaceShape::Triangle => &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]],
            FaceShape::Quad => &[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]],
        };
        let edge = |i: usize| {
            let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
            self.on_edge(x, face, from, [to[0] - from[0], to[1] - from[1]], self.points[start])
        };
        (0..corners.len()).map(edge).fold(f64::INFINITY, f64::min)
    }

    /// Returns the square of the distance of the point of the surface whose normal goes through a position, if it lies
    /// on the face.
    fn inside(&self, x: Vector, face: &[Vector], mut at: [f64; 2]) -> Option<f64> {
        for _ in 0..STEPS {
            let Place {
                x: there,
                first: [a, b],
                second: [aa, ab, bb],
            } = self.place(face, at);
            let r = minus(there, x);
            let (ga, gb) = (dot(a, r), dot(b, r));
            let plain = [dot(a, a), dot(a, b), dot(b, b)];
            let full = [plain[0] + dot(aa, r), plain[1] + dot(ab, r), plain[2] + dot(bb, r)];
            let determinant = |[p, q, s]: [f64; 3]| p * s - q * q;
            // Where the distance is no minimum, the steps are those of Gauss and Newton.
            let [p, q, s] = match full[0] > 0.0 && determinant(full) > 1e-3 * determinant(plain) {
                true => full,
                false => plain,
            };
            let determinant = p * s - q * q;
            let step = [(s * ga - q * gb) / determinant, (p * gb - q * ga) / determinant];
            let step = step.map(|s| (-s).clamp(-LONGEST_STEP, LONGEST_STEP));
            at = [at[0] + step[0], at[1] + step[1]];
            if !self.is_within(at, BEYOND) {
                return None;
            }
            if step.iter().all(|s| s.abs() < CONVERGED) {
                let r = minus(self.place(face, at).x, x);
                return self.is_within(at, 1e-10).then(|| dot(r, r));
            }
        }
        None
    }

    fn is_within(&self, [a, b]: [f64; 2], margin: f64) -> bool {
        let upper = match self.shape {
            FaceShape::Triangle => a + b <= margin,
            FaceShape::Quad => a <= 1.0 + margin && b <= 1.0 + margin,
        };
        upper && a >= -1.0 - margin && b >= -1.0 - margin
    }

    /// Returns the square of the distance of the nearest point of an edge, which begins at the coordinates `from`.
    fn on_edge(&self, x: Vector, face: &[Vector], from: [f64; 2], along: [f64; 2], start: [f64; 2]) -> f64 {
        let square = along[0] * along[0] + along[1] * along[1];
        let share = ((start[0] - from[0]) * along[0] + (start[1] - from[1]) * along[1]) / square;
        let mut t = share.clamp(0.0, 1.0);
        let at = |t: f64| [from[0] + t * along[0], from[1] + t * along[1]];
        for _ in 0..STEPS {
            let Place {
                x: there,
                first: [a, b],
                second: [aa, ab, bb],
            } = self.place(face, at(t));
            let r = minus(there, x);
            let first: Vector = std::array::from_fn(|d| along[0] * a[d] + along[1] * b[d]);
            let second: Vector = std::array::from_fn(|d| {
                along[0] * along[0] * aa[d] + 2.0 * along[0] * along[1] * ab[d] + along[1] * along[1] * bb[d]
            });
            let plain = dot(first, first);
            let full = plain + dot(second, r);
            let slope = if full > 1e-3 * plain { full } else { plain };
            let next = (t - (dot(first, r) / slope).clamp(-LONGEST_STEP, LONGEST_STEP)).clamp(0.0, 1.0);
            let done = (next - t).abs() < CONVERGED;
            t = next;
            if done {
                break;
            }
        }
        let r = minus(self.place(face, at(t)).x, x);
        dot(r, r)
    }
}
