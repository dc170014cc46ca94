//! The nearest point of the curved surface through the points of a face.
//!
//! The square of the distance of a position is minimised over the coordinates of the face by Newton's method. Each step
//! goes to the least value of the quadratic model on the whole face, which is in its inside, on an edge or at a vertex,
//! or to a half, a quarter and so on of the way, until the distance falls. Where the model with all second derivatives
//! has no minimum, the model of Gauss and Newton takes its place, which lacks the curvature of the surface. The result
//! is a point of the face, and no farther away than the point from which the search begins.

use super::interpolation::multiply;
use crate::element::{FaceDerivatives, FaceShape, Triangle, gauss_lobatto, lagrange_matrix};
use crate::vector::{Vector, dot, minus};

/// Most steps of Newton's method.
const STEPS: usize = 50;
/// Step of the coordinates of the face below which it has converged.
const CONVERGED: f64 = 1e-12;
/// Number of times that a step is halved.
const HALVINGS: i32 = 20;

/// Surfaces of faces of one shape and degree.
#[derive(Debug, Clone)]
pub struct FaceSurfaces {
    shape: FaceShape,
    /// Coordinates of the points of the face.
    points: Vec<[f64; 2]>,
    /// Derivative matrices along both directions, `[point][point]`.
    diff: [Vec<f64>; 2],
    triangle: Triangle,
    line: Vec<f64>,
}

/// The surface through the points of a face.
struct Surface {
    /// Position of the first point.
    origin: Vector,
    /// Positions of all points from there.
    offset: Vec<Vector>,
    /// First derivatives at the points along a and b, and second ones aa, ab and bb.
    first: [Vec<Vector>; 2],
    second: [Vec<Vector>; 3],
}

impl FaceSurfaces {
    /// Creates the interpolation of a shape and degree.
    pub fn new(shape: FaceShape, order: usize) -> Self {
        let triangle = Triangle::new(order);
        let line = gauss_lobatto(order).0;
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

    /// Returns the surface through the points of a face.
    fn surface(&self, face: &[Vector]) -> Surface {
        // Differences from the first point keep rounding small.
        let offset: Vec<Vector> = face.iter().map(|&x| minus(x, face[0])).collect();
        let [a, b] = [0, 1].map(|d| multiply(&self.diff[d], &offset));
        Surface {
            origin: face[0],
            second: [(0, &a), (1, &a), (1, &b)].map(|(d, slope)| multiply(&self.diff[d], slope)),
            first: [a, b],
            offset,
        }
    }

    /// Position of the surface through the points of a face at coordinates of the face.
    pub fn position(&self, face: &[Vector], at: [f64; 2]) -> Vector {
        self.surface(face).position(&self.values(at))
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
        let surface = self.surface(face);
        let found = starts.map(|&start| self.nearest_from(x, &surface, start));
        found.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a face has corners")
    }

    /// Returns the square of the distance of a position from the surface through the points of a face, as the search
    /// finds it from the point number `start`.
    pub fn square_of_distance(&self, x: Vector, face: &[Vector], start: usize) -> f64 {
        self.nearest_from(x, &self.surface(face), self.points[start]).1
    }

    /// Returns the point and the square of its distance that the search finds from these coordinates.
    fn nearest_from(&self, x: Vector, surface: &Surface, mut at: [f64; 2]) -> ([f64; 2], f64) {
        let square = |at| {
            let away = minus(surface.position(&self.values(at)), x);
            dot(away, away)
        };
        let mut least = square(at);
        for _ in 0..STEPS {
            let step = surface.model(&self.values(at), x).step(self.corners(), at);
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
}

impl Surface {
    /// Position where the Lagrange functions have these values.
    fn position(&self, values: &[f64]) -> Vector {
        let offset = sum(values, &self.offset);
        std::array::from_fn(|d| self.origin[d] + offset[d])
    }

    /// Returns the model of half the square of the distance of a position around the place where the Lagrange functions
    /// have these values.
    fn model(&self, values: &[f64], x: Vector) -> Model {
        let r = minus(self.position(values), x);
        let [a, b] = [0, 1].map(|i| sum(values, &self.first[i]));
        let [aa, ab, bb] = [0, 1, 2].map(|i| dot(sum(values, &self.second[i]), r));
        let flat = [dot(a, a), dot(a, b), dot(b, b)];
        let full = [flat[0] + aa, flat[1] + ab, flat[2] + bb];
        let determinant = |[p, q, s]: [f64; 3]| p * s - q * q;
        let has_minimum = full[0] > 0.0 && determinant(full) > 1e-3 * determinant(flat);
        Model {
            slope: [dot(a, r), dot(b, r)],
            curvature: if has_minimum { full } else { flat },
        }
    }
}

/// Sum of vectors with weights.
fn sum(weights: &[f64], vectors: &[Vector]) -> Vector {
    let terms = weights.iter().zip(vectors);
    terms.fold([0.0; 3], |sum, (w, x)| std::array::from_fn(|d| sum[d] + w * x[d]))
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
