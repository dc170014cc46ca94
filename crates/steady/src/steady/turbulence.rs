//! What the models of turbulence say of the turbulence that a large-eddy simulation is to resolve.

use super::scheme::{EddyScale, Scheme};
use crate::physics::turbulence::realisable;
use crate::vector::{Vector, dot};

/// Constant cv1 of the model of Spalart and Allmaras (La Recherche Aerospatiale 1 (1994) 5).
const CV1: f64 = 7.1;
/// Ratio of the shear stress to the kinetic energy in a boundary layer (P. Bradshaw, D. H. Ferriss & N. P. Atwell, J.
/// Fluid Mech. 28 (1967) 593).
const A1: f64 = 0.31;
/// The rate of dissipation is beta* k omega, and beta* k^2/nu_t of a model without omega.
pub const BETA_STAR: f64 = 0.09;
/// Limit C_lim of Wilcox's model (AIAA J. 46 (2008) 2823).
const C_LIM: f64 = 7.0 / 8.0;

/// Returns the kinematic eddy viscosity nu~ fv1; 0 where nu~ is negative.
pub fn eddy_viscosity(nu_tilde: f64, nu: f64) -> f64 {
    if nu_tilde <= 0.0 || nu <= 0.0 {
        return 0.0;
    }
    let cube = (nu_tilde / nu).powi(3);
    nu_tilde * cube / (cube + CV1.powi(3))
}

/// Returns the kinematic eddy viscosity k/max(omega, 7/8 S/sqrt(beta*)) of Wilcox's model, where S is the rate of
/// strain without its trace.
pub fn wilcox_viscosity(k: f64, omega: f64, gradient: &[Vector; 3]) -> f64 {
    let divergence: f64 = (0..3).map(|d| gradient[d][d]).sum();
    let square = strain(gradient).powi(2) - 2.0 / 3.0 * divergence.powi(2);
    k / omega.max(C_LIM * (square.max(0.0) / BETA_STAR).sqrt())
}

/// Returns the kinematic eddy viscosity a1 k/max(a1 omega, W F2) of Menter's model (AIAA J. 32 (1994) 1598), where W is
/// the vorticity and `distance` that from the wall.
pub fn sst_viscosity(k: f64, omega: f64, nu: f64, distance: f64, gradient: &[Vector; 3]) -> f64 {
    if k <= 0.0 {
        return 0.0;
    }
    let [u, v, w] = gradient;
    let curl = [w[1] - v[2], u[2] - w[0], v[0] - u[1]];
    let inner = 2.0 * k.sqrt() / (BETA_STAR * omega * distance);
    let f2 = inner.max(500.0 * nu / (distance * distance * omega)).powi(2).tanh();
    A1 * k / (A1 * omega).max(dot(curl, curl).sqrt() * f2)
}

/// Returns k and omega of gas that enters with this speed and kinematic viscosity.
pub fn entering(scheme: &Scheme, speed: f64, nu: f64) -> [f64; 2] {
    let k = 1.5 * (scheme.intensity * speed).powi(2);
    let omega = match scheme.scale {
        EddyScale::Ratio(ratio) => k / (ratio * nu),
        EddyScale::Length(length) => k.sqrt() / (BETA_STAR.powf(0.25) * length),
    };
    [k, omega]
}

/// Returns the rate of strain sqrt(2 S_ij S_ij) of a velocity with these gradients of its components.
pub fn strain(gradient: &[Vector; 3]) -> f64 {
    let s = |i: usize, j: usize| 0.5 * (gradient[i][j] + gradient[j][i]);
    let sum: f64 = (0..9).map(|n| s(n / 3, n % 3).powi(2)).sum();
    (2.0 * sum).sqrt()
}

/// Returns the kinetic energy of turbulence, nu_t S/a1, of a model that does not have it.
pub fn kinetic_energy(eddy_viscosity: f64, gradient: &[Vector; 3]) -> f64 {
    eddy_viscosity * strain(gradient) / A1
}

