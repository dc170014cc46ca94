//! Restart files of SU2: numbered variables at the points of a mesh, in the order of its points.
//!
//! The binary form has five integers of four bytes (535532, the number of variables, the number of points, 0, 0), the
//! names of the variables, of 33 bytes each, and then the variables of each point in double precision
//! (CSU2BinaryFileWriter.cpp of SU2 8.0.0, and `Read_SU2_Restart_Binary` of its CSolver.cpp). What follows, as files of
//! SU2 6 have it, is left alone. The text form is a table whose first column, `PointID`, has the numbers of the points
//! from 0; it has 16 digits (CSU2FileWriter.cpp of SU2 7.5.0).

use std::io::{BufWriter, Read, Write};
use std::path::Path;

use super::{Error, Partial, open_input, read_input};

/// The first integer of a binary file, the letters of SU2 in hexadecimal notation.
const MAGIC: i32 = 535_532;
/// Number of integers before the names.
const INTEGERS: usize = 5;
/// Bytes of a name, whose end is filled with zeros.
const NAME: usize = 33;

/// Variables at the points of a mesh of SU2.
#[derive(Debug, Clone, PartialEq)]
pub struct Su2Restart {
    /// Names of the variables; the first ones are the coordinates `x`, `y` and `z`.
    pub names: Vec<String>,
    /// Values, `[point][variable]`.
    pub values: Vec<f64>,
}

/// Returns whether the ending of a file is that of a restart file of SU2.
pub fn is_su2_restart(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending == "dat" || ending == "csv")
}

/// First column of a table.
const POINT: &str = "PointID";

/// Returns whether the text begins as a table does.
fn is_table(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\"").unwrap_or(bytes);
    text.starts_with(POINT.as_bytes())
}

/// Returns whether a file begins as a restart file of SU2 does, whatever its name is.
pub fn looks_like_su2(path: &Path) -> bool {
    let mut begin = Vec::new();
    let read = open_input(path).and_then(|file| file.take(POINT.len() as u64 + 1).read_to_end(&mut begin));
    read.is_ok() && (begin.starts_with(&MAGIC.to_le_bytes()) || is_table(&begin))
}

impl Su2Restart {
    /// Number of points.
    pub fn points(&self) -> usize {
        self.values.len() / self.names.len()
    }

    /// Reads a file: a table if its name ends in .csv, and otherwise the binary form.
    ///
    /// # Errors
    /// The file cannot be read, or is no restart file of SU2.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = read_input(path)?;
        if path.extension().is_some_and(|ending| ending == "csv") {
            Self::of_table(path, &bytes)
        } else {
            Self::of_bytes(&bytes).map_err(|detail| wrong(path, detail))
        }
    }

    fn of_bytes(bytes: &[u8]) -> Result<Self, String> {
        let integers = bytes.as_chunks::<4>().0.iter().map(|four| i32::from_le_bytes(*four));
        let integers: Vec<i32> = integers.take(INTEGERS).collect();
        let (variables, points) = match integers[..] {
            [MAGIC, variables, points, _, _] if variables > 0 && points > 0 => (variables as usize, points as usize),
            [MAGIC, ..] => return Err("it has no variables or no points".to_owned()),
            _ if is_table(bytes) => {
                return Err("it is a table, whose name must end in .csv, and a binary file was expected".to_owned());
            }
            [first, ..] => return Err(format!("it begins with {first}, and a binary file with {MAGIC}")),
            [] => return Err("it is empty".to_owned()),
        };
        // Damaged integers may be as large as they can be.
        let needed = (INTEGERS * 4) as u128 + variables as u128 * (NAME as u128 + 8 * points as u128);
        if (bytes.len() as u128) < needed {
            return Err(format!(
                "it is cut off: {variables} variables at {points} points need {needed} bytes, and it has {}",
                bytes.len()
            ));
        }
        let (names, values) = bytes[INTEGERS * 4..needed as usize].split_at(variables * NAME);
        let name = |bytes: &[u8]| {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(NAME);
            String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
        };
        Ok(Su2Restart {
            names: names.chunks(NAME).map(name).collect(),
            values: values
                .as_chunks::<8>()
                .0
                .iter()
                .map(|x| f64::from_le_bytes(*x))
                .collect(),
        })
    }

    fn of_table(path: &Path, bytes: &[u8]) -> Result<Self, Error> {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default().split(',');
        let mut names = head.map(|name| name.trim().trim_matches('"').to_owned());
        if names.next().as_deref() != Some(POINT) {
            return Err(wrong(
                path,
                format!("the first column of its first line is not \"{POINT}\""),
            ));
        }
        let names: Vec<String> = names.collect();
        let rows: Vec<(u64, &str)> = (2..).zip(lines).filter(|(_, row)| !row.trim().is_empty()).collect();
        if names.is_empty() || rows.is_empty() {
            return Err(wrong(path, "it has no variables or no points".to_owned()));
        }
        let at = |line: u64, detail: String| Error::Table {
            path: path.to_path_buf(),
            line,
            detail,
        };
        // A first line of many names would ask for more memory than the rows fill.
        for (line, row) in &rows {
            let columns = row.split(',').count();
            if columns != names.len() + 1 {
                let detail = format!("the row has {columns} columns, and the first line {}", names.len() + 1);
                return Err(at(*line, detail));
            }
        }
        let mut values = vec![f64::NAN; rows.len() * names.len()];
        let mut found = vec![false; rows.len()];
        for (line, row) in &rows {
            let at = |detail: String| at(*line, detail);
            let mut columns = row.split(',').map(str::trim);
            let number = columns.next().unwrap_or_default();
            let point = number
                .parse::<usize>()
                .ok()
                .filter(|point| found.get(*point) == Some(&false));
            let Some(point) = point else {
                let last = rows.len() - 1;
                return Err(at(format!(
                    "`{number}` is no new number of a point; the {} rows have 0 to {last}",
                    last + 1
                )));
            };
            found[point] = true;
            let parsed: Result<Vec<f64>, &str> = columns.map(|text| text.parse().map_err(|_| text)).collect();
            let parsed = parsed.map_err(|text| at(format!("`{text}` is no number")))?;
            values[point * names.len()..][..names.len()].copy_from_slice(&parsed);
        }
        Ok(Su2Restart { names, values })
    }

    /// Writes the binary form.
    ///
    /// # Errors
    /// The file cannot be written, or has more points than its format can count.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let points = i32::try_from(self.points()).map_err(|_| {
            wrong(
                path,
                format!("{} points are more than the format counts", self.points()),
            )
        })?;
        let partial = Partial::new(path)?;
        let mut file = BufWriter::new(partial.create()?);
        let mut write = || {
            for integer in [MAGIC, self.names.len() as i32, points, 0, 0] {
                file.write_all(&integer.to_le_bytes())?;
            }
            for name in &self.names {
                let mut bytes = [0; NAME];
                bytes[..name.len()].copy_from_slice(name.as_bytes());
                file.write_all(&bytes)?;
            }
            self.values
                .iter()
                .try_for_each(|value| file.write_all(&value.to_le_bytes()))?;
            file.flush()
        };
        write().map_err(Error::os("write", path))?;
        drop(file);
        partial.publish()
    }
}

/// Returns the error that a file is no restart file of SU2.
fn wrong(path: &Path, detail: String) -> Error {
    Error::Input {
        path: path.to_path_buf(),
        detail: format!("this is no restart file of SU2 that can be used: {detail}"),
    }
}
