//! Tables that are written at once: provenance, comment lines, the rows of names and units, and the numbers.

use std::path::Path;

use super::series::{column_rows, line};
use super::{Error, Provenance, atomic_write};

/// Writes a table with the given columns (name, unit) to `path` and replaces an existing file. `comments` are lines
/// without "# "; `values` are `[row][column]`.
pub fn write_table(
    path: &Path,
    columns: &[(&str, &str)],
    values: &[f64],
    comments: &[String],
    provenance: &Provenance,
) -> Result<(), Error> {
    write(path, columns, values, comments, provenance.comment())
}

/// Writes a table as [`write_table`] does that is made from another file, whose comments, with its provenance, are the
/// first of `comments`.
pub fn write_derived_table(
    path: &Path,
    columns: &[(&str, &str)],
    values: &[f64],
    comments: &[String],
) -> Result<(), Error> {
    write(path, columns, values, comments, String::new())
}

fn write(
    path: &Path,
    columns: &[(&str, &str)],
    values: &[f64],
    comments: &[String],
    mut text: String,
) -> Result<(), Error> {
    comments.iter().for_each(|comment| text += &format!("# {comment}\n"));
    text += &column_rows(columns, path)?;
    values.chunks(columns.len()).for_each(|row| text += &line(row));
    atomic_write(path, text.as_bytes())
}
