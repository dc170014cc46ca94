//! Means over time with their statistical errors, for quantities that are sampled during a run.
//!
//! A mean over a finite time is known up to an error that its samples alone do not show, because they are correlated.
//! [`BatchMeans`] therefore divides the samples into batches in the order of time and keeps the mean of each. When 64
//! batches are full, neighbours are merged in pairs, so that there are 32 to 64 of them after any time, each far longer
//! than the flow remembers (H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91, 1989, 461-466, 10.1063/1.457480). The
//! memory does not grow with time.
//!
//! Results are functions of means, such as a loss coefficient or a stress. Their error is that of the jackknife: with
//! W the sum of weights, w_k that of batch k, h_k = W/w_k, B the number of batches, and f_k the function of the means
//! without batch k,
//!
//! ```text
//! p_k = h_k f - (h_k - 1) f_k          pseudo-values; the means of the batches themselves if f is linear
//! p = sum_k p_k/h_k                    d_k = p_k - p
//! error^2 = F/B sum_k d_k^2/(h_k - 1)
//! ```
//!
//! (F. M. T. A. Busing, E. Meijer, R. van der Leeden, Statistics and Computing 9, 1999, 3-8, 10.1023/A:1008800423698).
//! F corrects for the correlation of neighbouring batches. It is that of a first-order autoregressive series,
//! F = (1 + r)/(1 - r) (G. V. Bayley, J. M. Hammersley, Suppl. J. R. Stat. Soc. 8, 1946, 184-197, 10.2307/2983560),
//! with the correlation r = sum_k d_k d_(k+1)/sum_k d_k^2 + 1/B; the estimate of r alone is 1/B too small, because d_k
//! are deviations from the mean of the same samples. Below 0, r counts as 0, so that chance makes no error smaller; and
//! F is at most B - 1, with which the batches count as a single observation.
//!
//! Samples cannot show a fluctuation that is slower than they are long. The error is therefore a lower bound
//! ([`Certainty::AtLeast`]) in three cases.
//!
//! - B/F is below 10: the batches count as fewer than 10 independent observations.
//! - Slow fluctuations are stronger than the series of F has them, so that longer batches would give a larger error.
//!   The error is the spectrum at zero frequency (P. Heidelberger, P. D. Welch, Commun. ACM 24, 1981, 233-245,
//!   10.1145/358598.358630), and that of e_k = d_(k+1) - r d_k is flat if the series is of first order (D. W. K.
//!   Andrews, J. C. Monahan, Econometrica 60, 1992, 953-966, 10.2307/2951574). The mean of its two lowest frequencies
//!   counts as too large if it exceeds 3.1 times the median of the others over ln 2, which is the ratio of median and
//!   mean of a flat spectrum. The taper sin(pi (k + 1/2)/(B - 1)) (K. S. Riedel, A. Sidorenko, IEEE Trans. Signal
//!   Process. 43, 1995, 188-195, 10.1109/78.365298) keeps a strong period, such as the shedding of vortices, out of the
//!   lowest frequencies.
//! - The means of both halves differ by more than chance explains ([`Estimate::drifts`]).
//!
//! The tests have the shares of series in which this is said, and those in which it should be.

use std::ops::Range;

use super::batch_errors::{Batches, standard_error};
use super::estimate::{Certainty, Estimate, StandardError};
use crate::io::{CheckpointSection, shortest};

/// Number of full batches at which neighbours are merged.
pub const MOST: usize = 64;
/// Least number of full batches from whose scatter an error is computed.
const LEAST: usize = 16;
/// The same, for batches that do not correlate, so that only their scatter has to be known.
const LEAST_INDEPENDENT: usize = 4;

/// Sums of sampled quantities over time, in batches.
#[derive(Debug, Clone, PartialEq)]
pub struct BatchMeans {
    quantities: usize,
    /// Time from which on the means are taken.
    from: f64,
    /// Time of the last sample.
    to: f64,
    /// Number of samples.
    samples: u64,
    /// Number of samples in a full batch, and in the last one.
    per_batch: u64,
    in_last: u64,
    /// Sum of the weights of each batch (time).
    weights: Vec<f64>,
    /// Weighted sums of each batch, `[batch][quantity]`.
    sums: Vec<f64>,
    /// Weighted sums of all samples, so that merging batches changes no mean by rounding.
    totals: Vec<f64>,
}

impl BatchMeans {
    /// Returns sums without samples of a number of quantities. The weight of the first sample is the time since `from`.
    pub fn new(quantities: usize, from: f64) -> Self {
        BatchMeans {
            quantities,
            from,
            to: from,
            samples: 0,
            per_batch: 1,
            in_last: 0,
            weights: Vec::new(),
            sums: Vec::new(),
            totals: vec![0.0; quantities],
        }
    }

