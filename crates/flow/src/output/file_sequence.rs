//! Numbered files of single states in the order of time, with the list through which ParaView opens them as one.

use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::completion::FileList;
use super::error::OutputError;
use crate::io::{CheckpointData, agree};

/// The files NAME_0000.vtkhdf, NAME_0001.vtkhdf, ... of a directory.
#[derive(Debug)]
pub struct FileSequence {
    directory: PathBuf,
    name: String,
    next: usize,
    written: Vec<(f64, String)>,
}

impl FileSequence {
    /// Returns a sequence without files.
    pub fn new(directory: PathBuf, name: &str) -> Self {
        FileSequence {
            directory,
            name: name.to_owned(),
            next: 0,
            written: Vec::new(),
        }
    }

    /// Returns the directory of the files.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of the next file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(format!("{}_{:04}.vtkhdf", self.name, self.next))
    }

    /// Counts the file that was just written, and adds it to the list. Collective.
    pub fn wrote(&mut self, time: f64, world: &SimpleCommunicator) -> Result<(), OutputError> {
        self.count(time);
        self.list(world)
    }

    /// Counts a file that is being written, and returns the list for the moment when it is complete.
    pub fn begun(&mut self, time: f64) -> FileList {
        self.count(time);
        self.file_list()
    }

    fn count(&mut self, time: f64) {
        self.written
            .push((time, format!("{}_{:04}.vtkhdf", self.name, self.next)));
        self.next += 1;
    }

    fn file_list(&self) -> FileList {
        FileList {
            directory: self.directory.clone(),
            name: self.name.clone(),
            files: self.written.clone(),
        }
    }

    /// Gives the next file the number of that of another sequence.
    pub fn continue_beside(&mut self, other: &FileSequence) {
        self.next = other.next;
    }

    /// Writes the list of the files into a checkpoint.
    pub fn save(&self, data: &mut CheckpointData) {
        let names: Vec<&String> = self.written.iter().map(|(_, name)| name).collect();
        let words = serde_json::json!({"next": self.next, "files": names});
        data.section.parts.insert(self.name.clone(), words);
        let times = self.written.iter().map(|(time, _)| *time).collect();
        data.section.arrays.insert(format!("{}.times", self.name), times);
    }

    /// Continues after the files that a checkpoint names and that still exist; `false` if it names none. Collective.
    pub fn restore(&mut self, data: &CheckpointData, world: &SimpleCommunicator) -> Result<bool, OutputError> {
        let section = &data.section;
        let words = section.parts.get(&self.name);
        let times = section.arrays.get(&format!("{}.times", self.name));
        let (Some(words), Some(times)) = (words, times) else {
            return Ok(false);
        };
        let names: Vec<String> = serde_json::from_value(words["files"].clone()).unwrap_or_default();
        self.next = words["next"].as_u64().unwrap_or_default() as usize;
        self.written = times.iter().copied().zip(names).collect();
        // A run that has written no file keeps no list.
        if !self.written.is_empty() {
            self.written.retain(|(_, name)| self.directory.join(name).exists());
            self.list(world)?;
        }
        Ok(true)
    }

    fn list(&self, world: &SimpleCommunicator) -> Result<(), OutputError> {
        let listed = match world.rank() {
            0 => self.file_list().write(),
            _ => Ok(()),
        };
        Ok(agree(world, listed)?)
    }
}
