//! Numbers with their units, as files for programs (`results.json`) and commands with `--json` have them.
//!
//! A number that is not finite becomes `null`, which JSON has in its place.

use std::borrow::Cow;

use serde::Serialize;

/// The version of the layout of all that is written as JSON for other programs. It grows when a key changes its meaning
/// or goes; new keys may come without.
pub const JSON_VERSION: u32 = 1;

/// A number and its unit, "-" without one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Quantity {
    /// The number.
    pub value: f64,
    /// The unit, in SI or read as a dimension.
    pub unit: Cow<'static, str>,
}

impl Quantity {
    /// Returns a number with its unit.
    pub fn new(value: f64, unit: impl Into<Cow<'static, str>>) -> Self {
        let unit = unit.into();
        Quantity { value, unit }
    }
}

/// The least and the largest number of several, and their unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The least.
    pub least: f64,
    /// The largest.
    pub largest: f64,
    /// The unit.
    pub unit: &'static str,
}

impl Interval {
    /// Returns an interval of numbers with this unit.
    pub fn new([least, largest]: [f64; 2], unit: &'static str) -> Self {
        Interval { least, largest, unit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_stand_beside_numbers_and_what_is_not_finite_is_null() {
        let text = |quantity: &Quantity| serde_json::to_string(quantity).expect("written");
        assert_eq!(text(&Quantity::new(0.5, "m/s")), r#"{"value":0.5,"unit":"m/s"}"#);
        assert_eq!(text(&Quantity::new(f64::NAN, "-")), r#"{"value":null,"unit":"-"}"#);
        let interval = Interval::new([1.0, f64::INFINITY], "Pa");
        let text = serde_json::to_string(&interval).expect("written");
        assert_eq!(text, r#"{"least":1.0,"largest":null,"unit":"Pa"}"#);
    }
}
