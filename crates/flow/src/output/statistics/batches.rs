//! Batches of the samples of a profile, from whose scatter the errors of its means follow ([`BatchMeans`]).
//!
//! A device adds up the samples, and its sums come to the host only where a batch ends. What belongs to a batch is the
//! difference between its end and the end of the batch before. When 64 batches are full, every second end is dropped,
//! which makes all batches twice as long. A run takes the sums 64 times, and then 32 times in each doubling of the
//! number of its samples.

use crate::io::CheckpointSection;
use crate::output::batch_means::{BatchMeans, MOST};
use crate::output::estimate::StandardError;

/// Names of the entries in a checkpoint.
const TIMES: &str = "statistics.batches";
const SUMS: &str = "statistics.batches.sums";

/// Sums of all samples up to the end of each batch.
#[derive(Debug, Clone, PartialEq)]
pub struct Batches {
    /// Number of samples in a full batch, and since the end of the last one.
    per_batch: u64,
    since: u64,
    /// The time at which the first batch begins, and those at which batches end.
    times: Vec<f64>,
    /// The sums at these times, `[time][value]`.
    sums: Vec<f64>,
}

impl Batches {
    /// Begins the first batch at a time at which the sums have these values.
    pub fn new(time: f64, sums: Vec<f64>) -> Self {
        Batches {
            per_batch: 1,
            since: 0,
            times: vec![time],
            sums,
        }
    }

    /// Counts a sample. Returns whether it completes a batch, so that [`Batches::end`] must follow.
    pub fn count(&mut self) -> bool {
        if self.since == 0 && self.times.len() > MOST {
            self.merge();
        }
        self.since += 1;
        self.since == self.per_batch
    }

    /// Ends a batch at a time at which the sums have these values.
    pub fn end(&mut self, time: f64, sums: &[f64]) {
        self.times.push(time);
        self.sums.extend(sums);
        self.since = 0;
    }

    /// Merges batches in pairs.
    fn merge(&mut self) {
        let width = self.width();
        let even = (0..self.times.len()).step_by(2);
        self.sums = even
            .clone()
            .flat_map(|k| self.sums[k * width..][..width].to_vec())
            .collect();
        self.times = even.map(|k| self.times[k]).collect();
        self.per_batch *= 2;
    }

    /// Number of values at each time.
    fn width(&self) -> usize {
        self.sums.len() / self.times.len()
    }

    /// Returns the standard errors of functions of the means over time of `count` values, from value `first` on; they
    /// are not known if there are too few batches.
    pub fn errors(&self, first: usize, count: usize, f: impl Fn(&[f64]) -> Vec<f64>) -> Vec<StandardError> {
        let width = self.width();
        let at = |k: usize| &self.sums[k * width + first..][..count];
        let weights = self.times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let sum = |k: usize| at(k + 1).iter().zip(at(k)).map(|(end, begin)| end - begin);
        let sums = (0..self.times.len() - 1).flat_map(sum).collect();
        let estimates = BatchMeans::of_batches(count, weights, sums).estimates(f);
        estimates.iter().map(|estimate| estimate.standard_error()).collect()
    }

    /// Stores the batches in a checkpoint.
    pub fn save(&self, section: &mut CheckpointSection) {
        let counts = [self.per_batch, self.since].map(|count| count as f64);
        let times = counts.iter().chain(&self.times).copied().collect();
        section.arrays.insert(TIMES.to_owned(), times);
        section.arrays.insert(SUMS.to_owned(), self.sums.clone());
    }

    /// Returns the batches of a checkpoint with `width` values at each time, if it has such.
    pub fn restored(section: &CheckpointSection, width: usize) -> Option<Self> {
        let [per_batch, since, times @ ..] = section.arrays.get(TIMES)?.as_slice() else {
            return None;
        };
        let sums = section.arrays.get(SUMS)?;
        (!times.is_empty() && sums.len() == width * times.len()).then(|| Batches {
            per_batch: *per_batch as u64,
            since: *since as u64,
            times: times.to_vec(),
            sums: sums.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A product of two series, sampled at unequal times.
    fn samples(count: usize) -> impl Iterator<Item = (f64, [f64; 2])> {
        (1..=count).map(|k| {
            let t = k as f64 + 0.3 * (0.7 * k as f64).sin();
            (
                t,
                [
                    (0.31 * k as f64).sin() + (k as f64).cos(),
                    2.0 + (0.17 * k as f64).cos(),
                ],
            )
        })
    }

    #[test]
    fn errors_are_those_of_means_that_take_every_sample() {
        for count in [10, 16, 63, 64, 65, 129, 500, 1000] {
            let mut batches = Batches::new(0.0, vec![0.0; 3]);
            let mut means = BatchMeans::new(2, 0.0);
            let mut sums = [0.0; 3];
            let mut before = 0.0;
            let mut ends = 0;
            for (time, x) in samples(count) {
                means.add(time, &x);
                let weight = time - before;
                [0, 1].iter().for_each(|&i| sums[1 + i] += weight * x[i]);
                before = time;
                if batches.count() {
                    batches.end(time, &sums);
                    ends += 1;
                }
            }
            let ratio = |m: &[f64]| vec![m[0] / m[1], m[1]];
            let found = batches.errors(1, 2, ratio);
            for (found, expected) in found.iter().zip(means.estimates(ratio)) {
                let same = (found.size - expected.error).abs() <= 1e-12 * expected.error.abs();
                assert!(
                    same || (found.size.is_nan() && count < 16),
                    "{count}: {found:?} {}",
                    expected.error
                );
                assert_eq!(found.certainty, expected.certainty, "{count}");
            }
            // 64, and 32 in each doubling.
            let most = if count <= 64 {
                count
            } else {
                64 + (32.0 * (count as f64 / 64.0).log2()).ceil() as usize
            };
            assert!(ends <= most, "{count}: {ends}");
            let mut section = CheckpointSection::default();
            batches.save(&mut section);
            assert_eq!(Batches::restored(&section, 3), Some(batches));
            assert_eq!(Batches::restored(&section, 2), None);
        }
    }
}
