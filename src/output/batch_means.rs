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

use std::ops::Range;

use crate::io::CheckpointSection;

/// Number of full batches at which neighbours are merged.
const MOST: usize = 64;
/// Least number of full batches from whose scatter an error is computed.
const LEAST: usize = 16;

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

/// A function of means, with what is known of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The function of the means of all samples; not a number before the first.
    pub value: f64,
    /// Its standard error; not a number if there are fewer than 16 batches.
    pub error: f64,
    /// The function of the means over the second half of the batches less that over the first; not a number if there
    /// are fewer than two.
    pub half_difference: f64,
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

    /// Returns the number of full batches.
    pub fn full_batches(&self) -> usize {
        self.weights.len() - usize::from(self.in_last < self.per_batch && !self.weights.is_empty())
    }

    /// Returns whether the last sample completed a batch.
    pub fn completed_a_batch(&self) -> bool {
        self.samples > 0 && self.in_last == self.per_batch
    }

    /// Returns the means of all quantities; not numbers before the first sample.
    pub fn means(&self) -> Vec<f64> {
        let time: f64 = self.weights.iter().sum();
        self.totals.iter().map(|total| total / time).collect()
    }

    /// Estimates functions of the means of some of the quantities. `f` gets these means and is called once for each
    /// batch, and three times more. The value is that of all samples; the last batch enters the error once it is full.
    pub fn estimate<const M: usize>(&self, of: Range<usize>, f: impl Fn(&[f64]) -> [f64; M]) -> [Estimate; M] {
        let full = self.full_batches();
        let values = f(&self.means()[of.clone()]);
        let mean = |batches: Range<usize>| f(&self.mean_of(&of, batches));
        let halves = (full > 1).then(|| [mean(0..full / 2), mean(full / 2..full)]);
        let errors = match full >= LEAST {
            true => self.jackknife(&of, f),
            false => [f64::NAN; M],
        };
        std::array::from_fn(|m| Estimate {
            value: values[m],
            error: errors[m],
            half_difference: halves.map_or(f64::NAN, |[first, second]| second[m] - first[m]),
        })
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
    fn jackknife<const M: usize>(&self, of: &Range<usize>, f: impl Fn(&[f64]) -> [f64; M]) -> [f64; M] {
        let full = self.full_batches();
        let weights = &self.weights[..full];
        let (time, sums): (f64, _) = (weights.iter().sum(), self.sum_of(of, 0..full));
        let means: Vec<f64> = sums.iter().map(|sum| sum / time).collect();
        let all = f(&means);
        let without = weights.iter().enumerate().map(|(batch, weight)| {
            let pairs = sums.iter().zip(self.row(of, batch));
            f(&pairs.map(|(sum, x)| (sum - x) / (time - weight)).collect::<Vec<f64>>())
        });
        let without: Vec<[f64; M]> = without.collect();
        let shares: Vec<f64> = weights.iter().map(|weight| weight / time).collect();
        std::array::from_fn(|m| {
            let pairs = shares.iter().zip(&without);
            let pseudo: Vec<f64> = pairs
                .map(|(s, without)| (all[m] - (1.0 - s) * without[m]) / s)
                .collect();
            standard_error(&shares, &pseudo)
        })
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

/// Returns the standard error of the mean of pseudo-values of batches, which have the given shares of the whole weight.
fn standard_error(shares: &[f64], pseudo: &[f64]) -> f64 {
    let mean: f64 = shares.iter().zip(pseudo).map(|(share, p)| share * p).sum();
    let deviations: Vec<f64> = pseudo.iter().map(|p| p - mean).collect();
    let squares: f64 = deviations.iter().map(|d| d * d).sum();
    if squares == 0.0 {
        return 0.0;
    }
    let batches = pseudo.len() as f64;
    let products: f64 = deviations.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let r = (products / squares + 1.0 / batches).max(0.0);
    let most = batches - 1.0;
    let correction = if r < 1.0 {
        ((1.0 + r) / (1.0 - r)).min(most)
    } else {
        most
    };
    let terms = shares
        .iter()
        .zip(&deviations)
        .map(|(share, d)| d * d * share / (1.0 - share));
    (correction * terms.sum::<f64>() / batches).sqrt()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    /// Numbers of mean 0 and variance 1, normally distributed (Box and Muller's transformation).
    struct Noise(u64);

    impl Noise {
        fn uniform(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }

        fn next(&mut self) -> f64 {
            (-2.0 * self.uniform().ln()).sqrt() * (TAU * self.uniform()).cos()
        }
    }

    /// Samples at times 1, 2, 3, ...
    fn of<const N: usize>(samples: impl Iterator<Item = [f64; N]>) -> BatchMeans {
        let mut means = BatchMeans::new(N, 0.0);
        samples
            .zip(1u32..)
            .for_each(|(values, n)| means.add(f64::from(n), &values));
        means
    }

    /// A first-order autoregressive series of mean 0 and variance 1 whose neighbours have the correlation `a`.
    fn correlated(a: f64, seed: u64) -> impl Iterator<Item = [f64; 1]> {
        let mut noise = Noise(seed);
        let mut x = noise.next();
        std::iter::repeat_with(move || {
            x = a * x + (1.0 - a * a).sqrt() * noise.next();
            [x]
        })
    }

    fn root_mean_square(values: &[f64]) -> f64 {
        (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
    }

    /// Returns the root mean squares, over many series of n samples, of the estimated and of the actual error of the
    /// mean. Both are divided by the theoretical error.
    fn compared(a: f64, n: usize) -> [f64; 2] {
        let theory = ((1.0 + a) / (1.0 - a) / n as f64).sqrt();
        let one = |seed: u64| {
            let [mean] = of(correlated(a, seed).take(n)).estimate(0..1, |x| [x[0]]);
            [mean.error, mean.value]
        };
        let all: Vec<[f64; 2]> = (0..200).map(|k| one(1000 + 7 * k)).collect();
        [0, 1].map(|i| root_mean_square(&all.iter().map(|x| x[i] / theory).collect::<Vec<_>>()))
    }

    #[test]
    fn the_error_of_white_noise_is_its_deviation_over_the_root_of_the_count() {
        for n in [40, 500, 6000] {
            let [estimated, actual] = compared(0.0, n);
            assert!((0.95..1.15).contains(&estimated), "n = {n}: {estimated}");
            assert!((actual - 1.0).abs() < 0.12, "n = {n}: {actual}");
        }
    }

    #[test]
    fn the_error_of_a_correlated_series_is_that_of_its_integral_time() {
        // The integral time is (1 + a)/(1 - a)/2: 2.5 and 9.5 samples. Long series are 400 of them or more.
        for (a, n) in [(2.0 / 3.0, 1000), (2.0 / 3.0, 20_000), (0.9, 4000), (0.9, 50_000)] {
            let [estimated, actual] = compared(a, n);
            assert!((estimated - 1.0).abs() < 0.15, "a = {a}, n = {n}: {estimated}");
            assert!((actual - 1.0).abs() < 0.12, "a = {a}, n = {n}: {actual}");
        }
        // Each sample is a batch: the correction alone makes the error about 3 times that of independent samples.
        let [estimated, _] = compared(0.8, 64);
        assert!((0.7..1.15).contains(&estimated), "{estimated}");
    }

    #[test]
    fn the_error_of_a_ratio_is_that_of_its_linear_part() {
        let (n, mean, deviation) = (5000_u32, [3.0_f64, 2.0], [0.6_f64, 0.5]);
        // var(x/y) = (sx^2/my^2 + mx^2 sy^2/my^4)/n for independent x, y.
        let variance = (deviation[0] / mean[1]).powi(2) + (mean[0] * deviation[1] / mean[1].powi(2)).powi(2);
        let theory = (variance / f64::from(n)).sqrt();
        let errors: Vec<f64> = (0..100)
            .map(|k| {
                let mut noise = Noise(50 + k);
                let next = || std::array::from_fn(|i| mean[i] + deviation[i] * noise.next());
                let means = of::<2>(std::iter::repeat_with(next).take(n as usize));
                let [ratio] = means.estimate(0..2, |x| [x[0] / x[1]]);
                assert!((ratio.value - 1.5).abs() < 5.0 * theory);
                assert!(ratio.half_difference.abs() < 10.0 * theory);
                ratio.error
            })
            .collect();
        let estimated = root_mean_square(&errors) / theory;
        assert!((0.95..1.15).contains(&estimated), "{estimated}");
    }

    #[test]
    fn weights_are_the_times_between_samples() {
        let mut means = BatchMeans::new(1, 2.0);
        means.add(2.0, &[100.0]);
        assert_eq!((means.samples(), means.full_batches()), (0, 0));
        means.add(3.0, &[1.0]);
        means.add(6.0, &[5.0]);
        assert_eq!(means.means(), [4.0]);
        assert_eq!((means.samples(), means.span()), (2, [2.0, 6.0]));
        let [mean] = means.estimate(0..1, |x| [x[0]]);
        assert_eq!((mean.value, mean.half_difference), (4.0, 4.0));
        assert!(mean.error.is_nan());
    }

    #[test]
    fn the_error_of_batches_of_unequal_weight_is_that_of_their_weighted_mean() {
        // For a linear function the pseudo-values are the means of the batches.
        let times: Vec<f64> = (0..20).map(|k| f64::from(k) + 0.3 * f64::from(k % 3)).collect();
        let value = |k: usize| ((7 * k + 3) % 11) as f64;
        let mut means = BatchMeans::new(1, -1.0);
        times
            .iter()
            .enumerate()
            .for_each(|(k, time)| means.add(*time, &[value(k)]));
        let weight = |k: usize| times[k] - if k == 0 { -1.0 } else { times[k - 1] };
        let whole = times[19] + 1.0;
        let mean = (0..20).map(|k| weight(k) * value(k)).sum::<f64>() / whole;
        let deviation = |k: usize| value(k) - mean;
        let variance = (0..20)
            .map(|k| deviation(k).powi(2) * weight(k) / (whole - weight(k)))
            .sum::<f64>()
            / 20.0;
        let squares: f64 = (0..20).map(|k| deviation(k).powi(2)).sum();
        let r = (0..19).map(|k| deviation(k) * deviation(k + 1)).sum::<f64>() / squares + 0.05;
        assert!(
            r < 0.0,
            "the neighbours of this series are anticorrelated, so that F is 1"
        );
        let [estimate] = means.estimate(0..1, |x| [x[0]]);
        assert!((estimate.value - mean).abs() < 1e-13);
        assert!((estimate.error / variance.sqrt() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn merging_batches_changes_no_mean() {
        let mut means = BatchMeans::new(1, 0.0);
        let (mut sum, mut noise) = (0.0, Noise(3));
        for n in 1..=1000_u32 {
            let x = noise.next();
            sum += x;
            means.add(f64::from(n), &[x]);
            assert_eq!(means.means(), [sum / f64::from(n)]);
            let batches = means.full_batches();
            assert!(n <= 64 && batches == n as usize || n > 64 && (32..=64).contains(&batches));
        }
        assert_eq!(
            (means.per_batch, means.weights.len(), means.full_batches()),
            (16, 63, 62)
        );
        assert!(!means.completed_a_batch());
        let over_batches = means.sums.iter().sum::<f64>() / 1000.0;
        assert!((over_batches - sum / 1000.0).abs() < 1e-15);
    }

    #[test]
    fn a_trend_counts_as_one_observation() {
        let means = of((0..64).map(|k| [f64::from(k)]));
        let [mean] = means.estimate(0..1, |x| [x[0]]);
        let deviation = ((64.0 * 64.0 - 1.0) / 12.0_f64).sqrt();
        assert!(
            mean.error > 0.6 * deviation && mean.error <= deviation * 1.0001,
            "{mean:?}"
        );
        assert_eq!(mean.half_difference, 32.0);
    }

    #[test]
    fn sums_continue_from_a_checkpoint_to_the_bit() {
        let samples: Vec<[f64; 2]> = {
            let mut noise = Noise(9);
            (0..300).map(|_| [noise.next(), noise.next()]).collect()
        };
        let through = of(samples.iter().copied());
        for at in [0, 1, 63, 64, 65, 130, 299] {
            let mut section = CheckpointSection::default();
            of(samples[..at].iter().copied()).save("wake", &mut section);
            let mut again = BatchMeans::new(2, 0.0);
            assert!(again.restore("wake", &section));
            for (k, values) in samples.iter().enumerate().skip(at) {
                again.add((k + 1) as f64, values);
            }
            assert_eq!(again, through);
            assert!(!BatchMeans::new(3, 0.0).restore("wake", &section));
            assert!(!BatchMeans::new(2, 0.0).restore("other", &section));
        }
    }
}
