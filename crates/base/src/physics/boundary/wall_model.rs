//! Wall with friction and heat flux from a model of the layer that the mesh does not resolve.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use super::wall::{self, Matching, Wall, WallLaw, WallSlot};
use crate::input::{Expression, Field, FieldText, Group, InvalidValue, Number, Problem, keys};
use crate::physics::Viscosity;
use crate::physics::frame::{GivenIn, Surroundings};
use crate::physics::wall_law::conduction_layer;

/// The word for a matching point at the top of the cell at the wall.
const CELL_TOP: &str = "cell-top";

/// Slots of a modelled wall beside those of [`WallSlot`]; a temperature of 0 stands for an adiabatic wall.
#[repr(i32)]
pub enum WallModelSlot {
    /// The law ([`WallLaw`]).
    Law = 4,
    /// u+ up to which heat is conducted with the Prandtl number of the gas.
    Sublayer,
}

fn cell_top() -> Number {
    Number(Expression::Text(CELL_TOP.to_owned()))
}

keys! {
/// Wall with friction and heat flux from a model of the layer that the mesh does not resolve.
WallModelKeys as "a mapping with the key `type`" {
    /// Velocity of the wall, along it; default 0, 0, 0.
    pub velocity: Option<[FieldText; 3]>,
    /// Frame in which the wall has this velocity: `relative` (that of the mesh) or `absolute`, beside a
    /// `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
    /// Temperature of the wall, above 0; without it the wall is adiabatic.
    pub temperature: Option<FieldText>,
    /// Where the model takes the state: `cell-top`, at the side of the cell opposite to the wall, or a distance from
    /// the wall along its normal, above 0 (length).
    #[serde(default = "cell_top")]
    pub exchange: Number,
    /// The law between the wall and that point.
    #[serde(default)]
    pub law: WallLaw,
}}

/// Wall with friction and heat flux from a model. Its slots are those of [`WallSlot`] and [`WallModelSlot`].
#[derive(Debug, Clone)]
pub struct WallModel {
    velocity: [Field; 3],
    temperature: Option<Field>,
    matching: Matching,
    law: WallLaw,
}

impl Condition for WallModel {
    type Keys = WallModelKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let velocity = wall::resolve(&keys.velocity, keys.frame, group, around)?;
        if let Some(Viscosity::Constant(0.0)) = around.gas.viscosity {
            return Err(
                Problem::new("a modelled wall needs a viscous gas, but gas.viscosity.constant is 0")
                    .key(group.path("type"))
                    .help("without viscosity a wall is of type `slip`"),
            );
        }
        let given = keys.temperature.as_ref();
        let temperature = given.map(|text| group.positive("temperature", text)).transpose()?;
        let matching = match &keys.exchange.0 {
            Expression::Text(text) if text == CELL_TOP => Matching::CellTop,
            _ => {
                let must = "above 0, or `cell-top`";
                let key = group.path("exchange");
                let distance = group
                    .scope
                    .number_if(&key, &keys.exchange, crate::input::positive, must);
                let word = |text: &str| text.chars().all(|c| c.is_ascii_alphabetic() || "-_ ".contains(c));
                let distance = distance.map_err(|problem| match &keys.exchange.0 {
                    Expression::Text(text) if word(text) => problem.suggest(text, &[CELL_TOP], "places"),
                    _ => problem,
                })?;
                Matching::Distance(distance)
            }
        };
        Ok(WallModel {
            velocity,
            temperature,
            matching,
            law: keys.law,
        })
    }

    fn fields(&self) -> Vec<&Field> {
        self.velocity.iter().chain(&self.temperature).collect()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let mut data = wall::data(&self.velocity, at)?;
        if let Some(temperature) = &self.temperature {
            data[WallSlot::Temperature as usize] = at.positive("temperature", temperature)?;
        }
        data[WallModelSlot::Law as usize] = f64::from(self.law as i32);
        data[WallModelSlot::Sublayer as usize] = conduction_layer(at.gas.prandtl);
        Ok(data)
    }

    fn wall(&self) -> Option<Wall<'_>> {
        Some(Wall::NoSlip {
            velocity: &self.velocity,
        })
    }

    fn matching(&self) -> Option<(Matching, WallLaw)> {
        Some((self.matching, self.law))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::boundary::tests::{GAS, data, resolve, text};
    use crate::physics::boundary::{Boundary, BoundaryKeys};

    fn wall(exchange: Number, temperature: Option<FieldText>, law: WallLaw) -> BoundaryKeys {
        BoundaryKeys::WallModel(WallModelKeys {
            velocity: None,
            frame: GivenIn::Relative,
            temperature,
            exchange,
            law,
        })
    }

    #[test]
    fn a_matching_point_is_the_top_of_the_cell_or_at_a_distance() {
        let of = |exchange: Number| resolve(&wall(exchange, None, WallLaw::Reichardt), &GAS);
        let matching = |boundary: Boundary| boundary.matching().expect("a modelled wall").0;
        assert_eq!(matching(of(cell_top()).expect("a wall")), Matching::CellTop);
        assert_eq!(matching(of(0.1.into()).expect("a wall")), Matching::Distance(0.1));
        for refused in [0.0, -0.1] {
            let problem = of(refused.into()).expect_err("a distance that is not positive");
            assert_eq!(problem.key, "boundaries.side.exchange");
        }
    }

    #[test]
    fn law_temperature_and_sublayer_lie_in_their_slots() {
        let values = data(wall(cell_top(), Some(text("100*t")), WallLaw::Equilibrium)).expect("values");
        assert_eq!(values[..5], [0.0, 0.0, 0.0, 200.0, 1.0]);
        assert!(values[5] > 5.0 && values[5] < 15.0, "{}", values[5]);
        let adiabatic = data(wall(cell_top(), None, WallLaw::Reichardt)).expect("values");
        assert_eq!(adiabatic[3..5], [0.0, 0.0]);
    }
}
