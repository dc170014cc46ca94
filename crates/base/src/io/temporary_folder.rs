//! Folders for files that are needed for a moment.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::Error;
use super::files::create_anew;

/// A folder that is removed with its contents when it is dropped.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// Creates a folder in another one, for this user alone; its name is the stem with a random number, so that the
    /// remains of a killed process are not in the way.
    pub fn new(parent: &Path, stem: &str) -> std::io::Result<Self> {
        let path = parent.join(format!("{stem}-{:016x}", random_number()));
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Creates an empty file in the folder, or replaces it.
    pub fn create_file(&self, name: &str) -> Result<File, Error> {
        create_anew(&self.0.join(name))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns a number that is seeded by the system for every process, and different at every call.
pub(super) fn random_number() -> u64 {
    RandomState::new().hash_one(std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_folder_is_of_this_user_alone_and_unlike_others() {
        use std::os::unix::fs::MetadataExt;
        let parent = tempfile::tempdir().unwrap();
        let folders = [0; 2].map(|_| TemporaryFolder::new(parent.path(), "stem").unwrap());
        assert_ne!(folders[0].path(), folders[1].path());
        for folder in &folders {
            assert_eq!(fs::metadata(folder.path()).unwrap().mode() & 0o777, 0o700);
        }
        drop(folders);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
