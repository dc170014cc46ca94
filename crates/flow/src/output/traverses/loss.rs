//! Coefficients of the loss of total pressure between an inlet, a plane behind a cascade, and the pressure there.
//!
//! ```text
//! omega = (p01 - p02)/(p01 - p2)
//! Y     = (p01 - p02)/(p02 - p2)
//! zeta  = 1 - [1 - (p2/p02)^k]/[1 - (p2/p01)^k],  k = (gamma - 1)/gamma
//! ```
//!
//! p01 and p02 are the total pressures at the inlet and behind, p2 the static one behind. The first refers to the
//! inlet's isentropic exit head, the second to the exit's head; zeta is the share of the kinetic energy of the
//! isentropic flow that is lost.

use crate::physics::Gas;

/// The pressures to which losses refer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Heads {
    /// Total pressure of the inlet, p01.
    pub inlet: f64,
    /// Static pressure behind, p2.
    pub behind: f64,
}

impl Heads {
    /// Returns omega for the total pressure behind.
    pub fn omega(&self, total: f64) -> f64 {
        (self.inlet - total) / (self.inlet - self.behind)
    }

    /// Returns Y for the total pressure behind.
    pub fn y(&self, total: f64) -> f64 {
        (self.inlet - total) / (total - self.behind)
    }

    /// Returns zeta for the total pressure behind.
    pub fn zeta(&self, total: f64, gas: &Gas) -> f64 {
        let head = |total: f64| 1.0 - (self.behind / total).powf((gas.gamma - 1.0) / gas.gamma);
        1.0 - head(total) / head(self.inlet)
    }

    /// Returns the Mach number of the isentropic flow from the inlet to the pressure behind.
    pub fn isentropic_mach(&self, gas: &Gas) -> f64 {
        let g = gas.gamma;
        (2.0 / (g - 1.0) * ((self.inlet / self.behind).powf((g - 1.0) / g) - 1.0)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAS: Gas = Gas {
        gamma: 1.4,
        prandtl: 0.71,
        gas_constant: 287.05,
        viscosity: None,
    };

    /// Speed of the isentropic flow from rest at a total pressure and a temperature of 300 K to a pressure.
    fn speed(total: f64, pressure: f64) -> f64 {
        let t = 300.0 * (pressure / total).powf(2.0 / 7.0);
        (2.0 * 3.5 * GAS.gas_constant * (300.0 - t)).sqrt()
    }

    #[test]
    fn coefficients_are_the_ratios_of_heads_and_of_kinetic_energies() {
        let heads = Heads {
            inlet: 7198.02,
            behind: 5418.88,
        };
        // A cascade of isentropic exit Mach number 0.65.
        assert!((heads.isentropic_mach(&GAS) - 0.65).abs() < 2e-6);
        let total = 7100.0;
        let (omega, y) = (heads.omega(total), heads.y(total));
        assert!((omega - 98.02 / 1779.14).abs() < 1e-12 && (y - 98.02 / 1681.12).abs() < 1e-12);
        // 1/omega - 1/Y = 1 for any pressures.
        assert!((1.0 / omega - 1.0 / y - 1.0).abs() < 1e-12);
        let lost = 1.0 - (speed(total, heads.behind) / speed(heads.inlet, heads.behind)).powi(2);
        assert!((heads.zeta(total, &GAS) / lost - 1.0).abs() < 1e-12);
        assert_eq!([heads.omega(heads.inlet), heads.zeta(heads.inlet, &GAS)], [0.0; 2]);
    }
}
