//! The reader of case files must read or refuse any text, with a message that fits on a screen.

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
