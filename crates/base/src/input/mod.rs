//! Input values: the forms of a value of the case file, and its problems.
//!
//! A key holds a `Number`, a `Count` or a `FieldText` as it is written; the last may also name the table of a file. A
//! `Scope` evaluates them with the constants of the case, to plain numbers and to [`Field`]s of position and time. A
//! value that cannot be evaluated gives a `Problem`, which names the key. The YAML reader is not here: it is in `case`,
//! above the rooms whose settings it fills in.

mod clock_time;
mod every;
mod field;
mod field_text;
mod group;
mod keys;
mod monotone;
mod parser;
mod problem;
mod profile;
mod profile_keys;
mod program;
mod scalars;
mod scope;
mod table;
mod table_file;
mod unfit;
mod value;

pub use every::Every;
pub use field::Field;
pub use field_text::FieldText;
pub use group::Group;
pub use keys::keys;
pub use monotone::interpolate;
pub use problem::{Kind, Place, Problem, listed, nearest};
pub use profile::{FieldTable, Walls};
pub use profile_keys::Interpolation;
pub use scalars::AXES;
pub use scalars::{Axis, Count, Expression, Number};
pub use scope::{Of, Scope, check, check_path, each, is_name, not_negative, one_of, positive, unit};
pub use table::{Table, TableFault};
pub use unfit::needed;
pub use value::{BadValue, InvalidValue};
pub use value::{finite, positive as positive_value};
