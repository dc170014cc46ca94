//! Time series as CSV: comment lines with the provenance, a row of names, a row of units, then numbers.
//!
//! Every line is passed to the operating system at once when it is complete, so that a killed run loses none. Numbers
//! are written in the shortest form that reads back to the same bits. A run that continues from a checkpoint truncates
//! the lines that came after it: no line is lost or duplicated. A series keeps the columns with which it began: one of
//! an earlier version goes on without those that are new.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::files::open_regular;
use super::partial::Partial;
use super::{Error, Provenance};

/// A series that is being written. One rank holds it.
pub struct Series {
    path: PathBuf,
    file: File,
    /// Names of the columns of the run.
    columns: Vec<String>,
    /// The columns of the file, by their places among those of the run, if they are not the same.
    kept: Option<Vec<usize>>,
    /// Length of the file in bytes up to the last complete line.
    length: u64,
    /// Hash of these bytes.
    bytes: Xxh3,
}

/// Formats a number in the shortest form that reads back to the same bits, without a decimal point for whole numbers.
pub fn shortest(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").unwrap_or(&text).to_string()
}

/// A position in a series: the bytes from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Number of bytes.
    length: u64,
    /// Hash (xxh3) of these bytes.
    hash: u64,
}

impl Series {
    /// Creates a series with the given columns (name, unit) and replaces an existing file. A unit may be empty.
    pub fn create(path: &Path, columns: &[(&str, &str)], provenance: &Provenance) -> Result<Self, Error> {
        let head = provenance.comment() + &column_rows(columns, path)?;
        let partial = Partial::new(path)?;
        let mut file = partial.create()?;
        file.write_all(head.as_bytes()).map_err(Error::os("write", path))?;
        // The open file keeps its identity through the rename.
        partial.publish()?;
        Ok(Series {
            path: path.to_path_buf(),
            file,
            columns: names(columns),
            kept: None,
            length: head.len() as u64,
            bytes: hasher(head.as_bytes()),
        })
    }

    /// Opens a series to continue it at `mark`, after a call to [`Series::cut`]. Returns `None` if the file does not
    /// exist. A file that lacks some of the columns goes on without them ([`Series::left_out`]).
    ///
    /// # Errors
    /// The file cannot be read, has columns that are not among these, or is not the one from which the mark was taken.
    pub fn reopen(path: &Path, columns: &[(&str, &str)], mark: Mark) -> Result<Option<Self>, Error> {
        let wrong = |detail: String| Error::Series {
            path: path.to_path_buf(),
            detail: detail + "; restore it, or move it away to begin a new one",
        };
        let file = match open_regular(path, File::options().read(true).append(true)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Err(wrong(error.to_string())),
            file => file.map_err(Error::os("open", path))?,
        };
        let mut text = Vec::new();
        let mut begin = (&file).take(mark.length);
        begin.read_to_end(&mut text).map_err(Error::os("read", path))?;
        if (text.len() as u64) < mark.length {
            return Err(wrong(format!(
                "it has {} bytes, but the checkpoint was taken at byte {}",
                text.len(),
                mark.length
            )));
        }
        let comments = text
            .split_inclusive(|&byte| byte == b'\n')
            .take_while(|line| line.starts_with(b"#"));
        let rows = &text[comments.map(<[u8]>::len).sum::<usize>()..];
        let kept = if rows.starts_with(column_rows(columns, path)?.as_bytes()) {
            None
        } else {
            Some(places(rows, columns).map_err(wrong)?)
        };
        if xxh3_64(&text) != mark.hash {
            return Err(wrong(format!(
                "its first {} bytes are not those that were there when the checkpoint was taken",
                mark.length
            )));
        }
        Ok(Some(Series {
            path: path.to_path_buf(),
            file,
            columns: names(columns),
            kept,
            length: mark.length,
            bytes: hasher(&text),
        }))
    }