    /// Returns the means of full batches with these weights (time) and weighted sums, `[batch][quantity]`.
    pub fn of_batches(quantities: usize, weights: Vec<f64>, sums: Vec<f64>) -> Self {
        let total = |q: usize| sums.iter().skip(q).step_by(quantities).sum();
        BatchMeans {
            quantities,
            from: 0.0,
            to: weights.iter().sum(),
            samples: weights.len() as u64,
            per_batch: 1,
            in_last: 1,
            totals: (0..quantities).map(total).collect(),
            weights,
            sums,
        }
    }

    /// Adds the values of all quantities at a time. Their weight is the time since the sample before; a sample without
    /// weight is left out.
    pub fn add(&mut self, time: f64, values: &[f64]) {
        assert_eq!(values.len(), self.quantities, "a sample has a value of each quantity");
        let weight = time - self.to;
        if weight <= 0.0 {
            return;
        }
        if self.weights.is_empty() || self.in_last == self.per_batch {
            if self.weights.len() == MOST {
                self.merge();
            }
            self.weights.push(0.0);
            self.sums.resize(self.sums.len() + self.quantities, 0.0);
            self.in_last = 0;
        }
        let last = self.weights.len() - 1;
        self.weights[last] += weight;
        let sums = &mut self.sums[last * self.quantities..];
        for ((sum, total), value) in sums.iter_mut().zip(&mut self.totals).zip(values) {
            *sum += weight * value;
            *total += weight * value;
        }
        self.in_last += 1;
        self.samples += 1;
        self.to = time;
    }

    /// Merges full batches in pairs.
    fn merge(&mut self) {
        let pairs = self.weights.len() / 2;
        for pair in 0..pairs {
            self.weights[pair] = self.weights[2 * pair] + self.weights[2 * pair + 1];
            for q in 0..self.quantities {
                let of = |batch: usize| self.sums[batch * self.quantities + q];
                self.sums[pair * self.quantities + q] = of(2 * pair) + of(2 * pair + 1);
            }
        }
        self.weights.truncate(pairs);
        self.sums.truncate(pairs * self.quantities);
        self.per_batch *= 2;
    }

    /// Returns the number of samples.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Returns the begin and the end of the time over which the means are taken.
    pub fn span(&self) -> [f64; 2] {
        [self.from, self.to]
    }

    /// Returns lines about the samples for the head of a file: their number, and the time over which means are taken.
    pub fn description(&self) -> Vec<String> {
        vec![
            format!("samples: {}", self.samples),
            format!("sample-time: {}", shortest(self.to - self.from)),
            format!("from: {}", shortest(self.from)),
            format!("to: {}", shortest(self.to)),
        ]
    }

    /// Returns the number of full batches.
    pub fn full_batches(&self) -> usize {
        self.weights.len() - usize::from(self.in_last < self.per_batch && !self.weights.is_empty())
    }

    /// Returns whether the last sample completed a batch.
    pub fn completed_a_batch(&self) -> bool {
        self.samples > 0 && self.in_last == self.per_batch
    }

    /// Returns estimates of functions of means that may end a run, from a function that computes them; `None` unless
    /// the last sample completed a batch and 64 of them have been full. A run is asked again and again, so that chance
    /// would end it early: an error that is a lower bound in either half of the samples counts as one here.
    pub fn reliable(&self, estimates: impl Fn(&BatchMeans) -> Vec<Estimate>) -> Option<Vec<Estimate>> {
        if !self.completed_a_batch() || self.samples < MOST as u64 {
            return None;
        }
        let mut all = estimates(self);
        let full = self.full_batches();
        for half in [0..full / 2, full / 2..full] {
            let sums = &self.sums[half.start * self.quantities..half.end * self.quantities];
            let half = BatchMeans::of_batches(self.quantities, self.weights[half].to_vec(), sums.to_vec());
            for (whole, of_half) in all.iter_mut().zip(estimates(&half)) {
                whole.certainty = Certainty::of_all([whole.certainty, of_half.certainty]);
            }
        }
        Some(all)
    }

    /// Returns the means of all quantities; not numbers before the first sample.
    pub fn means(&self) -> Vec<f64> {
        let time: f64 = self.weights.iter().sum();
        self.totals.iter().map(|total| total / time).collect()
    }

    /// Estimates functions of the means of some of the quantities, as [`BatchMeans::estimates`] does.
    pub fn estimate<const M: usize>(&self, of: Range<usize>, f: impl Fn(&[f64]) -> [f64; M]) -> [Estimate; M] {
        let all = self.estimates_in(&of, |means| f(means).to_vec());
        std::array::from_fn(|m| all[m])
    }

