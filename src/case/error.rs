//! The one error a case can give, written for the person who has to correct the file.
//!
//! While reading, a [`Problem`] collects what is wrong, the key and the place; at the end it becomes an [`Error`], which
//! holds the source line itself and prints without needing the file again.

use std::fmt;
use std::ops::Range;
use std::path::Path;

/// Where something stands in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The file as a whole.
    Whole,
    /// A line, a column (both from 1) and a length in characters.
    At { line: u32, column: u32, length: u32 },
    /// The `--set` with this index.
    Set(usize),
}

/// What a problem is about; decides the words and which help is looked up once the whole key is known.
#[derive(Debug)]
pub(super) enum Kind {
    /// A key that does not exist; the last part of the key path.
    UnknownKey,
    /// Anything else, said in `what`.
    Other,
}

/// Something wrong with the case, not yet joined with the source text.
#[derive(Debug, thiserror::Error)]
#[error("{what}")]
pub(super) struct Problem {
    pub kind: Kind,
    pub what: String,
    /// Key path, as `time.cfl` or `mesh.box.cells[1]`; empty for the whole case.
    pub key: String,
    pub place: Option<Place>,
    /// The part of the value that is wrong, and the length of the whole, in characters.
    pub part: Option<Box<(Range<u32>, u32)>>,
    pub help: Vec<String>,
}

impl Problem {
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            kind: Kind::Other,
            what: what.into(),
            key: String::new(),
            place: None,
            part: None,
            help: Vec::new(),
        }
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Sets the place unless a more precise one is known.
    pub fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// Sets the place to that of the value, or to the wrong part of it where that stands in one piece in the file.
    pub fn within(self, value: Place) -> Self {
        let place = match (value, self.part.as_deref()) {
            (Place::At { line, column, length }, Some((part, whole))) if length == *whole || length == whole + 2 => {
                let quote = (length - whole) / 2;
                Place::At {
                    line,
                    column: column + quote + part.start,
                    length: (part.end - part.start).max(1),
                }
            }
            _ => value,
        };
        self.at(place)
    }

    /// Puts one more part in front of the key path.
    pub fn under(mut self, part: &str) -> Self {
        self.key = join(part, &self.key);
        self
    }
}

/// `a.b`, `a[0]`, or just `a`.
fn join(parent: &str, child: &str) -> String {
    let dot = if parent.is_empty() || child.is_empty() || child.starts_with('[') {
        ""
    } else {
        "."
    };
    format!("{parent}{dot}{child}")
}

/// The name nearest to `name`, if any is near enough to be a slip of the hand.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .map(|k| (k, strsim::normalized_damerau_levenshtein(&lower, &k.to_lowercase())))
        .filter(|(_, likeness)| *likeness >= 0.34)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(k, _)| k)
}

/// The names with commas between, cut where they would fill the screen.
pub(super) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 24;
    let names: Vec<&str> = names.into_iter().collect();
    let more = if names.len() > MOST {
        format!(", ... ({} more)", names.len() - MOST)
    } else {
        String::new()
    };
    names[..names.len().min(MOST)].join(", ") + &more
}

/// Why a case was refused: what is wrong, where, and what would be right. Prints as a few lines.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<Report>);

#[derive(Debug)]
struct Report {
    what: String,
    key: String,
    origin: String,
    excerpt: Option<Excerpt>,
    help: Vec<String>,
}

#[derive(Debug)]
struct Excerpt {
    number: usize,
    line: String,
    /// Characters before the marked part, and its length.
    mark: (usize, usize),
}

impl Error {
    /// Joins a problem with the source it was found in; what the source says is cropped.
    pub(super) fn new(problem: Problem, path: &Path, text: &str, overrides: &[String]) -> Self {
        let what = cropped(&printable(&problem.what));
        Self::whole(Problem { what, ..problem }, path, text, overrides)
    }

