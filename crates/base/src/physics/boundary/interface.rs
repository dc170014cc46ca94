//! An interface: cells of another block, which meet those of this one anywhere along a direction.
//!
//! It joins two boundaries of a mesh whose faces do not match. The cells of one of them may move along the interface
//! past those of the other, as a rotor passes a stator.

use super::condition::Condition;
use super::interface_side::InterfaceSide;
use super::point::{FacePoint, PointData};
use crate::input::{Axis, Field, Group, InvalidValue, Number, Problem, keys};
use crate::physics::frame::Surroundings;

keys! {
/// Cells of another block, which meet those of this one anywhere along a direction.
InterfaceKeys as "a mapping with the key `type`" {
    /// The boundary on the other side, which names this one in its turn. In a steady solution the two are the sides of
    /// a mixing plane.
    pub with: String,
    /// Direction in which the two sides are divided independently of each other, and in which they move.
    #[serde(default = "default_direction")]
    pub along: Axis,
    /// Speed at which the cells of this side move in that direction (length/time); default: they are at rest. They keep
    /// their positions, and their velocities are those that they see.
    pub speed: Option<Number>,
}}

fn default_direction() -> Axis {
    Axis::Y
}

/// One side of an interface.
#[derive(Debug, Clone)]
pub struct Interface(InterfaceSide);

impl Condition for Interface {
    type Keys = InterfaceKeys;

    fn resolve(keys: &Self::Keys, group: &Group, _: &Surroundings) -> Result<Self, Problem> {
        let speed = keys.speed.as_ref();
        let speed = speed.map(|speed| group.scope.number(&group.path("speed"), speed));
        Ok(Interface(InterfaceSide {
            with: keys.with.clone(),
            along: keys.along.index(),
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
