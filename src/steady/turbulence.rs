//! What the model of Spalart and Allmaras says of the turbulence that a large-eddy simulation is to resolve.

use crate::vector::Vector;

/// Constant cv1 of the model (P. R. Spalart & S. R. Allmaras, La Recherche Aerospatiale 1 (1994) 5).
const CV1: f64 = 7.1;
/// Ratio of the shear stress to the kinetic energy in a boundary layer (P. Bradshaw, D. H. Ferriss & N. P. Atwell, J.
/// Fluid Mech. 28 (1967) 593).
const A1: f64 = 0.31;

/// Returns the kinematic eddy viscosity nu~ fv1; 0 where nu~ is negative.
pub fn eddy_viscosity(nu_tilde: f64, nu: f64) -> f64 {
    if nu_tilde <= 0.0 || nu <= 0.0 {
        return 0.0;
    }
    let cube = (nu_tilde / nu).powi(3);
    nu_tilde * cube / (cube + CV1.powi(3))
}

/// Returns the rate of strain sqrt(2 S_ij S_ij) of a velocity with these gradients of its components.
pub fn strain(gradient: &[Vector; 3]) -> f64 {
    let s = |i: usize, j: usize| 0.5 * (gradient[i][j] + gradient[j][i]);
    let sum: f64 = (0..9).map(|n| s(n / 3, n % 3).powi(2)).sum();
    (2.0 * sum).sqrt()
}

/// Returns the kinetic energy of turbulence, nu_t S/a1.
pub fn kinetic_energy(eddy_viscosity: f64, gradient: &[Vector; 3]) -> f64 {
    eddy_viscosity * strain(gradient) / A1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_streams_of_the_model_have_the_ratios_that_are_published() {
        // NASA's Turbulence Modeling Resource: nu~/nu = 3 gives nu_t/nu = 0.210438, and 5 gives 1.294234.
        assert!((eddy_viscosity(3.0, 1.0) - 0.210438).abs() < 1e-6);
        assert!((eddy_viscosity(5.0, 1.0) - 1.294234).abs() < 1e-6);
        assert_eq!(eddy_viscosity(-1.0, 1.0), 0.0);
    }

    #[test]
    fn the_strain_of_a_shear_is_its_rate_and_that_of_a_rotation_vanishes() {
        assert_eq!(strain(&[[0.0, 3.0, 0.0], [0.0; 3], [0.0; 3]]), 3.0);
        assert_eq!(strain(&[[0.0, -2.0, 0.0], [2.0, 0.0, 0.0], [0.0; 3]]), 0.0);
        assert!((kinetic_energy(0.31, &[[0.0, 3.0, 0.0], [0.0; 3], [0.0; 3]]) - 3.0).abs() < 1e-15);
    }
}
