//! The one error a case can give, written for the person who has to correct the file.
//!
//! A [`Problem`] of the input becomes an [`Error`], which holds the source line itself and prints without needing the
//! file again.

use std::fmt;
use std::path::Path;

use crate::input::{Place, Problem};

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
        // A list of all types of boundaries is to be read to its end.
        let help = help.iter().map(|h| cropped_to(HELP, &printable(h))).collect();
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

    /// What is wrong, without the place.
    pub(crate) fn message(&self) -> &str {
        &self.0.what
    }

    /// With one more line of help.
    pub fn help(mut self, help: &str) -> Self {
        self.0.help.push(printable(help));
        self
    }
}

/// Longest part of foreign text shown, in characters.
const WIDTH: usize = 200;

/// Longest line of help, which may list names, in characters.
const HELP: usize = 1000;

fn cropped(text: &str) -> String {
    cropped_to(WIDTH, text)
}

fn cropped_to(most: usize, text: &str) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

/// Writes a text, on several lines that begin below each other if it is long.
fn write_lines(f: &mut fmt::Formatter<'_>, text: &str, margin: usize) -> fmt::Result {
    /// Characters of a line.
    const LINE: usize = 110;
    if text.chars().count() <= WIDTH {
        return f.write_str(text);
    }
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > LINE {
            write!(f, "\n{:margin$}{word}", "")?;
            used = length;
        } else {
            let space = if used > 0 { " " } else { "" };
            write!(f, "{space}{word}")?;
            used += space.len() + length;
        }
    }
    Ok(())
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
            write!(f, "\n{:margin$} = ", "")?;
            write_lines(f, help, margin + 3)?;
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
    fn long_help_is_whole_on_several_lines() {
        let names: Vec<String> = (10..70).map(|i| format!("boundary-{i}")).collect();
        let problem = Problem::new("wrong").help(names.join(", "));
        let shown = Error::new(problem, Path::new("run.yaml"), "", &[]).to_string();
        assert!(names.iter().all(|name| shown.contains(name)), "{shown}");
        assert!(shown.lines().all(|l| l.chars().count() < 120), "{shown}");
        assert!(shown.lines().skip(3).all(|l| l.starts_with("    b")), "{shown}");
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
}
