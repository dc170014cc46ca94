//! The points of the two sides of a mixing plane, and their bands along the span.

use crate::format::{location, number};
use crate::input::AXES;
use crate::mesh::Mesh;
use crate::physics::{Boundary, Course};
use crate::ranks::Ranks;
use crate::solver::{InterfaceParts, Motion, SetupError};
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::vector::{Vector, length};

/// Largest distance of places that are to be the same, relative to the size of the plane: decimals of a mesh file.
const SAME: f64 = 1e-6;

/// A vertex on one side.
#[derive(Debug, Clone, Copy)]
pub struct PlanePoint {
    /// Global number of the vertex.
    pub number: u64,
    /// Its position.
    pub x: Vector,
    /// Its outward area vector.
    pub area: Vector,
    /// Whether it is on a wall with friction.
    on_wall: bool,
}

/// The points of both sides at one place of the span, as numbers of the points of each side.
#[derive(Debug, Clone, Default)]
pub struct BandPoints {
    /// Coordinate along the span.
    pub at: f64,
    /// The points of each side.
    pub points: [Vec<usize>; 2],
    /// Area on each side.
    pub areas: [f64; 2],
}

/// A mixing plane, the same on all ranks.
#[derive(Debug, Clone)]
pub struct MixingPlane {
    /// Where it is, and how its sides move.
    pub motion: Motion,
    /// Numbers of its boundaries.
    pub boundaries: [usize; 2],
    /// Their points in the order of their global numbers.
    pub points: [Vec<PlanePoint>; 2],
    /// Length of both sides in the direction of the motion.
    pub pitches: [f64; 2],
    /// Direction of the span.
    pub across: usize,
    /// Its bands in the order of their places.
    pub bands: Vec<BandPoints>,
}

impl MixingPlane {
    /// Velocity of the frame of the second side, seen from that of the first one.
    pub fn relative(&self) -> Vector {
        let mut velocity = [0.0; 3];
        if let Course::Straight(along) = self.motion.course {
            velocity[along] = self.motion.speed;
        }
        velocity
    }

    /// Returns its boundaries, bands, pitches and motion in words.
    pub fn words(&self) -> String {
        let [first, second] = &self.motion.names;
        let [one, other] = self.pitches.map(number);
        let bands = match self.bands.len() {
            1 => "1 band".to_owned(),
            bands => format!("{bands} bands"),
        };
        format!(
            "{first} to {second}: means over {bands} along {}, pitches {one} and {other}, {second} moves at {} {}",
            AXES[self.across],
            number(self.motion.speed),
            self.motion.course.words()
        )
    }
}

/// Finds the mixing planes of a case: its interfaces. `lists` are its boundaries at the vertices. Collective.
///
/// # Errors
/// The two boundaries of one do not name each other or do not go together, or the mesh is periodic by rotation.
pub fn find(parts: &InterfaceParts, dual: &DualMesh, lists: &[BoundaryList]) -> Result<Vec<MixingPlane>, SetupError> {
    let pairs = parts.pairs()?;
    let Some(&[first, _]) = pairs.first() else {
        return Ok(Vec::new());
    };
    if dual.rotation.is_some() {
        let what = "the steady solver has no mixing planes around an axis, only those between rows that are periodic \
                    by a shift: compute annular rows one by one";
        return Err(SetupError::Interface {
            key: format!("boundaries.{}", parts.mesh.boundary_names[first]),
            what: what.to_owned(),
        });
    }
    let order = parts.elements.order;
    let periods = parts.geometry.periods(parts.mesh, order, parts.ranks);
    let on_wall = walls(dual, lists);
    let plane = |&boundaries: &[usize; 2]| {
        let points = boundaries.map(|b| gather(dual, &lists[b], &on_wall, parts.ranks));
        Sides {
            mesh: parts.mesh,
            conditions: parts.boundaries,
            boundaries,
            points,
        }
        .join(periods)
    };
    pairs.iter().map(plane).collect()
}

/// Returns whether each owned vertex is on a wall with friction.
fn walls(dual: &DualMesh, lists: &[BoundaryList]) -> Vec<bool> {
    let mut on_wall = vec![false; dual.owned];
    for list in lists.iter().filter(|list| list.is_no_slip()) {
        list.vertex.iter().for_each(|&vertex| on_wall[vertex as usize] = true);
    }
    on_wall
}

