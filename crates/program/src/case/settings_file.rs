//! The settings file of a command: YAML like a case, with keys of its own and the same errors.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::error::Error;
use super::file_kind::FileKind;
use super::paths;
use super::read::{finish, read_text, read_tree};
use super::tree::Node;
use crate::input::Problem;

/// What a settings file says, with its text for errors that are found later.
#[derive(Debug)]
pub(crate) struct SettingsFile<K> {
    /// The keys as they are written.
    pub keys: K,
    path: PathBuf,
    text: String,
    overrides: Vec<String>,
    tree: Node,
}

impl<K: DeserializeOwned> SettingsFile<K> {
    /// Reads the keys of the file, which is of this kind, and applies `overrides`, each of the form `key.path=value`.
    ///
    /// # Errors
    /// The file cannot be read, is no YAML, or has other keys or types.
    pub fn read(path: &Path, kind: FileKind, overrides: &[String]) -> Result<Self, Error> {
        let refuse = |problem, text: &str| Error::new(problem, path, text, overrides);
        let text = read_text(path, "settings").map_err(|problem| refuse(problem, ""))?;
        let tree = read_tree(&text, "settings", overrides).map_err(|problem| refuse(problem, &text))?;
        let wrong = |problem| kind.mistaken(&tree).unwrap_or_else(|| finish(problem));
        let keys = K::deserialize(&tree).map_err(|problem| refuse(wrong(problem), &text))?;
        Ok(SettingsFile {
            keys,
            path: path.to_path_buf(),
            text,
            overrides: overrides.to_vec(),
            tree,
        })
    }
}

impl<K> SettingsFile<K> {
    /// Returns the directory of the file, to which the paths in it are relative.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Returns a problem as an error that shows the line of its key.
    pub fn refuse(&self, problem: Problem) -> Error {
        let place = self.tree.place_of(&problem.key);
        let problem = paths::help(problem, &self.tree, self.directory());
        Error::new(problem.within(place), &self.path, &self.text, &self.overrides)
    }
}
