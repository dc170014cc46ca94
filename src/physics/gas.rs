//! A perfect gas: its constants, its viscosity, and the change between conserved and primitive variables.

/// A perfect gas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gas {
    /// Ratio of specific heats.
    pub gamma: f64,
    /// Prandtl number.
    pub prandtl: f64,
    /// Specific gas constant R.
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
    /// Returns the dynamic viscosity at temperature `t`.
    pub fn mu(&self, t: f64) -> f64 {
        match *self {
            Viscosity::Constant(mu) => mu,
            Viscosity::Sutherland { mu_ref, t_ref, s } => mu_ref * (t / t_ref).powf(1.5) * (t_ref + s) / (t + s),
        }
    }
}

impl Gas {
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

    /// Returns density, velocity, pressure and temperature, [rho, u, v, w, p, T], from [rho, rho u, rho v, rho w, rho E].
    pub fn primitive(&self, u: [f64; 5]) -> [f64; 6] {
        let rho = u[0];
        let v = [1, 2, 3].map(|i| u[i] / rho);
        let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        let p = (self.gamma - 1.0) * (u[4] - kinetic);
        [rho, v[0], v[1], v[2], p, p / (rho * self.gas_constant)]
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
        let (rho, v, p) = (1.2, [30.0, -4.0, 7.0], 1e5);
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
