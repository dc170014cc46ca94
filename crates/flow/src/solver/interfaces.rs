//! Interfaces between blocks of cells: which faces are on both sides, how they lie, and how the blocks move.
//!
//! An interface is a plane. On each side its faces are rectangles that form rows along one direction: those of a row
//! begin and end at the same places in the other direction, and the row on the other side does so, too. Along the row
//! the sides are divided independently of each other. The cells keep their positions. Those of a block that moves have
//! velocities as they see them, and the interface knows how far the blocks have moved past each other.

use super::SetupError;
use super::interface_rows::{Faces, Row, SAME, length_of, wrong};
use super::settings::InterfaceUse;
use crate::device::{Interfaces, SideFace};
use crate::element::Elements;
use crate::format::{location, number};
use crate::geometry::Geometry;
use crate::input::AXES;
use crate::mesh::{Mesh, Side};
use crate::physics::{Boundary, InterfaceSide};
use crate::ranks::Ranks;
use crate::runge_kutta::TimeScheme;
use crate::vector::Vector;

/// How the two blocks at an interface move, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Names of the boundaries: that of the first side and that of the second.
    pub names: [String; 2],
    /// Speed of the cells of the second side seen from those of the first.
    pub speed: f64,
    /// The direction (0, 1, 2) of this speed.
    pub along: usize,
    /// Length of the rows.
    pub period: f64,
    /// The direction across the plane.
    pub normal: usize,
    /// Its coordinate in that direction.
    pub at: f64,
    /// Whether the cells of the second side are at larger coordinates.
    pub second_above: bool,
}

impl Motion {
    /// Returns the boundaries, the length of the rows and the motion in words.
    pub fn words(&self) -> String {
        let [first, second] = &self.names;
        let length = number(self.period);
        match self.passing() {
            None => format!("{first} to {second}: rows of length {length}, at rest"),
            Some(time) => format!(
                "{first} to {second}: rows of length {length}, {second} moves at {} along {}, a length in a time of {}",
                number(self.speed),
                AXES[self.along],
                number(time)
            ),
        }
    }

    /// Returns the time in which the blocks move past each other by the length of the rows; `None` at rest.
    pub fn passing(&self) -> Option<f64> {
        (self.speed != 0.0).then(|| self.period / self.speed.abs())
    }
}

/// The motions of all interfaces of a mesh, which say what frame each of its blocks has.
#[derive(Debug, Clone, Default)]
pub struct Motions(pub Vec<Motion>);

impl Motions {
    /// Returns the velocity of the cells around a place, seen from the frame of the first sides: the sum of the speeds
    /// of the interfaces between them.
    pub fn velocity(&self, x: Vector) -> Vector {
        let mut velocity = [0.0; 3];
        for motion in &self.0 {
            if (x[motion.normal] > motion.at) == motion.second_above {
                velocity[motion.along] += motion.speed;
            }
        }
        velocity
    }

    /// Returns the interfaces whose sides move past each other.
    pub fn moving(&self) -> impl Iterator<Item = &Motion> {
        self.0.iter().filter(|motion| motion.speed != 0.0)
    }

    /// Returns the interface that moves and lies in the plane of a coordinate, if there is one: points there are in the
    /// cells of either side.
    pub fn in_plane(&self, direction: usize, at: f64) -> Option<&Motion> {
        self.moving()
            .find(|motion| motion.normal == direction && (motion.at - at).abs() <= SAME * motion.period)
    }

    /// Returns the interface that moves and lies across a direction, if there is one: means over that direction would
    /// be of two frames.
    pub fn across(&self, direction: usize) -> Option<&Motion> {
        self.moving().find(|motion| motion.normal == direction)
    }
}

/// The interfaces of a mesh.
#[derive(Debug, Default)]
pub struct Found {
    /// The faces.
    pub faces: Interfaces,
    /// The motion of each interface.
    pub motions: Motions,
}

/// Where an interface is, as numbers that ranks can compare.
struct Place {
    /// Length of its rows.
    period: f64,
    /// The direction across its plane.
    normal: f64,
    /// Its coordinate in that direction.
    at: f64,
    /// 1 if the cells of the second side are at larger coordinates, else 0.
    second_above: f64,
    /// Number of its rows.
    rows: f64,
    /// Number of the faces of both sides.
    faces: [f64; 2],
}

