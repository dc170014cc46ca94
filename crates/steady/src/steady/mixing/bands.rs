//! The two sides of a mixing plane: whether they go together, and the bands of their points along the span.

use std::f64::consts::TAU;

use super::plane::{BandPoints, MixingPlane, PlanePoint, gather, motions, walls};
use super::span::Span;
use crate::format::{location, number};
use crate::input::AXES;
use crate::mesh::Mesh;
use crate::physics::{Boundary, Course};
use crate::solver::{InterfaceParts, Motion, SetupError};
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::vector::{Vector, length};

/// Largest distance of places that are to be the same, relative to the size of the plane: decimals of a mesh file.
const SAME: f64 = 1e-6;
/// The same for radii, relative to the distance of the nearest other one: points of curved cells lie off their circles.
const SAME_CIRCLE: f64 = 1e-2;

/// Least share of a circle that counts as a whole ring: twelve straight edges enclose 0.95 of its area.
const RING: f64 = 0.9;

/// Finds the mixing planes of a case: its interfaces. `lists` are its boundaries at the vertices. Collective.
///
/// # Errors
/// The two boundaries of one do not name each other or do not go together, or the mesh is periodic in another way.
pub fn find(parts: &InterfaceParts, dual: &DualMesh, lists: &[BoundaryList]) -> Result<Vec<MixingPlane>, SetupError> {
    let pairs = parts.pairs()?;
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let order = parts.elements.order;
    let periods = parts.geometry.periods(parts.mesh, order, parts.ranks);
    let on_wall = walls(dual, lists);
    let angles = dual.angles(parts.ranks);
    let plane = |&boundaries: &[usize; 2]| {
        let course = |side: usize| parts.boundaries[side].interface().map(|side| side.course);
        let around = course(boundaries[0]).and_then(|course| match course {
            Course::Straight(_) => None,
            Course::Around { axis, origin } => Some(Span::Radius { axis, origin }),
        });
        let points = boundaries.map(|b| gather(dual, &lists[b], &on_wall, &angles, around, parts.ranks));
        Sides {
            mesh: parts.mesh,
            conditions: parts.boundaries,
            boundaries,
            points,
        }
        .join(dual, periods)
    };
    let mut planes: Vec<MixingPlane> = pairs.iter().map(plane).collect::<Result<_, _>>()?;
    let motions = motions(&planes);
    parts.check_frames(&motions)?;
    planes
        .iter_mut()
        .for_each(|plane| plane.see_from_the_first_sides(&motions));
    Ok(planes)
}

/// Points of one side at one place of the span.
struct Place {
    at: f64,
    points: Vec<usize>,
    /// Whether all of them are on walls with friction.
    is_wall: bool,
}

/// The two sides, before they are known to go together.
struct Sides<'a> {
    mesh: &'a Mesh,
    conditions: &'a [Boundary],
    boundaries: [usize; 2],
    points: [Vec<PlanePoint>; 2],
}

