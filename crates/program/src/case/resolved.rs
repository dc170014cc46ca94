//! The resolved case, and its source for errors that are found later.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::Error;
use super::overrides;
use super::paths;
use super::tree::Node;
use crate::input::Problem;
use crate::io::RUN_RECORD;
use crate::physics::Shells;
use crate::{output, run, solver, steady};

/// One run, fully resolved. Units are SI or any consistent set.
#[derive(Debug, Clone)]
pub struct Case {
    /// Title for logs and files.
    pub title: String,
    /// Path of the case file, as given.
    pub path: PathBuf,
    /// Full text of the case file, with one comment line per `--set` appended; written into every file as provenance.
    pub text: String,
    /// Mesh, scheme, physics and device.
    pub solver: solver::Settings,
    /// What is written, where and when.
    pub output: output::Settings,
    /// End of the run, time step, and what it continues from.
    pub run: run::Settings,
    /// The steady solution, if the case describes one.
    pub steady: Option<steady::Settings>,
    /// The shells of the initial spectrum, if the case begins with one.
    pub shells: Option<Shells>,
    /// Where the keys stand, for what is found out about them later.
    pub(super) source: Arc<Source>,
}

/// The input of a case, kept for errors that only the mesh or the run brings to light.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub text: String,
    pub overrides: Vec<String>,
    pub tree: Node,
}

impl Case {
    /// Returns the directory of the case file, to which all paths in it are relative.
    pub fn directory(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Warns of results of an earlier run that lie where this one does not look for them.
    pub fn warn_of_results_elsewhere(&self) {
        paths::warn_of_results_elsewhere("output.directory", &self.output.directory, self.directory(), RUN_RECORD);
    }

    /// Returns the error that `what` is wrong with the key at this path, or with the nearest part of it that the file
    /// has.
    pub fn refuse(&self, key: &str, what: String) -> Error {
        let problem = Problem::new(what).key(key).at(self.source.tree.place_of(key));
        let problem = paths::help(problem, &self.source.tree, self.directory());
        let problem = overrides::name_constants(problem, &self.source.tree, &self.source.overrides);
        Error::whole(problem, &self.path, &self.source.text, &self.source.overrides)
    }
}
