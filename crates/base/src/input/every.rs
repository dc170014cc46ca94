//! The period of an event in a run.

use std::fmt;

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
            Every::Time(period) => write!(f, "every {period} in time"),
            Every::Steps(1) => write!(f, "every step"),
            Every::Steps(n) => write!(f, "every {n} steps"),
        }
    }
}
