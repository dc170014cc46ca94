//! The limits of a constraint, and how far a value is beyond them.

/// The limits of a constraint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Upper limit.
    pub at_most: Option<f64>,
    /// Lower limit.
    pub at_least: Option<f64>,
}

impl Limits {
    /// Returns whether a value keeps the limits.
    pub fn keeps(&self, value: f64) -> bool {
        self.violation(value) == 0.0
    }

    /// Returns how far a value is beyond the limits, relative to the limit unless that is zero.
    pub fn violation(&self, value: f64) -> f64 {
        let beyond = |limit: Option<f64>, sign: f64| {
            let excess = limit.map_or(0.0, |limit| (sign * (value - limit)).max(0.0));
            match limit {
                Some(limit) if limit != 0.0 => excess / limit.abs(),
                _ => excess,
            }
        };
        beyond(self.at_most, 1.0) + beyond(self.at_least, -1.0)
    }
}
