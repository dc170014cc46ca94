//! A number of the case file: a literal, or an expression that is resolved once the constants are known.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// Text of a number or of a field, as it stands in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number(pub String);

impl Default for Number {
    fn default() -> Self {
        Number("0".to_owned())
    }
}

impl From<f64> for Number {
    fn from(x: f64) -> Self {
        Number(format!("{x:?}"))
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a number or an expression")
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<Number, E> {
        Ok(Number::from(x))
    }

    fn visit_i64<E: Error>(self, x: i64) -> Result<Number, E> {
        Ok(Number(x.to_string()))
    }

    fn visit_u64<E: Error>(self, x: u64) -> Result<Number, E> {
        Ok(Number(x.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        Ok(Number(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl JsonSchema for Number {
    fn schema_name() -> Cow<'static, str> {
        "Number".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "a number, or an expression of constants, pi and (for fields) x, y, z, t",
            "type": ["number", "string"],
        })
    }
}
