//! Inflow that lets sound leave, and holds velocity and temperature or density in the mean.

use super::condition::{Condition, Inflow};
use super::point::{FacePoint, PointData};
use super::relaxation::{Relaxation, RelaxedSlot, default_relaxation};
use super::velocity_inlet::{InletSlot, VelocityInlet, VelocityInletKeys};
use crate::input::{Field, FieldText, Group, InvalidValue, Number, Problem, keys};
use crate::physics::frame::{GivenIn, Surroundings};
use crate::physics::turbulence::TurbulenceKeys;
use crate::vector::dot;

keys! {
/// Inflow that lets sound leave, and holds the velocity in the mean; exactly one of `temperature` and `rho` is given.
RelaxedVelocityInletKeys as "a mapping with the key `type`" {
    /// Velocity in x.
    pub u: FieldText,
    /// Velocity in y.
    pub v: FieldText,
    /// Velocity in z.
    pub w: FieldText,
    /// Static temperature, above 0.
    pub temperature: Option<FieldText>,
    /// Density, above 0.
    pub rho: Option<FieldText>,
    /// Factor sigma of the rate sigma c/length at which the mean is held, above 0.
    #[serde(default = "default_relaxation")]
    pub relaxation: Number,
    /// Length that the rate refers to, above 0 (length); default: the extent of the domain along the mean normal.
    pub length: Option<Number>,
    /// Frame of the velocity: `relative` (that of the mesh) or `absolute`, beside a `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
    /// Synthetic turbulence, which is added to the velocity; not with `frame: absolute`.
    pub turbulence: Option<Box<TurbulenceKeys>>,
}}

/// Inflow of given velocity and temperature or density that lets sound leave.
#[derive(Debug, Clone)]
pub struct RelaxedVelocityInlet {
    inlet: VelocityInlet,
    relaxation: Relaxation,
}

impl Condition for RelaxedVelocityInlet {
    type Keys = RelaxedVelocityInletKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let inlet = VelocityInletKeys {
            u: keys.u.clone(),
            v: keys.v.clone(),
            w: keys.w.clone(),
            temperature: keys.temperature.clone(),
            rho: keys.rho.clone(),
            frame: keys.frame,
            turbulence: keys.turbulence.clone(),
        };
        Ok(RelaxedVelocityInlet {
            inlet: VelocityInlet::resolve(&inlet, group, around)?,
            relaxation: Relaxation::resolve(&keys.relaxation, &keys.length, group)?,
        })
    }

    fn fields(&self) -> Vec<&Field> {
        self.inlet.fields()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let mut data = self.inlet.data(at)?;
        let c = match data[InletSlot::Temperature as usize] {
            0.0 => at.initial_sound_speed()?,
            t => at.gas.sound_speed_at(t),
        };
        let normal = dot([data[0], data[1], data[2]], at.normal) / c;
        if normal.abs() >= 1.0 {
            return Err(InvalidValue {
                key: "type",
                what: "relaxes, but its velocity has the normal Mach number",
                value: normal,
                must: "between -1 and 1".into(),
            });
        }
        data[RelaxedSlot::Rate as usize] = self.relaxation.rate_of_inlet(c, at);
        Ok(data)
    }

    fn turbulence(&self) -> Option<Inflow<'_>> {
        self.inlet.turbulence()
    }

    fn remove_turbulence(&mut self) {
        self.inlet.remove_turbulence();
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

    fn inlet(u: &str) -> BoundaryKeys {
        BoundaryKeys::RelaxedVelocityInlet(RelaxedVelocityInletKeys {
            u: text(u),
            v: text("0"),
            w: text("0"),
            temperature: Some(text("300")),
            rho: None,
            frame: GivenIn::Relative,
            relaxation: default_relaxation(),
            length: None,
            turbulence: None,
        })
    }

    #[test]
    fn the_rate_is_that_of_the_temperature_and_supersonic_inflow_is_refused() {
        let values = data(inlet("-100")).expect("values");
        let c = (1.4f64 * 287.0 * 300.0).sqrt();
        assert!((values[5] / (0.25 * c / 2.0) - 1.0).abs() < 1e-14, "{values:?}");
        assert!(data(inlet("-400")).expect_err("supersonic").what.contains("Mach"));
    }
}
