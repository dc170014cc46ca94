//! No-slip wall without heat flux.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use super::wall::{self, Wall};
use crate::input::{Field, FieldText, Group, InvalidValue, Problem, keys};
use crate::physics::gas::Gas;

keys! {
/// No-slip wall without heat flux.
NoSlipAdiabaticKeys as "a mapping with the key `type`" {
    /// Velocity of the wall, along it; default 0, 0, 0.
    pub velocity: Option<[FieldText; 3]>,
}}

/// No-slip wall without heat flux. Its slots are those of [`wall::WallSlot`], without the temperature.
#[derive(Debug, Clone)]
pub(crate) struct NoSlipAdiabatic {
    velocity: [Field; 3],
}

impl Condition for NoSlipAdiabatic {
    type Keys = NoSlipAdiabaticKeys;

    fn resolve(keys: &Self::Keys, group: &Group, gas: &Gas) -> Result<Self, Problem> {
        let velocity = wall::resolve(&keys.velocity, group, gas)?;
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