    /// Returns the path of the file, and the columns of the run that it does not have.
    pub fn left_out(&self) -> (&Path, Vec<&str>) {
        let kept = self.kept.as_deref();
        let all = self.columns.iter().enumerate();
        let without = all.filter(|(place, _)| kept.is_some_and(|kept| !kept.contains(place)));
        (&self.path, without.map(|(_, name)| name.as_str()).collect())
    }

    /// Truncates a reopened series at its mark.
    pub fn cut(&self) -> Result<(), Error> {
        self.file.set_len(self.length).map_err(Error::os("cut", &self.path))
    }

    /// Returns the present end of the series, after flushing it to the medium.
    pub fn mark(&self) -> Result<Mark, Error> {
        self.file.sync_data().map_err(Error::os("flush", &self.path))?;
        Ok(Mark {
            length: self.length,
            hash: self.bytes.digest(),
        })
    }

    /// Appends one line or several; `values` are `[line][column]`, in the units of the columns.
    ///
    /// # Errors
    /// The number of values does not fit the columns, or the file cannot be written.
    pub fn append(&mut self, values: &[f64]) -> Result<(), Error> {
        let columns = self.columns.len();
        if values.is_empty() || !values.len().is_multiple_of(columns) {
            let detail = format!("{} values for {columns} columns", values.len());
            return Err(Error::Input {
                path: self.path.clone(),
                detail,
            });
        }
        // Without this check, lines written to a removed file would be lost silently.
        if self.file.metadata().is_ok_and(|there| there.nlink() == 0) {
            return Err(Error::Os {
                action: "append to",
                path: self.path.clone(),
                source: std::io::Error::new(ErrorKind::NotFound, "it was removed during the run"),
            });
        }
        let of_row = |row: &[f64]| match &self.kept {
            None => line(row),
            Some(kept) => line(&kept.iter().map(|&place| row[place]).collect::<Vec<_>>()),
        };
        let lines: String = values.chunks(columns).map(of_row).collect();
        if let Err(source) = self.file.write_all(lines.as_bytes()) {
            // A full disk may have stored a part of the line. Truncate it, so that the next line does not continue it.
            // If this fails too, the incomplete last line remains, which readers drop.
            let _ = self.file.set_len(self.length);
            return Err(Error::Os {
                action: "append to",
                path: self.path.clone(),
                source,
            });
        }
        self.length += lines.len() as u64;
        self.bytes.update(lines.as_bytes());
        Ok(())
    }
}

/// Formats a line of numbers.
pub(super) fn line(values: &[f64]) -> String {
    values
        .iter()
        .map(|&value| shortest(value))
        .collect::<Vec<_>>()
        .join(",")
        + "\n"
}

fn names(columns: &[(&str, &str)]) -> Vec<String> {
    columns.iter().map(|(name, _)| (*name).to_owned()).collect()
}

/// Returns the place among the columns of a run of each column of a file, which begins with the rows of names and
/// units. If one has none, returns what is wrong.
fn places(rows: &[u8], columns: &[(&str, &str)]) -> Result<Vec<usize>, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(rows);
    let head: Vec<_> = reader.records().take(2).filter_map(Result::ok).collect();
    let [names, units] = head.as_slice() else {
        return Err("it has no rows of names and units".to_owned());
    };
    let place = |own: (&str, &str)| {
        let place = columns.iter().position(|column| *column == own);
        place.ok_or_else(|| {
            let (name, unit) = own;
            let unit = if ["", "-"].contains(&unit) {
                String::new()
            } else {
                format!(" in {unit}")
            };
            format!("its columns are not those of this run, which has no `{name}`{unit}")
        })
    };
    names.iter().zip(units).map(place).collect()
}

fn hasher(bytes: &[u8]) -> Xxh3 {
    let mut hasher = Xxh3::new();
    hasher.update(bytes);
    hasher
}

/// Formats the rows of names and units.
pub(super) fn column_rows(columns: &[(&str, &str)], path: &Path) -> Result<String, Error> {
    let names = row(columns.iter().map(|(name, _)| *name), path)?;
    Ok(names + &row(columns.iter().map(|(_, unit)| *unit), path)?)
}

