//! Stresses as factors: a field of unit covariance times the Cholesky factor has the covariance of the stresses.
//!
//! Stresses of a model of eddy viscosity may be those of no velocity, where a strong strain gives a principal stress
//! below 0. [`realisable`] makes them positive definite.

use nalgebra::Matrix3;

/// Least principal stress over the mean of all three: with 0 the stresses would have no factor.
const LEAST: f64 = 0.01;

/// A lower triangular matrix by rows: 11, 21, 22, 31, 32, 33.
pub type Factor = [f64; 6];

/// Returns the Cholesky factor of a symmetric matrix of components 11, 22, 33, 12, 13, 23; `None` if it is not positive
/// definite.
pub fn cholesky(r: [f64; 6]) -> Option<Factor> {
    let [r11, r22, r33, r12, r13, r23] = r;
    // A matrix that is singular but for round-off has no usable factor either.
    let root = |square: f64, of: f64| (square > 1e-12 * of).then(|| square.sqrt());
    let a11 = root(r11, r22.max(r33).max(0.0))?;
    let (a21, a31) = (r12 / a11, r13 / a11);
    let a22 = root(r22 - a21 * a21, r22)?;
    let a32 = (r23 - a21 * a31) / a22;
    let a33 = root(r33 - a31 * a31 - a32 * a32, r33)?;
    Some([a11, a21, a22, a31, a32, a33])
}

/// Returns stresses 11, 22, 33, 12, 13, 23 that a velocity can have: positive definite, or 0 where the kinetic energy
/// is not above 0.
///
/// The kinetic energy and the principal directions stay. Where a principal stress is below 0.01 of the mean of all
/// three, the deviation from this mean is reduced in all components alike. For an eddy viscosity this is a limit of the
/// eddy viscosity, that of P. A. Durbin, Int. J. Heat Fluid Flow 17 (1996) 89.
pub fn realisable(r: [f64; 6]) -> [f64; 6] {
    let [xx, yy, zz, xy, xz, yz] = r;
    let mean = (xx + yy + zz) / 3.0;
    if mean.is_nan() || mean <= 0.0 {
        return [0.0; 6];
    }
    let deviation = [xx - mean, yy - mean, zz - mean, xy, xz, yz];
    let [a, b, c, d, e, f] = deviation;
    let least = Matrix3::new(a, d, e, d, b, f, e, f, c).symmetric_eigenvalues().min();
    let limit = (LEAST - 1.0) * mean;
    if least >= limit {
        return r;
    }
    let [a, b, c, d, e, f] = deviation.map(|part| limit / least * part);
    [mean + a, mean + b, mean + c, d, e, f]
}

/// Returns the inverse of a lower triangular matrix.
pub fn inverse(a: Factor) -> Factor {
    let [a11, a21, a22, a31, a32, a33] = a;
    let b21 = -a21 / (a11 * a22);
    let b32 = -a32 / (a22 * a33);
    let b31 = -(a31 / a11 + a32 * b21) / a33;
    [1.0 / a11, b21, 1.0 / a22, b31, b32, 1.0 / a33]
}

/// Returns the product a b of two lower triangular matrices.
pub fn product(a: Factor, b: Factor) -> Factor {
    [
        a[0] * b[0],
        a[1] * b[0] + a[2] * b[1],
        a[2] * b[2],
        a[3] * b[0] + a[4] * b[1] + a[5] * b[3],
        a[4] * b[2] + a[5] * b[4],
        a[5] * b[5],
    ]
}

/// Returns the product of a lower triangular matrix and a vector.
pub fn apply(a: Factor, v: [f64; 3]) -> [f64; 3] {
    [
        a[0] * v[0],
        a[1] * v[0] + a[2] * v[1],
        a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix_and_its_inverse_undoes_it() {
        let r = [2.0, 1.5, 0.7, 0.3, -0.4, 0.2];
        let a = cholesky(r).expect("positive definite");
        let rows = [[a[0], 0.0, 0.0], [a[1], a[2], 0.0], [a[3], a[4], a[5]]];
        let of = |i: usize, j: usize| (0..3).map(|k| rows[i][k] * rows[j][k]).sum::<f64>();
        let again = [of(0, 0), of(1, 1), of(2, 2), of(0, 1), of(0, 2), of(1, 2)];
        for (value, exact) in again.into_iter().zip(r) {
            assert!((value - exact).abs() < 1e-15, "{again:?}");
        }
        for (value, exact) in product(a, inverse(a)).into_iter().zip([1.0, 0.0, 1.0, 0.0, 0.0, 1.0]) {
            assert!((value - exact).abs() < 1e-15);
        }
        let v = apply(inverse(a), apply(a, [0.3, -1.0, 2.0]));
        assert!(
            (v[0] - 0.3).abs() + (v[1] + 1.0).abs() + (v[2] - 2.0).abs() < 1e-15,
            "{v:?}"
        );
    }

    #[test]
    fn stresses_of_strong_strains_become_realisable_and_keep_energy_and_directions() {
        // A shear has the principal stresses mean + s, mean, mean - s.
        let shear = |s: f64| [1.0, 1.0, 1.0, s, 0.0, 0.0];
        for s in [0.0, 0.46, -0.98] {
            assert_eq!(realisable(shear(s)), shear(s));
        }
        for s in [1.0, -1.7, 40.0] {
            let r = realisable(shear(s));
            assert!((r[3] - 0.99 * s.signum()).abs() < 1e-12, "{r:?}");
            assert_eq!((r[0], r[1], r[2], r[4], r[5]), (1.0, 1.0, 1.0, 0.0, 0.0));
        }
        // A stagnation point: compression along y, extension along x and z.
        let r = realisable([7.0, -11.0, 10.0, 0.0, 0.0, 0.0]);
        let part = 0.99 * 2.0 / 13.0;
        for (value, exact) in r
            .into_iter()
            .zip([2.0 + 5.0 * part, 0.02, 2.0 + 8.0 * part, 0.0, 0.0, 0.0])
        {
            assert!((value - exact).abs() < 1e-12, "{r:?}");
        }
        // Whatever the directions are, there is a factor, and the energy stays.
        for r in [
            [3.0, 1.0, -2.0, 4.0, -1.0, 2.0],
            [0.1, 0.2, 0.3, -5.0, 5.0, 5.0],
            [1.0; 6],
        ] {
            let limited = realisable(r);
            assert!(cholesky(r).is_none() && cholesky(limited).is_some(), "{limited:?}");
            let energy = |r: [f64; 6]| r[0] + r[1] + r[2];
            assert!((energy(limited) / energy(r) - 1.0).abs() < 1e-12);
            assert!((limited[3] / limited[5] - r[3] / r[5]).abs() < 1e-12);
        }
        for r in [[0.0; 6], [-1.0, 0.2, 0.3, 0.1, 0.0, 0.0], [f64::NAN; 6]] {
            assert_eq!(realisable(r), [0.0; 6]);
        }
    }

    #[test]
    fn matrices_that_are_not_positive_definite_have_no_factor() {
        for r in [
            [0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            [1.0, 1.0, 1.0, 1.0, 0.0, 0.0],
            [1.0, 1.0, 1.0, 0.0, 0.0, -1.1],
            [1.0, 1.0, -1.0, 0.0, 0.0, 0.0],
            [1.0, 1.0, 1.0, 0.9, -0.9, 0.9],
            [f64::NAN, 1.0, 1.0, 0.0, 0.0, 0.0],
        ] {
            assert!(cholesky(r).is_none(), "{r:?}");
        }
    }
}
