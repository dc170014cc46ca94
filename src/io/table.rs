//! Reading of series and of tables from other sources.

use std::path::Path;

use super::Error;

/// A table of numbers with names and units.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Units of the columns; "-" without a unit.
    pub units: Vec<String>,
    /// Values, `[column][row]`.
    pub columns: Vec<Vec<f64>>,
}

impl Table {
    /// Returns the values of the column called `name`, if it exists.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        self.position(name).map(|at| self.columns[at].as_slice())
    }

    /// Returns the unit of the column called `name`; `None` if it has no unit or does not exist.
    pub fn unit(&self, name: &str) -> Option<&str> {
        self.position(name)
            .map(|at| self.units[at].as_str())
            .filter(|&unit| unit != "-")
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|candidate| candidate == name)
    }
}

/// Reads a series, or reference data from other sources, which may lack the row of units. A last line without a line
/// feed was interrupted while it was written, and is dropped; all other lines must be complete.
///
/// # Errors
///
/// Returns an error if the file cannot be read, has no row of names, or has a line of wrong length or without numbers.
pub fn read_series(path: &Path) -> Result<Table, Error> {
    let text = std::fs::read(path).map_err(Error::os("read", path))?;
    let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .has_headers(false)
        .from_reader(&text[..complete]);
    // The reader reports the position of the comments before a record, but messages need the line of the record.
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let skipped = |line: &&&[u8]| line.is_empty() || line.starts_with(b"#");
    let wrong = |line: u64, detail: String| {
        let from = lines.iter().skip((line as usize).saturating_sub(1));
        let line = line.max(1) + from.take_while(skipped).count() as u64;
        Error::Table {
            path: path.to_path_buf(),
            line,
            detail,
        }
    };

    let mut names: Vec<String> = Vec::new();
    let mut units: Vec<String> = Vec::new();
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| match error.kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => wrong(
                pos.as_ref().map_or(0, csv::Position::line),
                format!("{len} columns, expected {expected_len}"),
            ),
            _ => wrong(error.position().map_or(0, csv::Position::line), error.to_string()),
        })?;
        let texts = || record.iter().map(|field| field.trim().to_string()).collect::<Vec<_>>();
        if names.is_empty() {
            names = texts();
            columns.resize(record.len(), Vec::new());
            continue;
        }
        let first_row = units.is_empty() && columns[0].is_empty();
        if first_row && record.iter().all(|field| field.trim().parse::<f64>().is_err()) {
            units = texts();
            continue;
        }
        for (i, field) in record.iter().enumerate() {
            let number = field.trim().parse().map_err(|_| {
                let line = record.position().map_or(0, csv::Position::line);
                wrong(
                    line,
                    format!("column {} ({}): '{field}' is not a number", i + 1, names[i]),
                )
            })?;
            columns[i].push(number);
        }
    }
    if names.is_empty() {
        return Err(wrong(1, "there is no row of names".to_string()));
    }
    if units.is_empty() {
        units = vec!["-".to_string(); names.len()];
    }
    Ok(Table { names, units, columns })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn file(directory: &tempfile::TempDir) -> PathBuf {
        directory.path().join("integrals.csv")
    }

    #[test]
    fn a_line_that_was_cut_off_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(&directory);
        for (text, rows) in [
            ("t,u\ns,m\n1,2\n3,4", 1),
            ("t,u\ns,m\n1,2\n3", 1),
            ("t,u\ns,m\n", 0),
            ("t,u\ns,m\n1", 0),
        ] {
            std::fs::write(&path, text).unwrap();
            let table = read_series(&path).unwrap();
            assert_eq!(
                table.columns.iter().map(Vec::len).collect::<Vec<_>>(),
                [rows, rows],
                "{text:?}"
            );
        }
    }

    #[test]
    fn errors_name_file_and_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(&directory);
        let cases = [
            (
                "# c\nt,u\ns,m\n1,2\n3,x\n",
                "integrals.csv:5: column 2 (u): 'x' is not a number",
            ),
            ("# c\nt,u\ns,m\n1,2\n3\n4,5\n", "integrals.csv:5: 1 columns, expected 2"),
            (
                "# c\nt,u\ns,m\n1,2\n# note\n3\n",
                "integrals.csv:6: 1 columns, expected 2",
            ),
            ("# c\n", "there is no row of names"),
            ("", "there is no row of names"),
        ];
        for (text, expected) in cases {
            std::fs::write(&path, text).unwrap();
            let error = read_series(&path).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
        assert!(
            read_series(&directory.path().join("none.csv"))
                .unwrap_err()
                .to_string()
                .contains("cannot read")
        );
    }
}