impl Sides<'_> {
    fn name(&self, side: usize) -> &str {
        &self.mesh.boundary_names[self.boundaries[side]]
    }

    /// Returns an error of a side.
    fn wrong(&self, side: usize, key: &str, what: String) -> SetupError {
        SetupError::Interface {
            key: format!("boundaries.{}{key}", self.name(side)),
            what,
        }
    }

    /// Joins the sides. The mesh has these periods along coordinates.
    fn join(self, dual: &DualMesh, periods: [Option<f64>; 3]) -> Result<MixingPlane, SetupError> {
        let of = |side: usize| {
            let condition = self.conditions[self.boundaries[side]].interface();
            condition.expect("a side of an interface")
        };
        let (course, speed) = (of(0).course, of(1).speed - of(0).speed);
        if let Some(side) = (0..2).find(|&side| self.points[side].is_empty()) {
            return Err(self.wrong(side, "", "the boundary has no faces".to_owned()));
        }
        let areas = [0, 1].map(|side| self.total_area(side));
        let normal = (0..3).fold(0, |most, d| {
            if areas[0][d].abs() > areas[0][most].abs() {
                d
            } else {
                most
            }
        });
        let span = self.span(course, normal)?;
        self.check_planes(normal, areas)?;
        self.check_rotation(dual, span)?;
        let period = match span {
            Span::Coordinate(across) => periods[across],
            Span::Radius { .. } => None,
        };
        let places = self.places(span, period)?;
        let [first, last] = [0, places[0].len() - 1].map(|place| places[0][place].at);
        let mut pitches = [0.0; 2];
        for (side, pitch) in pitches.iter_mut().enumerate() {
            let area = areas[side][normal].abs();
            *pitch = match span {
                Span::Coordinate(_) => area / period.unwrap_or(last - first),
                Span::Radius { .. } => {
                    let measured = area / (0.5 * (last * last - first * first));
                    match self.points[side][0].angle.zip(dual.rotation.as_ref()) {
                        Some((number, rotation)) => rotation.angle(number),
                        None => self.whole_ring(side, measured)?,
                    }
                }
            };
        }
        let bands = self.bands(places)?;
        let names = [0, 1].map(|side| self.name(side).to_owned());
        Ok(MixingPlane {
            motion: Motion {
                names,
                speed,
                course,
                period: pitches[0],
                normal,
                at: self.points[0][0].x[normal],
                second_above: areas[0][normal] > 0.0,
            },
            boundaries: self.boundaries,
            points: self.points,
            pitches,
            speeds: [0.0, speed],
            span,
            bands,
        })
    }

    /// Returns the angle of a side that does not repeat by a rotation: that of a whole ring. Straight edges of cells
    /// cut off a little of its measured angle.
    fn whole_ring(&self, side: usize, measured: f64) -> Result<f64, SetupError> {
        if measured > RING * TAU {
            return Ok(TAU);
        }
        let what = format!(
            "this side is a sector of {} degrees that does not repeat about the axis: join its two sides by a rotation \
             (`--periodic` of `fr-les mesh`), or take a whole ring",
            number(measured.to_degrees())
        );
        Err(self.wrong(side, "", what))
    }

    /// Returns the span of a plane that is across a direction.
    fn span(&self, course: Course, normal: usize) -> Result<Span, SetupError> {
        match course {
            Course::Straight(along) if along == normal => {
                let what = format!("the plane must be along {}: it is normal to it", AXES[along]);
                Err(self.wrong(0, ".along", what))
            }
            Course::Straight(along) => Ok(Span::Coordinate(3 - along - normal)),
            Course::Around { axis, .. } if axis != normal => {
                let (axis, normal) = (AXES[axis], AXES[normal]);
                let what = format!("the plane must be normal to the axis {axis}: it is normal to {normal}");
                Err(self.wrong(0, ".axis", what))
            }
            Course::Around { axis, origin } => Ok(Span::Radius { axis, origin }),
        }
    }

    /// Verifies that what the mesh repeats after goes with the span: rows along a coordinate repeat after shifts, and
    /// rows around an axis after turns about it.
    fn check_rotation(&self, dual: &DualMesh, span: Span) -> Result<(), SetupError> {
        let Some(rotation) = &dual.rotation else { return Ok(()) };
        match span {
            Span::Coordinate(_) => {
                let what = "the mesh is periodic by a rotation, and this interface lies along a coordinate: give both \
                            sides the `axis` of the rotation in place of `along`";
                Err(self.wrong(0, ".along", what.to_owned()))
            }
            Span::Radius { axis, origin } => {
                let mut along = [0.0; 3];
                along[axis] = 1.0;
                if rotation.is_about(origin, along) {
                    return Ok(());
                }
                let words = Course::Around { axis, origin }.words();
                let what = format!(
                    "this interface lies {words}, and the mesh is periodic by a rotation about another axis: `axis` \
                     and `origin` must be those of the rotation"
                );
                Err(self.wrong(0, ".axis", what))
            }
        }
    }

    fn total_area(&self, side: usize) -> Vector {
        let add = |sum: Vector, point: &PlanePoint| std::array::from_fn(|d| sum[d] + point.area[d]);
        self.points[side].iter().fold([0.0; 3], add)
    }

    /// Verifies that the sides lie in one plane normal to a direction, with their cells on either side of it.
    fn check_planes(&self, normal: usize, areas: [Vector; 2]) -> Result<(), SetupError> {
        let size = length(areas[0]).sqrt();
        let at = self.points[0][0].x[normal];
        for side in 0..2 {
            let outside = |point: &&PlanePoint| (point.x[normal] - at).abs() > SAME * size;
            if let Some(point) = self.points[side].iter().find(outside) {
                let what = format!(
                    "the two sides of a mixing plane must lie in one plane normal to an axis: `{}` has a point at {}, \
                     and `{}` one at {}: move the blocks until they touch",
                    self.name(side),
                    location(point.x),
                    self.name(0),
                    location(self.points[0][0].x)
                );
                return Err(self.wrong(side, ".with", what));
            }
        }
        if areas[0][normal] * areas[1][normal] >= 0.0 {
            let what = format!(
                "the cells of `{}` and `{}` lie on the same side of the plane {} = {}: they must lie on either side \
                 of it",
                self.name(0),
                self.name(1),
                AXES[normal],
                number(at)
            );
            return Err(self.wrong(0, ".with", what));
        }
        Ok(())
    }

    /// Returns the places along the span at which the points of both sides are, the same places of both sides.
    fn places(&self, span: Span, period: Option<f64>) -> Result<[Vec<Place>; 2], SetupError> {
        let all = || self.points.iter().flatten().map(|point| span.place(point.x));
        let low = all().fold(f64::INFINITY, f64::min);
        let high = all().fold(f64::NEG_INFINITY, f64::max);
        if matches!(span, Span::Radius { .. }) && low <= SAME * high {
            let what = "a point of the plane lies on the axis, where the circumference has no direction: leave out the \
                        axis by a wall of small radius";
            return Err(self.wrong(0, ".axis", what.to_owned()));
        }
        let near = SAME * period.unwrap_or(high - low);
        // A vertex on a period may be at either end of it.
        let from_low = |x: f64| match period {
            Some(period) if x - low >= period - near => x - period,
            _ => x,
        };
        let near = |a: &PlanePoint, b: &PlanePoint| match span {
            Span::Coordinate(_) => near,
            Span::Radius { .. } => SAME_CIRCLE * a.spacing.min(b.spacing),
        };
        let of_side = |side: usize| {
            let points = &self.points[side];
            let at = |point: usize| from_low(span.place(points[point].x));
            let mut order: Vec<usize> = (0..points.len()).collect();
            order.sort_by(|&a, &b| at(a).total_cmp(&at(b)).then(a.cmp(&b)));
            let of_place = |members: &[usize]| {
                let mut members = members.to_vec();
                members.sort_unstable();
                Place {
                    at: at(members[0]),
                    is_wall: members.iter().all(|&point| points[point].on_wall),
                    points: members,
                }
            };
            let same = |&a: &usize, &b: &usize| at(b) - at(a) <= near(&points[a], &points[b]);
            order.chunk_by(same).map(of_place).collect()
        };
        let places: [Vec<Place>; 2] = [of_side(0), of_side(1)];
        let apart = places[0].iter().zip(&places[1]).find(|(one, other)| {
            let [a, b] = [(0, one), (1, other)].map(|(side, place)| &self.points[side][place.points[0]]);
            (one.at - other.at).abs() > near(a, b)
        });
        if apart.is_some() || places[0].len() != places[1].len() {
            let counts = [0, 1].map(|side| places[side].len());
            let ends = [0, 1].map(|side| {
                let at = [0, counts[side] - 1].map(|place| number(places[side][place].at));
                format!("{} places from {} to {}", counts[side], at[0], at[1])
            });
            let first = apart.map_or(String::new(), |(one, other)| {
                format!(", first apart at {} and {}", number(one.at), number(other.at))
            });
            let what = format!(
                "both sides need points at the same places along {}, where the means are taken: `{}` has them at {}, \
                 and `{}` at {}{first}: give both blocks the same layers of cells",
                span.name(),
                self.name(0),
                ends[0],
                self.name(1),
                ends[1]
            );
            return Err(self.wrong(0, ".with", what));
        }
        Ok(places)
    }

    /// Makes the bands. A place on a wall with friction, through which nothing flows, joins the band beside it.
    fn bands(&self, [first, second]: [Vec<Place>; 2]) -> Result<Vec<BandPoints>, SetupError> {
        let mut bands: Vec<BandPoints> = Vec::new();
        let mut waiting: Option<BandPoints> = None;
        for (one, other) in first.into_iter().zip(second) {
            let is_wall = one.is_wall || other.is_wall;
            let mut band = BandPoints {
                at: one.at,
                points: [one.points, other.points],
                areas: [0.0; 2],
            };
            match (is_wall, bands.last_mut(), &mut waiting) {
                (true, Some(last), _) => last.join(band),
                (true, None, Some(before)) => before.join(band),
                (true, None, None) => waiting = Some(band),
                (false, ..) => {
                    if let Some(before) = waiting.take() {
                        band.join(before);
                    }
                    bands.push(band);
                }
            }
        }
        if bands.is_empty() {
            let what = "all its points are on walls with friction, and nothing can flow through it".to_owned();
            return Err(self.wrong(0, "", what));
        }
        for band in &mut bands {
            for side in 0..2 {
                band.points[side].sort_unstable();
                let sizes = band.points[side]
                    .iter()
                    .map(|&point| length(self.points[side][point].area));
                band.areas[side] = sizes.sum();
            }
        }
        Ok(bands)
    }
}
