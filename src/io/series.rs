//! Time series as CSV: comment lines with the provenance, a row of names, a row of units, then numbers.
//!
//! A line goes to the operating system in one piece as soon as it is complete, so a run that is killed loses nothing;
//! numbers are written in the shortest form that reads back to the same bits.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::files::Partial;
use super::{Error, Provenance};

/// A series that is being written. One rank holds it.
#[derive(Debug)]
pub struct Series {
    path: PathBuf,
    file: File,
    columns: usize,
    /// Length of the file in bytes up to the last complete line.
    length: u64,
}

impl Series {
    /// Begins a series of the given columns (name, unit), replacing what was at `path`. A unit may be empty.
    pub fn create(path: &Path, columns: &[(&str, &str)], provenance: &Provenance) -> Result<Self, Error> {
        let names = columns.iter().map(|(name, _)| *name);
        let units = columns.iter().map(|(_, unit)| *unit);
        let head = [provenance.comment(), row(names, path)?, row(units, path)?].concat();
        let partial = Partial::new(path)?;
        let mut file = partial.create()?;
        file.write_all(head.as_bytes()).map_err(Error::os("write", path))?;
        // The open file keeps its identity through the rename.
        partial.publish()?;
        Ok(Series {
            path: path.to_path_buf(),
            file,
            columns: columns.len(),
            length: head.len() as u64,
        })
    }

    /// Appends one line; `values` holds one number per column, in the columns' units.
    pub fn append(&mut self, values: &[f64]) -> Result<(), Error> {
        if values.len() != self.columns {
            let detail = format!("{} values for {} columns", values.len(), self.columns);
            return Err(Error::Input {
                path: self.path.clone(),
                detail,
            });
        }
        // `{:?}` is the shortest form that reads back, with an exponent where that is shorter than zeros; whole numbers
        // need no point.
        let mut line = values
            .iter()
            .map(|value| {
                let text = format!("{value:?}");
                text.strip_suffix(".0").unwrap_or(&text).to_string()
            })
            .collect::<Vec<_>>()
            .join(",");
        line.push('\n');
        if let Err(source) = self.file.write_all(line.as_bytes()) {
            // A full disk may have taken part of the line: cut it off, so that the next one does not continue it.
            // Failing at that too leaves an incomplete last line, which readers drop.
            let _ = self.file.set_len(self.length);
            return Err(Error::Os {
                action: "append to",
                path: self.path.clone(),
                source,
            });
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

/// One CSV line of texts, quoted where needed.
fn row<'a>(fields: impl Iterator<Item = &'a str>, path: &Path) -> Result<String, Error> {
    let refuse = |detail: String| Error::Input {
        path: path.to_path_buf(),
        detail,
    };
    // A field that begins with '#' is quoted, or its line would be taken for a comment.
    let mut writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(Vec::new());
    writer.write_record(fields).map_err(|error| refuse(error.to_string()))?;
    let bytes = writer.into_inner().map_err(|error| refuse(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| refuse(error.to_string()))
}

/// A series that was read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Names of the columns.
    pub names: Vec<String>,
    /// Units of the columns.
    pub units: Vec<String>,
    /// The columns, all of one length.
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

/// Reads a series, or reference data of others, which carry no row of units ('-' then). A last line without its line feed was
/// cut off while it was written, and is dropped; every other line must be whole.
pub fn read_series(path: &Path) -> Result<Table, Error> {
    let text = std::fs::read(path).map_err(Error::os("read", path))?;
    let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .has_headers(false)
        .from_reader(&text[..complete]);
    // The reader places a record where the comments before it begin; people look for the line itself.
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
    use super::*;

    const COLUMNS: [(&str, &str); 3] = [("time", "s"), ("#kinetic, energy", "m^2/s^2"), ("mach", "")];

    fn file(directory: &tempfile::TempDir) -> PathBuf {
        directory.path().join("integrals.csv")
    }

    #[test]
    fn round_trip_to_the_bit_while_still_open() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(&directory);
        std::fs::write(&path, "something old").unwrap();
        let provenance = Provenance {
            title: "a, b\nc".to_string(),
            ..Provenance::of_this_program()
        };
        let mut series = Series::create(&path, &COLUMNS, &provenance).unwrap();
        let rows = [
            [0.0, 0.1 + 0.2, -0.0],
            [1e-300, f64::MAX, 5e-324],
            [1.0 / 3.0, f64::INFINITY, f64::NAN],
        ];
        for row in &rows {
            series.append(row).unwrap();
        }
        assert!(
            series
                .append(&[1.0])
                .unwrap_err()
                .to_string()
                .contains("1 values for 3 columns")
        );

        // Read while the series is open: nothing waits in a buffer.
        let table = read_series(&path).unwrap();
        assert_eq!(table.names, COLUMNS.map(|(name, _)| name));
        assert_eq!(table.units, COLUMNS.map(|(_, unit)| unit));
        for (i, row) in rows.iter().enumerate() {
            for (column, value) in table.columns.iter().zip(row) {
                assert_eq!(column[i].to_bits(), value.to_bits());
            }
        }
        assert!(table.columns.iter().all(|column| column.len() == rows.len()));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("\n# title: a, b c\n"), "{text}");
        assert!(
            text.ends_with(
                "\n0,0.30000000000000004,-0\n1e-300,1.7976931348623157e308,5e-324\n\
                               0.3333333333333333,inf,NaN\n"
            ),
            "{text}"
        );
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
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

    #[test]
    fn a_failed_creation_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(&directory);
        std::fs::create_dir(&path).unwrap();
        Series::create(&path, &COLUMNS, &Provenance::of_this_program()).unwrap_err();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
