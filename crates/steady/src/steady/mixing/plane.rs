//! A mixing plane: the points of its two sides, their bands along the span, and the frames in which they are seen.

use super::balance::{Flow, Point};
use super::span::Span;
use crate::format::number;
use crate::physics::{Course, Gas};
use crate::ranks::Ranks;
use crate::solver::{Motion, Motions};
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::vector::{Vector, length};

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
    pub on_wall: bool,
    /// Distance of the nearest neighbour along the radius; infinite on a plane along a coordinate.
    pub spacing: f64,
    /// Number of the angle after which its block repeats, if it does.
    pub angle: Option<usize>,
}

/// The points of both sides at one place of the span, as numbers of the points of each side.
#[derive(Debug, Clone, Default)]
pub struct BandPoints {
    /// Place along the span: a coordinate or a radius.
    pub at: f64,
    /// The points of each side.
    pub points: [Vec<usize>; 2],
    /// Area on each side.
    pub areas: [f64; 2],
}

impl BandPoints {
    /// Takes the points of another band.
    pub fn join(&mut self, other: BandPoints) {
        for (points, others) in self.points.iter_mut().zip(other.points) {
            points.extend(others);
        }
    }
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
    /// Length of each side in the direction of the motion, or its angle in radians.
    pub pitches: [f64; 2],
    /// Speeds of the cells of both sides along the motion, seen from the frame in which fluxes are compared: that of
    /// the first side, and around an axis that of the first sides of all planes.
    pub speeds: [f64; 2],
    /// The span.
    pub span: Span,
    /// Its bands in the order of their places.
    pub bands: Vec<BandPoints>,
}

impl MixingPlane {
    /// Takes the frame of the first sides of all planes, which have these motions, as that in which fluxes around an
    /// axis are compared.
    pub fn see_from_the_first_sides(&mut self, motions: &Motions) {
        if self.motion.axis().is_none() {
            return;
        }
        // A place before the plane. Other planes are not as near.
        let mut before = self.points[0][0].x;
        let step = self.points[0]
            .iter()
            .map(|point| point.spacing)
            .fold(f64::INFINITY, f64::min);
        before[self.motion.normal] += if self.motion.second_above { -step } else { step };
        let speed = motions.angular_speed(before);
        self.speeds = [speed, speed + self.motion.speed];
    }

    /// Returns the velocity at a position of the cells of a side, seen from the frame in which fluxes are compared: its
    /// components along the span.
    fn velocity(&self, side: usize, x: Vector) -> Vector {
        let mut velocity = [0.0; 3];
        match (self.motion.course, self.span.circumference()) {
            (_, Some(around)) => velocity[around] = self.speeds[side] * self.span.place(x),
            (Course::Straight(along), None) => velocity[along] = self.speeds[side],
            (Course::Around { .. }, None) => {}
        }
        velocity
    }

    /// Returns a point of a side with gas of this density, velocity and temperature, as the balance sees it.
    pub fn seen(&self, side: usize, point: &PlanePoint, gas: &Gas, [rho, u, v, w, temperature]: [f64; 5]) -> Point {
        let area = self.span.components(point.x, point.area);
        let size = length(area);
        let frame = self.velocity(side, point.x);
        let v = self.span.components(point.x, [u, v, w]);
        Point {
            area,
            normal: area.map(|a| a / size),
            own: Flow {
                rho,
                v: std::array::from_fn(|d| v[d] + frame[d]),
                p: rho * gas.gas_constant * temperature,
            },
            arms: [1.0; 3],
        }
    }

    /// Returns gas of the balance as the cells of a side see it at a point.
    pub fn seen_from_side(&self, side: usize, point: &PlanePoint, flow: &Flow) -> Flow {
        let frame = self.velocity(side, point.x);
        let relative = std::array::from_fn(|d| flow.v[d] - frame[d]);
        Flow {
            v: self.span.vector(point.x, relative),
            ..*flow
        }
    }

