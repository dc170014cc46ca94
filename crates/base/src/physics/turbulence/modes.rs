//! The Fourier modes of one realisation.
//!
//! ```text
//! v'(x, t) = sum_n sqrt(2 q_n) sigma_n cos(2 pi (k_n.x + phi_n - f_n t))
//! ```
//!
//! Each shell has three modes whose wave vectors and directions sigma are the edges of a cube in random orientation:
//! (e1, e2), (e2, e3), (e3, e1). The mean of v' v' over time is then the unit matrix for every single draw, whereas
//! independent directions leave errors of 10 % with a few hundred modes. The wave vector is normal to sigma, so that v'
//! is free of divergence.
//!
//! On an inlet that is periodic along its face, wave vectors are moved to those that are periodic, too. The length of
//! a wave vector is kept, so that the spectrum is; the covariance then differs from the unit matrix by a few per cent,
//! and [`correction`] restores it.

use std::f64::consts::{PI, TAU};

use super::convection::Convection;
use super::random::Draw;
use super::spectrum::{Shell, Spectrum};
use super::stresses::{Factor, cholesky, inverse};
use super::waves::cosine_of_turns;
use crate::vector::{cross, dot, length, minus};

/// Modes of a shell.
pub const MODES_OF_A_SHELL: usize = 3;

/// How an inlet carries its modes.
#[derive(Debug, Clone, Copy)]
pub struct Stream<'a> {
    /// Unit normal of the inlet.
    pub normal: [f64; 3],
    /// Velocity that carries the modes.
    pub velocity: [f64; 3],
    /// How they are carried.
    pub convection: Convection,
    /// Displacements under which the flow at the inlet is periodic: none, one or two, linearly independent.
    pub periods: &'a [[f64; 3]],
}

/// A mode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Wave vector (turns per length).
    pub wave: [f64; 3],
    /// Unit vector of the velocity.
    pub direction: [f64; 3],
    /// Phase at the centre of the inlet at t = 0 (turns).
    pub phase: f64,
    /// Frequency (turns per time).
    pub frequency: f64,
}

/// Returns the modes of a spectrum, three for each shell in the order of the shells.
pub fn modes(spectrum: &Spectrum, draw: &Draw, stream: &Stream) -> Vec<Mode> {
    let lattice = Lattice::new(stream.periods);
    let of_shell = |(number, shell): (usize, &Shell)| -> [Mode; MODES_OF_A_SHELL] {
        let triad = draw.triad(number, 0);
        let ([first, second], [third, _]) = (draw.pair(number, 2), draw.pair(number, 3));
        let phases = [first, second, third];
        std::array::from_fn(|i| {
            let [along, across, third] = [0, 1, 2].map(|j| triad[(i + j) % 3]);
            let wave = lattice.nearest(along.map(|c| c * shell.k / TAU), stream.normal);
            // What remains of sigma normal to the new wave vector; the third edge serves where nothing does.
            let normal_to_wave = |v: [f64; 3]| {
                let share = dot(v, wave) / dot(wave, wave);
                minus(v, wave.map(|c| c * share))
            };
            let kept = normal_to_wave(across);
            let across = if length(kept) > 0.1 {
                kept
            } else {
                normal_to_wave(third)
            };
            let size = length(across);
            let wave = carried(wave, shell.k, spectrum.largest_scale(), stream);
            Mode {
                wave,
                direction: across.map(|c| c / size),
                phase: phases[i],
                frequency: dot(wave, stream.velocity),
            }
        })
    };
    spectrum.shells.iter().enumerate().flat_map(of_shell).collect()
}

/// Returns a wave vector with its part normal to the inlet stretched as the convection asks for.
///
/// With `shur` all modes have the wave number 2 pi/l_e in that direction at most, and so about one time scale; see M.
/// L. Shur et al., equation 12.
fn carried(wave: [f64; 3], k: f64, largest_scale: f64, stream: &Stream) -> [f64; 3] {
    let stretch = match stream.convection {
        Convection::Frozen => return wave,
        Convection::Shur => 2.0 * PI / (k * largest_scale),
    };
    let more = (stretch - 1.0) * dot(wave, stream.normal);
    std::array::from_fn(|d| wave[d] + more * stream.normal[d])
}

