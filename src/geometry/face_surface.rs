//! The nearest point of the curved surface through the points of a face.
//!
//! The square of the distance of a position is minimised over the coordinates of the face by Newton's method. Each step
//! goes to the least value of the quadratic model on the whole face, which is in its inside, on an edge or at a vertex,
//! or to a half, a quarter and so on of the way, until the distance falls. Where the second derivatives have no
//! minimum, the model is that of Gauss and Newton, which lacks the curvature of the surface. The result is a point of
//! the face in any case, and no farther than the point from which the search begins.

use crate::element::{FaceDerivatives, FaceShape, Triangle, gauss_lobatto, lagrange_matrix};
use crate::vector::{Vector, dot, minus};

/// Most steps of Newton's method.
const STEPS: usize = 50;
/// Step of the coordinates of the face below which it has converged.
const CONVERGED: f64 = 1e-12;
/// Number of times that a step is halved.
const HALVINGS: i32 = 20;

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

    /// Returns the coordinates of the point of the surface through the points of a face that is nearest to a position,
    /// and the square of its distance. On a face that is narrow and twisted several points are nearer than those around
    /// them. The search therefore begins at the nearest point of the face and at each of its corners.
    pub fn nearest(&self, x: Vector, face: &[Vector]) -> ([f64; 2], f64) {
        let square = |&there: &Vector| dot(minus(there, x), minus(there, x));
        let points = self.points.iter().zip(face.iter().map(square));
        let start = points.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(start, _)| start);
        let starts = self.corners().iter().chain(start);
        let found = starts.map(|&start| self.nearest_from(x, face, start));
        found.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a face has corners")
    }

    /// Returns the square of the distance of a position from the surface through the points of a face, as the search
    /// finds it from the point number `start`.
    pub fn square_of_distance(&self, x: Vector, face: &[Vector], start: usize) -> f64 {
        self.nearest_from(x, face, self.points[start]).1
    }

    /// Returns the point and the square of its distance that the search finds from these coordinates.
    fn nearest_from(&self, x: Vector, face: &[Vector], mut at: [f64; 2]) -> ([f64; 2], f64) {
        let square = |at| {
            let away = minus(self.position(face, at), x);
            dot(away, away)
        };
        let mut least = square(at);
        for _ in 0..STEPS {
            let step = self.model(x, face, at).step(self.corners(), at);
            if step.iter().all(|s| s.abs() < CONVERGED) {
                break;
            }
            let shorter = (0..=HALVINGS).map(|halvings| {
                let share = 0.5f64.powi(halvings);
                [at[0] + share * step[0], at[1] + share * step[1]]
            });
            let mut tries = shorter.map(|at| (at, square(at)));
            let Some(next) = tries.find(|next| next.1 < least) else {
                break;
            };
            (at, least) = next;
        }
        (at, least)
    }

    /// Corners of the face, one after the other around it.
    fn corners(&self) -> &'static [[f64; 2]] {
        match self.shape {
            FaceShape::Triangle => &[[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]],
            FaceShape::Quad => &[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]],
        }
    }

    /// Returns the model of half the square of the distance around coordinates of the face.
    fn model(&self, x: Vector, face: &[Vector], at: [f64; 2]) -> Model {
        let Place {
            x: there,
            first: [a, b],
            second: [aa, ab, bb],
        } = self.place(face, at);
        let r = minus(there, x);
        let flat = [dot(a, a), dot(a, b), dot(b, b)];
        let full = [flat[0] + dot(aa, r), flat[1] + dot(ab, r), flat[2] + dot(bb, r)];
        let determinant = |[p, q, s]: [f64; 3]| p * s - q * q;
        let has_minimum = full[0] > 0.0 && determinant(full) > 1e-3 * determinant(flat);
        Model {
            slope: [dot(a, r), dot(b, r)],
            curvature: if has_minimum { full } else { flat },
        }
    }
}

/// A quadratic function of a step, which is 0 without one.
struct Model {
    slope: [f64; 2],
    /// Second derivatives aa, ab and bb.
    curvature: [f64; 3],
}

impl Model {
    fn value(&self, step: [f64; 2]) -> f64 {
        product(self.slope, step) + 0.5 * product(self.turned(step), step)
    }

    /// Second derivatives times a step.
    fn turned(&self, [a, b]: [f64; 2]) -> [f64; 2] {
        let [p, q, s] = self.curvature;
        [p * a + q * b, q * a + s * b]
    }

    /// Returns the step from `at` to the least value on the face with these corners.
    fn step(&self, corners: &[[f64; 2]], at: [f64; 2]) -> [f64; 2] {
        let ([p, q, s], [a, b]) = (self.curvature, self.slope);
        let determinant = p * s - q * q;
        let free = [(q * b - s * a) / determinant, (q * a - p * b) / determinant];
        // Each edge by its first corner, as seen from `at`, and the way to the next one.
        let edges = (0..corners.len()).map(|i| {
            let [from, to] = [corners[i], corners[(i + 1) % corners.len()]];
            ([from[0] - at[0], from[1] - at[1]], [to[0] - from[0], to[1] - from[1]])
        });
        let is_left = |([a, b], along): ([f64; 2], [f64; 2])| product(along, [free[1] - b, a - free[0]]) >= 0.0;
        if edges.clone().all(is_left) {
            return free;
        }
        let on_edge = edges.map(|(from, along)| {
            let turned = self.turned(from);
            let slope = product(along, [self.slope[0] + turned[0], self.slope[1] + turned[1]]);
            let curvature = product(along, self.turned(along));
            let share = if curvature > 0.0 {
                (-slope / curvature).clamp(0.0, 1.0)
            } else {
                0.0
            };
            [from[0] + share * along[0], from[1] + share * along[1]]
        });
        let least = on_edge.min_by(|a, b| self.value(*a).total_cmp(&self.value(*b)));
        least.expect("a face has edges")
    }
}

/// Scalar product.
fn product(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}
