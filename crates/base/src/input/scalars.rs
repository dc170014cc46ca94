//! Numbers as the case file has them: a number, or the text of an expression.
//!
//! The type of a value determines the variables that its expression may have, so that none is evaluated with other
//! variables.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number or the text of an expression, not yet evaluated.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Expression {
    /// A number.
    Value(#[serde(serialize_with = "as_written")] f64),
    /// The text of an expression.
    Text(String),
}

/// Returns whole numbers without a point, as users write them and as counts must be. The schema shows defaults in this
/// form.
fn as_written<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let whole = *value as i64;
    if whole as f64 == *value {
        serializer.serialize_i64(whole)
    } else {
        serializer.serialize_f64(*value)
    }
}

impl<'de> Deserialize<'de> for Expression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberOrText;
        impl Visitor<'_> for NumberOrText {
            type Value = Expression;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number or an expression")
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<Expression, E> {
                Ok(Expression::Value(v))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<Expression, E> {
                Ok(Expression::Text(v.to_string()))
            }
        }
        deserializer.deserialize_any(NumberOrText)
    }
}

/// Declares a kind of expression. All kinds are read in the same way; the schema and the type checker distinguish them.
macro_rules! expression_kind {
    ($name:ident, $number:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Serialize, Deserialize)]
        pub struct $name(pub Expression);

        impl JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }
            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": [$number, "string"], "description": $doc })
            }
        }
    };
}

expression_kind!(Number, "number", "A number, or an expression of `constants` and `pi`.");
expression_kind!(
    Count,
    "integer",
    "A whole number, or an expression of `constants` that gives one."
);
impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Self(Expression::Value(value))
    }
}

/// Names of the directions.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // the names say it, and the page of keys would repeat them
pub enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    /// Returns its index: 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}
