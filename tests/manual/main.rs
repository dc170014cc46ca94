//! The manual in docs/: its tutorials run, and its pages are complete.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod program;
}

mod book;
mod tutorials;

use std::path::Path;

/// The repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
