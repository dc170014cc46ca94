//! Slip wall or symmetry plane.

use super::condition::{Condition, NoKeys};
use super::point::{FacePoint, PointData};
use super::wall::Wall;
use crate::input::{Field, Group, InvalidValue, Problem};
use crate::physics::frame::Surroundings;

/// Slip wall or symmetry plane: no flow through it, no shear, no heat.
#[derive(Debug, Clone)]
pub struct Slip;

impl Condition for Slip {
    type Keys = NoKeys;

    fn resolve(_: &NoKeys, _: &Group, _: &Surroundings) -> Result<Self, Problem> {
        Ok(Slip)
    }

    fn fields(&self) -> Vec<&Field> {
        Vec::new()
    }

    fn data(&self, _: &FacePoint) -> Result<PointData, InvalidValue> {
        Ok(PointData::default())
    }

    fn wall(&self) -> Option<Wall<'_>> {
        Some(Wall::Slip)
    }
}
