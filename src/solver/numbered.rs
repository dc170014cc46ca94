//! Files of single moments that are numbered in the order of time, with the list that strings them together.

use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::RunError;
use super::observer::{Moment, Notes};
use crate::io::{self, Surface, agree};

/// The files NAME_0000.vtkhdf, NAME_0001.vtkhdf, ... of a directory.
#[derive(Debug)]
pub(super) struct Numbered {
    directory: PathBuf,
    name: String,
    next: usize,
    written: Vec<(f64, String)>,
}

impl Numbered {
    /// None written yet.
    pub fn new(directory: PathBuf, name: &str) -> Self {
        Numbered {
            directory,
            name: name.to_owned(),
            next: 0,
            written: Vec::new(),
        }
    }

    /// Where the next one goes.
    pub fn path(&self) -> PathBuf {
        self.directory.join(format!("{}_{:04}.vtkhdf", self.name, self.next))
    }

    /// Writes the next one. Collective.
    pub fn write_surface(&mut self, surface: &Surface, moment: &mut Moment) -> Result<(), RunError> {
        let (path, clock) = (self.path(), moment.clock);
        io::write_surface(&path, moment.world, clock.time, clock.step, surface, moment.provenance)?;
        moment.files.push(path);
        self.wrote(clock.time, moment.world)
    }

    /// Counts what was just written there, and lists it. Collective.
    pub fn wrote(&mut self, time: f64, world: &SimpleCommunicator) -> Result<(), RunError> {
        self.written
            .push((time, format!("{}_{:04}.vtkhdf", self.name, self.next)));
        self.next += 1;
        self.list(world)
    }

    /// Puts the numbers into a checkpoint.
    pub fn remember(&self, notes: &mut Notes) {
        let names: Vec<&String> = self.written.iter().map(|(_, name)| name).collect();
        let words = serde_json::json!({"next": self.next, "files": names});
        notes.memory.parts.insert(self.name.clone(), words);
        let times = self.written.iter().map(|(time, _)| *time).collect();
        notes.memory.arrays.insert(format!("{}.times", self.name), times);
    }

    /// Goes on after those that a checkpoint names and that are still there; `false` if it names none. Collective.
    pub fn recall(&mut self, notes: &Notes, world: &SimpleCommunicator) -> Result<bool, RunError> {
        let memory = &notes.memory;
        let words = memory.parts.get(&self.name);
        let times = memory.arrays.get(&format!("{}.times", self.name));
        let (Some(words), Some(times)) = (words, times) else {
            return Ok(false);
        };
        let names: Vec<String> = serde_json::from_value(words["files"].clone()).unwrap_or_default();
        self.next = words["next"].as_u64().unwrap_or_default() as usize;
        self.written = times.iter().copied().zip(names).collect();
        // A run that has written none keeps no list.
        if !self.written.is_empty() {
            self.written.retain(|(_, name)| self.directory.join(name).exists());
            self.list(world)?;
        }
        Ok(true)
    }

    fn list(&self, world: &SimpleCommunicator) -> Result<(), RunError> {
        let listed = match world.rank() {
            0 => io::write_series_index(&self.directory, &self.name, &self.written).map(drop),
            _ => Ok(()),
        };
        Ok(agree(world, listed)?)
    }
}
