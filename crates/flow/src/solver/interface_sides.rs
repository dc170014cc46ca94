//! Whether the rows on both sides of an interface go together, and where they begin on either side.

use std::f64::consts::TAU;

use super::SetupError;
use super::interface_rows::{Faces, Rectangle, Row, SAME, angle_about, length_of, wrong};
use crate::format::{location, number};
use crate::mesh::Side;
use crate::physics::Course;
use crate::vector::{Vector, minus};

/// Distance between the beginnings of two rows.
pub struct Offset {
    /// Whole periods of it that are counted apart, of rows around an axis that repeat.
    pub periods: f64,
    /// The distance without them.
    pub rest: f64,
}

/// Returns the distance of the beginning of a row from that of the other side's.
pub fn offset(course: Course, distance: f64, period: f64, is_periodic: bool) -> Offset {
    let (periods, whole) = match course {
        Course::Straight(_) => (0.0, 0.0),
        Course::Around { .. } if is_periodic => {
            let periods = (distance / period).floor();
            (periods, periods * period)
        }
        Course::Around { .. } => (0.0, (distance / TAU).round() * TAU),
    };
    Offset {
        periods,
        rest: distance - whole,
    }
}

/// The verification of the rows of both sides.
pub struct RowCheck<'a> {
    /// Names of the boundaries.
    pub names: [&'a str; 2],
    /// The faces and the lines along which they lie.
    pub faces: &'a Faces<'a>,
    /// Speed of the second side seen from the first.
    pub speed: f64,
    /// Length or angle after which the mesh repeats along the rows, if it does.
    pub repeats: Option<f64>,
}