    /// Returns the factors of the components of the momentum at a point in the sums of its band.
    pub fn arms(&self, band: &BandPoints, point: &PlanePoint) -> Vector {
        let mut arms = [1.0; 3];
        if let Some(around) = self.span.circumference() {
            arms[around] = self.span.place(point.x) / band.at;
        }
        arms
    }

    /// Returns its boundaries, bands, pitches and motion in words.
    pub fn words(&self) -> String {
        let [first, second] = &self.motion.names;
        let bands = match self.bands.len() {
            1 => "1 band".to_owned(),
            bands => format!("{bands} bands"),
        };
        let ([one, other], degrees, moves) = match self.span {
            Span::Coordinate(_) => (self.pitches, "", "moves"),
            Span::Radius { .. } => (self.pitches.map(f64::to_degrees), " degrees", "turns"),
        };
        format!(
            "{first} to {second}: means over {bands} along {}, pitches {} and {}{degrees}, {second} {moves} at {} {}",
            self.span.name(),
            number(one),
            number(other),
            number(self.motion.speed),
            self.motion.course.words()
        )
    }
}

/// Returns the motions of planes.
pub fn motions(planes: &[MixingPlane]) -> Motions {
    Motions(planes.iter().map(|plane| plane.motion.clone()).collect())
}

/// Returns whether each owned vertex is on a wall with friction.
pub fn walls(dual: &DualMesh, lists: &[BoundaryList]) -> Vec<bool> {
    let mut on_wall = vec![false; dual.owned];
    for list in lists.iter().filter(|list| list.is_no_slip()) {
        list.vertex.iter().for_each(|&vertex| on_wall[vertex as usize] = true);
    }
    on_wall
}

/// Numbers of a point in a message, beside its global number.
const WORDS: usize = 9;

/// Returns the points of a boundary on all ranks. `around` is the span if it is a radius, and `angles` are those of the
/// blocks of all local vertices. Collective.
pub fn gather(
    dual: &DualMesh,
    list: &BoundaryList,
    on_wall: &[bool],
    angles: &[Option<usize>],
    around: Option<Span>,
    ranks: &Ranks,
) -> Vec<PlanePoint> {
    let mine = || list.vertex.iter().map(|&vertex| vertex as usize);
    let numbers: Vec<u64> = mine().map(|vertex| dual.global[vertex]).collect();
    let values = |(vertex, area): (usize, &Vector)| -> [f64; WORDS] {
        let ([x, y, z], [a, b, c]) = (dual.position[vertex], *area);
        let on_wall = f64::from(u8::from(on_wall[vertex]));
        let spacing = around.map_or(f64::INFINITY, |span| spacing(dual, vertex, span));
        [
            x,
            y,
            z,
            a,
            b,
            c,
            on_wall,
            spacing,
            angles[vertex].map_or(-1.0, |angle| angle as f64),
        ]
    };
    let values: Vec<f64> = mine().zip(&list.area).flat_map(values).collect();
    let numbers = ranks.allgather(&numbers);
    let values = ranks.allgather(&values);
    let point = |(&number, &[x, y, z, a, b, c, on_wall, spacing, angle]): (&u64, &[f64; WORDS])| PlanePoint {
        number,
        x: [x, y, z],
        area: [a, b, c],
        on_wall: on_wall > 0.0,
        spacing,
        angle: (angle >= 0.0).then_some(angle as usize),
    };
    let mut points: Vec<PlanePoint> = numbers.iter().zip(values.as_chunks::<WORDS>().0).map(point).collect();
    points.sort_unstable_by_key(|point| point.number);
    points
}

/// Returns the distance along the span from a vertex to the nearest neighbour that lies rather along it than across.
fn spacing(dual: &DualMesh, vertex: usize, span: Span) -> f64 {
    let x = dual.position[vertex];
    let distance = |edge: usize| {
        let r = dual.displacement[edge];
        let change = span.place(std::array::from_fn(|d| x[d] + r[d])) - span.place(x);
        (change.abs() > 0.5 * length(r)).then_some(change.abs())
    };
    dual.edges(vertex).filter_map(distance).fold(f64::INFINITY, f64::min)
}
