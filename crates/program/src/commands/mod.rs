//! The commands of the command line, one file or folder for each, and their common parts: failures, the launcher, the
//! version and the printing of results.

use std::borrow::Cow;
use std::io::{IsTerminal, Write};

use crate::format::plain;
use crate::input::nearest;

pub mod bench;
pub mod blade;
pub mod check;
mod describe;
pub mod doctor;
pub mod examples;
pub mod explain;
mod failure;
mod inputs;
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

/// Prints a line that tells of work which is done, unless `--quiet` asks for silence: what a command was asked to print
/// is printed by [`print_line`].
pub fn print_progress(line: std::fmt::Arguments) {
    if tracing::enabled!(tracing::Level::INFO) {
        print_line(line);
    }
}

/// Prints a message on standard error, without characters that steer a terminal but for the colour of its first word.
pub fn print_error(message: &str) {
    let colours = shows_colours(std::io::stderr().is_terminal());
    let _ = writeln!(std::io::stderr(), "{}", coloured(&plain(message), colours));
}

/// Returns whether colours are shown on a stream, which is a terminal or not.
pub fn shows_colours(is_terminal: bool) -> bool {
    // mpirun gives its ranks terminals even where its own output goes into a file.
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    is_terminal && launcher::rank_and_size().is_none() && !refused
}

/// Returns a message with the word at its beginning that says that it is an error in bold red.
fn coloured(message: &str, colours: bool) -> Cow<'_, str> {
    const WORD: &str = "error:";
    match message.strip_prefix(WORD) {
        Some(rest) if colours => Cow::Owned(format!("\x1b[1;31m{WORD}\x1b[0m{rest}")),
        _ => Cow::Borrowed(message),
    }
}

/// Returns the name of a choice in the spelling of the case file.
fn word(choice: impl serde::Serialize) -> String {
    serde_json::to_value(choice)
        .ok()
        .and_then(|v| v.as_str().map(str::to_owned))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_a_colour_where_colours_are_shown() {
        let message = "error: wrong\n --> run.yaml";
        assert_eq!(coloured(message, true), "\x1b[1;31merror:\x1b[0m wrong\n --> run.yaml");
        assert_eq!(coloured(message, false), message);
        assert_eq!(coloured("other", true), "other");
    }
}
