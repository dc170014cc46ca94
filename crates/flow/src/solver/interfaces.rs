//! Interfaces between blocks of cells: which faces are on both sides, and how they lie.
//!
//! An interface is a plane. On each side its faces are rectangles that form rows along one direction, or sectors that
//! form rows around an axis: those of a row begin and end at the same places in the other direction, along the radius
//! in the second case, and the row on the other side does so, too. Along the row the sides are divided independently of
//! each other. The cells keep their positions. Those of a block that moves have velocities as they see them, and the
//! interface knows how far the blocks have moved past each other.

use super::SetupError;
use super::interface_rows::{Faces, length_of, reach_of, wrong};
use super::interface_sectors::{circle, period_about};
use super::interface_sides::{RowCheck, offset};
use super::motions::{Motion, Motions};
use super::settings::InterfaceUse;
use crate::device::{Interfaces, SideFace, Way};
use crate::element::Elements;
use crate::format::number;
use crate::geometry::Geometry;
use crate::input::AXES;
use crate::mesh::Mesh;
use crate::physics::{Boundary, Course, InterfaceSide};
use crate::ranks::Ranks;
use crate::runge_kutta::TimeScheme;

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
            let order = self.elements.order;
            let repeats = match self.course_and_speed(first, second).0 {
                Course::Straight(along) => self.geometry.period(self.mesh, order, along, self.ranks),
                Course::Around { axis, origin } => {
                    period_about(axis, origin, self.geometry, self.mesh, order, self.ranks)
                }
            };
            let joined = self.join(first, second, repeats, &mut found);
            let joined = self.ranks.agree(joined, SetupError::OnOtherRank)?;
            found.motions.0.push(self.motion(first, second, joined)?);
        }
        self.check_frames(&found.motions)?;
        Ok(found)
    }

    /// Refuses an angular speed of a first side that is not that of its block. The block on the first side of all is at
    /// rest, and how fast a frame turns matters: it is not enough that the sides turn past each other as they should.
    ///
    /// # Errors
    /// There is such a side.
    pub fn check_frames(&self, motions: &Motions) -> Result<(), SetupError> {
        for (place, motion) in motions.0.iter().enumerate() {
            let name = &motion.names[0];
            let side = self.mesh.boundary_names.iter().position(|known| known == name);
            let said = side
                .and_then(|side| self.boundaries[side].interface())
                .map(|side| side.speed);
            let turns = motions.speed_before(place);
            let Some(said) = said.filter(|&said| motion.axis().is_some() && said != 0.0 && said != turns) else {
                continue;
            };
            let [said, turns] = [said, turns].map(number);
            let what = format!(
                "`{name}` comes first in the mesh, and its block turns at {turns}, not at {said}: leave the key out \
                 there, and let `{}` say how fast its cells turn seen from this block. A block that turns comes \
                 behind one at rest: name the file of the latter first in `fr-les mesh join`",
                motion.names[1]
            );
            return Err(wrong(name, "angular-speed", what));
        }
        Ok(())
    }

    /// Returns the numbers of the two boundaries of each interface.
    ///
    /// # Errors
    /// The two boundaries of one do not name each other, or sides lie along different lines where they must not.
    pub fn pairs(&self) -> Result<Vec<[usize; 2]>, SetupError> {
        let mut pairs = Vec::new();
        for (first, boundary) in self.boundaries.iter().enumerate() {
            let Some(one) = boundary.interface() else { continue };
            let second = self.partner(first, one)?;
            if first < second {
                pairs.push([first, second]);
            }
        }
        self.check_axes(&pairs)?;
        Ok(pairs)
    }

    /// Refuses interfaces of which one turns about an axis that is not that of all.
    fn check_axes(&self, pairs: &[[usize; 2]]) -> Result<(), SetupError> {
        let courses: Vec<Course> = pairs.iter().map(|&[a, b]| self.course_and_speed(a, b).0).collect();
        let turns = courses.iter().find(|course| matches!(course, Course::Around { .. }));
        let Some(turns) = turns else { return Ok(()) };
        match courses.iter().position(|course| course != turns) {
            None => Ok(()),
            Some(at) => {
                let what = format!(
                    "this interface is divided {}, and another one of the mesh {}: where one turns, all turn about \
                     the same axis",
                    courses[at].words(),
                    turns.words()
                );
                Err(self.wrong(pairs[at][0], "axis", what))
            }
        }
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
        if other.course != one.course {
            let [ours, theirs] = [one.course, other.course].map(|course| course.words());
            let what = format!("this side lies {ours}, and `{}` {theirs}", one.with);
            let key = match one.course {
                Course::Straight(_) => "along",
                Course::Around { .. } => "axis",
            };
            return Err(self.wrong(first, key, what));
        }
        Ok(second)
    }

    /// Returns the course of the interface between two boundaries, and the speed of its second side along it, seen from
    /// the first one.
    fn course_and_speed(&self, first: usize, second: usize) -> (Course, f64) {
        let of = |side: usize| self.boundaries[side].interface().expect("a side of an interface");
        (of(first).course, of(second).speed - of(first).speed)
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
        let (course, speed) = self.course_and_speed(first, second);
        let order = self.elements.order;
        let faces = Faces {
            mesh: self.mesh,
            geometry: self.geometry,
            order,
            course,
        };
        let sides = [faces.rows(first)?, faces.rows(second)?];
        if sides.iter().all(Vec::is_empty) {
            return Ok(None);
        }
        if let Some(empty) = sides.iter().position(Vec::is_empty) {
            return Err(self.wrong([first, second][empty], "", "the boundary has no faces"));
        }
        let [one, other] = [&sides[0], &sides[1]].map(|rows| rows[0][0].plane);
        if one.0 != other.0 || (one.1 - other.1).abs() > reach_of(&sides[0][0], course) || one.2 == other.2 {
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
        let check = RowCheck {
            names: [first, second].map(|side| self.mesh.boundary_names[side].as_str()),
            faces: &faces,
            speed,
            repeats,
        };
        let is_periodic = check.check(&sides)?;
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
                let distance = offset(course, begin - partner[0].along[0], period, is_periodic);
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
                        plane: face.plane.0,
                        facing: if face.plane.2 { 1.0 } else { -1.0 },
                        speed: sign * speed,
                        way: match course {
                            Course::Straight(along) => Way::Straight(along),
                            Course::Around { axis, .. } => {
                                Way::Circle(circle(face, axis, order, distance.periods, period))
                            }
                        },
                        first: firsts[k],
                        length: end - firsts[k],
                        offset: distance.rest,
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
        let (course, speed) = self.course_and_speed(first, second);
        let motion = Motion {
            names,
            speed,
            course,
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
}
