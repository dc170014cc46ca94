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

use std::f64::consts::{LN_2, PI, TAU};
use std::ops::Range;

use crate::format::{assigned, leading_number};
use crate::io::{CheckpointSection, shortest};

/// Number of full batches at which neighbours are merged.
pub const MOST: usize = 64;
/// Least number of full batches from whose scatter an error is computed.
const LEAST: usize = 16;
/// The same, for batches that do not correlate, so that only their scatter has to be known.
const LEAST_INDEPENDENT: usize = 4;

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

/// Difference of both halves over its standard error above which a mean is said to drift.
const DRIFT: f64 = 3.0;

/// Deviations over the mean below which a quantity is constant, so that it neither drifts nor scatters.
const ROUNDING: f64 = 1e-13;

/// Names of the parts of an estimate in files.
const PARTS: [&str; 3] = ["value", "error", "half_difference"];
/// What follows an error that is a lower bound.
const BOUND: &str = " (at least)";

/// End of the names of columns with the standard errors of others.
pub const ERROR: &str = "_error";
/// End of the names of columns that say whether an error is a lower bound.
pub const AT_LEAST: &str = "_at_least";
/// End of the names of columns with the mean of the second half of the time less that of the first.
pub const HALF_DIFFERENCE: &str = "_half_difference";

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

/// Whether neighbouring batches may correlate.
#[derive(Debug, Clone, Copy)]
enum Batches {
    Correlated,
    Independent,
}

/// What the error of an estimate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The standard error.
    Estimated,
    /// A lower bound of it, because the samples are too short to know, or not known at all.
    AtLeast,
}

impl Certainty {
    /// Returns the certainty of an error that is made of others.
    pub fn of_all(all: impl IntoIterator<Item = Certainty>) -> Certainty {
        let bound = all.into_iter().find(|&certainty| certainty == Certainty::AtLeast);
        bound.unwrap_or(Certainty::Estimated)
    }

    /// Returns the entry of a column whose name ends in [`AT_LEAST`]: 1 for a lower bound, else 0.
    pub fn entry(self) -> f64 {
        f64::from(u8::from(self == Certainty::AtLeast))
    }

    /// Returns the certainty with this entry; that of a file without such a column is not in doubt.
    pub fn of_entry(entry: Option<f64>) -> Certainty {
        match entry {
            None | Some(0.0) => Certainty::Estimated,
            Some(_) => Certainty::AtLeast,
        }
    }

    /// Returns what stands before the number of an error in a text.
    pub fn words(self) -> &'static str {
        match self {
            Certainty::Estimated => "",
            Certainty::AtLeast => "at least ",
        }
    }
}

/// The standard error of a mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StandardError {
    /// The error; not a number if it is not known.
    pub size: f64,
    /// Whether it is a lower bound.
    pub certainty: Certainty,
}

impl StandardError {
    /// An error that is not known.
    pub const UNKNOWN: StandardError = StandardError {
        size: f64::NAN,
        certainty: Certainty::AtLeast,
    };

    /// Returns the error of the text of such an entry; not known if it begins with no number.
    pub fn of_words(text: &str) -> StandardError {
        let known = leading_number(text).map(|size| StandardError {
            size,
            certainty: if text.contains(BOUND) {
                Certainty::AtLeast
            } else {
                Certainty::Estimated
            },
        });
        known.unwrap_or(StandardError::UNKNOWN)
    }

    /// Returns the error as an entry `NAME = NUMBER` of a comment has it.
    pub fn in_words(&self, format: impl Fn(f64) -> String) -> String {
        match self.certainty {
            Certainty::Estimated => format(self.size),
            Certainty::AtLeast => format(self.size) + BOUND,
        }
    }
}

/// A function of means, with what is known of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The function of the means of all samples; not a number before the first.
    pub value: f64,
    /// Its standard error; not a number if there are fewer than 16 batches, or 4 independent ones.
    pub error: f64,
    /// Whether the error is a lower bound.
    pub certainty: Certainty,
    /// The function of the means over the second half of the batches less that over the first; not a number if there
    /// are fewer than two.
    pub half_difference: f64,
}

impl Estimate {
    /// Returns the line of a result in the comments of a file, without what is not known of it.
    pub fn line(&self, name: &str, unit: &str) -> String {
        format!("result {name} [{unit}]: {}", self.in_words(shortest))
    }

