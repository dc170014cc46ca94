//! Rules of the source that no compiler checks: which room imports which, no circles of files, no floating-point
//! atomics in solvers, where files are created, the width of lines and the length of files, how many names a `let` has,
//! the names of ignored tests, and the numbers of the pages of validation/.

mod arrows;
mod atomics;
mod conditions;
mod ignored;
mod imports;
mod kept;
mod length;
mod lets;
mod width;
mod workflows;
mod written;

use std::path::{Path, PathBuf};

/// The repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all files below some folders or files of the repository with one of these endings, sorted, relative to the
/// repository.
fn files(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let mut todo: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            todo.extend(entries.map(|entry| entry.expect("an entry").path()));
        } else if path.is_file() && endings.iter().any(|e| path.to_string_lossy().ends_with(e)) {
            found.push(path.strip_prefix(root()).expect("below the repository").to_path_buf());
        }
    }
    found.sort();
    found
}

/// The text of a file.
fn text(path: &Path) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}
