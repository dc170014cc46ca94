//! A perfect gas: its constants, its viscosity, and the change between conserved and primitive variables.

use crate::input::{Number, Problem, Scope, keys, not_negative, one_of, positive};

keys! {
/// A perfect gas.
GasKeys as "a mapping with keys such as `gamma` and `viscosity`" {
    /// Ratio of specific heats, above 1.
    #[serde(default = "gamma")]
    pub gamma: Number,
    /// Prandtl number, above 0.
    #[serde(default = "prandtl")]
    pub prandtl: Number,
    /// Specific gas constant R (energy per mass and temperature), above 0.
    #[serde(default = "gas_constant")]
    pub gas_constant: Number,
    /// Viscosity law; without it the Euler equations are solved.
    pub viscosity: Option<ViscosityKeys>,
}}

fn gamma() -> Number {
    1.4.into()
}

fn prandtl() -> Number {
    0.71.into()
}

fn gas_constant() -> Number {
    1.0.into()
}

impl Default for GasKeys {
    fn default() -> Self {
        Self {
            gamma: gamma(),
            prandtl: prandtl(),
            gas_constant: gas_constant(),
            viscosity: None,
        }
    }
}

keys! {
/// Viscosity law: exactly one of the keys.
ViscosityKeys as "a mapping with one of the keys `constant`, `sutherland`" {
    /// Constant dynamic viscosity (pressure times time), at least 0.
    pub constant: Option<Number>,
    /// Sutherland's law mu-ref (T/t-ref)^1.5 (t-ref + s)/(T + s).
    pub sutherland: Option<SutherlandKeys>,
}}

keys! {
/// Sutherland's law.
SutherlandKeys as "a mapping with the keys `mu-ref`, `t-ref`, `s`" {
    /// Dynamic viscosity at the reference temperature (pressure times time), at least 0.
    pub mu_ref: Number,
    /// Reference temperature, above 0.
    pub t_ref: Number,
    /// Sutherland temperature, at least 0.
    pub s: Number,
}}

/// A perfect gas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gas {
    /// Ratio of specific heats, above 1.
    pub gamma: f64,
    /// Prandtl number, above 0.
    pub prandtl: f64,
    /// Specific gas constant R (energy per mass and temperature).
    pub gas_constant: f64,
    /// Viscosity law; `None` solves the Euler equations.
    pub viscosity: Option<Viscosity>,
}

/// Viscosity law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Viscosity {
    /// Constant dynamic viscosity.
    Constant(f64),
    /// mu_ref (T/T_ref)^1.5 (T_ref + S)/(T + S).
    Sutherland {
        /// Viscosity at the reference temperature.
        mu_ref: f64,
        /// Reference temperature.
        t_ref: f64,
        /// Sutherland temperature S.
        s: f64,
    },
}

/// Viscosity law as the kernels number them.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViscosityLaw {
    /// Inviscid: the Euler equations.
    None,
    /// Constant viscosity.
    Constant,
    /// Sutherland's law.
    Sutherland,
}

/// The constants of a viscosity law as the kernels take them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViscosityConstants {
    /// The law.
    pub law: ViscosityLaw,
    /// The viscosity of [`ViscosityLaw::Constant`].
    pub mu: f64,
    /// The factor of [`ViscosityLaw::Sutherland`], mu = factor T sqrt(T)/(T + s).
    pub factor: f64,
    /// The Sutherland temperature.
    pub s: f64,
}

impl Viscosity {
    fn resolve(keys: &ViscosityKeys, scope: &Scope) -> Result<Self, Problem> {
        match (&keys.constant, &keys.sutherland) {
            (Some(mu), None) => {
                let mu = scope.number_if("gas.viscosity.constant", mu, not_negative, "at least 0")?;
                Ok(Viscosity::Constant(mu))
            }
            (None, Some(law)) => {
                let of = |key: &str, number: &Number, test: fn(f64) -> bool, must: &str| {
                    scope.number_if(&format!("gas.viscosity.sutherland.{key}"), number, test, must)
                };
                Ok(Viscosity::Sutherland {
                    mu_ref: of("mu-ref", &law.mu_ref, not_negative, "at least 0")?,
                    t_ref: of("t-ref", &law.t_ref, positive, "above 0")?,
                    s: of("s", &law.s, not_negative, "at least 0")?,
                })
            }
            (constant, _) => Err(one_of("gas.viscosity", "constant", "sutherland", constant.is_some())),
        }
    }

    /// Returns the dynamic viscosity at temperature `t`.
    pub fn mu(&self, t: f64) -> f64 {
        match *self {
            Viscosity::Constant(mu) => mu,
            Viscosity::Sutherland { mu_ref, t_ref, s } => mu_ref * (t / t_ref).powf(1.5) * (t_ref + s) / (t + s),
        }
    }
}