/// Returns the Reynolds stresses 11, 22, 33, 12, 13, 23 of Boussinesq's hypothesis, made realisable:
///
/// ```text
/// R_ij = 2/3 k delta_ij - 2 nu_t (S_ij - S_kk delta_ij/3)
/// ```
pub fn reynolds_stresses(k: f64, eddy_viscosity: f64, gradient: &[Vector; 3]) -> [f64; 6] {
    let divergence: f64 = (0..3).map(|d| gradient[d][d]).sum();
    let isotropic = 2.0 / 3.0 * (k + eddy_viscosity * divergence);
    let normal = |i: usize| isotropic - 2.0 * eddy_viscosity * gradient[i][i];
    let shear = |i: usize, j: usize| -eddy_viscosity * (gradient[i][j] + gradient[j][i]);
    realisable([normal(0), normal(1), normal(2), shear(0, 1), shear(0, 2), shear(1, 2)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reynolds_stresses_are_those_of_boussinesq_and_are_limited_where_no_velocity_has_them() {
        let gradient = [[0.2, 0.5, -0.1], [0.1, -0.4, 0.3], [0.7, 0.0, 0.5]];
        let k = 3.0;
        let eddy = 0.5;
        let rate = |i: usize, j: usize| 0.5 * (gradient[i][j] + gradient[j][i]) - if i == j { 0.1 } else { 0.0 };
        let exact = |i: usize, j: usize| if i == j { 2.0 } else { 0.0 } - 2.0 * eddy * rate(i, j);
        let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        for (value, (i, j)) in reynolds_stresses(k, eddy, &gradient).into_iter().zip(pairs) {
            assert!((value - exact(i, j)).abs() < 1e-15, "{i} {j}: {value}");
        }
        // In a shear the stress is 0.31 k, with k of a model without it.
        let shear = [[0.0, 4.0, 0.0], [0.0; 3], [0.0; 3]];
        let r = reynolds_stresses(kinetic_energy(0.1, &shear), 0.1, &shear);
        assert!(
            (r[3] + 0.4).abs() < 1e-15 && (r[0] - 2.0 / 3.0 * 0.4 / 0.31).abs() < 1e-15,
            "{r:?}"
        );
        // Against a wall the normal stress would be 2/3 k - 2 nu_t S = 2 - 10: it stays above 0, and the energy stays.
        let stagnation = [[-5.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0; 3]];
        let r = reynolds_stresses(3.0, 1.0, &stagnation);
        assert!(r[1] > 0.0 && (r[0] + r[1] + r[2] - 6.0).abs() < 1e-14, "{r:?}");
        assert!((r[0] - 2.0 - (2.0 - r[1])).abs() < 1e-14 && r[0] > r[2], "{r:?}");
    }

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

    #[test]
    fn limits_of_eddy_viscosities_hold_in_strong_shears_alone() {
        let shear = |rate: f64| [[0.0, rate, 0.0], [0.0; 3], [0.0; 3]];
        for viscosity in [
            wilcox_viscosity(0.6, 3.0, &shear(0.1)),
            sst_viscosity(0.6, 3.0, 1e-5, 0.1, &shear(0.1)),
        ] {
            assert!((viscosity - 0.2).abs() < 1e-15, "k/omega");
        }
        // Stresses 0.3 k/(7/8) and 0.31 k: the latter is Bradshaw's.
        assert!((100.0 * wilcox_viscosity(0.6, 3.0, &shear(100.0)) - 0.6 * 0.3 / 0.875).abs() < 1e-12);
        assert!((100.0 * sst_viscosity(0.6, 3.0, 1e-5, 0.1, &shear(100.0)) - 0.6 * 0.31).abs() < 1e-12);
        // Far from the wall F2 vanishes.
        assert!((sst_viscosity(0.6, 3.0, 1e-5, 1e6, &shear(100.0)) - 0.2).abs() < 1e-6);
        // A dilatation has no strain without its trace.
        let dilatation = [[5.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 5.0]];
        assert!((wilcox_viscosity(0.6, 3.0, &dilatation) - 0.2).abs() < 1e-15);
    }
}
