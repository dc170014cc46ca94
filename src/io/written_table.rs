//! Tables that are written whole: the head of a series, comment lines that say what the numbers are, then the numbers.

use std::path::Path;

use super::series::{column_rows, line};
use super::{Error, Provenance, atomic_write};

/// Writes a table of the given columns (name, unit) to `path`, replacing what was there. `comments` are lines without "# ";
/// `values` holds one number per column, row by row.
pub fn write_table(
    path: &Path,
    columns: &[(&str, &str)],
    values: &[f64],
    comments: &[String],
    provenance: &Provenance,
) -> Result<(), Error> {
    let mut text = provenance.comment();
    comments.iter().for_each(|comment| text += &format!("# {comment}\n"));
    text += &column_rows(columns, path)?;
    values.chunks(columns.len()).for_each(|row| text += &line(row));
    atomic_write(path, text.as_bytes())
}