    /// Estimates functions of the means of some of the quantities, as [`BatchMeans::estimates`] does those of all.
    pub fn estimates_in(&self, of: &Range<usize>, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Estimate> {
        self.estimates_of(of, Batches::Correlated, f)
    }

    /// Estimates functions of the means of all quantities. `f` gets these means, and returns as many values each time.
    /// It is called once for each batch, and four times more. The value is that of all samples; the last batch enters
    /// the error once it is full.
    pub fn estimates(&self, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Estimate> {
        self.estimates_in(&(0..self.quantities), f)
    }

    /// Estimates functions of the means of all quantities, as [`BatchMeans::estimates`] does, from batches that do not
    /// correlate: F is 1, and 4 batches are enough.
    pub fn estimates_if_independent(&self, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Estimate> {
        self.estimates_of(&(0..self.quantities), Batches::Independent, f)
    }

    fn estimates_of(&self, of: &Range<usize>, batches: Batches, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Estimate> {
        let full = self.full_batches();
        let values = f(&self.means()[of.clone()]);
        let mean = |batches: Range<usize>| f(&self.mean_of(of, batches));
        let halves = (full > 1).then(|| [mean(0..full / 2), mean(full / 2..full)]);
        let least = match batches {
            Batches::Correlated => LEAST,
            Batches::Independent => LEAST_INDEPENDENT,
        };
        let errors = (full >= least).then(|| self.jackknife(of, batches, &f));
        let of_value = |(m, value): (usize, &f64)| {
            let error = errors.as_ref().map_or(StandardError::UNKNOWN, |errors| errors[m]);
            let estimate = Estimate {
                value: *value,
                error: error.size,
                certainty: error.certainty,
                half_difference: halves.as_ref().map_or(f64::NAN, |[first, second]| second[m] - first[m]),
            };
            if estimate.drifts() {
                Estimate {
                    certainty: Certainty::AtLeast,
                    ..estimate
                }
            } else {
                estimate
            }
        };
        values.iter().enumerate().map(of_value).collect()
    }

    /// Returns the means of some quantities over some batches.
    fn mean_of(&self, of: &Range<usize>, batches: Range<usize>) -> Vec<f64> {
        let time: f64 = self.weights[batches.clone()].iter().sum();
        self.sum_of(of, batches).into_iter().map(|sum| sum / time).collect()
    }

    /// Returns the sums of some quantities over some batches.
    fn sum_of(&self, of: &Range<usize>, batches: Range<usize>) -> Vec<f64> {
        let mut sums = vec![0.0; of.len()];
        for batch in batches {
            sums.iter_mut().zip(self.row(of, batch)).for_each(|(sum, x)| *sum += x);
        }
        sums
    }

    /// Returns the sums of some quantities over one batch.
    fn row(&self, of: &Range<usize>, batch: usize) -> &[f64] {
        &self.sums[batch * self.quantities..][of.clone()]
    }

    /// Returns the standard errors of functions of means over the full batches.
    fn jackknife(&self, of: &Range<usize>, batches: Batches, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<StandardError> {
        let full = self.full_batches();
        let weights = &self.weights[..full];
        let time: f64 = weights.iter().sum();
        let sums = self.sum_of(of, 0..full);
        let all = f(&sums.iter().map(|sum| sum / time).collect::<Vec<f64>>());
        let without = weights.iter().enumerate().map(|(batch, weight)| {
            let pairs = sums.iter().zip(self.row(of, batch));
            f(&pairs.map(|(sum, x)| (sum - x) / (time - weight)).collect::<Vec<f64>>())
        });
        let without: Vec<Vec<f64>> = without.collect();
        let shares: Vec<f64> = weights.iter().map(|weight| weight / time).collect();
        let error = |(m, all): (usize, &f64)| {
            let pairs = shares.iter().zip(&without);
            let pseudo: Vec<f64> = pairs.map(|(s, without)| (all - (1.0 - s) * without[m]) / s).collect();
            standard_error(&shares, &pseudo, batches)
        };
        all.iter().enumerate().map(error).collect()
    }

    /// Stores the sums in a checkpoint, in arrays whose names begin with `name`.
    pub fn save(&self, name: &str, section: &mut CheckpointSection) {
        let counts = [self.samples, self.per_batch, self.in_last].map(|count| count as f64);
        for (part, values) in [
            ("times", vec![self.from, self.to]),
            ("counts", counts.to_vec()),
            ("weights", self.weights.clone()),
            ("sums", self.sums.clone()),
            ("totals", self.totals.clone()),
        ] {
            section.arrays.insert(format!("{name}.{part}"), values);
        }
    }

    /// Continues from the sums that [`BatchMeans::save`] stored. Returns `false`, and changes nothing, if the
    /// checkpoint has none of as many quantities.
    pub fn restore(&mut self, name: &str, section: &CheckpointSection) -> bool {
        let array = |part: &str| section.arrays.get(&format!("{name}.{part}")).map(Vec::as_slice);
        let (Some(&[from, to]), Some(&[samples, per_batch, in_last])) = (array("times"), array("counts")) else {
            return false;
        };
        let (Some(weights), Some(sums), Some(totals)) = (array("weights"), array("sums"), array("totals")) else {
            return false;
        };
        if totals.len() != self.quantities || sums.len() != weights.len() * self.quantities {
            return false;
        }
        *self = BatchMeans {
            quantities: self.quantities,
            from,
            to,
            samples: samples as u64,
            per_batch: per_batch as u64,
            in_last: in_last as u64,
            weights: weights.to_vec(),
            sums: sums.to_vec(),
            totals: totals.to_vec(),
        };
        true
    }
}

#[cfg(test)]
#[path = "batch_means_tests.rs"]
mod tests;
