//! Reading of columns of numbers: a header line with names, in files of a series a row of units, then rows of numbers,
//! with comment lines starting in `#` anywhere. Reference data of others carries no units row, hence its absence is
//! accepted. Lines are counted here and not by a general reader, because an error must name the line at fault.

use super::Error;
use std::fs;
use std::path::Path;

/// Fewest rows that make a curve with a maximum: a parabola needs three points.
const FEWEST_ROWS: usize = 3;

/// Named columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Name of each column.
    pub names: Vec<String>,
    /// Unit of each column, `-` where the file does not say.
    pub units: Vec<String>,
    /// The numbers, column by column.
    pub columns: Vec<Vec<f64>>,
}

impl Table {
    /// The numbers of the column called `name`.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.position(name).map(|at| self.columns[at].as_slice())
    }

    /// The unit of the column called `name`; none where it is a plain number or there is no such column.
    pub fn unit(&self, name: &str) -> Option<&str> {
        self.position(name)
            .map(|at| self.units[at].as_str())
            .filter(|&unit| unit != "-")
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|candidate| candidate == name)
    }
}

/// Reads the table in the file at `path`. A last line without its line end is left out: the run that writes it has not
/// finished it, and even a number in it that parses may lack digits.
pub fn read(path: &Path) -> Result<Table, Error> {
    let text = fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.into(),
        source,
    })?;
    let malformed = |line: usize, message: String| Error::Malformed {
        path: path.into(),
        line,
        message,
    };
    let complete = text.rfind('\n').map_or("", |end| &text[..=end]);
    if complete.len() < text.len() {
        tracing::info!(file = %path.display(), "the last line has no line end and is left out");
    }

    let mut names: Vec<String> = Vec::new();
    let mut units: Vec<String> = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    let mut last = 1;
    for (number, line) in complete
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
    {
        last = number;
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<&str> = line.split(',').map(str::trim).collect();
        if names.is_empty() {
            names = cells.into_iter().map(String::from).collect();
            columns = vec![Vec::new(); names.len()];
            continue;
        }
        if cells.len() != names.len() {
            return Err(malformed(
                number,
                format!("{} cells under {} names", cells.len(), names.len()),
            ));
        }
        let numbers: Vec<_> = cells.iter().map(|cell| cell.parse::<f64>()).collect();
        let may_be_units = units.is_empty() && columns[0].is_empty();
        if may_be_units && numbers.iter().all(Result::is_err) {
            units = cells.into_iter().map(String::from).collect();
            continue;
        }
        for (index, value) in numbers.into_iter().enumerate() {
            let value = value.map_err(|_| {
                malformed(
                    number,
                    format!("`{}` in column `{}` is not a number", cells[index], names[index]),
                )
            })?;
            columns[index].push(value);
        }
    }

    let rows = columns.first().map_or(0, Vec::len);
    if rows < FEWEST_ROWS {
        let message =
            format!("the file ends after {rows} complete row(s) of numbers, at least {FEWEST_ROWS} are needed");
        return Err(malformed(last, message));
    }
    if units.is_empty() {
        units = vec!["-".into(); names.len()];
    }
    Ok(Table { names, units, columns })
}
