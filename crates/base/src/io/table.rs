//! Reading of series and of tables from other sources.

use std::path::{Path, PathBuf};

use super::{Error, read_input};
use crate::input::Table;

/// Reads a series, or reference data from other sources, which may lack the row of units. A last line without a line
/// feed was interrupted while it was written, and is dropped; all other lines must be complete.
///
/// # Errors
/// The file cannot be read, has no row of names, or has a line of wrong length or without numbers.
pub fn read_series(path: &Path) -> Result<Table, Error> {
    TableFile::read(path).map(|file| file.table)
}

/// A file of a table with the comments at its head.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFile {
    /// The file.
    pub path: PathBuf,
    /// The numbers.
    pub table: Table,
    /// Lines of comments at the head, without `# `.
    pub comments: Vec<String>,
}

impl TableFile {
    /// Reads a file as [`read_series`] does.
    ///
    /// # Errors
    /// Those of [`read_series`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        let text = read_input(path)?;
        let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let table = Table::parse(&text[..complete]).map_err(|fault| Error::Table {
            path: path.to_path_buf(),
            line: fault.line,
            detail: fault.detail,
        })?;
        let head = String::from_utf8_lossy(&text);
        let comments = head.lines().map_while(|line| line.strip_prefix("# "));
        Ok(TableFile {
            path: path.to_path_buf(),
            table,
            comments: comments.map(str::to_owned).collect(),
        })
    }

    /// Returns the name of the file without its last extension.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
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
