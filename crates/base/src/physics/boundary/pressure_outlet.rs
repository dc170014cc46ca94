//! Outflow of given static pressure.

use super::condition::Condition;
use super::point::{FacePoint, PointData};
use crate::input::{Field, FieldText, Group, InvalidValue, Problem, keys};
use crate::physics::frame::Surroundings;

keys! {
/// Outflow of given static pressure.
PressureOutletKeys as "a mapping with the key `type`" {
    /// Static pressure, above 0.
    pub p: FieldText,
    /// Total temperature, above 0, of gas that flows back; default: the temperature of the initial state there.
    pub total_temperature: Option<FieldText>,
}}

/// Slots of a pressure-outlet.
#[repr(i32)]
pub enum OutletSlot {
    /// Static pressure.
    Pressure,
    /// Total temperature of gas that flows back.
    TotalTemperature,
}

/// Outflow of given static pressure.
#[derive(Debug, Clone)]
pub struct PressureOutlet {
    pressure: Field,
    /// Total temperature of gas that flows back; `None` takes the temperature of the initial state.
    temperature: Option<Field>,
}

impl Condition for PressureOutlet {
    type Keys = PressureOutletKeys;

    fn resolve(keys: &Self::Keys, group: &Group, _: &Surroundings) -> Result<Self, Problem> {
        let temperature = |t| group.positive("total-temperature", t);
        Ok(PressureOutlet {
            pressure: group.positive("p", &keys.p)?,
            temperature: keys.total_temperature.as_ref().map(temperature).transpose()?,
        })
    }

    fn fields(&self) -> Vec<&Field> {
        [&self.pressure].into_iter().chain(&self.temperature).collect()
    }

    fn pressure(&self, data: &PointData) -> Option<f64> {
        Some(data[OutletSlot::Pressure as usize])
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let mut data = PointData::default();
        data[OutletSlot::Pressure as usize] = at.positive("p", &self.pressure)?;
        data[OutletSlot::TotalTemperature as usize] = match &self.temperature {
            Some(t) => at.positive("total-temperature", t)?,
            None => at.initial_temperature()?,
        };
        Ok(data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::boundary::BoundaryKeys;
    use crate::physics::boundary::tests::{data, text};

    #[test]
    fn gas_that_flows_back_has_the_given_or_the_initial_temperature() {
        let outlet = |total_temperature| {
            data(BoundaryKeys::PressureOutlet(PressureOutletKeys {
                p: text("9e4"),
                total_temperature,
            }))
            .expect("values")
        };
        let values = outlet(None);
        assert_eq!(values[0], 9e4);
        assert!((values[1] - 300.0).abs() < 1e-12, "the initial temperature: {values:?}");
        assert_eq!(outlet(Some(text("310")))[1], 310.0);
    }
}
