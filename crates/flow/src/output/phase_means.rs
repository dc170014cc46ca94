//! Means at equal phases of a periodic event, such as the passing of bars, for quantities that are sampled during a
//! run.
//!
//! The phase of a sample is the fractional part of its time over the period. The samples of each of a number of equal
//! parts of the period (bins) have means of their own, with the same weights as those of the whole. What changes with
//! the phase is the periodic part of the flow; covariances within a bin are those of the rest, the stochastic part
//! (A. K. M. F. Hussain, W. C. Reynolds, J. Fluid Mech. 41, 1970, 241-258, 10.1017/S0022112070000605).
//!
//! The error of a mean follows from the scatter of the passages: each passage of the event is a batch of samples, and
//! passages count as independent. When 16 batches are full, neighbours are merged in pairs, so that the memory does not
//! grow with time. With fewer than 8 batches, and where neighbours correlate, the error is a lower bound.

use super::batch_means::BatchMeans;
use super::estimate::Estimate;
use super::keys::Context;
use super::request::Phases;
use crate::input::{Count, Number, Problem, check, keys, positive};
use crate::io::{CheckpointSection, shortest};

/// Largest number of bins. Each has a sum of every quantity.
const MOST_BINS: u64 = 1000;
/// Number of batches at which neighbours are merged.
const MOST_BATCHES: usize = 16;

keys! {
/// The phases at which means are taken.
PhaseKeys as "a mapping with the keys `period` and `bins`" {
    /// Period of the event (time), above 0.
    pub period: Number,
    /// Number of equal parts of the period, from 2 to 1000.
    pub bins: Count,
}}

impl PhaseKeys {
    /// Evaluates and checks the keys, which are the group `phase` of `context`.
    ///
    /// # Errors
    /// A value cannot be evaluated or is not valid.
    pub fn resolve(&self, context: &Context) -> Result<Phases, Problem> {
        let scope = context.scope;
        let key = context.at("phase.bins");
        let bins = scope.count(&key, &self.bins)?;
        check(&key, bins as f64, (2..=MOST_BINS).contains(&bins), "from 2 to 1000")?;
        Ok(Phases {
            period: scope.number_if(&context.at("phase.period"), &self.period, positive, "above 0")?,
            bins: bins as usize,
        })
    }
}

/// Sums over the samples of each phase, in batches of passages.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseMeans {
    phases: Phases,
    quantities: usize,
    /// Number of the passage with the first sample, counted from time 0, and the number of passages in a batch.
    first: f64,
    per_batch: f64,
    /// Sum of the weights of each bin (time), `[batch][bin]`.
    weights: Vec<f64>,
    /// Weighted sums, `[batch][bin][quantity]`.
    sums: Vec<f64>,
}

/// What was sampled at a range of phases.
pub struct PhaseBin {
    /// The phase in its middle.
    pub phase: f64,
    /// The time sampled in it.
    pub time: f64,
    /// Estimates of functions of the means; not numbers without samples.
    pub estimates: Vec<Estimate>,
}

impl PhaseMeans {
    /// Returns sums without samples of a number of quantities.
    pub fn new(phases: Phases, quantities: usize) -> Self {
        PhaseMeans {
            phases,
            quantities,
            first: 0.0,
            per_batch: 1.0,
            weights: Vec::new(),
            sums: Vec::new(),
        }
    }

    /// Returns the lines about the phases and the errors at the head of a file.
    pub fn description(&self) -> [String; 2] {
        let Phases { period, bins } = self.phases;
        [
            format!(
                "phase: fractional part of time/period, in the middle of {bins} equal parts; period: {}",
                shortest(period)
            ),
            "NAME_error: standard error of NAME from the scatter of passages; NaN with fewer than 4 of them; \
             NAME_at_least: 1 if it is a lower bound"
                .to_owned(),
        ]
    }