    /// The same with all of what is said, which may come from a mesh with long names.
    pub(super) fn whole(problem: Problem, path: &Path, text: &str, overrides: &[String]) -> Self {
        let Problem {
            what, key, place, help, ..
        } = problem;
        let place = place.unwrap_or(Place::Whole);
        let help = help.iter().map(|h| cropped(&printable(h))).collect();
        let file = printable(&path.display().to_string());
        let (origin, excerpt) = match place {
            Place::Whole => (file, None),
            Place::At { line, column, length } => (
                format!("{file}:{line}:{column}"),
                excerpt(text, line as usize, column as usize, length as usize),
            ),
            Place::Set(i) => (format!("--set {}", cropped(&printable(&overrides[i]))), None),
        };
        Self(Box::new(Report {
            what: printable(&what),
            key: cropped(&printable(&key)),
            origin,
            excerpt,
            help,
        }))
    }

    /// With one more line of help.
    pub fn help(mut self, help: &str) -> Self {
        self.0.help.push(printable(help));
        self
    }
}

/// Longest part of foreign text shown, in characters.
const WIDTH: usize = 200;

fn cropped(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

/// The text without characters that could disturb a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn excerpt(text: &str, number: usize, column: usize, length: usize) -> Option<Excerpt> {
    /// Characters shown of a long line, and of these the ones before the mark.
    const SHOWN: usize = 110;
    const BEFORE: usize = 60;
    let line: Vec<char> = text.lines().nth(number.checked_sub(1)?)?.chars().collect();
    let start = (column - 1).min(line.len());
    let skipped = if line.len() > SHOWN {
        start.saturating_sub(BEFORE)
    } else {
        0
    };
    let shown: String = line[skipped..].iter().take(SHOWN).collect();
    let room = shown.chars().count() + skipped - start;
    Some(Excerpt {
        number,
        line: printable(&shown).trim_end().to_string(),
        mark: (start - skipped, length.min(room).max(1)),
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let margin = self.excerpt.as_ref().map_or(1, |e| e.number.to_string().len());
        write!(f, "error: {}\n{:margin$}--> {}", self.what, "", self.origin)?;
        if !self.key.is_empty() {
            write!(f, " ({})", self.key)?;
        }
        if let Some(Excerpt {
            number,
            line,
            mark: (before, marked),
        }) = &self.excerpt
        {
            write!(
                f,
                "\n{:margin$} |\n{number} | {line}\n{:margin$} | {:before$}{}",
                "",
                "",
                "",
                "^".repeat(*marked)
            )?;
        }
        for help in &self.help {
            write!(f, "\n{:margin$} = {help}", "")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str, place: Place) -> String {
        let problem = Problem::new("wrong").key("a.b").at(place).help("do right");
        Error::new(problem, Path::new("run.yaml"), text, &["a.b=\u{1b}[1m1".into()]).to_string()
    }

    #[test]
    fn the_source_line_is_shown_with_the_fault_marked() {
        let shown = show(
            "a:\n  b: 12\n",
            Place::At {
                line: 2,
                column: 6,
                length: 2,
            },
        );
        assert_eq!(
            shown,
            "error: wrong\n --> run.yaml:2:6 (a.b)\n  |\n2 |   b: 12\n  |      ^^\n  = do right"
        );
    }

    #[test]
    fn an_override_is_named_instead_of_a_line() {
        assert_eq!(
            show("", Place::Set(0)),
            "error: wrong\n --> --set a.b= [1m1 (a.b)\n  = do right"
        );
    }

    #[test]
    fn long_lines_and_far_marks_stay_on_the_screen() {
        let text = "x".repeat(5000);
        for (column, length) in [(1, 5000), (2500, 100), (5000, 1), (5001, 1), (9999, 9)] {
            let shown = show(
                &text,
                Place::At {
                    line: 1,
                    column,
                    length,
                },
            );
            assert!(shown.lines().all(|l| l.chars().count() < 130), "{shown}");
        }
        assert!(
            show(
                "a",
                Place::At {
                    line: 7,
                    column: 1,
                    length: 1
                }
            )
            .contains("run.yaml:7:1")
        );
    }

    #[test]
    fn the_nearest_name_is_found_but_nothing_far() {
        assert_eq!(nearest("clf", ["end", "cfl", "dt"]), Some("cfl"));
        assert_eq!(nearest("Order", ["order", "title"]), Some("order"));
        assert_eq!(nearest("zzzzzz", ["end", "cfl", "dt"]), None);
    }
}
