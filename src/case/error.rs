//! Errors of the case file: what is wrong, where, and what would be right, on one screen.

use std::fmt;
use std::path::PathBuf;

/// A wrong case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// What is wrong.
    pub message: String,
    /// Case file.
    pub path: PathBuf,
    /// Key, as in `time.cfl`; empty if no single key is to blame.
    pub key: String,
    /// Where it stands.
    pub place: Place,
    /// What would be right, if that can be said.
    pub help: Option<String>,
}

/// Where a wrong value stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the file as a whole.
    File,
    /// At a line and column, both from 1, with the text of the line.
    Line {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
        /// Its text.
        text: String,
    },
    /// In an override of the command line.
    Override(String),
}

/// Longest part of a source line that is shown.
const SHOWN: usize = 100;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "error: {}", self.message)?;
        let path = self.path.display();
        match &self.place {
            Place::File => write!(f, "  --> {path}")?,
            Place::Line { line, column, .. } => write!(f, "  --> {path}:{line}:{column}")?,
            Place::Override(text) => write!(f, "  --> --set {text} (on {path})")?,
        }
        if !self.key.is_empty() {
            write!(f, ", key {}", self.key)?;
        }
        if let Place::Line { line, column, text } = &self.place {
            // A window of the line around the column, so that one long line does not fill the screen.
            let chars: Vec<char> = text.chars().collect();
            let from = (column - 1).saturating_sub(SHOWN / 2).min(chars.len());
            let shown: String = chars[from..]
                .iter()
                .take(SHOWN)
                .map(|c| if c.is_control() { ' ' } else { *c })
                .collect();
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            write!(
                f,
                "\n{margin} |\n{number} | {shown}\n{margin} | {}^",
                " ".repeat(column - 1 - from)
            )?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// The known name that is most like `name`, if one is like it at all.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|k| (strsim::damerau_levenshtein(name, k), k))
        .filter(|(distance, k)| *distance <= 1 + k.len().max(name.len()) / 3 && *distance < name.len().max(2))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, k)| k)
}