    /// Adds the values of all quantities at a time.
    pub fn add(&mut self, time: f64, weight: f64, values: &[f64]) {
        let turns = time / self.phases.period;
        let bins = self.phases.bins;
        let passage = turns.floor();
        let bin = (((turns - passage) * bins as f64) as usize).min(bins - 1);
        if self.weights.is_empty() {
            self.first = passage;
        }
        let batch_of = |per_batch: f64| ((passage - self.first) / per_batch) as usize;
        while batch_of(self.per_batch) >= MOST_BATCHES {
            merge_pairs(&mut self.weights, bins);
            merge_pairs(&mut self.sums, bins * self.quantities);
            self.per_batch *= 2.0;
        }
        let batch = batch_of(self.per_batch);
        let cells = self.weights.len().max((batch + 1) * bins);
        self.weights.resize(cells, 0.0);
        self.sums.resize(cells * self.quantities, 0.0);
        let cell = batch * bins + bin;
        self.weights[cell] += weight;
        let sums = &mut self.sums[cell * self.quantities..][..self.quantities];
        sums.iter_mut()
            .zip(values)
            .for_each(|(sum, value)| *sum += weight * value);
    }

    /// Returns the bins, with estimates of functions of the means of all quantities.
    pub fn bins(&self, f: impl Fn(&[f64]) -> Vec<f64>) -> impl Iterator<Item = PhaseBin> {
        (0..self.phases.bins).map(move |bin| {
            let phase = (bin as f64 + 0.5) / self.phases.bins as f64;
            let sampled = (bin..self.weights.len()).step_by(self.phases.bins);
            let sampled: Vec<usize> = sampled.filter(|&cell| self.weights[cell] > 0.0).collect();
            let weights: Vec<f64> = sampled.iter().map(|&cell| self.weights[cell]).collect();
            let sums = sampled
                .iter()
                .flat_map(|cell| &self.sums[cell * self.quantities..][..self.quantities]);
            let time = weights.iter().sum();
            let passages = BatchMeans::of_batches(self.quantities, weights, sums.copied().collect());
            PhaseBin {
                phase,
                time,
                estimates: passages.estimates_if_independent(&f),
            }
        })
    }

    /// Stores the sums in a checkpoint, in arrays whose names begin with `name`.
    pub fn save(&self, name: &str, section: &mut CheckpointSection) {
        for (part, values) in [
            ("phase-passages", vec![self.first, self.per_batch]),
            ("phase-weights", self.weights.clone()),
            ("phase-sums", self.sums.clone()),
        ] {
            section.arrays.insert(format!("{name}.{part}"), values);
        }
    }

    /// Continues from the sums that [`PhaseMeans::save`] stored. Returns `false`, and changes nothing, if the
    /// checkpoint has none of as many phases and quantities.
    pub fn restore(&mut self, name: &str, section: &CheckpointSection) -> bool {
        let array = |part: &str| section.arrays.get(&format!("{name}.{part}")).map(Vec::as_slice);
        let (Some(&[first, per_batch]), Some(weights), Some(sums)) =
            (array("phase-passages"), array("phase-weights"), array("phase-sums"))
        else {
            return false;
        };
        if weights.len() % self.phases.bins != 0 || sums.len() != weights.len() * self.quantities {
            return false;
        }
        (self.first, self.per_batch) = (first, per_batch);
        self.weights = weights.to_vec();
        self.sums = sums.to_vec();
        true
    }
}

