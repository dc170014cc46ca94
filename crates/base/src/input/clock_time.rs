//! A time on the clock, as users of batch systems write it.

use std::time::Duration;

use super::problem::Problem;
use super::scalars::{Expression, Number};
use super::scope::{Scope, check};

/// A century in seconds: more is a slip, and near the largest time that clocks can add.
const LONGEST: f64 = 3.2e9;

impl Scope {
    /// Returns a time on the clock: a number of seconds, or hours:minutes:seconds.
    ///
    /// # Errors
    /// It cannot be evaluated, or is not above 0 and below a century.
    pub fn clock_time(&self, key: &str, number: &Number) -> Result<Duration, Problem> {
        let seconds = match &number.0 {
            Expression::Text(text) if text.contains(':') => {
                let parts: Vec<u64> = text.split(':').map_while(|part| part.trim().parse().ok()).collect();
                match parts[..] {
                    [hours, minutes @ 0..60, seconds @ 0..60] if text.split(':').count() == 3 => {
                        hours as f64 * 3600.0 + (minutes * 60 + seconds) as f64
                    }
                    _ => {
                        return Err(Problem::new(format!("`{text}` is not a time on the clock"))
                            .key(key)
                            .help("hours:minutes:seconds, as in 23:50:00, or a number of seconds"));
                    }
                }
            }
            _ => self.number(key, number)?,
        };
        let good = seconds > 0.0 && seconds <= LONGEST;
        check(key, seconds, good, "above 0 seconds and less than a century").map(Duration::from_secs_f64)
    }
}
