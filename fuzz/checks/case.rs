//! The reader of case files must refuse or read any text, and point into it.

use std::path::Path;

use fr_les::case::Case;

/// Reads bytes as a case file.
pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    if let Err(error) = Case::parse(text, Path::new("fuzz.yaml"), &[]) {
        let shown = error.to_string();
        assert!(shown.starts_with("error: "), "{shown}");
        assert!(shown.lines().count() <= 24, "{shown}");
    }
}
