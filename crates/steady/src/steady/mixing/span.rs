//! The directions of a mixing plane: the span, along which its bands lie, and the pitch, over which means are taken.
//!
//! Around an axis the span is the radius, and vectors at a point have the components along the axis, the radius and
//! the circumference there: what does not vary along the circumference has the same ones at all points of a band.

use crate::input::AXES;
use crate::vector::{Vector, minus};

/// The span of a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Span {
    /// A coordinate (0, 1, 2).
    Coordinate(usize),
    /// The distance from an axis.
    Radius {
        /// Direction (0, 1, 2) of the axis.
        axis: usize,
        /// A point of the axis.
        origin: Vector,
    },
}

impl Span {
    /// Its name in texts.
    pub fn name(&self) -> &'static str {
        match *self {
            Span::Coordinate(direction) => AXES[direction],
            Span::Radius { .. } => "r",
        }
    }

    /// The place of a position along the span (length).
    pub fn place(&self, x: Vector) -> f64 {
        match *self {
            Span::Coordinate(direction) => x[direction],
            Span::Radius { axis, origin } => {
                let arm = minus(x, origin);
                arm[(axis + 1) % 3].hypot(arm[(axis + 2) % 3])
            }
        }
    }

    /// The direction whose component of a vector is that along the circumference; `None` along a coordinate.
    pub fn circumference(&self) -> Option<usize> {
        match *self {
            Span::Coordinate(_) => None,
            Span::Radius { axis, .. } => Some((axis + 2) % 3),
        }
    }

    /// Returns the components of a vector at a position. Those along the radius and the circumference take the places
    /// of the two directions that follow on the axis.
    pub fn components(&self, x: Vector, v: Vector) -> Vector {
        self.turned(x, v, -1.0)
    }

    /// Returns the vector at a position that has these components.
    pub fn vector(&self, x: Vector, components: Vector) -> Vector {
        self.turned(x, components, 1.0)
    }

    /// Turns a vector by the angle of a position, or back by the sense -1.
    fn turned(&self, x: Vector, v: Vector, sense: f64) -> Vector {
        let Span::Radius { axis, origin } = *self else { return v };
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        let (arm, radius) = (minus(x, origin), self.place(x));
        let (cosine, sine) = (arm[b] / radius, sense * arm[c] / radius);
        let mut turned = v;
        turned[b] = cosine * v[b] - sine * v[c];
        turned[c] = sine * v[b] + cosine * v[c];
        turned
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::{cross, dot, length};

    #[test]
    fn a_swirl_has_the_same_components_at_all_angles() {
        for axis in 0..3 {
            let origin = [0.3, -0.2, 0.1];
            let span = Span::Radius { axis, origin };
            let mut along = [0.0; 3];
            along[axis] = 1.0;
            for angle in [0.2f64, 1.9, 4.0] {
                let mut x = origin;
                x[axis] += 0.7;
                x[(axis + 1) % 3] += 1.5 * angle.cos();
                x[(axis + 2) % 3] += 1.5 * angle.sin();
                assert!((span.place(x) - 1.5).abs() < 1e-15);
                let mut radial = minus(x, origin);
                radial[axis] = 0.0;
                let swirl = cross(along, radial);
                let v: Vector = std::array::from_fn(|d| 0.4 * along[d] + 0.2 * radial[d] + 0.5 * swirl[d]);
                let found = span.components(x, v);
                let mut expected = [0.0; 3];
                expected[axis] = 0.4;
                expected[(axis + 1) % 3] = 0.3;
                expected[span.circumference().expect("a circumference")] = 0.75;
                assert!(length(minus(found, expected)) < 1e-15, "{axis} {angle}: {found:?}");
                let back = span.vector(x, found);
                assert!(length(minus(back, v)) < 1e-15 && dot(back, back) > 0.0);
            }
        }
    }
}