/// Replaces each pair of neighbouring blocks of a length by its sum, and keeps a last block without a partner.
fn merge_pairs(values: &mut Vec<f64>, block: usize) {
    let merged = values.chunks(2 * block).flat_map(|pair| {
        let (first, second) = pair.split_at(block);
        let sum = |(i, value): (usize, &f64)| value + second.get(i).unwrap_or(&0.0);
        first.iter().enumerate().map(sum).collect::<Vec<f64>>()
    });
    *values = merged.collect();
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    const PHASES: Phases = Phases { period: 0.25, bins: 8 };

    /// Means of a velocity that varies with the phase and has a part that does not, and of its square.
    fn sampled(steps: std::ops::Range<u32>, into: &mut PhaseMeans) {
        for step in steps {
            // 64 samples a period, in the middle of their parts, over 40 periods of the event and one of the rest.
            let time = (f64::from(step) + 0.5) / 256.0;
            let rest = 0.3 * (TAU * time * 0.1 + 0.02).sin();
            let u = (TAU * time / PHASES.period).cos() + rest;
            into.add(time, 1.0 / 256.0, &[u, u * u]);
        }
    }

    #[test]
    fn periodic_and_stochastic_parts_are_told_apart() {
        let mut means = PhaseMeans::new(PHASES, 2);
        sampled(0..2560, &mut means);
        let bins: Vec<_> = means.bins(<[f64]>::to_vec).collect();
        assert_eq!(bins.len(), 8);
        for (bin, found) in bins.into_iter().enumerate() {
            let means = [found.estimates[0].value, found.estimates[1].value];
            let phase = found.phase;
            let time = found.time;
            assert_eq!(phase, (bin as f64 + 0.5) / 8.0);
            assert!((time - 1.25).abs() < 1e-12, "each phase has an eighth of the time");
            // The mean of the cosine at the middles of eight parts of a bin.
            let within = (0..8).map(|i| TAU * (phase + (f64::from(i) - 3.5) / 64.0));
            let (cosines, squares) = within
                .map(f64::cos)
                .fold((0.0, 0.0), |(a, b), c| (a + c / 8.0, b + c * c / 8.0));
            assert!((means[0] - cosines).abs() < 1e-12, "{bin}");
            // Half the square of the amplitude of the rest, and what the cosine varies within a bin.
            let stochastic = 0.045 + squares - cosines * cosines;
            let variance = means[1] - means[0] * means[0];
            assert!((variance - stochastic).abs() < 1e-12, "{bin}: {variance}");
        }
    }

    /// The error of a mean, and of a function of means, of values that differ from passage to passage, beside the
    /// formula for the mean of independent values of equal weight. More than 16 passages are merged in pairs.
    #[test]
    fn errors_are_those_of_independent_passages() {
        for (passages, per_batch) in [(3, 1), (4, 1), (9, 1), (16, 1), (24, 2), (40, 4)] {
            let mut means = PhaseMeans::new(PHASES, 1);
            let value = |passage: usize, bin: usize| ((7 * passage * passage + 3 * bin) % 11) as f64;
            for (passage, bin) in (0..passages).flat_map(|passage| (0..8).map(move |bin| (passage, bin))) {
                // The first passage is the hundredth of the period.
                let time = (100.0 + passage as f64 + (bin as f64 + 0.5) / 8.0) * PHASES.period;
                means.add(time, 0.5, &[value(passage, bin)]);
            }
            for (bin, PhaseBin { time, estimates, .. }) in means.bins(|m| vec![m[0], 3.0 - 2.0 * m[0]]).enumerate() {
                assert_eq!(time, 0.5 * passages as f64);
                let batches: Vec<f64> = (0..passages / per_batch)
                    .map(|batch| {
                        let of_batch = (0..per_batch).map(|i| value(per_batch * batch + i, bin));
                        of_batch.sum::<f64>() / per_batch as f64
                    })
                    .collect();
                let n = batches.len() as f64;
                let mean = batches.iter().sum::<f64>() / n;
                let squares: f64 = batches.iter().map(|value| (value - mean).powi(2)).sum();
                let error = (squares / (n * (n - 1.0))).sqrt();
                assert!((estimates[0].value - mean).abs() < 1e-12);
                assert!((estimates[1].value - (3.0 - 2.0 * mean)).abs() < 1e-12);
                if passages < 4 {
                    assert!(estimates[0].error.is_nan());
                } else {
                    assert!(
                        (estimates[0].error - error).abs() < 1e-12,
                        "{passages} passages, bin {bin}"
                    );
                    assert!((estimates[1].error - 2.0 * error).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn sums_of_phases_continue_from_a_checkpoint_to_the_bit() {
        let mut through = PhaseMeans::new(PHASES, 2);
        sampled(0..100, &mut through);
        let mut first = PhaseMeans::new(PHASES, 2);
        let mut section = CheckpointSection::default();
        sampled(0..37, &mut first);
        first.save("traverse_wake", &mut section);
        let mut again = PhaseMeans::new(PHASES, 2);
        assert!(again.restore("traverse_wake", &section));
        sampled(37..100, &mut again);
        assert_eq!(again, through);
        assert!(!PhaseMeans::new(PHASES, 3).restore("traverse_wake", &section));
    }
}
