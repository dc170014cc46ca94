//! Checked values of fields at a point and a time.
//!
//! Constants are checked when the case is read. The values of an expression can be checked only at the points of the
//! mesh and as time advances. The error then names the key, the point and the time.

use std::borrow::Cow;

use thiserror::Error;

use super::field::Field;
use crate::format::{location, number, physical_time};

/// A value of a key that is not valid, without point and time.
#[derive(Debug, Clone)]
pub struct InvalidValue {
    /// Key within its group; empty for the group as a whole.
    pub key: &'static str,
    /// The verb before the value: "is", "has the length".
    pub what: &'static str,
    /// The value.
    pub value: f64,
    /// The condition that it must satisfy.
    pub must: Cow<'static, str>,
}

/// A value of the case that is not valid at a point and a time.
#[derive(Debug, Clone, Error)]
#[error(
    "{key} {what} {} at {} and t = {}; it must be {must}",
    number(*value), location(*at), physical_time(*time)
)]
pub struct BadValue {
    /// Key path in the case.
    pub key: String,
    /// The verb before the value: "is", "has the length".
    pub what: &'static str,
    /// The value.
    pub value: f64,
    /// The condition that it must satisfy.
    pub must: Cow<'static, str>,
    /// The point.
    pub at: [f64; 3],
    /// The time.
    pub time: f64,
}

impl BadValue {
    /// Returns the error for a value of a group of keys at a point and a time.
    pub fn new(group: &str, wrong: InvalidValue, at: [f64; 3], time: f64) -> Self {
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

/// Returns the value of a field that must be finite.
///
/// # Errors
/// The value is not finite.
pub fn finite(key: &'static str, field: &Field, x: [f64; 3], t: f64) -> Result<f64, InvalidValue> {
    checked(key, field, x, t, f64::is_finite, "finite")
}

/// Returns the value of a field that must be above zero.
///
/// # Errors
/// The value is not finite or not above zero.
pub fn positive(key: &'static str, field: &Field, x: [f64; 3], t: f64) -> Result<f64, InvalidValue> {
    let good = |value: f64| value > 0.0 && value.is_finite();
    checked(key, field, x, t, good, "positive and finite")
}

fn checked(
    key: &'static str,
    field: &Field,
    x: [f64; 3],
    t: f64,
    good: impl Fn(f64) -> bool,
    must: &'static str,
) -> Result<f64, InvalidValue> {
    let value = field.eval(x, t);
    if good(value) {
        return Ok(value);
    }
    Err(match field.beyond(x) {
        Some(beyond) => InvalidValue {
            key,
            what: beyond.what,
            value: beyond.value,
            must: beyond.must.into(),
        },
        None => InvalidValue {
            key,
            what: "is",
            value,
            must: must.into(),
        },
    })
}
