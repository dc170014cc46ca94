//! Velocity fluctuations on an initial state from a steady solution, which has the Reynolds stresses of its turbulence.
//!
//! The fluctuations are a sum of Fourier modes, those of turbulent inlets (`physics::turbulence`). A cell takes the
//! modes whose wave lengths are 4 to 16 times its longest side over the order, weighted to unit covariance. Their sum
//! times the Cholesky factor of the stresses at a point has these stresses there. The modes have no divergence; their
//! product with the factor has none only where the stresses are isotropic. Density and pressure stay as they are. Modes
//! are functions of the seed and the position, so that the state has the same bits on any number of ranks.
//!
//! The shear stress matters most: without it the fluctuations of a channel decay before turbulence of their own has
//! grown. validation/precursor has what the wave lengths and the stresses are worth.

use std::f64::consts::{PI, TAU};

use rayon::prelude::*;

use super::initial_checkpoint::STRESSES;
use super::initial_points::InitialPoints;
use crate::geometry::longest_side;
use crate::physics::turbulence::{
    Convection, Draw, Factor, MODES_OF_A_SHELL, Mode, Shell, Spectrum, Stream, apply, cholesky, correction, modes,
    product, realisable, velocity,
};

/// Shells of wave numbers, of three modes each.
const SHELLS: usize = 64;
/// Shortest and longest wave lengths over the spacing of a cell.
const WAVES: [f64; 2] = [4.0, 16.0];
/// The factor of isotropic fluctuations of unit variance.
const UNIT: Factor = [1.0, 0.0, 1.0, 0.0, 0.0, 1.0];

/// The modes of all cells.
struct Waves {
    modes: Vec<Mode>,
    /// Wave length of each shell, descending.
    lengths: Vec<f64>,
}

/// The modes of the cells of one spacing.
struct Band<'a> {
    modes: &'a [Mode],
    /// Share of the energy of each shell.
    shares: Vec<f64>,
    /// Factor that gives the sum of the modes unit covariance.
    correction: Factor,
}

impl Band<'_> {
    /// Returns a velocity with the stresses whose Cholesky factor is given, at a position.
    fn velocity(&self, factor: Factor, x: [f64; 3]) -> [f64; 3] {
        apply(
            product(factor, self.correction),
            velocity(self.modes, &self.shares, x, 0.0),
        )
    }
}

impl Waves {
    /// Draws the modes for spacings from `least` to `most`, periodic under these displacements, at most two.
    fn new(seed: u64, [least, most]: [f64; 2], periods: &[[f64; 3]]) -> Self {
        let [longest, shortest] = [WAVES[1] * most, WAVES[0] * least];
        let step = (longest / shortest).ln() / (SHELLS - 1) as f64;
        let lengths: Vec<f64> = (0..SHELLS).map(|n| longest * (-step * n as f64).exp()).collect();
        let share = 1.0 / SHELLS as f64;
        let spectrum = Spectrum {
            shells: lengths.iter().map(|length| Shell { k: TAU / length, share }).collect(),
            peak: TAU / longest,
            kept: 1.0,
        };
        let stream = Stream {
            normal: [1.0, 0.0, 0.0],
            velocity: [0.0; 3],
            convection: Convection::Frozen,
            periods: &periods[..periods.len().min(2)],
        };
        Waves {
            modes: modes(&spectrum, &Draw::new(seed, "initial"), &stream),
            lengths,
        }
    }

    /// Returns the modes of a spacing.
    fn band(&self, spacing: f64) -> Band<'_> {
        let width = (WAVES[1] / WAVES[0]).ln();
        // Smooth over the logarithm of the wave length, so that neighbouring cells differ little.
        let weight = |length: &f64| {
            let at = (length / (WAVES[0] * spacing)).ln() / width;
            if at > 0.0 && at < 1.0 {
                (PI * at).sin().powi(2)
            } else {
                0.0
            }
        };
        let weights: Vec<f64> = self.lengths.iter().map(weight).collect();
        let first = weights.iter().position(|w| *w > 0.0).unwrap_or(0);
        let end = weights.iter().rposition(|w| *w > 0.0).map_or(first, |last| last + 1);
        let sum: f64 = weights.iter().sum();
        let shares: Vec<f64> = weights[first..end].iter().map(|w| w / sum).collect();
        let modes = &self.modes[MODES_OF_A_SHELL * first..MODES_OF_A_SHELL * end];
        Band {
            modes,
            // In a box that is shorter than all its waves the modes have too few directions for a correction.
            correction: correction(modes, &shares).unwrap_or(UNIT),
            shares,
        }
    }
}

