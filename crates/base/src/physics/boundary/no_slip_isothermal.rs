//! No-slip wall of given temperature.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use super::wall::{self, Wall, WallSlot};
use crate::input::{Field, FieldText, Group, InvalidValue, Problem, keys};
use crate::physics::frame::{GivenIn, Surroundings};

keys! {
/// No-slip wall of given temperature.
NoSlipIsothermalKeys as "a mapping with the key `type`" {
    /// Velocity of the wall, along it; default 0, 0, 0.
    pub velocity: Option<[FieldText; 3]>,
    /// Frame in which the wall has this velocity: `relative` (that of the mesh) or `absolute`, beside a
    /// `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
    /// Temperature of the wall, above 0.
    pub temperature: FieldText,
}}

/// No-slip wall of given temperature. Its slots are those of [`WallSlot`].
#[derive(Debug, Clone)]
pub struct NoSlipIsothermal {
    velocity: [Field; 3],
    temperature: Field,
}

impl Condition for NoSlipIsothermal {
    type Keys = NoSlipIsothermalKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let velocity = wall::resolve(&keys.velocity, keys.frame, group, around)?;
        let temperature = group.positive("temperature", &keys.temperature)?;
        Ok(NoSlipIsothermal { velocity, temperature })
    }

    fn fields(&self) -> Vec<&Field> {
        self.velocity.iter().chain([&self.temperature]).collect()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let mut data = wall::data(&self.velocity, at)?;
        data[WallSlot::Temperature as usize] = at.positive("temperature", &self.temperature)?;
        Ok(data)
    }

    fn wall(&self) -> Option<Wall<'_>> {
        Some(Wall::NoSlip {
            velocity: &self.velocity,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::boundary::BoundaryKeys;
    use crate::physics::boundary::tests::{data, text, vector};

    #[test]
    fn velocity_and_temperature_lie_in_the_slots_of_a_wall() {
        let wall = NoSlipIsothermalKeys {
            velocity: Some(vector(["0", "t", "3"])),
            frame: GivenIn::Relative,
            temperature: text("100*t"),
        };
        let values = data(BoundaryKeys::NoSlipIsothermal(wall)).expect("values");
        assert_eq!(values, [0.0, 2.0, 3.0, 200.0, 0.0, 0.0]);
        assert_eq!(values[WallSlot::Temperature as usize], 200.0);
    }
}
