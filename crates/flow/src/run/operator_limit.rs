//! The limit of the time step from the operator (`time.limit: operator`): when it is taken, and what a checkpoint
//! remembers of it.
//!
//! It costs some hundred steps, so that it is taken at few steps, which follow from their numbers alone. Between them
//! its ratio to the limit of the waves stays, and the step follows the waves at every guard. Where the net has taken
//! steps back, it is taken again at the next guard.

/// Early steps at which the limit is taken besides the first one: flows change fast while they start.
const EARLY: [u64; 2] = [1000, 5000];
/// The step of the next one. Each later one has twice the number of the one before, because flows settle.
const SETTLING: u64 = 20_000;

/// The limit of the operator when it was last taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OperatorLimit {
    /// The ratio of this limit to that of the waves at that step; 1 before the limit is taken for the first time.
    pub over_waves: f64,
    /// The step at which it was taken.
    at: Option<u64>,
    /// Whether steps have been taken back since.
    pub doubted: bool,
}

impl Default for OperatorLimit {
    fn default() -> Self {
        OperatorLimit {
            over_waves: 1.0,
            at: None,
            doubted: false,
        }
    }
}

impl OperatorLimit {
    /// Returns the numbers with which a run goes on from a checkpoint; none before the limit is taken.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        let at = self.at?;
        Some(vec![self.over_waves, at as f64, f64::from(self.doubted)])
    }

    /// Takes over the numbers of a checkpoint.
    pub fn resume(&mut self, numbers: &[f64]) {
        if let &[over_waves, at, doubted] = numbers {
            *self = OperatorLimit {
                over_waves,
                at: Some(at as u64),
                doubted: doubted != 0.0,
            };
        }
    }

    /// Takes the limit of a step.
    pub fn take(&mut self, over_waves: f64, step: u64) {
        *self = OperatorLimit {
            over_waves,
            at: Some(step),
            doubted: false,
        };
    }

    /// Returns whether the limit is to be taken at a step.
    pub fn is_due(&self, step: u64) -> bool {
        let settles = step.is_multiple_of(SETTLING) && (step / SETTLING).is_power_of_two();
        let scheduled = EARLY.contains(&step) || settles;
        self.at != Some(step) && (self.at.is_none() || self.doubted || scheduled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_taken_at_the_first_guard_early_then_seldom_and_after_steps_were_taken_back() {
        let mut limit = OperatorLimit::default();
        assert!(limit.is_due(30) && limit.numbers().is_none());
        limit.resume(&[2.0, 0.0, 0.0]);
        let due: Vec<u64> = (0..=90_000).step_by(10).filter(|&step| limit.is_due(step)).collect();
        assert_eq!(due, [1000, 5000, 20_000, 40_000, 80_000]);
        limit.doubted = true;
        assert!(limit.is_due(10));
        let mut other = OperatorLimit::default();
        other.resume(&limit.numbers().unwrap());
        assert_eq!(other, limit);
    }
}