/// Returns the points of a boundary on all ranks. Collective.
fn gather(dual: &DualMesh, list: &BoundaryList, on_wall: &[bool], ranks: &Ranks) -> Vec<PlanePoint> {
    let mine = || list.vertex.iter().map(|&vertex| vertex as usize);
    let numbers: Vec<u64> = mine().map(|vertex| dual.global[vertex]).collect();
    let values = |(vertex, area): (usize, &Vector)| {
        let ([x, y, z], [a, b, c]) = (dual.position[vertex], *area);
        [x, y, z, a, b, c, f64::from(u8::from(on_wall[vertex]))]
    };
    let values: Vec<f64> = mine().zip(&list.area).flat_map(values).collect();
    let numbers = ranks.allgather(&numbers);
    let values = ranks.allgather(&values);
    let point = |(&number, values): (&u64, &[f64])| PlanePoint {
        number,
        x: [values[0], values[1], values[2]],
        area: [values[3], values[4], values[5]],
        on_wall: values[6] > 0.0,
    };
    let mut points: Vec<PlanePoint> = numbers.iter().zip(values.chunks_exact(7)).map(point).collect();
    points.sort_unstable_by_key(|point| point.number);
    points
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

    /// Joins the sides. The mesh has these periods.
    fn join(self, periods: [Option<f64>; 3]) -> Result<MixingPlane, SetupError> {
        let of = |side: usize| {
            let condition = self.conditions[self.boundaries[side]].interface();
            condition.expect("a side of an interface")
        };
        let speed = of(1).speed - of(0).speed;
        let Course::Straight(along) = of(0).course else {
            let what = "the rows of a steady solution are linear: leave out `axis`, or run the case in time".to_owned();
            return Err(self.wrong(0, ".axis", what));
        };
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
        if normal == along {
            let what = format!("the plane must be along {}: it is normal to it", AXES[along]);
            return Err(self.wrong(0, ".along", what));
        }
        self.check_planes(normal, areas)?;
        let across = 3 - along - normal;
        let places = self.places(across, periods[across])?;
        let extent = periods[across].unwrap_or_else(|| {
            let [first, last] = [0, places[0].len() - 1].map(|place| places[0][place].at);
            last - first
        });
        let pitches = areas.map(|area| area[normal].abs() / extent);
        let bands = self.bands(places)?;
        let names = [0, 1].map(|side| self.name(side).to_owned());
        Ok(MixingPlane {
            motion: Motion {
                names,
                speed,
                course: Course::Straight(along),
                period: pitches[0],
                normal,
                at: self.points[0][0].x[normal],
                second_above: areas[0][normal] > 0.0,
            },
            boundaries: self.boundaries,
            points: self.points,
            pitches,
            across,
            bands,
        })
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
    fn places(&self, across: usize, period: Option<f64>) -> Result<[Vec<Place>; 2], SetupError> {
        let all = || self.points.iter().flatten().map(|point| point.x[across]);
        let low = all().fold(f64::INFINITY, f64::min);
        let high = all().fold(f64::NEG_INFINITY, f64::max);
        let near = SAME * period.unwrap_or(high - low);
        // A vertex on a period may be at either end of it.
        let from_low = |x: f64| match period {
            Some(period) if x - low >= period - near => x - period,
            _ => x,
        };
        let of_side = |side: usize| {
            let points = &self.points[side];
            let at = |point: usize| from_low(points[point].x[across]);
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
            order.chunk_by(|&a, &b| at(b) - at(a) <= near).map(of_place).collect()
        };
        let places: [Vec<Place>; 2] = [of_side(0), of_side(1)];
        let apart = places[0]
            .iter()
            .zip(&places[1])
            .find(|(one, other)| (one.at - other.at).abs() > near);
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
                AXES[across],
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

impl BandPoints {
    /// Takes the points of another band.
    fn join(&mut self, other: BandPoints) {
        for (points, others) in self.points.iter_mut().zip(other.points) {
            points.extend(others);
        }
    }
}
