//! One line of the report on a machine: a part of it, whether it works, and what brings it where it is missing.

use serde::Serialize;

use crate::commands::print_line;

/// What can be said of a part of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Works,
    /// It is not there or does not work.
    Lacks,
    /// It is not there, and nothing can or need be done.
    Absent,
}

/// One line of the report.
#[derive(Debug, Serialize)]
pub struct Finding {
    what: &'static str,
    pub state: State,
    found: String,
    /// What brings it, where it is missing.
    remedy: Option<String>,
}

impl Finding {
    /// A part that works.
    pub fn works(what: &'static str, found: impl Into<String>) -> Self {
        Self::new(State::Works, what, found, None)
    }

    /// A part that is missing, and what brings it.
    pub fn lacks(what: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(State::Lacks, what, found, Some(remedy.into()))
    }

    /// A part that is not there, which no command changes.
    pub fn absent(what: &'static str, found: impl Into<String>) -> Self {
        Self::new(State::Absent, what, found, None)
    }

    fn new(state: State, what: &'static str, found: impl Into<String>, remedy: Option<String>) -> Self {
        Self {
            state,
            what,
            found: found.into(),
            remedy,
        }
    }

    /// Prints the line, and those of the remedy below it.
    pub fn print(&self) {
        const INDENT: &str = "                  ";
        let mark = match self.state {
            State::Works => "ok",
            State::Lacks => "no",
            State::Absent => "--",
        };
        print_line(format_args!(
            "{mark}  {:<12}  {}",
            self.what,
            self.found.replace('\n', &format!("\n{INDENT}"))
        ));
        for line in self.remedy.iter().flat_map(|remedy| remedy.lines()) {
            print_line(format_args!("{INDENT}{line}"));
        }
    }
}
