//! `fr-les schema`: prints the JSON schema of the case file, for editors.

use std::io::{self, ErrorKind, Write};

use crate::case;

/// Prints the schema on standard output. A reader that closes the pipe, as `head` does, is no error.
pub fn run() -> io::Result<()> {
    match writeln!(io::stdout().lock(), "{:#}", case::schema()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
