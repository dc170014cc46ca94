//! Inflow that lets sound leave, and holds total pressure, total temperature and direction in the mean.

use super::condition::{Condition, Inflow};
use super::point::{FacePoint, PointData};
use super::relaxation::{Relaxation, RelaxedSlot, default_relaxation};
use super::total_inlet::{TotalInlet, TotalInletKeys, TotalSlot};
use crate::input::{Field, FieldText, Group, InvalidValue, Number, Problem, keys};
use crate::physics::frame::{GivenIn, Surroundings};
use crate::physics::turbulence::{Turbulence, TurbulenceKeys};

keys! {
/// Inflow that lets sound leave, and holds total pressure, total temperature and direction in the mean.
RelaxedTotalInletKeys as "a mapping with the key `type`" {
    /// Total pressure, above 0.
    pub total_pressure: FieldText,
    /// Total temperature, above 0.
    pub total_temperature: FieldText,
    /// Direction of the flow, into the domain and of any length but 0; default normal to the boundary.
    pub direction: Option<[FieldText; 3]>,
    /// Frame of total pressure, total temperature and direction: `relative` (that of the
    /// mesh) or `absolute`, beside a `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
    /// Factor sigma of the rate sigma c/length at which the mean is held, above 0.
    #[serde(default = "default_relaxation")]
    pub relaxation: Number,
    /// Length that the rate refers to, above 0 (length); default: the extent of the domain along the mean normal.
    pub length: Option<Number>,
    /// Synthetic turbulence, which is added to the velocity; total pressure and total temperature are those of the mean
    /// flow. It needs the key `speed`, and does not go with `frame: absolute`.
    pub turbulence: Option<Box<TurbulenceKeys>>,
}}

/// Inflow of given total pressure, total temperature and direction that lets sound leave.
#[derive(Debug, Clone)]
pub struct RelaxedTotalInlet {
    inlet: TotalInlet,
    relaxation: Relaxation,
    turbulence: Option<Turbulence>,
}

impl Condition for RelaxedTotalInlet {
    type Keys = RelaxedTotalInletKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let inlet = TotalInletKeys {
            total_pressure: keys.total_pressure.clone(),
            total_temperature: keys.total_temperature.clone(),
            direction: keys.direction.clone(),
            frame: keys.frame,
        };
        keys.frame.check_turbulence(keys.turbulence.is_some(), group)?;
        if let Some(turbulence) = &keys.turbulence
            && turbulence.speed.is_none()
        {
            let problem = Problem::new("turbulence at a relaxed-total-inlet needs the key `speed`");
            let help = "add `speed`, the mean velocity that is expected: three numbers";
            return Err(problem.key(group.path("turbulence")).help(help.to_owned()));
        }
        Ok(RelaxedTotalInlet {
            inlet: TotalInlet::resolve(&inlet, group, around)?,
            relaxation: Relaxation::resolve(&keys.relaxation, &keys.length, group)?,
            turbulence: keys
                .turbulence
                .as_deref()
                .map(|t| Turbulence::resolve(t, group))
                .transpose()?,
        })
    }

    fn fields(&self) -> Vec<&Field> {
        let turbulence = self.turbulence.iter().flat_map(Turbulence::fields);
        self.inlet.fields().into_iter().chain(turbulence).collect()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let mut data = self.inlet.data(at)?;
        let c = at.gas.sound_speed_at(data[TotalSlot::Temperature as usize]);
        data[RelaxedSlot::Rate as usize] = self.relaxation.rate_of_inlet(c, at);
        Ok(data)
    }

    fn turbulence(&self) -> Option<Inflow<'_>> {
        Some(Inflow {
            turbulence: self.turbulence.as_ref()?,
            velocity: None,
        })
    }

    fn remove_turbulence(&mut self) {
        self.turbulence = None;
    }

    fn pressure(&self, data: &PointData) -> Option<f64> {
        self.inlet.pressure(data)
    }

    fn frame_velocity(&self, x: [f64; 3]) -> Option<[f64; 3]> {
        self.inlet.frame_velocity(x)
    }

    fn relaxation(&self) -> Option<&Relaxation> {
        Some(&self.relaxation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::boundary::BoundaryKeys;
    use crate::physics::boundary::tests::{data, text};

    #[test]
    fn the_rate_is_that_of_the_total_temperature_and_the_given_length() {
        let number = |x| Number(crate::input::Expression::Value(x));
        let inlet = RelaxedTotalInletKeys {
            total_pressure: text("1e5"),
            total_temperature: text("320"),
            direction: None,
            frame: GivenIn::Relative,
            relaxation: number(0.1),
            length: Some(number(0.5)),
            turbulence: None,
        };
        let values = data(BoundaryKeys::RelaxedTotalInlet(inlet)).expect("values");
        let rate = 0.1 * (1.4f64 * 287.0 * 320.0).sqrt() / 0.5;
        assert_eq!(values[..5], [1e5, 320.0, 0.0, 0.0, 0.0]);
        assert!((values[5] / rate - 1.0).abs() < 1e-14, "{values:?}");
    }
}
