//! What one side of an interface says of it.

use crate::format::number;
use crate::input::AXES;
use crate::vector::Vector;

/// The lines along which the sides of an interface are divided independently of each other, and move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Course {
    /// Lines in a direction (0, 1, 2). Places along them are lengths.
    Straight(usize),
    /// Circles about an axis. Places along them are angles, by the right-hand rule.
    Around {
        /// Direction (0, 1, 2) of the axis.
        axis: usize,
        /// A point of the axis.
        origin: Vector,
    },
}

impl Course {
    /// Returns the course in words, such as `along y`.
    pub fn words(&self) -> String {
        match *self {
            Course::Straight(along) => format!("along {}", AXES[along]),
            Course::Around { axis, origin } if origin == [0.0; 3] => format!("about the {} axis", AXES[axis]),
            Course::Around { axis, origin } => {
                let [x, y, z] = origin.map(number);
                format!("about the {} axis through ({x}, {y}, {z})", AXES[axis])
            }
        }
    }
}

/// One side of an interface.
#[derive(Debug, Clone, PartialEq)]
pub struct InterfaceSide {
    /// Name of the boundary on the other side.
    pub with: String,
    /// The lines along which the sides are divided independently of each other, and move.
    pub course: Course,
    /// Speed of the cells of this side along these lines: a length or an angle over time.
    pub speed: f64,
}
