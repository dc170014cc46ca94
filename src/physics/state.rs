//! Prescribed states of the gas, as fields.

use super::gas::Gas;
use crate::input::{Field, InvalidValue, finite, positive_value as positive};

/// A prescribed state of the gas: the initial state, or that of the flow outside a boundary. Fields of position and time.
#[derive(Debug, Clone)]
pub struct GasState {
    /// Velocity components.
    pub velocity: [Field; 3],
    /// Static pressure.
    pub pressure: Field,
    /// Temperature or density.
    pub thermal: Thermal,
}

/// The second thermodynamic variable beside the pressure.
#[derive(Debug, Clone)]
pub enum Thermal {
    /// Static temperature.
    Temperature(Field),
    /// Density.
    Density(Field),
}

impl GasState {
    /// Returns density, velocity and pressure at position `x` and time `t`.
    ///
    /// # Errors
    ///
    /// If a value is not finite, or a pressure, temperature or density is not above 0.
    pub fn at(&self, x: [f64; 3], t: f64, gas: &Gas) -> Result<(f64, [f64; 3], f64), InvalidValue> {
        let [u, v, w] = &self.velocity;
        let velocity = [finite("u", u, x, t)?, finite("v", v, x, t)?, finite("w", w, x, t)?];
        let p = positive("p", &self.pressure, x, t)?;
        let rho = match &self.thermal {
            Thermal::Density(rho) => positive("rho", rho, x, t)?,
            Thermal::Temperature(temperature) => p / (gas.gas_constant * positive("temperature", temperature, x, t)?),
        };
        Ok((rho, velocity, p))
    }

    /// Returns the conserved variables at position `x` and time `t`; they are finite.
    ///
    /// # Errors
    ///
    /// If a value is not finite, or a pressure, temperature or density is not above 0.
    pub fn conserved(&self, x: [f64; 3], t: f64, gas: &Gas) -> Result<[f64; 5], InvalidValue> {
        let (rho, v, p) = self.at(x, t, gas)?;
        let values = gas.conserved(rho, v, p);
        match values.iter().find(|value| !value.is_finite()) {
            None => Ok(values),
            Some(&value) => Err(InvalidValue {
                key: "",
                what: "has a density, momentum or energy of",
                value,
                must: "finite",
            }),
        }
    }
}
