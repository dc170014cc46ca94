//! From the tree of values to the typed keys, with serde.
//!
//! serde tells what is wrong in structured form (unknown key, missing key, wrong type); this deserializer adds the key
//! path and the place while the error travels outwards.

use std::fmt;
use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use super::tree::{Entry, Node, Value};
use crate::input::{Kind, Problem, listed};

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Problem::new(message.to_string())
    }

    fn invalid_type(found: Unexpected, expected: &dyn Expected) -> Self {
        needed(
            &expected,
            match found {
                Unexpected::Unit => "an empty value".into(),
                Unexpected::Seq => "a list".into(),
                Unexpected::Map => "a mapping".into(),
                Unexpected::Str(s) => format!("the text `{s}`"),
                Unexpected::Bool(b) => format!("`{b}`"),
                Unexpected::Float(v) => format!("the number {v}"),
                other => other.to_string(),
            },
        )
    }

    fn invalid_length(found: usize, expected: &dyn Expected) -> Self {
        needed(&expected, format!("a list of {found}"))
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let problem = Problem {
            kind: Kind::UnknownKey,
            ..Problem::new(format!("unknown key `{field}`"))
        };
        problem.suggest(field, known, "keys")
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        Problem::new(format!("`{value}` is not a value of this key")).suggest(value, known, "values")
    }

    fn missing_field(field: &'static str) -> Self {
        Problem::new(format!("the key `{field}` is missing")).key(field)
    }
}

/// Something is needed and something else stands there; serde's names for types are not those of a user.
fn needed(expected: &dyn fmt::Display, found: String) -> Problem {
    let expected = match expected.to_string().as_str() {
        "a boolean" => "`true` or `false`".into(),
        "a string" => "text (in quotes, if it looks like a number)".into(),
        "a sequence" => "a list".into(),
        "a map" => "a mapping".into(),
        other => match other.strip_prefix("an array of length ") {
            Some(length) => format!("a list of {length} values"),
            None => other.to_string(),
        },
    };
    Problem::new(format!("{expected} is needed here, not {found}"))
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = Problem;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match &self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(v) => visitor.visit_bool(*v),
            Value::Number(v) => visitor.visit_f64(*v),
            Value::Text(v) => visitor.visit_borrowed_str(v),
            Value::List(items) => visitor.visit_seq(List {
                items: items.iter(),
                index: 0,
            }),
            Value::Map(entries) => visitor.visit_map(Map {
                entries: entries.iter(),
                node: None,
                optional: &[],
            }),
        }
        .map_err(|e| e.at(self.place))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match &self.value {
            Value::Map(entries) => visitor
                .visit_map(Map {
                    entries: entries.iter(),
                    node: None,
                    optional: fields,
                })
                .map_err(|e| e.at(self.place)),
            // A sequence of values in the order of the fields is something serde would take; a case does not.
            Value::List(_) => Err(de::Error::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
        .map_err(|e: Problem| e.at(self.place))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        match self.value {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Problem> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        match &self.value {
            Value::Text(word) => visitor.visit_enum(word.as_str().into_deserializer()),
            other => Err(needed(
                &format!("one of {}", listed(variants.iter().copied())),
                other.describe(),
            )),
        }
        .map_err(|e: Problem| e.at(self.place))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any
    }
}

struct List<'de> {
    items: slice::Iter<'de, Node>,
    index: usize,
}

impl<'de> SeqAccess<'de> for List<'de> {
    type Error = Problem;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Problem> {
        let Some(node) = self.items.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(node)
            .map(Some)
            .map_err(|e| e.at(node.place).under(&format!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.items.len())
    }
}

struct Map<'de> {
    entries: slice::Iter<'de, Entry>,
    /// The value that belongs to the key just given.
    node: Option<&'de Entry>,
    /// Keys that count as absent when they are empty.
    optional: &'static [&'static str],
}

impl<'de> MapAccess<'de> for Map<'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        let optional = self.optional;
        let absent = |e: &Entry| matches!(e.node.value, Value::Null) && optional.contains(&e.key.as_str());
        self.node = self.entries.find(|e| !absent(e));
        let Some(entry) = self.node else { return Ok(None) };
        let key: StrDeserializer<Problem> = entry.key.as_str().into_deserializer();
        seed.deserialize(key)
            .map(Some)
            .map_err(|e| e.at(entry.key_place).under(&entry.key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Problem> {
        let entry = self
            .node
            .ok_or_else(|| Problem::new("a value was read before its key"))?;
        seed.deserialize(&entry.node)
            .map_err(|e| e.at(entry.node.place).under(&entry.key))
    }
}
