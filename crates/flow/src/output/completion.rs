//! What a run does when a file that was written beside it is complete ([`io::Beside`]).

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::io::{self, write_series_index};

/// The files that are written beside a run.
pub type Beside = io::Beside<Completion>;

/// A file of a state, and what is to be done when it is complete.
#[derive(Debug)]
pub struct Completion {
    /// The file.
    pub path: PathBuf,
    /// Time of its state.
    pub time: f64,
    /// When it was begun.
    pub begun: Instant,
    /// How long the run waited for its beginning.
    pub waited: Duration,
    /// What it is.
    pub contents: Contents,
}

impl Completion {
    /// Returns the list of files that is then written, if there is one.
    pub fn list(&self) -> Option<&FileList> {
        match &self.contents {
            Contents::Checkpoint { .. } | Contents::Cells => None,
            Contents::Solution(list) | Contents::PartOfSolution(list) | Contents::SubCells(list) => Some(list),
        }
    }
}

/// What a file that is written beside the run is.
#[derive(Debug)]
pub enum Contents {
    /// A checkpoint.
    Checkpoint {
        /// Names of the checkpoints of the run, this one being the last.
        kept: Vec<String>,
        /// When it was written ([`crate::io::Header::written`]).
        written: u64,
    },
    /// A solution of the whole mesh, whose sequence becomes this one.
    Solution(FileList),
    /// A solution of a part of the mesh.
    PartOfSolution(FileList),
    /// The cells of the solutions that follow.
    Cells,
    /// A solution on sub-cells, which is beside that on cells.
    SubCells(FileList),
}

/// The files of a sequence with the times of their states.
#[derive(Debug, Clone)]
pub struct FileList {
    /// Their directory.
    pub directory: PathBuf,
    /// Name of the sequence.
    pub name: String,
    /// Time and name of each file.
    pub files: Vec<(f64, String)>,
}

impl FileList {
    /// Writes the list through which ParaView opens the files as one. To be called on rank 0.
    ///
    /// # Errors
    /// The list cannot be written.
    pub fn write(&self) -> Result<(), io::Error> {
        write_series_index(&self.directory, &self.name, &self.files).map(drop)
    }
}
