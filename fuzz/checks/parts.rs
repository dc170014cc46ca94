//! Inputs of several text files: their contents are the parts of the bytes between zero bytes, which no text has.

use std::path::Path;

use tempfile::TempDir;

/// Returns a folder with these files, as far as the bytes have parts for them.
pub fn folder(bytes: &[u8], names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("temporary directory");
    for (name, part) in names.iter().zip(bytes.split(|&byte| byte == 0)) {
        write(folder.path(), name, part);
    }
    folder
}

/// Writes a file, and makes the folder in which it is.
pub fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    std::fs::write(path, bytes).expect("written");
}