/// Formats a CSV line of texts, quoted where needed.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::read_series;

    const COLUMNS: [(&str, &str); 3] = [("time", "s"), ("#kinetic, energy", "m^2/s^2"), ("mach", "")];

    fn file(directory: &tempfile::TempDir) -> PathBuf {
        directory.path().join("integrals.csv")
    }

    /// A series with one line, in a directory that lives as long as it is held.
    fn begun() -> (tempfile::TempDir, PathBuf, Series) {
        let directory = tempfile::tempdir().unwrap();
        let path = file(&directory);
        let mut series = Series::create(&path, &COLUMNS, &Provenance::of_this_program()).unwrap();
        series.append(&[0.0, 1.0, 2.0]).unwrap();
        (directory, path, series)
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
    fn a_failed_creation_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(&directory);
        std::fs::create_dir(&path).unwrap();
        assert!(Series::create(&path, &COLUMNS, &Provenance::of_this_program()).is_err());
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_line_of_a_series_that_was_removed_is_an_error() {
        let (_directory, path, mut series) = begun();
        std::fs::remove_file(&path).unwrap();
        let error = series.append(&[1.0, 2.0, 3.0]).unwrap_err().to_string();
        assert!(
            error.ends_with("integrals.csv: it was removed during the run"),
            "{error}"
        );
    }

    #[test]
    fn a_series_goes_on_at_its_mark_and_only_there() {
        let (_directory, path, mut series) = begun();
        let mark = series.mark().unwrap();
        series.append(&[1.0, 2.0, 3.0]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        series.append(&[9.0, 9.0, 9.0]).unwrap();
        std::fs::write(&path, [&std::fs::read(&path).unwrap(), &b"2,3"[..]].concat()).unwrap();

        let mut again = Series::reopen(&path, &COLUMNS, mark).unwrap().unwrap();
        again.cut().unwrap();
        again.append(&[1.0, 2.0, 3.0]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        assert_ne!(again.mark().unwrap(), mark);

        let refused = |columns: &[(&str, &str)], text: &[u8], part: &str| {
            std::fs::write(&path, text).unwrap();
            let error = Series::reopen(&path, columns, mark).err().unwrap().to_string();
            assert!(error.contains(part) && error.contains("move it away"), "{error}");
        };
        refused(
            &COLUMNS,
            &whole[..mark.length as usize - 1],
            "the checkpoint was taken at byte",
        );
        refused(
            &COLUMNS[..2],
            &whole,
            "its columns are not those of this run, which has no `mach`",
        );
        let mut other = whole.clone();
        other[mark.length as usize - 2] = b'7';
        refused(&COLUMNS, &other, "are not those that were there");
        std::fs::remove_file(&path).unwrap();
        assert!(Series::reopen(&path, &COLUMNS, mark).unwrap().is_none());
    }

    #[test]
    fn a_series_goes_on_with_its_columns_among_more() {
        let (_directory, path, mut series) = begun();
        let mark = series.mark().unwrap();
        series.append(&[1.0, 2.0, 3.0]).unwrap();
        let whole = std::fs::read(&path).unwrap();
        assert_eq!(series.left_out().1, Vec::<&str>::new());

        let [time, energy, mach] = COLUMNS;
        let more = [("back", "-"), mach, time, energy, ("changes", "-")];
        let mut again = Series::reopen(&path, &more, mark).unwrap().unwrap();
        again.cut().unwrap();
        again.append(&[7.0, 3.0, 1.0, 2.0, 8.0]).unwrap();
        assert_eq!(again.left_out(), (path.as_path(), vec!["back", "changes"]));
        assert_eq!(std::fs::read(&path).unwrap(), whole);
        // In another unit it is another column.
        let other = [time, energy, ("mach", "m/s")];
        assert!(Series::reopen(&path, &other, mark).is_err());
    }
}
