//! The mixed-out state of a plane: the uniform flow that the flow through the plane becomes in a duct of constant area
//! without forces on its sides.
//!
//! Mass, momentum and energy pass the plane as they do in the uniform flow, which determines its state (A. Prasad, J.
//! Turbomach. 127, 2005, 10.1115/1.1928289). With the area means m = `<rho u>`, X = `<rho u u + p>`, Y = `<rho u v>`,
//! Z = `<rho u w>`, H = `<rho u h0>` over a plane x = const:
//!
//! ```text
//! v = Y/m, w = Z/m, h0 = H/m
//! a u^2 - b u + c = 0,  a = (gamma + 1)/(2 (gamma - 1)),  b = gamma/(gamma - 1) X/m,  c = h0 - (v^2 + w^2)/2
//! rho = m/u, p = X - m u
//! ```
//!
//! The smaller root u is that of flow whose velocity across the plane is below that of sound. Its total pressure is
//! lower than the mean one of the plane: mixing is part of the loss. Viscous stresses and heat conduction in the plane
//! are left out of the fluxes; those of turbulence are in the means of the products.

use crate::physics::Gas;

/// Means over the area of a plane x = const of the fluxes through it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluxes {
    /// Mass flux, `<rho u>`.
    pub mass: f64,
    /// Momentum flux with the pressure: `<rho u u + p>`, `<rho u v>`, `<rho u w>`.
    pub momentum: [f64; 3],
    /// Flux of total enthalpy, `<rho u h0>`.
    pub energy: f64,
}

/// A uniform flow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MixedOut {
    /// Density.
    pub density: f64,
    /// Velocity.
    pub velocity: [f64; 3],
    /// Pressure.
    pub pressure: f64,
    /// Total pressure.
    pub total_pressure: f64,
    /// Mach number.
    pub mach: f64,
    /// Angle between the velocity in the x-y plane and the x axis (degrees), positive towards y.
    pub angle: f64,
}

impl MixedOut {
    /// Returns the mixed-out state of fluxes; not numbers if there is none, as for a plane without mass flux.
    pub fn new(fluxes: &Fluxes, gas: &Gas) -> Self {
        let (m, g) = (fluxes.mass, gas.gamma);
        let [x, v, w] = fluxes.momentum.map(|flux| flux / m);
        let a = (g + 1.0) / (2.0 * (g - 1.0));
        let b = g / (g - 1.0) * x;
        let c = fluxes.energy / m - 0.5 * (v * v + w * w);
        // The form of the smaller root without a difference of nearly equal numbers; b has the sign of the flow.
        let u = 2.0 * c / (b + (b * b - 4.0 * a * c).sqrt().copysign(b));
        let density = m / u;
        let pressure = fluxes.momentum[0] - m * u;
        let velocity = [u, v, w];
        let speed = (u * u + v * v + w * w).sqrt();
        MixedOut {
            density,
            velocity,
            pressure,
            total_pressure: gas.total_pressure(density, velocity, pressure),
            mach: speed / gas.sound_speed(density, pressure),
            angle: v.atan2(u).to_degrees(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAS: Gas = Gas {
        gamma: 1.4,
        prandtl: 0.71,
        gas_constant: 287.0,
        viscosity: None,
    };

    /// The fluxes of flows that have equal shares of the area.
    fn fluxes(flows: &[(f64, [f64; 3], f64)]) -> Fluxes {
        let mean = |f: &dyn Fn(f64, [f64; 3], f64) -> f64| {
            flows.iter().map(|&(rho, v, p)| f(rho, v, p)).sum::<f64>() / flows.len() as f64
        };
        Fluxes {
            mass: mean(&|rho, v, _| rho * v[0]),
            momentum: [0, 1, 2].map(|d| mean(&|rho, v, p| rho * v[0] * v[d] + if d == 0 { p } else { 0.0 })),
            energy: mean(&|rho, v, p| v[0] * (3.5 * p + 0.5 * rho * v.map(|c| c * c).iter().sum::<f64>())),
        }
    }

    fn near(value: f64, exact: f64) {
        assert!((value - exact).abs() <= 1e-12 * exact.abs().max(1.0), "{value} {exact}");
    }

    #[test]
    fn two_streams_mix_to_the_state_that_high_precision_gives() {
        // Evaluated with 50 digits, from the balances of mass, momentum and energy.
        let mixed = MixedOut::new(
            &fluxes(&[(1.0, [1.0, -1.5, 0.0], 10.0), (1.0, [0.5, -1.0, 0.0], 10.0)]),
            &GAS,
        );
        for (value, exact) in [
            (mixed.velocity[0], 0.747843809063),
            (mixed.velocity[1], -1.333333333333),
            (mixed.pressure, 10.064117143203),
            (mixed.density, 1.002883210252),
            (mixed.total_pressure, 11.285559520552),
        ] {
            // The values have twelve decimals.
            assert!((value - exact).abs() < 1e-12, "{value} {exact}");
        }
    }

    #[test]
    fn uniform_flow_is_its_own_mixed_out_state_in_both_senses_and_at_any_mach_number_below_1() {
        for mach in [1e-4, 0.01, 0.3, 0.65, 0.95] {
            for sense in [1.0, -1.0] {
                let (rho, p) = (1.2, 1e5);
                let u = sense * mach * GAS.sound_speed(rho, p);
                let v = [u, -2.0 * u, 0.3 * u];
                let mixed = MixedOut::new(&fluxes(&[(rho, v, p)]), &GAS);
                near(mixed.density / rho, 1.0);
                near(mixed.pressure / p, 1.0);
                (0..3).for_each(|d| near(mixed.velocity[d] / v[d], 1.0));
                near(mixed.angle, (-2.0 * sense).atan2(sense).to_degrees());
                near(mixed.mach, mach * 5.09_f64.sqrt());
                let total = p * (1.0 + 0.2 * (mach * mach * 5.09)).powf(3.5);
                near(mixed.total_pressure / total, 1.0);
            }
        }
    }

    #[test]
    fn mixing_conserves_the_fluxes_and_loses_total_pressure() {
        let flows = [
            (1.0, [0.9, 0.4, 0.1], 2.0),
            (1.3, [0.2, -0.3, 0.0], 2.1),
            (0.8, [1.1, 0.2, -0.2], 1.9),
        ];
        let before = fluxes(&flows);
        let mixed = MixedOut::new(&before, &GAS);
        let after = fluxes(&[(mixed.density, mixed.velocity, mixed.pressure)]);
        near(after.mass, before.mass);
        near(after.energy, before.energy);
        (0..3).for_each(|d| near(after.momentum[d], before.momentum[d]));
        let weighted = flows.map(|(rho, v, p)| rho * v[0] * GAS.total_pressure(rho, v, p));
        let mean = weighted.iter().sum::<f64>() / 3.0 / before.mass;
        assert!(mixed.total_pressure < mean - 0.01, "{} {mean}", mixed.total_pressure);
        assert!(mixed.mach < 1.0);
    }

    #[test]
    fn a_plane_without_mass_flux_has_no_mixed_out_state() {
        let mixed = MixedOut::new(
            &fluxes(&[(1.0, [1.0, 0.0, 0.0], 2.0), (1.0, [-1.0, 0.0, 0.0], 2.0)]),
            &GAS,
        );
        assert!(!mixed.total_pressure.is_finite() && !mixed.density.is_finite());
    }
}
