//! What is known of a function of means: its value, its standard error, and its drift, as numbers and in words.

use crate::format::{assigned, leading_number};
use crate::io::shortest;

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

/// Difference of both halves over its standard error above which a mean is said to drift.
const DRIFT: f64 = 3.0;

/// Deviations over the mean below which a quantity is constant, so that it neither drifts nor scatters.
pub const ROUNDING: f64 = 1e-13;

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
