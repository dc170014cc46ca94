//! Fields as the case file has them: a number, the text of an expression, or the columns of a table.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::profile_keys::ProfileKeys;
use super::scalars::Expression;

/// A field as it is written, not yet evaluated.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum FieldText {
    /// A number or an expression.
    Expression(Expression),
    /// The columns of a table.
    Profile(ProfileKeys),
}

impl<'de> Deserialize<'de> for FieldText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyForm;
        impl<'de> Visitor<'de> for AnyForm {
            type Value = FieldText;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a number, an expression or a mapping with the keys `file` and `along`")
            }
            fn visit_f64<E: de::Error>(self, v: f64) -> Result<FieldText, E> {
                Ok(FieldText::Expression(Expression::Value(v)))
            }
            fn visit_str<E: de::Error>(self, v: &str) -> Result<FieldText, E> {
                Ok(FieldText::Expression(Expression::Text(v.to_string())))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FieldText, A::Error> {
                ProfileKeys::deserialize(MapAccessDeserializer::new(map)).map(FieldText::Profile)
            }
        }
        deserializer.deserialize_any(AnyForm)
    }
}

impl From<&str> for FieldText {
    fn from(expression: &str) -> Self {
        FieldText::Expression(Expression::Text(expression.to_owned()))
    }
}

impl JsonSchema for FieldText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "FieldText".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "oneOf": [{ "type": ["number", "string"] }, generator.subschema_for::<ProfileKeys>()],
            "description": "A number, an expression of position, time, `constants` and `pi`, or the columns of a table."
        })
    }
}