/// The wave vectors of all periodic functions.
struct Lattice<'a> {
    periods: &'a [[f64; 3]],
    /// Vectors in the span of the periods, each with the product 1 with its own period and 0 with the other.
    duals: Vec<[f64; 3]>,
}

impl<'a> Lattice<'a> {
    fn new(periods: &'a [[f64; 3]]) -> Self {
        let scaled = |v: [f64; 3], period: [f64; 3]| v.map(|c| c / dot(v, period));
        let duals = match *periods {
            [] => Vec::new(),
            [a] => vec![scaled(a, a)],
            [a, b, ..] => {
                let normal = cross(a, b);
                vec![scaled(cross(b, normal), a), scaled(cross(normal, a), b)]
            }
        };
        Lattice { periods, duals }
    }

    /// Returns a periodic wave vector of the same length near a given one. Its part along the periods is rounded to
    /// the nearest, or towards zero where that would exceed the length: a mode whose wave vector lies in the face
    /// would not change in time.
    fn nearest(&self, wave: [f64; 3], normal: [f64; 3]) -> [f64; 3] {
        if self.duals.is_empty() {
            return wave;
        }
        let numbers: Vec<f64> = self.periods.iter().map(|&period| dot(wave, period)).collect();
        let along = |round: fn(f64) -> f64| {
            let terms = self.duals.iter().zip(&numbers);
            terms.fold([0.0; 3], |sum, (dual, &number)| {
                std::array::from_fn(|d| sum[d] + round(number) * dual[d])
            })
        };
        let size = length(wave);
        let candidates = [along(f64::round), along(f64::trunc), [0.0; 3]];
        let fits = candidates.into_iter().find(|part| length(*part) < 0.999 * size);
        let part = fits.unwrap_or([0.0; 3]);
        let rest = minus(wave, along(|number| number));
        // A wave vector in the span of the periods has no rest; any normal to them will do.
        let rest = if length(rest) > 1e-9 * size { rest } else { normal };
        let scale = (dot(wave, wave) - dot(part, part)).sqrt() / length(rest);
        std::array::from_fn(|d| part[d] + scale * rest[d])
    }
}

/// Returns the factor that gives modes of these shares of the energy, by shell, the unit matrix as covariance; `None`
/// if they are too few for that.
pub fn correction(modes: &[Mode], shares: &[f64]) -> Option<Factor> {
    let mut covariance = [0.0; 6];
    for (shell, share) in modes.chunks(MODES_OF_A_SHELL).zip(shares) {
        for Mode { direction: s, .. } in shell {
            let products = [
                s[0] * s[0],
                s[1] * s[1],
                s[2] * s[2],
                s[0] * s[1],
                s[0] * s[2],
                s[1] * s[2],
            ];
            for (sum, product) in covariance.iter_mut().zip(products) {
                *sum += share * product;
            }
        }
    }
    cholesky(covariance).map(inverse)
}

/// Returns the amplitude of the modes of a shell of this share of the energy.
pub fn amplitude(share: f64) -> f64 {
    (2.0 * share).sqrt()
}

/// Returns v' at a position relative to the centre of the inlet, for shares of the energy by shell.
pub fn velocity(modes: &[Mode], shares: &[f64], x: [f64; 3], time: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (shell, &share) in modes.chunks(MODES_OF_A_SHELL).zip(shares) {
        for mode in shell {
            let wave = amplitude(share) * cosine_of_turns(dot(mode.wave, x) + mode.phase - mode.frequency * time);
            for (sum, direction) in sum.iter_mut().zip(mode.direction) {
                *sum += wave * direction;
            }
        }
    }
    sum
}

#[cfg(test)]
#[path = "mode_tests.rs"]
mod tests;