impl Gas {
    /// Evaluates the keys and checks them.
    pub fn resolve(keys: &GasKeys, scope: &Scope) -> Result<Self, Problem> {
        Ok(Gas {
            gamma: scope.number_if("gas.gamma", &keys.gamma, |v| v > 1.0, "above 1")?,
            prandtl: scope.number_if("gas.prandtl", &keys.prandtl, positive, "above 0")?,
            gas_constant: scope.number_if("gas.gas-constant", &keys.gas_constant, positive, "above 0")?,
            viscosity: keys
                .viscosity
                .as_ref()
                .map(|law| Viscosity::resolve(law, scope))
                .transpose()?,
        })
    }

    /// Returns the dynamic viscosity at temperature `t`; 0 without a viscosity law.
    pub fn mu(&self, t: f64) -> f64 {
        self.viscosity.map_or(0.0, |law| law.mu(t))
    }

    /// Returns the constants of the viscosity law as the kernels take them.
    pub fn viscosity_constants(&self) -> ViscosityConstants {
        let (law, mu, factor, s) = match self.viscosity {
            None => (ViscosityLaw::None, 0.0, 0.0, 0.0),
            Some(Viscosity::Constant(mu)) => (ViscosityLaw::Constant, mu, 0.0, 0.0),
            Some(Viscosity::Sutherland { mu_ref, t_ref, s }) => {
                let factor = mu_ref * (t_ref + s) / t_ref.powf(1.5);
                (ViscosityLaw::Sutherland, 0.0, factor, s)
            }
        };
        ViscosityConstants { law, mu, factor, s }
    }

    /// Returns [rho, rho u, rho v, rho w, rho E] from density, velocity and pressure.
    pub fn conserved(&self, rho: f64, v: [f64; 3], p: f64) -> [f64; 5] {
        let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        [
            rho,
            rho * v[0],
            rho * v[1],
            rho * v[2],
            p / (self.gamma - 1.0) + kinetic,
        ]
    }

    /// Returns density, velocity, pressure and temperature, [rho, u, v, w, p, T], from [rho, rho u, rho v, rho w, rho
    /// E].
    pub fn primitive(&self, u: [f64; 5]) -> [f64; 6] {
        let rho = u[0];
        let v = [1, 2, 3].map(|i| u[i] / rho);
        let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        let p = (self.gamma - 1.0) * (u[4] - kinetic);
        [rho, v[0], v[1], v[2], p, p / (rho * self.gas_constant)]
    }

    /// Returns the heat capacity per mass at constant pressure.
    pub fn heat_capacity(&self) -> f64 {
        self.gamma / (self.gamma - 1.0) * self.gas_constant
    }

    /// Returns the pressure of gas that is brought to rest without loss, from density, velocity and pressure.
    pub fn total_pressure(&self, rho: f64, v: [f64; 3], p: f64) -> f64 {
        let square = rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / (self.gamma * p);
        p * (1.0 + 0.5 * (self.gamma - 1.0) * square).powf(self.gamma / (self.gamma - 1.0))
    }

    /// Returns the speed of sound at a temperature.
    pub fn sound_speed_at(&self, t: f64) -> f64 {
        (self.gamma * self.gas_constant * t).sqrt()
    }

    /// Returns the speed of sound at a density and a pressure.
    pub fn sound_speed(&self, rho: f64, p: f64) -> f64 {
        (self.gamma * p / rho).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AIR: Gas = Gas {
        gamma: 1.4,
        prandtl: 0.71,
        gas_constant: 287.0,
        viscosity: Some(Viscosity::Sutherland {
            mu_ref: 1.716e-5,
            t_ref: 273.15,
            s: 110.4,
        }),
    };

    #[test]
    fn the_kernels_form_of_sutherlands_law_is_the_same_law() {
        let constants = AIR.viscosity_constants();
        for t in [120.0, 200.0, 273.15, 300.0, 800.0, 2500.0] {
            let kernels = constants.factor * t * f64::sqrt(t) / (t + constants.s);
            assert!((kernels / AIR.mu(t) - 1.0).abs() < 1e-14, "{t}");
        }
        // Air at 300 K, as tables have it.
        assert!((AIR.mu(300.0) - 1.846e-5).abs() < 1e-8);
    }

    #[test]
    fn primitive_variables_of_conserved_ones_are_those_they_were_made_of() {
        let rho = 1.2;
        let v = [30.0, -4.0, 7.0];
        let p = 1e5;
        let [rho_again, a, b, c, p_again, t] = AIR.primitive(AIR.conserved(rho, v, p));
        let pairs = [
            (rho, rho_again),
            (v[0], a),
            (v[1], b),
            (v[2], c),
            (p, p_again),
            (p / (rho * 287.0), t),
        ];
        assert!(pairs.iter().all(|(x, y)| (x / y - 1.0).abs() < 1e-12));
    }
}
