//! The results of commands for other programs: one JSON object on standard output, where the log goes to standard error
//! (`--json`).
//!
//! Each command has one structure of what it found, which it prints as text or as JSON, so that both say the same. A
//! number with a unit is `{"value": ..., "unit": ...}` ([`crate::io::Quantity`]), and the names of keys are those of
//! the field, with hyphens as in a case file. docs/reference/json.md has the layout.

use serde::Serialize;

use super::{print_line, version};
use crate::io::JSON_VERSION;
use crate::log::Stream;

/// The form in which a command prints what it has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Lines for people.
    Text,
    /// An object for programs.
    Json,
}

impl Form {
    /// Returns where the log goes beside a result in this form.
    pub fn log(self) -> Stream {
        match self {
            Form::Text => Stream::Output,
            Form::Json => Stream::Error,
        }
    }
}

/// The option that chooses the form.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct FormArgs {
    /// Print one JSON object on standard output, and the log on standard error (docs/reference/json.md)
    #[arg(long)]
    json: bool,
}

impl FormArgs {
    /// Returns the form that is asked for.
    pub fn form(self) -> Form {
        if self.json { Form::Json } else { Form::Text }
    }
}

/// What every object says of itself.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Enveloped<'a, T> {
    schema_version: u32,
    command: &'a str,
    program: String,
    #[serde(flatten)]
    found: &'a T,
}

/// Prints what a command has found as JSON.
pub fn print_json(command: &str, found: &impl Serialize) {
    let object = Enveloped {
        schema_version: JSON_VERSION,
        command,
        program: format!("fr-les {}", version::program()),
        found,
    };
    // Keys are words and values are numbers and texts, so that nothing can fail here but the reader of the pipe.
    let text = serde_json::to_string_pretty(&object).unwrap_or_default();
    print_line(format_args!("{text}"));
}
