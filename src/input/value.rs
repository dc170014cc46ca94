//! Values of fields at a place and a time, checked.
//!
//! Constants are checked when the case is read. Whether an expression means anything shows only at the points of the
//! mesh and as time goes on; the error then names the key, the place and the time.

use thiserror::Error;

use super::field::Field;
use crate::format::{location, physical_time};

/// What is wrong with the value of a key, without place and time.
#[derive(Debug, Clone, Copy)]
pub struct InvalidValue {
    /// Key within its group; empty for the group as a whole.
    pub key: &'static str,
    /// What is said of the value: "is", "has the length".
    pub what: &'static str,
    /// What it is.
    pub value: f64,
    /// What it must be.
    pub must: &'static str,
}

/// A value of the case that means nothing.
#[derive(Debug, Clone, Error)]
#[error(
    "{key} {what} {value:.6e} at {} and t = {}; it must be {must}",
    location(*at), physical_time(*time)
)]
pub struct BadValue {
    /// Key path in the case.
    pub key: String,
    /// What is said of the value: "is", "has the length".
    pub what: &'static str,
    /// Its value.
    pub value: f64,
    /// What it must be.
    pub must: &'static str,
    /// Where.
    pub at: [f64; 3],
    /// When.
    pub time: f64,
}

impl BadValue {
    /// Something wrong with a group of keys at a place and a time.
    pub(crate) fn new(group: &str, wrong: InvalidValue, at: [f64; 3], time: f64) -> Self {
        let dot = if wrong.key.is_empty() { "" } else { "." };
        BadValue {
            key: format!("{group}{dot}{}", wrong.key),
            what: wrong.what,
            value: wrong.value,
            must: wrong.must,
            at,
            time,
        }
    }
}

/// The value of a field that must be finite.
pub(crate) fn finite(key: &'static str, field: &Field, x: [f64; 3], t: f64) -> Result<f64, InvalidValue> {
    checked(key, field.eval(x, t), f64::is_finite, "finite")
}

/// The value of a field that must be above zero.
pub(crate) fn positive(key: &'static str, field: &Field, x: [f64; 3], t: f64) -> Result<f64, InvalidValue> {
    let good = |value: f64| value > 0.0 && value.is_finite();
    checked(key, field.eval(x, t), good, "positive and finite")
}

fn checked(key: &'static str, value: f64, good: impl Fn(f64) -> bool, must: &'static str) -> Result<f64, InvalidValue> {
    match good(value) {
        true => Ok(value),
        false => Err(InvalidValue {
            key,
            what: "is",
            value,
            must,
        }),
    }
}
