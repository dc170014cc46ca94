//! Outflow faster than sound.

use super::condition::{Condition, NoKeys};
use super::point::{FacePoint, PointData};
use crate::input::{Field, Group, InvalidValue, Problem};
use crate::physics::frame::Surroundings;

/// Outflow faster than sound: nothing is prescribed.
#[derive(Debug, Clone)]
pub struct SupersonicOutlet;

impl Condition for SupersonicOutlet {
    type Keys = NoKeys;

    fn resolve(_: &NoKeys, _: &Group, _: &Surroundings) -> Result<Self, Problem> {
        Ok(SupersonicOutlet)
    }

    fn fields(&self) -> Vec<&Field> {
        Vec::new()
    }

    fn data(&self, _: &FacePoint) -> Result<PointData, InvalidValue> {
        Ok(PointData::default())
    }
}
