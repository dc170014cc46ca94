//! The keys of a field that is a table: the file, its columns, and how values between the rows are found.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::SeqAccessDeserializer;
use serde::de::{self, IntoDeserializer, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::keys::keys;
use super::scalars::{Axis, Number};

keys! {
/// A field from the columns of a table.
ProfileKeys as "a mapping with the keys `file` and `along`" {
    /// CSV file, relative to the case file: lines that begin with `#` are comments, then a row of names, each with its
    /// unit in brackets or parentheses or in a row of its own, then the numbers. Lengths and values are in the units of
    /// the case.
    pub file: String,
    /// What the table is a function of, one of x, y, z, radius, angle, wall-distance, or a list of two of them; the
    /// columns have these names. Along one, it increases from row to row. Of two, the table has a row for each pair of
    /// their values. wall-distance is the distance from the nearest no-slip wall of the mesh.
    pub along: Along,
    /// Name of the column with the values; default the name of the key that they are for.
    pub column: Option<String>,
    /// How values between the rows are found.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// Axis of `radius` and `angle`; default z. The angle is 0 in the direction that follows the axis (x after z), and
    /// grows towards the one after that; its column has the unit deg or rad.
    pub axis: Option<Axis>,
    /// A point of the axis of `radius` and `angle`; default 0, 0, 0.
    pub origin: Option<[Number; 3]>,
}}

/// What a table can be a function of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coordinate {
    X,
    Y,
    Z,
    Radius,
    Angle,
    WallDistance,
}

/// Names of the coordinates in their order.
const COORDINATES: [&str; 6] = ["x", "y", "z", "radius", "angle", "wall-distance"];

impl Coordinate {
    /// Returns the name in the case file, which is that of the column.
    pub fn name(self) -> &'static str {
        COORDINATES[self as usize]
    }

    /// Returns whether the coordinate is measured from an axis.
    pub fn has_axis(self) -> bool {
        matches!(self, Coordinate::Radius | Coordinate::Angle)
    }
}

/// How values between the rows of a table are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// On the straight line between two rows.
    #[default]
    Linear,
    /// On a smooth curve that rises and falls only where the rows do (monotone cubic).
    Cubic,
}

/// One coordinate, or two.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Along(pub Vec<Coordinate>);

impl<'de> Deserialize<'de> for Along {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrTwo;
        impl<'de> Visitor<'de> for OneOrTwo {
            type Value = Along;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                write!(f, "one of {}, or a list of two of these", COORDINATES.join(", "))
            }
            fn visit_str<E: de::Error>(self, word: &str) -> Result<Along, E> {
                Ok(Along(vec![Coordinate::deserialize(word.into_deserializer())?]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, all: A) -> Result<Along, A::Error> {
                let all = Vec::<Coordinate>::deserialize(SeqAccessDeserializer::new(all))?;
                match all[..] {
                    [first, second] if first == second => {
                        Err(de::Error::custom(format!("{} stands here twice", first.name())))
                    }
                    [_] | [_, _] => Ok(Along(all)),
                    _ => Err(de::Error::invalid_length(all.len(), &self)),
                }
            }
        }
        deserializer.deserialize_any(OneOrTwo)
    }
}

impl JsonSchema for Along {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Along".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["string", "array"],
            "enum": COORDINATES,
            "description": "x, y, z, radius, angle, wall-distance, or a list of two of them."
        })
    }
}
