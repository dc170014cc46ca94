//! The surfaces that cut a wall into sections: planes z = const, and cylinders about an axis.
//!
//! A section is a curve in two coordinates, as the curve of a wall that is extruded along z is one in x and y: in x and
//! y themselves, or in the coordinate along the axis and the arc length around it.

use super::curve::Place;
use crate::format::number;
use crate::input::AXES;
use crate::vector::{Vector, cross, dot, length};

/// A surface that cuts a wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Section {
    /// The plane with this z.
    Plane(f64),
    /// The cylinder of this radius about the coordinate axis of this index.
    Cylinder(usize, f64),
}

/// Directions at a point of the wall on a section.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Unit vector along the section, with the wall on its left.
    pub along: Vector,
    /// Unit vector along the wall and across the section.
    pub across: Vector,
    /// Unit vectors of both coordinates of the section.
    pub coordinates: [Vector; 2],
    /// Area of the wall over that of its shadow: over the length along the section times the span.
    pub lean: f64,
}

impl Frame {
    /// Returns the unit normal of the section's curve, out of the gas into the wall, in its two coordinates.
    pub fn outward(&self) -> [f64; 2] {
        let [a, b] = self.coordinates.map(|e| dot(e, self.along));
        [-b, a]
    }
}

impl Section {
    /// Returns the name of the coordinate that is constant.
    pub fn name(&self) -> String {
        match *self {
            Section::Plane(_) => "z".to_owned(),
            Section::Cylinder(axis, _) => format!("r about {}", AXES[axis]),
        }
    }

    /// Returns the value of the coordinate that is constant.
    pub fn level(&self) -> f64 {
        match *self {
            Section::Plane(z) => z,
            Section::Cylinder(_, r) => r,
        }
    }

    /// Returns the section of the same kind with another value.
    pub fn at_level(&self, level: f64) -> Self {
        match *self {
            Section::Plane(_) => Section::Plane(level),
            Section::Cylinder(axis, _) => Section::Cylinder(axis, level),
        }
    }

    /// Returns the section in words.
    pub fn words(&self) -> String {
        format!("{} = {}", self.name(), number(self.level()))
    }

    /// Returns the names of the two coordinates.
    pub fn coordinates(&self) -> [&'static str; 2] {
        match *self {
            Section::Plane(_) => ["x", "y"],
            Section::Cylinder(axis, _) => [AXES[axis], "arc length"],
        }
    }

    /// Returns the coordinate of a point that is constant on the section.
    pub fn level_of(&self, x: Vector) -> f64 {
        match *self {
            Section::Plane(_) => x[2],
            Section::Cylinder(axis, _) => x[(axis + 1) % 3].hypot(x[(axis + 2) % 3]),
        }
    }

    /// Returns how far a point is beyond the section.
    pub fn height(&self, x: Vector) -> f64 {
        self.level_of(x) - self.level()
    }

    /// Returns the two coordinates of a point. Angles count from the direction `zero` across the axis.
    pub fn place(&self, x: Vector, zero: [f64; 2]) -> Place {
        let place = match *self {
            Section::Plane(_) => [x[0], x[1]],
            Section::Cylinder(axis, r) => {
                let [a, b] = [x[(axis + 1) % 3], x[(axis + 2) % 3]];
                let [cos, sin] = [a * zero[0] + b * zero[1], b * zero[0] - a * zero[1]];
                [x[axis], r * sin.atan2(cos)]
            }
        };
        // Adding zero turns -0 into 0.
        place.map(|x| x + 0.0)
    }

    /// Returns the point of the section with these coordinates.
    pub fn point(&self, place: Place, zero: [f64; 2]) -> Vector {
        match *self {
            Section::Plane(z) => [place[0], place[1], z],
            Section::Cylinder(axis, r) => {
                let (sin, cos) = (place[1] / r).sin_cos();
                let mut x = [0.0; 3];
                x[axis] = place[0];
                x[(axis + 1) % 3] = r * (zero[0] * cos - zero[1] * sin);
                x[(axis + 2) % 3] = r * (zero[1] * cos + zero[0] * sin);
                x
            }
        }
    }

    /// Returns the directions at a point of the wall with this area vector, which points out of the gas.
    pub fn frame(&self, x: Vector, area: Vector) -> Frame {
        let coordinates = match *self {
            Section::Plane(_) => [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            Section::Cylinder(axis, _) => {
                let mut along = [0.0; 3];
                along[axis] = 1.0;
                let r = self.level_of(x);
                let mut around = [0.0; 3];
                around[(axis + 1) % 3] = -x[(axis + 2) % 3] / r;
                around[(axis + 2) % 3] = x[(axis + 1) % 3] / r;
                [along, around]
            }
        };
        let unit = |v: Vector| v.map(|x| x / length(v));
        // The wall is on the left of the curve.
        let along = unit(cross(area, cross(coordinates[0], coordinates[1])));
        let normal = unit(area);
        Frame {
            along,
            across: cross(normal, along),
            coordinates,
            lean: 1.0 / coordinates.map(|e| dot(e, normal)).into_iter().fold(0.0, f64::hypot),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_of_a_cylinder_are_those_along_its_axis_and_around_it() {
        let zero = [0.6, 0.8];
        for axis in 0..3 {
            let section = Section::Cylinder(axis, 2.0);
            let x = section.point([0.3, -0.7], zero);
            assert!((section.level_of(x) - 2.0).abs() < 1e-15 && x[axis] == 0.3);
            let back = section.place(x, zero);
            assert!((back[1] + 0.7).abs() < 1e-15, "{back:?}");
            // A step along either coordinate is one along its unit vector.
            let frame = section.frame(x, [0.3, 0.4, -0.5]);
            let step = section.point([0.3, -0.7 + 1e-6], zero);
            for d in 0..3 {
                assert!(((step[d] - x[d]) / 1e-6 - frame.coordinates[1][d]).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn the_wall_is_on_the_left_of_its_section() {
        // A wall that leans by 45 degrees: its normal is between y and z.
        let frame = Section::Plane(0.0).frame([0.0; 3], [0.0, 3.0, 3.0]);
        assert_eq!(frame.along, [1.0, 0.0, 0.0]);
        assert_eq!(frame.outward(), [0.0, 1.0]);
        let half = 0.5f64.sqrt();
        assert!((frame.lean - 2f64.sqrt()).abs() < 1e-15);
        assert!((frame.across[1] - half).abs() < 1e-15 && (frame.across[2] + half).abs() < 1e-15);
        // On a plane that is extruded along z it is -z, or z for the reverse curve.
        let frame = Section::Cylinder(0, 1.0).frame([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
        assert_eq!(frame.along.map(f64::abs), [1.0, 0.0, 0.0]);
        assert!((frame.lean - 1.0).abs() < 1e-15);
    }
}
