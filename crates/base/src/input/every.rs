//! The period of an event in a run.

use std::fmt;

use crate::format::number;

/// A period in time or in steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Every {
    /// Physical time; steps are clipped to hit it.
    Time(f64),
    /// Number of time steps.
    Steps(u64),
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Every::Time(period) => write!(f, "every {} in time", number(*period)),
            Every::Steps(1) => write!(f, "every step"),
            Every::Steps(n) => write!(f, "every {n} steps"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_have_six_digits_at_most() {
        let words = |every: Every| every.to_string();
        assert_eq!(words(Every::Time(0.01 / 70.0)), "every 1.42857e-4 in time");
        assert_eq!(words(Every::Time(0.25)), "every 0.25 in time");
        assert_eq!(words(Every::Steps(1)), "every step");
    }
}
