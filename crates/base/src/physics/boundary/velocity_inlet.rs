//! Inflow of given velocity and temperature or density.

use super::condition::{Condition, Inflow};
use super::point::{FacePoint, PointData};
use crate::input::{Field, FieldText, Group, InvalidValue, Problem, keys};
use crate::physics::frame::{GivenIn, Surroundings};
use crate::physics::state::Thermal;
use crate::physics::turbulence::{Turbulence, TurbulenceKeys};

keys! {
/// Inflow of given velocity; exactly one of `temperature` and `rho` is given.
VelocityInletKeys as "a mapping with the key `type`" {
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
    /// Frame of the velocity: `relative` (that of the mesh) or `absolute`, beside a `rotating-frame`.
    #[serde(default)]
    pub frame: GivenIn,
    /// Synthetic turbulence, which is added to the velocity; not with `frame: absolute`.
    pub turbulence: Option<Box<TurbulenceKeys>>,
}}

/// Slots of a velocity-inlet.
#[repr(i32)]
pub enum InletSlot {
    /// Velocity: three slots.
    Velocity,
    /// Temperature, where the density is 0.
    Temperature = 3,
    /// Density, or 0 where the temperature is given.
    Density,
}

/// Inflow of given velocity and temperature or density.
#[derive(Debug, Clone)]
pub struct VelocityInlet {
    velocity: [Field; 3],
    thermal: Thermal,
    turbulence: Option<Turbulence>,
}

impl Condition for VelocityInlet {
    type Keys = VelocityInletKeys;

    fn resolve(keys: &Self::Keys, group: &Group, around: &Surroundings) -> Result<Self, Problem> {
        let velocity = [
            group.field("u", &keys.u)?,
            group.field("v", &keys.v)?,
            group.field("w", &keys.w)?,
        ];
        keys.frame.check_turbulence(keys.turbulence.is_some(), group)?;
        let resolve = |keys| Turbulence::resolve(keys, group);
        Ok(VelocityInlet {
            velocity: around.velocity(velocity, keys.frame, group)?,
            thermal: Thermal::resolve(&keys.temperature, &keys.rho, group)?,
            turbulence: keys.turbulence.as_deref().map(resolve).transpose()?,
        })
    }

    fn fields(&self) -> Vec<&Field> {
        let turbulence = self.turbulence.iter().flat_map(Turbulence::fields);
        let fields = self.velocity.iter().chain([self.thermal.field()]);
        fields.chain(turbulence).collect()
    }

    fn data(&self, at: &FacePoint) -> Result<PointData, InvalidValue> {
        let velocity = at.vector(["u", "v", "w"], &self.velocity)?;
        let mut data = PointData::default();
        data[InletSlot::Velocity as usize..][..3].copy_from_slice(&velocity);
        match &self.thermal {
            Thermal::Temperature(t) => data[InletSlot::Temperature as usize] = at.positive("temperature", t)?,
            Thermal::Density(rho) => data[InletSlot::Density as usize] = at.positive("rho", rho)?,
        }
        Ok(data)
    }

    fn turbulence(&self) -> Option<Inflow<'_>> {
        Some(Inflow {
            turbulence: self.turbulence.as_ref()?,
            velocity: Some(&self.velocity),
        })
    }

    fn remove_turbulence(&mut self) {
        self.turbulence = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::physics::boundary::BoundaryKeys;
    use crate::physics::boundary::tests::{data, text};

    #[test]
    fn velocity_and_density_lie_in_their_slots() {
        let inlet = VelocityInletKeys {
            u: text("-1"),
            v: text("2"),
            w: text("3"),
            temperature: None,
            rho: Some(text("1.2")),
            frame: GivenIn::Relative,
            turbulence: None,
        };
        let values = data(BoundaryKeys::VelocityInlet(inlet)).expect("values");
        assert_eq!(values, [-1.0, 2.0, 3.0, 0.0, 1.2, 0.0]);
    }
}
