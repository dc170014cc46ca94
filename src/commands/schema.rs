//! `fr-les schema`: prints the JSON schema of the case file, for editors.

use std::io::{self, Write};

use crate::case;

/// Prints the schema on standard output.
pub fn run() -> io::Result<()> {
    writeln!(io::stdout().lock(), "{:#}", case::schema())
}