impl Place {
    /// That of a rank that has no face of it.
    const NOWHERE: Place = Place {
        period: f64::NEG_INFINITY,
        normal: f64::NEG_INFINITY,
        at: f64::NEG_INFINITY,
        second_above: f64::NEG_INFINITY,
        rows: f64::NEG_INFINITY,
        faces: [f64::NEG_INFINITY; 2],
    };
}

/// What the search needs.
pub struct Parts<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Its points.
    pub geometry: &'a Geometry,
    /// The reference elements.
    pub elements: &'a Elements,
    /// Condition of every boundary of the mesh.
    pub boundaries: &'a [Boundary],
    /// What the sides are to each other.
    pub usage: InterfaceUse,
    /// The ranks.
    pub ranks: &'a Ranks,
}

impl Parts<'_> {
    /// Finds the interfaces of a case that advances by a time scheme. Collective.
    ///
    /// # Errors
    /// The two boundaries of one do not name each other, their faces do not go together, or the cells of the scheme do
    /// not all advance in each stage.
    pub fn find(&self, scheme: TimeScheme) -> Result<Found, SetupError> {
        let mut found = Found::default();
        let pairs = self.pairs()?;
        if self.usage == InterfaceUse::Slide && scheme == TimeScheme::Paired && !pairs.is_empty() {
            return Err(SetupError::Interface {
                key: "time.scheme".to_owned(),
                what: "`paired` does not go with interfaces, whose sides need each other in all stages: take `lsrk10`"
                    .to_owned(),
            });
        }
        for [first, second] in pairs {
            let (along, _) = self.direction_and_speed(first, second);
            let repeats = self.geometry.period(self.mesh, self.elements.order, along, self.ranks);
            let joined = self.join(first, second, repeats, &mut found);
            let joined = self.ranks.agree(joined, SetupError::OnOtherRank)?;
            found.motions.0.push(self.motion(first, second, joined)?);
        }
        Ok(found)
    }

    /// Returns the numbers of the two boundaries of each interface.
    ///
    /// # Errors
    /// The two boundaries of one do not name each other, or lie along different directions.
    pub fn pairs(&self) -> Result<Vec<[usize; 2]>, SetupError> {
        let mut pairs = Vec::new();
        for (first, boundary) in self.boundaries.iter().enumerate() {
            let Some(one) = boundary.interface() else { continue };
            let second = self.partner(first, one)?;
            if first < second {
                pairs.push([first, second]);
            }
        }
        Ok(pairs)
    }

    fn wrong(&self, boundary: usize, key: &str, what: impl Into<String>) -> SetupError {
        wrong(&self.mesh.boundary_names[boundary], key, what)
    }

    /// Returns the boundary on the other side.
    fn partner(&self, first: usize, one: &InterfaceSide) -> Result<usize, SetupError> {
        let names = &self.mesh.boundary_names;
        let Some(second) = names.iter().position(|name| *name == one.with) else {
            let there = names.join(", ");
            return Err(self.wrong(
                first,
                "with",
                format!("the mesh has no boundary `{}`; it has {there}", one.with),
            ));
        };
        let Some(other) = self.boundaries[second].interface() else {
            let what = format!(
                "`{}` is no interface: give it `type: interface` and `with: {}`",
                one.with, names[first]
            );
            return Err(self.wrong(first, "with", what));
        };
        if first == second {
            return Err(self.wrong(first, "with", "an interface joins two boundaries: name the other one"));
        }
        if other.with != names[first] {
            let what = format!(
                "`{}` is joined with `{}`, not with `{}`",
                one.with, other.with, names[first]
            );
            return Err(self.wrong(first, "with", what));
        }
        if other.along != one.along {
            let [ours, theirs] = [one.along, other.along].map(|axis| AXES[axis]);
            let what = format!("this side lies along {ours}, and `{}` along {theirs}", one.with);
            return Err(self.wrong(first, "along", what));
        }
        Ok(second)
    }

    /// Returns the direction of the interface between two boundaries, and the speed of its second side seen from the
    /// first one.
    fn direction_and_speed(&self, first: usize, second: usize) -> (usize, f64) {
        let of = |side: usize| self.boundaries[side].interface().expect("a side of an interface");
        (of(first).along, of(second).speed - of(first).speed)
    }

    /// Adds the faces of the interface between two boundaries. `repeats` is the period of the mesh along it. Returns
    /// where it is, unless this rank has none of its faces.
    fn join(
        &self,
        first: usize,
        second: usize,
        repeats: Option<f64>,
        found: &mut Found,
    ) -> Result<Option<Place>, SetupError> {
        let (along, speed) = self.direction_and_speed(first, second);
        let faces = Faces {
            mesh: self.mesh,
            geometry: self.geometry,
            order: self.elements.order,
        };
        let sides = [faces.rows(first, along)?, faces.rows(second, along)?];
        if sides.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        if let Some(empty) = sides.iter().position(Vec::is_empty) {
            return Err(self.wrong([first, second][empty], "", "the boundary has no faces"));
        }
        let [one, other] = [&sides[0], &sides[1]].map(|rows| rows[0][0].plane);
        if one.0 != other.0 || (one.1 - other.1).abs() > SAME * length_of(&sides[0][0]) || one.2 == other.2 {
            let place = |plane: (usize, f64, bool)| format!("{} = {}", AXES[plane.0], number(plane.1));
            let what = format!(
                "the two sides must lie in one plane, with cells on either side of it: this one is at {}, `{}` at {}",
                place(one),
                self.mesh.boundary_names[second],
                place(other)
            );
            return Err(self.wrong(first, "with", what));
        }
        let place = Place {
            period: length_of(&sides[0][0]),
            normal: one.0 as f64,
            at: one.1,
            second_above: f64::from(u8::from(!other.2)),
            rows: sides[0].len() as f64,
            faces: sides
                .each_ref()
                .map(|rows| rows.iter().map(Vec::len).sum::<usize>() as f64),
        };
        if self.usage == InterfaceUse::Mix {
            return Ok(Some(place));
        }
        self.check_rows(first, second, &sides, repeats)?;
        let interface = found.motions.0.len();
        let period = place.period;
        let mut next = found.faces.faces.len();
        let mut starts = [Vec::new(), Vec::new()];
        for (rows, starts) in sides.iter().zip(&mut starts) {
            for row in rows {
                starts.push(next);
                next += row.len();
            }
        }
        for side in 0..2 {
            let sign = if side == 0 { 1.0 } else { -1.0 };
            for (number, row) in sides[side].iter().enumerate() {
                let partner = &sides[1 - side][number];
                let (begin, start) = (row[0].along[0], starts[1 - side][number]);
                let firsts: Vec<f64> = row.iter().map(|face| face.along[0] - begin).collect();
                for (k, face) in row.iter().enumerate() {
                    // The faces tile the row to the bit.
                    let end = firsts.get(k + 1).copied().unwrap_or(period);
                    found.faces.faces.push(SideFace {
                        cell: face.cell,
                        face: face.face,
                        orientation: face.orientation,
                        interface,
                        sign,
                        speed: sign * speed,
                        along,
                        first: firsts[k],
                        length: end - firsts[k],
                        offset: begin - partner[0].along[0],
                        period,
                        row: start..start + partner.len(),
                    });
                }
            }
        }
        Ok(Some(place))
    }

    /// Returns the motion of the interface between two boundaries, from where the rank that has its faces found it.
    /// Collective.
    fn motion(&self, first: usize, second: usize, found: Option<Place>) -> Result<Motion, SetupError> {
        let mut owners = [u64::from(found.is_some())];
        self.ranks.allreduce_sum(&mut owners);
        let names = [first, second].map(|side| self.mesh.boundary_names[side].clone());
        if owners != [1] {
            let what = match owners {
                [0] => "the boundary has no faces",
                _ => "its cells are on several ranks: interfaces need the mesh in a file, native or of another program",
            };
            return Err(self.wrong(first, "", what));
        }
        let place = found.unwrap_or(Place::NOWHERE);
        let mut numbers = [
            place.period,
            place.normal,
            place.at,
            place.second_above,
            place.rows,
            place.faces[0],
            place.faces[1],
        ];
        self.ranks.allreduce_max(&mut numbers);
        let [period, normal, at, above, rows, ours, theirs] = numbers;
        let (along, speed) = self.direction_and_speed(first, second);
        let motion = Motion {
            names,
            speed,
            along,
            period,
            normal: normal as usize,
            at,
            second_above: above == 1.0,
        };
        if self.usage == InterfaceUse::Mix {
            return Ok(motion);
        }
        tracing::info!(
            "interface {}; {ours} and {theirs} faces in {rows} row{}",
            motion.words(),
            if rows == 1.0 { "" } else { "s" }
        );
        Ok(motion)
    }

    /// Verifies that the rows of both sides go together.
    fn check_rows(
        &self,
        first: usize,
        second: usize,
        sides: &[Vec<Row>; 2],
        repeats: Option<f64>,
    ) -> Result<(), SetupError> {
        let (along, speed) = self.direction_and_speed(first, second);
        let other = &self.mesh.boundary_names[second];
        let period = length_of(&sides[0][0]);
        let repeats_alike = repeats.is_some_and(|repeats| (repeats - period).abs() <= SAME * period);
        let closed = |row: &Row| self.end_at_boundary(row, along).is_none();
        let is_periodic = repeats_alike && sides.iter().flatten().all(closed);
        if sides[0].len() != sides[1].len() {
            let [ours, theirs] = [&sides[0], &sides[1]].map(|rows| rows.len());
            let what = format!("this side has {ours} rows of faces, and `{other}` {theirs}: both need the same rows");
            return Err(self.wrong(first, "with", what));
        }
        for (one, two) in sides[0].iter().zip(&sides[1]) {
            let (a, b) = (one[0].across, two[0].across);
            let same = |x: f64, y: f64| (x - y).abs() <= SAME * (a[1] - a[0]).max(period);
            if !same(a[0], b[0]) || !same(a[1], b[1]) {
                let what = format!(
                    "the row of faces at {} reaches from {} to {}, and that of `{other}` from {} to {}",
                    location(one[0].centre),
                    number(a[0]),
                    number(a[1]),
                    number(b[0]),
                    number(b[1])
                );
                return Err(self.wrong(first, "with", what));
            }
            for row in [one, two] {
                if !same(length_of(row), period) {
                    let what = format!(
                        "all rows must have the same length: that at {} has {}, and that of the other {} has {}",
                        location(row[0].centre),
                        number(length_of(row)),
                        location(sides[0][0][0].centre),
                        number(period)
                    );
                    return Err(self.wrong(first, "with", what));
                }
            }
            if !is_periodic && !same(one[0].along[0], two[0].along[0]) {
                let what = format!(
                    "the row at {} begins at {}, and that of `{other}` at {}: sides must meet, unless the mesh is \
                     periodic with the length of the row",
                    location(one[0].centre),
                    number(one[0].along[0]),
                    number(two[0].along[0])
                );
                return Err(self.wrong(first, "with", what));
            }
        }
        if speed != 0.0 && !is_periodic {
            let why = match (
                sides.iter().flatten().find_map(|row| self.end_at_boundary(row, along)),
                repeats,
            ) {
                (Some(name), _) => format!("a row ends at the boundary `{name}`"),
                (None, Some(repeats)) => format!("the period of the mesh is {}", number(repeats)),
                (None, None) => "the mesh has no period there".to_owned(),
            };
            let what = format!(
                "sides that move past each other need blocks that are periodic along {} with the length of their rows, \
                 {}: {why}",
                AXES[along],
                number(period)
            );
            return Err(self.wrong(first, "along", what));
        }
        Ok(())
    }

    /// Returns the name of a boundary at which a row in this direction ends, if it does not go on.
    fn end_at_boundary(&self, row: &Row, along: usize) -> Option<&str> {
        let order = self.elements.order;
        let ends = [
            (&row[0], row[0].along[0]),
            (&row[row.len() - 1], row[row.len() - 1].along[1]),
        ];
        ends.into_iter().find_map(|(face, end)| {
            let positions = self.geometry.cell_positions(face.cell);
            let reach = SAME * (face.along[1] - face.along[0]);
            let kind = self.mesh.kinds[face.cell];
            self.mesh
                .cell_sides(face.cell)
                .iter()
                .enumerate()
                .find_map(|(side, behind)| {
                    let mut points = kind.face_indices(side, order).into_iter();
                    let at_end = points.all(|point| (positions[point][along] - end).abs() <= reach);
                    match *behind {
                        Side::Boundary(name) if at_end => Some(self.mesh.boundary_names[name].as_str()),
                        _ => None,
                    }
                })
        })
    }
}