/// Adds fluctuations to the conserved variables at the points, `[cell][point]`, whose turbulence has the Reynolds
/// stresses `stresses`, `[cell][point]`. Collective.
pub(super) fn add_fluctuations(at: &InitialPoints, values: &mut [[f64; 5]], stresses: &[[f64; STRESSES]], seed: u64) {
    let InitialPoints {
        mesh,
        geometry,
        order,
        gas,
        ranks,
    } = *at;
    let points_of = |cell: usize| geometry.first_point[cell]..geometry.first_point[cell + 1];
    let spacing = |cell: usize| longest_side(mesh.cell_nodes(cell)) / order as f64;
    // Between the points of another order the polynomials may have stresses that no velocity has.
    let factor = |stresses: [f64; STRESSES]| cholesky(realisable(stresses));
    let spacings: Vec<f64> = (0..mesh.len())
        .into_par_iter()
        .filter(|cell| stresses[points_of(*cell)].iter().any(|r| factor(*r).is_some()))
        .map(spacing)
        .collect();
    let mut most = [spacings.iter().copied().fold(0.0, f64::max)];
    let mut least = [spacings.iter().copied().fold(f64::INFINITY, f64::min)];
    ranks.allreduce_max(&mut most);
    ranks.allreduce_min(&mut least);
    let periods: Vec<[f64; 3]> = (0..3)
        .filter_map(|axis| {
            let period = geometry.period(mesh, order, axis, ranks)?;
            Some(std::array::from_fn(|d| if d == axis { period } else { 0.0 }))
        })
        .collect();
    if most[0] <= 0.0 {
        return;
    }
    let waves = Waves::new(seed, [least[0], most[0]], &periods);
    let cells = geometry.cells_of(values, 1).into_par_iter().enumerate();
    cells.for_each(|(cell, values)| {
        let band = waves.band(spacing(cell));
        let of_cell = &stresses[points_of(cell)];
        for ((value, &r), &x) in values.iter_mut().zip(of_cell).zip(geometry.cell_positions(cell)) {
            if let Some(factor) = factor(r) {
                let more = band.velocity(factor, x);
                let [rho, u, v, w, p, _] = gas.primitive(*value);
                *value = gas.conserved(rho, [u + more[0], v + more[1], w + more[2]], p);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_draw_has_unit_covariance_and_is_periodic_for_every_spacing() {
        let waves = Waves::new(3, [0.01, 0.5], &[[0.0, 0.0, 2.0]]);
        for spacing in [0.01, 0.03, 0.2, 0.5] {
            let band = waves.band(spacing);
            assert!((band.shares.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for mode in band.modes {
                let length = 1.0 / mode.wave.iter().map(|k| k * k).sum::<f64>().sqrt();
                assert!(
                    (3.999 * spacing..16.001 * spacing).contains(&length),
                    "{spacing}: {length}"
                );
            }
            // Multiples of irrational numbers, so that no place comes twice.
            let steps = [5.0, 2.0, 3.0].map(f64::sqrt);
            let place = |n: usize| steps.map(|step| 4000.0 * (step * n as f64).fract());
            let count = 20_000;
            let moments = moments((0..count).map(|n| band.velocity(UNIT, place(n))));
            for (moment, exact) in moments.into_iter().zip([1.0, 1.0, 1.0, 0.0, 0.0, 0.0]) {
                // 20 000 samples leave 1 %.
                assert!((moment - exact).abs() < 0.04, "{spacing}: {moments:?}");
            }
            let [a, b] = [0.1, 2.1].map(|z| band.velocity(UNIT, [0.3, 0.2, z]));
            assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-8), "{a:?} {b:?}");
        }
    }

    #[test]
    fn many_seeds_have_the_stresses_at_a_point() {
        let r = [0.9, 0.5, 0.7, -0.31, 0.1, 0.05];
        let factor = cholesky(r).expect("positive definite");
        let count = 4000;
        let of_seed = |seed: u64| {
            let waves = Waves::new(seed, [0.1, 0.2], &[[2.0, 0.0, 0.0], [0.0, 0.0, 1.5]]);
            waves.band(0.13).velocity(factor, [0.3, -0.4, 1.1])
        };
        let moments = moments((1..=count).map(of_seed));
        let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
        for ((moment, exact), (i, j)) in moments.into_iter().zip(r).zip(pairs) {
            // A product of two Gaussian numbers has the variance R_ii R_jj + R_ij^2.
            let deviation = ((r[i] * r[j] + exact * exact) / count as f64).sqrt();
            assert!((moment - exact).abs() < 4.0 * deviation, "{i} {j}: {moments:?}");
        }
    }

    /// Returns the second moments 11, 22, 33, 12, 13, 23 of velocities.
    fn moments(velocities: impl Iterator<Item = [f64; 3]>) -> [f64; 6] {
        let (mut sums, mut count) = ([0.0; 6], 0.0);
        for [u, v, w] in velocities {
            let products = [u * u, v * v, w * w, u * v, u * w, v * w];
            sums.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            count += 1.0;
        }
        sums.map(|sum| sum / count)
    }
}
