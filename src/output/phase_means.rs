//! Means at equal phases of a periodic event, such as the passing of bars, for quantities that are sampled during a
//! run.
//!
//! The phase of a sample is the fractional part of its time over the period. The samples of each of a number of equal
//! parts of the period (bins) have means of their own, with the same weights as those of the whole. What changes with
//! the phase is the periodic part of the flow; covariances within a bin are those of the rest, the stochastic part
//! (A. K. M. F. Hussain, W. C. Reynolds, J. Fluid Mech. 41, 1970, 241-258, 10.1017/S0022112070000605).

use super::keys::Context;
use super::request::Phases;
use crate::input::{Count, Number, Problem, check, keys, positive};
use crate::io::{CheckpointSection, shortest};

/// Largest number of bins. Each has a sum of every quantity.
const MOST_BINS: u64 = 1000;

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
        let (scope, key) = (context.scope, context.at("phase.bins"));
        let bins = scope.count(&key, &self.bins)?;
        check(&key, bins as f64, (2..=MOST_BINS).contains(&bins), "from 2 to 1000")?;
        Ok(Phases {
            period: scope.number_if(&context.at("phase.period"), &self.period, positive, "above 0")?,
            bins: bins as usize,
        })
    }
}

/// Sums over the samples of each phase.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseMeans {
    phases: Phases,
    quantities: usize,
    /// Sum of the weights of each bin (time).
    weights: Vec<f64>,
    /// Weighted sums, `[bin][quantity]`.
    sums: Vec<f64>,
}

impl PhaseMeans {
    /// Returns sums without samples of a number of quantities.
    pub fn new(phases: Phases, quantities: usize) -> Self {
        PhaseMeans {
            phases,
            quantities,
            weights: vec![0.0; phases.bins],
            sums: vec![0.0; phases.bins * quantities],
        }
    }

    /// Returns the line about the phases at the head of a file.
    pub fn description(&self) -> String {
        let Phases { period, bins } = self.phases;
        format!(
            "phase: fractional part of time/period, in the middle of {bins} equal parts; period: {}",
            shortest(period)
        )
    }

    /// Adds the values of all quantities at a time.
    pub fn add(&mut self, time: f64, weight: f64, values: &[f64]) {
        let turns = time / self.phases.period;
        let bin = ((turns - turns.floor()) * self.phases.bins as f64) as usize;
        let bin = bin.min(self.phases.bins - 1);
        self.weights[bin] += weight;
        let sums = &mut self.sums[bin * self.quantities..][..self.quantities];
        sums.iter_mut()
            .zip(values)
            .for_each(|(sum, value)| *sum += weight * value);
    }

    /// Returns for each bin the phase in its middle, the time sampled in it, and the means of all quantities, which are
    /// not numbers in a bin without samples.
    pub fn bins(&self) -> impl Iterator<Item = (f64, f64, Vec<f64>)> {
        let bins = self.sums.chunks(self.quantities).zip(&self.weights).enumerate();
        bins.map(|(bin, (sums, &weight))| {
            let phase = (bin as f64 + 0.5) / self.phases.bins as f64;
            (phase, weight, sums.iter().map(|sum| sum / weight).collect())
        })
    }

    /// Stores the sums in a checkpoint, in arrays whose names begin with `name`.
    pub fn save(&self, name: &str, section: &mut CheckpointSection) {
        section
            .arrays
            .insert(format!("{name}.phase-weights"), self.weights.clone());
        section.arrays.insert(format!("{name}.phase-sums"), self.sums.clone());
    }

    /// Continues from the sums that [`PhaseMeans::save`] stored. Returns `false`, and changes nothing, if the
    /// checkpoint has none of as many phases and quantities.
    pub fn restore(&mut self, name: &str, section: &CheckpointSection) -> bool {
        let array = |part: &str| section.arrays.get(&format!("{name}.{part}"));
        let (Some(weights), Some(sums)) = (array("phase-weights"), array("phase-sums")) else {
            return false;
        };
        if (weights.len(), sums.len()) != (self.weights.len(), self.sums.len()) {
            return false;
        }
        self.weights.clone_from(weights);
        self.sums.clone_from(sums);
        true
    }
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
        assert_eq!(means.bins().count(), 8);
        for (bin, (phase, time, means)) in means.bins().enumerate() {
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

    #[test]
    fn sums_of_phases_continue_from_a_checkpoint_to_the_bit() {
        let mut through = PhaseMeans::new(PHASES, 2);
        sampled(0..100, &mut through);
        let (mut first, mut section) = (PhaseMeans::new(PHASES, 2), CheckpointSection::default());
        sampled(0..37, &mut first);
        first.save("traverse_wake", &mut section);
        let mut again = PhaseMeans::new(PHASES, 2);
        assert!(again.restore("traverse_wake", &section));
        sampled(37..100, &mut again);
        assert_eq!(again, through);
        let fewer = Phases { bins: 4, ..PHASES };
        assert!(!PhaseMeans::new(fewer, 2).restore("traverse_wake", &section));
    }
}
