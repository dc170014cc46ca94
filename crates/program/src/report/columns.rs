//! What the figures of tables share: names of their columns, and the columns of errors.

use crate::io::Table;
use crate::output::{AT_LEAST, ERROR};

/// Most panels of a table.
pub(super) const PANELS: usize = 9;

/// Returns whether a column is about the errors of another one.
pub(super) fn is_of_error(table: &Table, name: &str) -> bool {
    let of = [ERROR, AT_LEAST].into_iter().find_map(|end| name.strip_suffix(end));
    of.is_some_and(|of| table.names.iter().any(|name| name == of))
}

/// Returns the name and the unit of a column, as an axis has them.
pub(super) fn label(table: &Table, column: usize) -> String {
    match table.units[column].as_str() {
        "-" => table.names[column].clone(),
        unit => format!("{}, {unit}", table.names[column]),
    }
}