impl RowCheck<'_> {
    fn wrong(&self, key: &str, what: String) -> SetupError {
        wrong(self.names[0], key, what)
    }

    /// Verifies that the rows of both sides go together. Returns whether they repeat after their length.
    ///
    /// # Errors
    /// They do not.
    pub fn check(&self, sides: &[Vec<Row>; 2]) -> Result<bool, SetupError> {
        let other = self.names[1];
        let course = self.faces.course;
        let period = length_of(&sides[0][0]);
        let is_around = matches!(course, Course::Around { .. });
        let is_whole = is_around && (period - TAU).abs() <= SAME;
        let repeats_alike = self
            .repeats
            .is_some_and(|repeats| (repeats - period).abs() <= SAME * period);
        let closed = |row: &Row| self.end_at_boundary(row).is_none();
        let is_periodic = (repeats_alike || is_whole) && sides.iter().flatten().all(closed);
        if sides[0].len() != sides[1].len() {
            let [ours, theirs] = [&sides[0], &sides[1]].map(|rows| rows.len());
            let plural = if ours == 1 { "" } else { "s" };
            let what =
                format!("this side has {ours} row{plural} of faces, and `{other}` {theirs}: both need the same rows");
            return Err(self.wrong("with", what));
        }
        let (radius, angle) = if is_around {
            ("the radius ", "angle")
        } else {
            ("", "length")
        };
        for (one, two) in sides[0].iter().zip(&sides[1]) {
            let (a, b) = (one[0].across, two[0].across);
            let width = if is_around { a[1] } else { (a[1] - a[0]).max(period) };
            let level = |x: f64, y: f64| (x - y).abs() <= SAME * width;
            let same = |x: f64, y: f64| (x - y).abs() <= SAME * if is_around { period } else { width };
            if !level(a[0], b[0]) || !level(a[1], b[1]) {
                let what = format!(
                    "the row of faces at {} reaches from {radius}{} to {}, and that of `{other}` from {} to {}",
                    location(one[0].centre),
                    number(a[0]),
                    number(a[1]),
                    number(b[0]),
                    number(b[1])
                );
                return Err(self.wrong("with", what));
            }
            for (row, name) in [one, two].into_iter().zip(self.names) {
                if !same(length_of(row), period) {
                    let what = format!(
                        "all rows must have the same {angle}: that of `{name}` at {} has {}, and that of `{}` at {} \
                         has {}",
                        location(row[0].centre),
                        number(length_of(row)),
                        self.names[0],
                        location(sides[0][0][0].centre),
                        number(period)
                    );
                    return Err(self.wrong("with", what));
                }
            }
            for (row, name) in [one, two].into_iter().zip(self.names) {
                self.check_links(row, name, period)?;
            }
            let between = offset(course, one[0].along[0] - two[0].along[0], period, is_periodic);
            if !is_periodic && !same(between.rest, 0.0) {
                let what = format!(
                    "the row at {} begins at {}, and that of `{other}` at {}: sides must meet, unless the mesh is \
                     periodic with the {angle} of the row",
                    location(one[0].centre),
                    number(one[0].along[0]),
                    number(two[0].along[0])
                );
                return Err(self.wrong("with", what));
            }
        }
        if self.speed != 0.0 && !is_periodic {
            let why = match (
                sides.iter().flatten().find_map(|row| self.end_at_boundary(row)),
                self.repeats,
            ) {
                (Some(name), _) => format!("a row ends at the boundary `{name}`"),
                (None, Some(repeats)) => format!("the period of the mesh is {}", number(repeats)),
                (None, None) => "the mesh has no period there".to_owned(),
            };
            let what = format!(
                "sides that move past each other need blocks that are periodic {} with the {angle} of their rows, {}: \
                 {why}",
                course.words(),
                number(period)
            );
            return Err(self.wrong(self.faces.key(), what));
        }
        Ok(is_periodic)
    }

    /// Verifies that the cells of a row are joined in the order of its faces, and its last cell, where it is joined,
    /// with its first. Two copies of one passage beside each other, each periodic by itself, are no row of two.
    fn check_links(&self, row: &Row, name: &str, period: f64) -> Result<(), SetupError> {
        let Faces {
            mesh, geometry, order, ..
        } = *self.faces;
        for (number_of_face, face) in row.iter().enumerate() {
            let Some(side) = self.side_at(face, face.along[1]) else {
                continue;
            };
            let Some(neighbour) = mesh.cell_sides(face.cell)[side].neighbour() else {
                continue;
            };
            let there = geometry.face_centre(neighbour.cell, neighbour.face, order);
            let is_last = number_of_face + 1 == row.len();
            // The last cell is joined with the first, or with one beyond the interface.
            let follows = |end: f64| self.distance(there, end).abs() <= SAME * period;
            if follows(face.along[1]) || (is_last && follows(face.along[1] - period)) {
                continue;
            }
            let words = |length: f64| match self.faces.course {
                Course::Straight(_) => number(length),
                Course::Around { .. } => format!("{} degrees", number(length.to_degrees())),
            };
            let what = format!(
                "the faces at {} end at a side that repeats after {}, and their row measures {}: the passages of a \
                 row must be joined with one another, and not each with itself",
                location(face.centre),
                words(self.distance(there, face.along[1]).abs()),
                words(period)
            );
            return Err(wrong(name, "", what));
        }
        Ok(())
    }

    /// Returns the number of the side of the cell of a face that lies at a place along the row.
    fn side_at(&self, face: &Rectangle, end: f64) -> Option<usize> {
        let Faces {
            mesh, geometry, order, ..
        } = *self.faces;
        let positions = geometry.cell_positions(face.cell);
        let reach = SAME * (face.along[1] - face.along[0]);
        let kind = mesh.kinds[face.cell];
        (0..mesh.cell_sides(face.cell).len()).find(|&side| {
            let mut points = kind.face_indices(side, order).into_iter();
            points.all(|point| self.distance(positions[point], end).abs() <= reach)
        })
    }

    /// Returns the distance of a place from another one along the rows.
    fn distance(&self, x: Vector, end: f64) -> f64 {
        match self.faces.course {
            Course::Straight(along) => x[along] - end,
            Course::Around { axis, origin } => {
                let angle = angle_about(axis, minus(x, origin)) - end;
                angle - TAU * (angle / TAU).round()
            }
        }
    }

    /// Returns the name of a boundary at which a row ends, if it does not go on.
    fn end_at_boundary(&self, row: &Row) -> Option<&str> {
        let ends = [
            (&row[0], row[0].along[0]),
            (&row[row.len() - 1], row[row.len() - 1].along[1]),
        ];
        ends.into_iter().find_map(|(face, end)| {
            let side = self.side_at(face, end)?;
            match self.faces.mesh.cell_sides(face.cell)[side] {
                Side::Boundary(name) => Some(self.faces.name(name)),
                _ => None,
            }
        })
    }
}
