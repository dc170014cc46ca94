//! Reading of the table that a case names.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::problem::Problem;
use super::table::Table;

/// Largest table that is read, in bytes: a guard against being given a solution or a device instead.
const LARGEST: u64 = 256 << 20;

/// Reads the table at `path`, which is `file` in the case.
///
/// # Errors
/// The file cannot be read, is no file or too large, or a line of it is no row of a table.
pub fn read(file: &str, path: &Path) -> Result<Table, Problem> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Problem::new(format!("there is no file {}", path.display()))
            .help("the path of a table is relative to the case file"),
        _ => Problem::new(format!("cannot read {}: {error}", path.display())),
    };
    let facts = std::fs::metadata(path).map_err(failed)?;
    if !facts.is_file() {
        return Err(Problem::new(format!("{} is no file", path.display())));
    }
    let mut text = Vec::new();
    let opened = File::open(path).map_err(failed)?;
    opened.take(LARGEST + 1).read_to_end(&mut text).map_err(failed)?;
    if text.len() as u64 > LARGEST {
        let what = format!("{} is larger than {LARGEST} bytes: is it a table?", path.display());
        return Err(Problem::new(what));
    }
    Table::parse(&text).map_err(|fault| Problem::new(format!("{file}:{}: {}", fault.line, fault.detail)))
}
