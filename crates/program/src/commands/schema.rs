//! `fr-les schema`: prints the JSON schema of a kind of file, for editors.

use std::io::{self, ErrorKind, Write};

use serde_json::Value;

use crate::case::{self, FileKind};
use crate::mesh::CascadeKeys;
use crate::study::StudyKeys;

/// Arguments of `fr-les schema`.
#[derive(Debug, clap::Args)]
pub struct SchemaArgs {
    /// The kind of file
    #[arg(value_enum, default_value_t = FileKind::Case)]
    kind: FileKind,
}

/// Prints the schema on standard output. A reader that closes the pipe, as `head` does, is no error.
pub fn run(args: &SchemaArgs) -> io::Result<()> {
    match writeln!(io::stdout().lock(), "{:#}", of(args.kind)) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Returns the schema of a kind of file.
pub(crate) fn of(kind: FileKind) -> Value {
    match kind {
        FileKind::Case => case::schema(),
        FileKind::Study => case::schema_of::<StudyKeys>(kind),
        FileKind::Cascade => case::schema_of::<CascadeKeys>(kind),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Run with the environment variable `UPDATE_DOCS` set to write the files anew.
    #[test]
    fn the_schemas_beside_the_page_of_keys_are_those_that_are_printed() {
        for kind in FileKind::ALL {
            let name = kind.name();
            let path = format!("{}/../../docs/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
            let text = format!("{:#}\n", of(kind));
            if std::env::var_os("UPDATE_DOCS").is_some() {
                std::fs::write(&path, &text).expect("written");
            }
            assert!(
                std::fs::read_to_string(&path).expect(name) == text,
                "run with UPDATE_DOCS=1"
            );
            assert!(kind.address().ends_with(&format!("/docs/schema/{name}.json")));
        }
    }

    #[test]
    fn the_marks_of_a_kind_are_required_keys_that_no_other_kind_has() {
        for kind in FileKind::ALL {
            for mark in kind.marks() {
                let required = of(kind)["required"].clone();
                let required = required.as_array().expect("required keys");
                assert!(required.iter().any(|key| key == mark), "{kind:?} {mark}");
                let others = FileKind::ALL.into_iter().filter(|other| *other != kind);
                for other in others {
                    assert!(of(other)["properties"][mark].is_null(), "{other:?} {mark}");
                }
            }
        }
    }
}
