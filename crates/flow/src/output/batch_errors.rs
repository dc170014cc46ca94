//! The standard error of a mean from the scatter of its batches; [`super::batch_means`] has formulas and sources.

use std::f64::consts::{LN_2, PI, TAU};

use super::estimate::{Certainty, ROUNDING, StandardError};

/// Number of independent observations below which the error is a lower bound.
const FEW: f64 = 10.0;

/// Ratio of the lowest frequencies to the others above which the error is a lower bound. White noise exceeds it in 1.5
/// % of series.
const SLOW: f64 = 3.1;

/// Number of batches without correlation below which their independence cannot be tested.
const LEAST_TESTED: usize = 8;

/// Correlation of neighbours times the root of the number of batches above which batches are not independent (5 % of
/// series of independent batches, one-sided).
const DEPENDENT: f64 = 1.645;

/// Whether neighbouring batches may correlate.
#[derive(Debug, Clone, Copy)]
pub enum Batches {
    /// They may.
    Correlated,
    /// They do not.
    Independent,
}

/// Returns the standard error of the mean of pseudo-values of batches, which have the given shares of the whole weight.
pub fn standard_error(shares: &[f64], pseudo: &[f64], batches: Batches) -> StandardError {
    let mean: f64 = shares.iter().zip(pseudo).map(|(share, p)| share * p).sum();
    let deviations: Vec<f64> = pseudo.iter().map(|p| p - mean).collect();
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    if squares == 0.0 {
        return StandardError {
            size: 0.0,
            certainty: Certainty::Estimated,
        };
    }
    let number = pseudo.len() as f64;
    let products: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let r = products / squares + 1.0 / number;
    let most = number - 1.0;
    let correction = match batches {
        Batches::Correlated if r >= 1.0 => most,
        Batches::Correlated => ((1.0 + r.max(0.0)) / (1.0 - r.max(0.0))).min(most),
        Batches::Independent => 1.0,
    };
    let terms = shares
        .iter()
        .zip(&deviations)
        .map(|(share, d)| d * d * share / (1.0 - share));
    let size = (correction * terms.sum::<f64>() / number).sqrt();
    let is_known = match batches {
        _ if squares.sqrt() <= ROUNDING * number.sqrt() * mean.abs() => true,
        Batches::Correlated => number >= FEW * correction && !slow_ones_prevail(&deviations, r.max(0.0)),
        Batches::Independent => pseudo.len() >= LEAST_TESTED && r * number.sqrt() <= DEPENDENT,
    };
    let certainty = if is_known && size.is_finite() {
        Certainty::Estimated
    } else {
        Certainty::AtLeast
    };
    StandardError { size, certainty }
}

/// Returns whether fluctuations slower than those of a first-order autoregressive series with the correlation `r` of
/// neighbours are stronger than chance explains.
fn slow_ones_prevail(deviations: &[f64], r: f64) -> bool {
    let noise: Vec<f64> = deviations.windows(2).map(|pair| pair[1] - r * pair[0]).collect();
    let number = noise.len();
    let taper: Vec<f64> = (0..number)
        .map(|k| (PI * (k as f64 + 0.5) / number as f64).sin())
        .collect();
    let weighted: f64 = noise.iter().zip(&taper).map(|(e, w)| e * w).sum();
    let mean = weighted / taper.iter().sum::<f64>();
    let tapered: Vec<f64> = noise.iter().zip(&taper).map(|(e, w)| w * (e - mean)).collect();
    let turns: Vec<[f64; 2]> = (0..number)
        .map(|k| (TAU * k as f64 / number as f64).sin_cos().into())
        .collect();
    let power = |frequency: usize| {
        let mut sums = [0.0; 2];
        for (k, e) in tapered.iter().enumerate() {
            let turn = turns[frequency * k % number];
            sums = [sums[0] + e * turn[0], sums[1] + e * turn[1]];
        }
        sums[0] * sums[0] + sums[1] * sums[1]
    };
    let lowest = 0.5 * (power(1) + power(2));
    let mut others: Vec<f64> = (3..=number / 2).map(power).collect();
    others.sort_by(f64::total_cmp);
    let [low, high] = [others[(others.len() - 1) / 2], others[others.len() / 2]];
    lowest > SLOW * 0.5 * (low + high) / LN_2
}
