//! The isentropic expansion through a cascade, by which the loads on a blade are made dimensionless.

/// The expansion from the total pressure of the inlet, p01, to the static pressure of the exit, p2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expansion {
    /// Total pressure of the inlet.
    pub total_pressure: f64,
    /// Static pressure of the exit, below the total pressure.
    pub pressure: f64,
    /// Ratio of the specific heats.
    pub gamma: f64,
}

impl Expansion {
    /// Returns the isentropic Mach number at a static pressure, sqrt(2/(gamma - 1) ((p01/p)^((gamma - 1)/gamma) - 1));
    /// 0 where the pressure is not below the total pressure, and NaN without a pressure.
    pub fn mach(&self, pressure: f64) -> f64 {
        let exponent = (self.gamma - 1.0) / self.gamma;
        let excess = (self.total_pressure / pressure).powf(exponent) - 1.0;
        let square = 2.0 / (self.gamma - 1.0) * excess;
        if square < 0.0 { 0.0 } else { square.sqrt() }
    }

    /// Returns the temperature at a static pressure, T01 (p/p01)^((gamma - 1)/gamma), for a total temperature.
    pub fn temperature(&self, pressure: f64, total_temperature: f64) -> f64 {
        total_temperature * (pressure / self.total_pressure).powf((self.gamma - 1.0) / self.gamma)
    }

    /// Returns p01 - p2.
    pub fn drop(&self) -> f64 {
        self.total_pressure - self.pressure
    }

    /// Returns the dynamic pressure of the isentropic exit, rho2 V2^2/2 = gamma/2 p2 M2^2.
    pub fn dynamic_pressure(&self) -> f64 {
        0.5 * self.gamma * self.pressure * self.mach(self.pressure).powi(2)
    }

    /// Returns the pressure coefficient (p - p2)/(p01 - p2).
    pub fn pressure_coefficient(&self, pressure: f64) -> f64 {
        (pressure - self.pressure) / self.drop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_isentropic_exit_is_that_of_the_tables_of_gas_dynamics() {
        // p01/p2 = (1 + (gamma - 1)/2 M^2)^(gamma/(gamma - 1)); the T106C cascade has 1.328322 at M = 0.65.
        for (mach, ratio) in [(0.65, 1.328322), (0.405, 1.119603), (1.0, 1.892929)] {
            let flow = Expansion {
                total_pressure: ratio,
                pressure: 1.0,
                gamma: 1.4,
            };
            assert!((flow.mach(1.0) - mach).abs() < 1e-6, "{mach}");
            // rho V^2 = gamma p M^2.
            assert!((flow.dynamic_pressure() - 0.7 * mach * mach).abs() < 1e-6, "{mach}");
            let temperature = 300.0 / (1.0 + 0.2 * mach * mach);
            assert!((flow.temperature(1.0, 300.0) - temperature).abs() < 1e-4, "{mach}");
            assert_eq!(flow.mach(ratio), 0.0);
            assert_eq!(flow.mach(1.1 * ratio), 0.0);
            assert!(flow.mach(f64::NAN).is_nan());
            assert!((flow.pressure_coefficient(ratio) - 1.0).abs() < 1e-15);
        }
    }
}
