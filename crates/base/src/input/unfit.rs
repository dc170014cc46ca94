//! What serde finds wrong in an input, in the words of a user.

use std::fmt;

use serde::de::{self, Expected, Unexpected};

use super::problem::{Kind, Problem};

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
pub fn needed(expected: &dyn fmt::Display, found: String) -> Problem {
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
