//! Velocity fluctuations on an initial state from a steady solution, which has the kinetic energy of its turbulence.
//!
//! The fluctuations are a sum of Fourier modes without divergence, those of turbulent inlets (`physics::turbulence`). A
//! cell takes the modes whose wave lengths are 2 to 8 times its longest side over the order, weighted so that their
//! kinetic energy is that of the turbulence. Where the side changes from cell to cell the sum is free of divergence
//! only in the mean over a few cells. Density and pressure stay as they are. Modes are functions of the seed and the
//! position, so that the state has the same bits on any number of ranks.

use std::f64::consts::{PI, TAU};

use rayon::prelude::*;

use super::Solver;
use crate::geometry::longest_side;
use crate::physics::turbulence::{Convection, Draw, MODES_OF_A_SHELL, Mode, Shell, Spectrum, Stream, modes, velocity};

/// Shells of wave numbers, of three modes each.
const SHELLS: usize = 64;
/// Shortest and longest wave lengths over the spacing of a cell.
const WAVES: [f64; 2] = [2.0, 8.0];

/// The modes of all cells.
struct Waves {
    modes: Vec<Mode>,
    /// Wave length of each shell, descending.
    lengths: Vec<f64>,
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

    /// Returns the shells of a spacing, as the first and their shares of the energy.
    fn shares(&self, spacing: f64) -> (usize, Vec<f64>) {
        let band = (WAVES[1] / WAVES[0]).ln();
        // Smooth over the logarithm of the wave length, so that neighbouring cells differ little.
        let weight = |length: &f64| {
            let at = (length / (WAVES[0] * spacing)).ln() / band;
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
        (first, weights[first..end].iter().map(|w| w / sum).collect())
    }
}

impl Solver {
    /// Adds fluctuations to the conserved variables at the points, `[cell][point]`, whose turbulence has the kinetic
    /// energy `energy`, `[cell][point]`. Collective.
    pub(super) fn add_fluctuations(&self, values: &mut [[f64; 5]], energy: &[f64], seed: u64) {
        let (mesh, geometry, order) = (&self.mesh, &self.geometry, self.elements.order);
        let points_of = |cell: usize| geometry.first_point[cell]..geometry.first_point[cell + 1];
        let spacing = |cell: usize| longest_side(mesh.cell_nodes(cell)) / order as f64;
        let spacings: Vec<f64> = (0..mesh.len())
            .into_par_iter()
            .filter(|cell| energy[points_of(*cell)].iter().any(|k| *k > 0.0))
            .map(spacing)
            .collect();
        let mut most = [spacings.iter().copied().fold(0.0, f64::max)];
        let mut least = [spacings.iter().copied().fold(f64::INFINITY, f64::min)];
        self.ranks.allreduce_max(&mut most);
        self.ranks.allreduce_min(&mut least);
        let periods: Vec<[f64; 3]> = (0..3)
            .filter_map(|axis| {
                let period = geometry.period(mesh, order, axis, &self.ranks)?;
                Some(std::array::from_fn(|d| if d == axis { period } else { 0.0 }))
            })
            .collect();
        if most[0] <= 0.0 {
            return;
        }
        let (waves, gas) = (Waves::new(seed, [least[0], most[0]], &periods), self.gas);
        let cells = geometry.cells_of(values, 1).into_par_iter().enumerate();
        cells.for_each(|(cell, values)| {
            let (first, shares) = waves.shares(spacing(cell));
            let of_shells = &waves.modes[MODES_OF_A_SHELL * first..MODES_OF_A_SHELL * (first + shares.len())];
            let energies = &energy[points_of(cell)];
            for ((value, &k), &x) in values.iter_mut().zip(energies).zip(geometry.cell_positions(cell)) {
                if k > 0.0 {
                    let scale = (2.0 / 3.0 * k).sqrt();
                    let more = velocity(of_shells, &shares, x, 0.0).map(|v| scale * v);
                    let [rho, u, v, w, p, _] = gas.primitive(*value);
                    *value = gas.conserved(rho, [u + more[0], v + more[1], w + more[2]], p);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinetic_energy_is_that_of_the_turbulence_for_every_spacing() {
        let waves = Waves::new(3, [0.01, 0.5], &[[0.0, 0.0, 2.0]]);
        for spacing in [0.01, 0.03, 0.2, 0.5] {
            let (first, shares) = waves.shares(spacing);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let lengths = &waves.lengths[first..first + shares.len()];
            assert!(
                lengths.iter().all(|l| (2.0 * spacing..=8.0 * spacing).contains(l)),
                "{spacing}"
            );
            let of_shells = &waves.modes[3 * first..3 * (first + shares.len())];
            // Multiples of irrational numbers, so that no place comes twice.
            let steps = [5.0, 2.0, 3.0].map(f64::sqrt);
            let place = |n: usize| steps.map(|step| 40.0 * (step * n as f64).fract());
            let count = 20_000;
            let square = |n| {
                velocity(of_shells, &shares, place(n), 0.0)
                    .iter()
                    .map(|v| v * v)
                    .sum::<f64>()
            };
            let mean = (0..count).map(square).sum::<f64>() / f64::from(count as i32);
            // Three components of unit variance; the sample leaves about 1 %.
            assert!((mean / 3.0 - 1.0).abs() < 0.05, "{spacing}: {mean}");
            let period = |x: [f64; 3]| velocity(of_shells, &shares, x, 0.0);
            let (a, b) = (period([0.3, 0.2, 0.1]), period([0.3, 0.2, 2.1]));
            assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-8), "{a:?} {b:?}");
        }
    }
}
