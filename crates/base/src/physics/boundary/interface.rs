//! An interface: cells of another block, which meet those of this one anywhere along a direction, or around an axis.
//!
//! It joins two boundaries of a mesh whose faces do not match. The cells of one of them may move along the interface
//! past those of the other, as a rotor passes a stator.

use super::condition::Condition;
use super::interface_side::{Course, InterfaceSide};
use super::point::{FacePoint, PointData};
use crate::input::{Axis, Field, Group, InvalidValue, Number, Problem, keys};
use crate::physics::frame::Surroundings;

keys! {
/// Cells of another block, which meet those of this one anywhere along a direction, or around an axis.
InterfaceKeys as "a mapping with the key `type`" {
    /// The boundary on the other side, which names this one in its turn. In a steady solution the two are the sides of
    /// a mixing plane.
    pub with: String,
    /// Direction in which the two sides are divided independently of each other, and in which they move; default: y.
    pub along: Option<Axis>,
    /// Speed at which the cells of this side move in that direction (length/time); default: they are at rest. They keep
    /// their positions, and their velocities are those that they see.
    pub speed: Option<Number>,
    /// Axis of rotation, in place of `along`: the sides are divided independently of each other around it, and turn
    /// about it. The plane of the interface is normal to it.
    pub axis: Option<Axis>,
    /// A point of the axis of rotation (length); default 0, 0, 0.
    pub origin: Option<[Number; 3]>,
    /// Angular speed at which the cells of this side turn about the axis (radians/time), by the right-hand rule;
    /// default: they are at rest. They keep their positions, and their velocities are those that they see.
    pub angular_speed: Option<Number>,
}}

/// One side of an interface.
#[derive(Debug, Clone)]
pub struct Interface(InterfaceSide);

impl Condition for Interface {
    type Keys = InterfaceKeys;

    fn resolve(keys: &Self::Keys, group: &Group, _: &Surroundings) -> Result<Self, Problem> {
        let refuse = |keys: [(&str, bool); 2], problem: &str, help: &str| {
            let given = keys.into_iter().find(|(_, is_there)| *is_there);
            given.map_or(Ok(()), |(key, _)| {
                Err(Problem::new(problem.to_owned())
                    .key(group.path(key))
                    .help(help.to_owned()))
            })
        };
        let (course, key, speed) = match keys.axis {
            Some(axis) => {
                let problem = "sides that are divided around an axis have no straight direction";
                let help = "leave the key out; `angular-speed` is the speed about `axis`";
                let straight = [("along", keys.along.is_some()), ("speed", keys.speed.is_some())];
                refuse(straight, problem, help)?;
                let origin = keys.origin.as_ref();
                let origin = origin.map(|origin| group.scope.numbers(&group.path("origin"), origin));
                let course = Course::Around {
                    axis: axis.index(),
                    origin: origin.transpose()?.unwrap_or_default(),
                };
                (course, "angular-speed", &keys.angular_speed)
            }
            None => {
                let problem = "nothing says about which axis the sides turn";
                let help = "add `axis: x` (or y or z) on both sides, or leave the key out";
                let around = [
                    ("angular-speed", keys.angular_speed.is_some()),
                    ("origin", keys.origin.is_some()),
                ];
                refuse(around, problem, help)?;
                let along = keys.along.unwrap_or(Axis::Y);
                (Course::Straight(along.index()), "speed", &keys.speed)
            }
        };
        let speed = speed.as_ref().map(|speed| group.scope.number(&group.path(key), speed));
        Ok(Interface(InterfaceSide {
            with: keys.with.clone(),
            course,
            speed: speed.transpose()?.unwrap_or(0.0),
        }))
    }

    fn fields(&self) -> Vec<&Field> {
        Vec::new()
    }

    fn data(&self, _: &FacePoint) -> Result<PointData, InvalidValue> {
        Ok(PointData::default())
    }

    fn interface(&self) -> Option<&InterfaceSide> {
        Some(&self.0)
    }
}
