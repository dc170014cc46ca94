//! No-slip wall without heat flux.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use super::wall::{self, Wall};
use crate::input::{Field, FieldText, Group, InvalidValue, Problem, keys};
use crate::physics::frame::{GivenIn, Surroundings};

keys! {
/// No-slip wall without heat flux.
NoSlipAdiabaticKeys as "a mapping with the key `type`" {
    /// Velocity of the wall, along it; default 0, 0, 0.
    pub velocity: Option<[FieldText; 3]>,
    /// Frame in which the wall has this velocity: `relative` (that of the mesh) or `absolute`, beside a
    /// `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
}}

/// No-slip wall without heat flux. Its slots are those of [`wall::WallSlot`], without the temperature.
#[derive(Debug, Clone)]
pub struct NoSlipAdiabatic {
    velocity: [Field; 3],
}

impl Condition for NoSlipAdiabatic {
    type Keys = NoSlipAdiabaticKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let velocity = wall::resolve(&keys.velocity, keys.frame, group, around)?;
        Ok(NoSlipAdiabatic { velocity })
    }

    fn fields(&self) -> Vec<&Field> {
        self.velocity.iter().collect()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        wall::data(&self.velocity, at)
    }

    fn wall(&self) -> Option<Wall<'_>> {
        Some(Wall::NoSlip {
            velocity: &self.velocity,
        })
    }
}
