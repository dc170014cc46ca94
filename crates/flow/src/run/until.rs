//! The end of a run at a statistical accuracy: `time.until`.
//!
//! A result of an output, such as a loss coefficient, counts as known when two standard errors are at most a given
//! share of it. The output looks at its error only when a sample completes a batch, and not before 64 batches have been
//! full. Whether the run ends at a step is thereby a function of the samples alone: neither a restart nor the speed of
//! the machine changes it. An error that is a lower bound, in all samples or in a half of them, is not relied on, and
//! the run goes on.

use crate::input::{Number, Problem, Scope, keys, listed, nearest, positive};
use crate::output::{Certainty, Estimate, Output, OutputError};

keys! {
/// The accuracy of a result at which a run ends.
UntilKeys as "a mapping with the keys `known` and `to`" {
    /// Name of a result: `traverses.NAME.omega` and other results of traverses; `blades.NAME.C_y` and other
    /// coefficients of the force on a blade; columns of series that have `means-from`, such as
    /// `coefficients.blade_drag`.
    pub known: String,
    /// Two standard errors of the result over the result, above 0: 0.01 for 1 %.
    pub to: Number,
}}

/// The accuracy of a result at which a run ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Until {
    /// Name of the result.
    pub result: String,
    /// Largest ratio of two standard errors to the result.
    pub share: f64,
}

impl UntilKeys {
    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// The number is not valid.
    pub fn resolve(&self, scope: &Scope) -> Result<Until, Problem> {
        Ok(Until {
            result: self.known.clone(),
            share: scope.number_if("time.until.to", &self.to, positive, "above 0")?,
        })
    }
}

impl Until {
    /// Verifies that an output has the result.
    ///
    /// # Errors
    /// None has.
    pub fn require(&self, outputs: &[Box<dyn Output>]) -> Result<(), OutputError> {
        let results: Vec<String> = outputs.iter().flat_map(|output| output.results()).collect();
        if results.contains(&self.result) {
            return Ok(());
        }
        let known = || results.iter().map(String::as_str);
        let help = match nearest(&self.result, known()) {
            _ if results.is_empty() => {
                "results with errors are those of `output.traverses`, `output.blades` and of series with `means-from`"
                    .to_owned()
            }
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", listed(known())),
        };
        Err(OutputError::Refused {
            key: "time.until.known".to_owned(),
            what: format!("no output has the result `{}`: {help}", self.result),
        })
    }

    /// Returns whether an estimate has the accuracy.
    pub fn is_met(&self, estimate: &Estimate) -> bool {
        estimate.certainty == Certainty::Estimated && 2.0 * estimate.error <= self.share * estimate.value.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_known_when_two_errors_are_within_its_share() {
        let until = Until {
            result: "traverses.wake.omega".to_owned(),
            share: 0.02,
        };
        let estimate = |value: f64, error: f64| Estimate {
            value,
            error,
            certainty: Certainty::Estimated,
            half_difference: 0.0,
        };
        let bound = Estimate {
            certainty: Certainty::AtLeast,
            ..estimate(-5.0, 1e-9)
        };
        assert!(!until.is_met(&bound), "an error that is a lower bound is not relied on");
        assert!(until.is_met(&estimate(-5.0, 0.05)));
        for unknown in [estimate(5.0, 0.0501), estimate(5.0, f64::NAN), estimate(f64::NAN, 0.0)] {
            assert!(!until.is_met(&unknown), "{unknown:?}");
        }
    }
}
