//! Input values: the forms of a value of the case file, and its problems.
//!
//! A key holds a `Number`, a `Count` or a `FieldText` as it is written. A `Scope` evaluates them with the constants of
//! the case, to plain numbers and to [`Field`]s of position and time. A value that cannot be evaluated gives a
//! `Problem`, which names the key. The YAML reader is not here: it is in `case`, above the rooms whose settings it
//! fills in.

mod every;
mod field;
mod group;
mod parser;
mod problem;
mod program;
mod scalars;
mod scope;
mod value;

pub use every::Every;
pub use field::Field;
pub(crate) use group::Group;
pub(crate) use problem::{Kind, Place, Problem, listed, nearest};
pub use scalars::AXES;
pub(crate) use scalars::{Axis, Count, Expression, FieldText, Number};
pub(crate) use scope::{Of, Scope, check, each, not_negative, one_of, positive, unit};

pub use value::{BadValue, InvalidValue};
pub(crate) use value::{finite, positive as positive_value};

/// Declares a group of keys: a struct that serde reads and the schema describes, and that refuses unknown keys. The
/// text after `as` describes the expected value if something else than a mapping is found.
macro_rules! keys {
    ($(#[$attribute:meta])* $name:ident as $expecting:literal { $($body:tt)* }) => {
        #[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields, expecting = $expecting)]
        $(#[$attribute])*
        pub(crate) struct $name { $($body)* }
    };
}
pub(crate) use keys;
