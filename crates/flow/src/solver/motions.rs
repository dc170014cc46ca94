//! How the blocks of cells at interfaces move past each other, and what velocity their cells have.

use super::interface_rows::SAME;
use crate::format::number;
use crate::physics::{Course, FrameForces, RotatingFrame};
use crate::vector::{Vector, cross, minus};

/// How the two blocks at an interface move, and where it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    /// Names of the boundaries: that of the first side and that of the second.
    pub names: [String; 2],
    /// Speed of the cells of the second side along the rows, seen from those of the first: a length or, around an axis,
    /// an angle over time.
    pub speed: f64,
    /// The lines along which the rows lie.
    pub course: Course,
    /// Length of the rows, or their angle.
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
        let (rows, moves, whole) = match self.course {
            Course::Straight(_) => (format!("length {}", number(self.period)), "moves", "length"),
            Course::Around { .. } => (format!("{} degrees", number(self.period.to_degrees())), "turns", "row"),
        };
        match self.passing() {
            None => format!("{first} to {second}: rows of {rows}, at rest"),
            Some(time) => format!(
                "{first} to {second}: rows of {rows}, {second} {moves} at {} {}, a {whole} in a time of {}",
                number(self.speed),
                self.course.words(),
                number(time)
            ),
        }
    }

    /// Returns the time in which the blocks move past each other by the length of the rows; `None` at rest.
    pub fn passing(&self) -> Option<f64> {
        (self.speed != 0.0).then(|| self.period / self.speed.abs())
    }

    /// Returns the axis about which the rows lie, its direction and a point; `None` where they are straight.
    pub fn axis(&self) -> Option<(usize, Vector)> {
        match self.course {
            Course::Straight(_) => None,
            Course::Around { axis, origin } => Some((axis, origin)),
        }
    }
}

/// The motions of all interfaces of a mesh, which say what frame each of its blocks has.
#[derive(Debug, Clone, Default)]
pub struct Motions(pub Vec<Motion>);

impl Motions {
    /// Returns the interfaces between the first sides and the cells around a place.
    fn before(&self, within: Vector) -> impl Iterator<Item = &Motion> {
        let is_behind = move |motion: &&Motion| (within[motion.normal] > motion.at) == motion.second_above;
        self.0.iter().filter(is_behind)
    }

    /// Returns whether two places are in the same block: no interface is between them.
    pub fn is_one_block(&self, a: Vector, b: Vector) -> bool {
        let mut all = self.0.iter();
        all.all(|motion| (a[motion.normal] > motion.at) == (b[motion.normal] > motion.at))
    }

    /// Returns the velocity at `x` of the cells around the place `within`, seen from the frame of the first sides: the
    /// sum of the speeds of the interfaces between them.
    pub fn velocity(&self, within: Vector, x: Vector) -> Vector {
        let mut velocity = [0.0; 3];
        for motion in self.before(within) {
            match motion.course {
                Course::Straight(along) => velocity[along] += motion.speed,
                Course::Around { axis, origin } => {
                    let turning = cross(along(axis, motion.speed), minus(x, origin));
                    velocity.iter_mut().zip(turning).for_each(|(v, more)| *v += more);
                }
            }
        }
        velocity
    }

    /// Returns the angular speed of the cells around a place about the axis of the interfaces, seen from the frame of
    /// the first sides.
    pub fn angular_speed(&self, within: Vector) -> f64 {
        let turning = self.before(within).filter(|motion| motion.axis().is_some());
        turning.map(|motion| motion.speed).sum()
    }

    /// Returns the angular speed of the block on the first side of an interface, seen from the first of all.
    pub fn speed_before(&self, number: usize) -> f64 {
        let here = &self.0[number];
        let others = self.0.iter().enumerate().filter(|&(other, _)| other != number);
        let before = others.filter(|(_, motion)| (here.at > motion.at) == motion.second_above);
        let turning = before.filter(|(_, motion)| motion.axis().is_some());
        turning.map(|(_, motion)| motion.speed).sum()
    }

    /// Returns the frame of the cells around a place, whose angular velocity may be 0; `None` where no interface lies
    /// around an axis.
    pub fn frame(&self, within: Vector) -> Option<RotatingFrame> {
        self.frame_of_speed(self.angular_speed(within))
    }

    /// Returns the frame that turns at the angular speed 1 about the axis of the interfaces; `None` where no interface
    /// lies around an axis.
    pub fn axis_frame(&self) -> Option<RotatingFrame> {
        self.frame_of_speed(1.0)
    }

    fn frame_of_speed(&self, speed: f64) -> Option<RotatingFrame> {
        let (axis, origin) = self.0.iter().find_map(Motion::axis)?;
        Some(RotatingFrame {
            angular_velocity: along(axis, speed),
            origin,
            forces: FrameForces::All,
        })
    }

    /// Returns the interfaces whose sides move past each other.
    pub fn moving(&self) -> impl Iterator<Item = &Motion> {
        self.0.iter().filter(|motion| motion.speed != 0.0)
    }

    /// Returns an interface whose sides turn past each other, if there is one.
    pub fn turning(&self) -> Option<&Motion> {
        self.moving().find(|motion| motion.axis().is_some())
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

/// Returns the vector of a component along a direction.
fn along(direction: usize, component: f64) -> Vector {
    let mut vector = [0.0; 3];
    vector[direction] = component;
    vector
}
