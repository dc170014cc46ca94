//! From the tree of values to the typed keys, with serde.
//!
//! serde tells what is wrong in structured form (unknown key, missing key, wrong type); this deserializer adds the key
//! path and the place while the error travels outwards.
//!
//! An enumeration whose serde name is `NAME by type` is read from a mapping whose key `type` names the variant; the
//! other keys are those of the variant. (serde's own tags would lose the places, since serde buffers what it has read.)

use std::slice;

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, Unexpected, VariantAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

use super::tree::{Entry, Node, Value};
use crate::input::{Kind, Problem, listed, nearest, needed};

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
                tag: None,
            }),
        }
        .map_err(|e| e.at(self.place))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Problem> {
        // A visitor of a tuple takes what it needs and does not ask for more.
        match &self.value {
            Value::List(items) if items.len() > len => {
                let problem = Problem::new(format!("the list has {} entries, but takes {len}", items.len()));
                Err(problem.at(self.place))
            }
            _ => self.deserialize_any(visitor),
        }
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
                    tag: None,
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
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        if let Some(kind) = name.strip_suffix(BY_TYPE) {
            return by_type(self, kind, variants, visitor).map_err(|e| e.at(self.place));
        }
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
        seq tuple_struct map identifier ignored_any
    }
}

/// End of the serde name of an enumeration whose variant is the value of the key `type`.
const BY_TYPE: &str = " by type";
/// The key that names the variant.
const TYPE: &str = "type";

/// Reads an enumeration by its key `type`; `kind` is what the user calls it.
fn by_type<'de, V: Visitor<'de>>(
    node: &'de Node,
    kind: &'static str,
    variants: &'static [&'static str],
    visitor: V,
) -> Result<V::Value, Problem> {
    let Value::Map(entries) = &node.value else {
        return Err(needed(&"a mapping with the key `type`", node.value.describe()));
    };
    let Some(chosen) = entries.iter().find(|e| e.key == TYPE) else {
        return Err(de::Error::missing_field(TYPE));
    };
    let Value::Text(chosen_type) = &chosen.node.value else {
        let expected = format!("one of {}", listed(variants.iter().copied()));
        let problem = needed(&expected, chosen.node.value.describe());
        return Err(problem.at(chosen.node.place).under(TYPE));
    };
    visitor.visit_enum(OfType {
        kind,
        chosen,
        chosen_type,
        entries,
    })
}

/// A mapping whose key `type` names the variant of an enumeration.
struct OfType<'de> {
    /// What the user calls it: "boundary".
    kind: &'static str,
    /// The entry of the key `type`.
    chosen: &'de Entry,
    /// Its value.
    chosen_type: &'de str,
    entries: &'de [Entry],
}

impl<'de> EnumAccess<'de> for OfType<'de> {
    type Error = Problem;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Problem> {
        let word: StrDeserializer<Problem> = self.chosen_type.into_deserializer();
        let variant = seed.deserialize(word);
        Ok((variant.map_err(|e| e.at(self.chosen.node.place).under(TYPE))?, self))
    }
}

impl<'de> VariantAccess<'de> for OfType<'de> {
    type Error = Problem;

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Problem> {
        seed.deserialize(self)
    }

    // The derived code of variants with one value each calls none of these.
    fn unit_variant(self) -> Result<(), Problem> {
        Err(de::Error::custom("a variant by type has one value"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Problem> {
        Err(de::Error::custom("a variant by type has one value"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Problem> {
        Err(de::Error::custom("a variant by type has one value"))
    }
}

/// The keys beside `type`.
impl<'de> Deserializer<'de> for OfType<'de> {
    type Error = Problem;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Problem> {
        let keys = Map {
            entries: self.entries.iter(),
            node: None,
            optional: fields,
            tag: Some(TYPE),
        };
        visitor.visit_map(keys).map_err(|e| match e.kind {
            // A key with a path belongs to a value inside this mapping, and its error is complete.
            Kind::UnknownKey if !e.key.contains(['.', '[']) => self.foreign_key(e, fields),
            Kind::UnknownKey | Kind::Other => e,
        })
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Problem> {
        self.deserialize_struct("", &[], visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map identifier ignored_any option newtype_struct enum
    }
}

impl OfType<'_> {
    /// Rewrites the complaint about a key that the type does not have.
    fn foreign_key(&self, unknown: Problem, fields: &[&str]) -> Problem {
        let key = &unknown.key;
        let what = format!(
            "`{key}` does not belong to a {} of type `{}`",
            self.kind, self.chosen_type
        );
        let near = nearest(key, fields.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        let takes = match fields {
            [] => "it takes no further keys".to_owned(),
            _ => format!("it takes: {}", fields.join(", ")),
        };
        Problem {
            kind: Kind::Other,
            what,
            help: near.into_iter().chain([takes]).collect(),
            ..unknown
        }
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
    /// A key that is left out.
    tag: Option<&'static str>,
}

impl<'de> MapAccess<'de> for Map<'de> {
    type Error = Problem;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Problem> {
        let optional = self.optional;
        let tag = self.tag;
        let empty = |e: &Entry| matches!(e.node.value, Value::Null) && optional.contains(&e.key.as_str());
        let absent = |e: &Entry| Some(e.key.as_str()) == tag || empty(e);
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
