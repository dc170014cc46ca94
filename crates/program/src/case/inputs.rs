//! The files that a case reads. None of them may lie among those that the run writes: it would move them away or
//! replace them, and its next start would find others under their names, or none.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::resolved::Case;
use crate::io::{STEADY_FOLDER, Writer};
use crate::mesh::MeshSource;
use crate::physics::Initial;

impl Case {
    /// Refuses files to read that the run would move away or replace, since they lie in the directory of what it
    /// writes under names that it uses there. What a run continues from (`restart`) is read once and may be moved, and
    /// so may the fields with which a steady solution begins. A run without outputs moves nothing.
    ///
    /// # Errors
    /// There is such a file.
    pub fn require_inputs_elsewhere(&self, writer: Writer) -> Result<(), Error> {
        let directory = match writer {
            Writer::Run => self.output.directory.clone(),
            Writer::Steady => self.output.directory.join(STEADY_FOLDER),
        };
        if writer == Writer::Run && !self.output.writes() {
            return Ok(());
        }
        let claimed = self
            .inputs(writer)
            .into_iter()
            .find(|input| writer.claims(&directory, &input.path));
        claimed.map_or(Ok(()), |input| {
            Err(self.refuse(&input.key, among_results(&input.path, &directory)))
        })
    }

    /// Returns the files that every start reads and that decide what follows.
    fn inputs(&self, writer: Writer) -> Vec<Input> {
        let mut inputs = Vec::new();
        if let MeshSource::File { path, .. } = &self.solver.mesh {
            inputs.push(Input::new("mesh.file", path.clone()));
        }
        if let (Initial::File { path, .. }, Writer::Run) = (&self.solver.initial, writer) {
            inputs.push(Input::new("initial.file", path.clone()));
        }
        for (key, table) in &self.solver.tables {
            inputs.push(Input::new(&format!("{key}.file"), self.directory().join(&table.file)));
        }
        inputs
    }
}

/// A file to read and the key that names it.
struct Input {
    key: String,
    path: PathBuf,
}

impl Input {
    fn new(key: &str, path: PathBuf) -> Self {
        let key = key.to_owned();
        Input { key, path }
    }
}

/// Says what would happen to a file, and what to do.
fn among_results(path: &Path, directory: &Path) -> String {
    format!(
        "{} is among the files that the run writes into {} or moves away from there: its next start would read another \
         file under this name, or find none; copy it elsewhere, or take another `output.directory`",
        path.display(),
        directory.display()
    )
}
