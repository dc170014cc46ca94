//! The commands of the command line, one file or folder for each, and their common parts: failures, the launcher, the
//! version and the printing of results.

use std::io::Write;

use crate::format::plain;
use crate::input::nearest;

pub mod bench;
pub mod blade;
pub mod check;
mod describe;
pub mod doctor;
pub mod explain;
mod failure;
pub mod json;
pub mod kernels;
pub mod launcher;
mod loads;
pub mod manual;
pub mod mesh;
pub mod plot;
pub mod report;
pub mod run;
pub mod schema;
mod steady;
pub mod study;
pub mod version;
pub mod watch;

pub use failure::{Failure, exit_code_of};

/// Returns the subcommand nearest to a misspelt one, if one is close enough to be meant.
pub fn nearest_command(word: &str, parser: &clap::Command) -> Option<String> {
    let names = parser.get_subcommands().map(clap::Command::get_name);
    nearest(word, names).map(str::to_owned)
}

/// Prints a line on standard output, without characters that steer a terminal. If the reader has closed the pipe, the
/// line is dropped and the command continues.
pub fn print_line(line: std::fmt::Arguments) {
    let _ = writeln!(std::io::stdout(), "{}", plain(&line.to_string()));
}

/// Prints a message on standard error, without characters that steer a terminal.
pub fn print_error(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", plain(message));
}

/// Returns the name of a choice in the spelling of the case file.
fn word(choice: impl serde::Serialize) -> String {
    serde_json::to_value(choice)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default()
}