    /// Returns the name with its unit and the estimate of a line that [`Estimate::line`] returned; `None` for any other
    /// line. What is not known of it is not a number.
    pub fn of_line(line: &str) -> Option<(&str, Estimate)> {
        let (name, values) = line.strip_prefix("result ")?.split_once(": ")?;
        let value = |key: &str| assigned(values, key).unwrap_or(f64::NAN);
        let of_error = |entry: &str| {
            entry
                .trim()
                .strip_prefix(PARTS[1])?
                .strip_prefix(" = ")
                .map(StandardError::of_words)
        };
        let error = values.split(',').find_map(of_error).unwrap_or(StandardError::UNKNOWN);
        let estimate = Estimate {
            value: value(PARTS[0]),
            error: error.size,
            certainty: error.certainty,
            half_difference: value(PARTS[2]),
        };
        Some((name, estimate))
    }

    /// Returns the standard error.
    pub fn standard_error(&self) -> StandardError {
        StandardError {
            size: self.error,
            certainty: self.certainty,
        }
    }

    /// Returns whether both halves of the samples differ by more than chance explains. If the samples are stationary,
    /// the difference has twice the standard error of the value.
    pub fn drifts(&self) -> bool {
        let size = self.half_difference.abs();
        size > DRIFT * 2.0 * self.error && size > ROUNDING * self.value.abs()
    }

    /// Returns what is known of it, in words, with numbers as `format` writes them.
    pub fn in_words(&self, format: impl Fn(f64) -> String) -> String {
        let error = self.standard_error();
        let parts = [
            (self.value, format(self.value)),
            (self.error, error.in_words(&format)),
            (self.half_difference, format(self.half_difference)),
        ];
        let known = PARTS.into_iter().zip(parts).filter(|(_, (value, _))| value.is_finite());
        let parts: Vec<String> = known.map(|(part, (_, text))| format!("{part} = {text}")).collect();
        parts.join(", ")
    }

    /// Returns the value with its standard error, if that is known, as the log has them.
    pub fn with_error(&self, format: impl Fn(f64) -> String) -> String {
        let value = format(self.value);
        if self.error.is_finite() {
            format!("{value} +- {}{}", self.certainty.words(), format(self.error))
        } else {
            value
        }
    }

    /// Returns the estimate divided by a number that is known.
    pub fn over(self, unit: f64) -> Estimate {
        Estimate {
            value: self.value / unit,
            error: self.error / unit.abs(),
            half_difference: self.half_difference / unit,
            ..self
        }
    }
}

/// Returns the columns of a table of estimates, from names and units: `first`, and each of `values` followed by its
/// standard error and by the column that says whether this is a lower bound.
pub fn columns_with_errors<'a>(
    first: impl IntoIterator<Item = (&'a str, &'static str)>,
    values: impl IntoIterator<Item = (&'a str, &'static str)>,
) -> Vec<(String, &'static str)> {
    let with_error = |(name, unit): (&str, _)| {
        [
            (name.to_owned(), unit),
            (format!("{name}{ERROR}"), unit),
            (format!("{name}{AT_LEAST}"), "-"),
        ]
    };
    let first = first.into_iter().map(|(name, unit)| (name.to_owned(), unit));
    first.chain(values.into_iter().flat_map(with_error)).collect()
}

/// Returns the entries of estimates in the columns of [`columns_with_errors`].
pub fn values_with_errors(estimates: &[Estimate]) -> impl Iterator<Item = f64> {
    let entries = |estimate: &Estimate| [estimate.value, estimate.error, estimate.certainty.entry()];
    estimates.iter().flat_map(entries)
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
        let all = self.estimates_of(&of, Batches::Correlated, |means| f(means).to_vec());
        std::array::from_fn(|m| all[m])
    }

    /// Estimates functions of the means of all quantities. `f` gets these means, and returns as many values each time.
    /// It is called once for each batch, and four times more. The value is that of all samples; the last batch enters
    /// the error once it is full.
    pub fn estimates(&self, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<Estimate> {
        self.estimates_of(&(0..self.quantities), Batches::Correlated, f)
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

/// Returns the standard error of the mean of pseudo-values of batches, which have the given shares of the whole weight.
fn standard_error(shares: &[f64], pseudo: &[f64], batches: Batches) -> StandardError {
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

#[cfg(test)]
#[path = "batch_means_tests.rs"]
mod tests;
