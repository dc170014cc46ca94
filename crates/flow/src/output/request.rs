//! An output as a case asks for it, before there is a solver.

use std::fmt;
use std::path::Path;

use super::error::OutputError;
use super::interface::Output;
use super::slice_pictures::{DrawSlice, SlicePictures};
use crate::element::ElementKind;
use crate::input::Every;
use crate::solver::{Clock, Solver};

/// The phases of a periodic event at which means are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phases {
    /// Period of the event.
    pub period: f64,
    /// Number of equal parts of the period.
    pub bins: usize,
}

/// What outputs sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampled {
    /// The states of a run in time.
    Run,
    /// A steady solution, once. It has no time and no phase.
    SteadySolution,
}

impl Sampled {
    /// Returns the phases at which means are taken, of those that a case asks for.
    pub fn phases(self, asked: Option<Phases>) -> Option<Phases> {
        asked.filter(|_| self == Sampled::Run)
    }
}

/// The solver and the run for which an output is created.
pub struct Setup<'a> {
    /// The solver whose state is sampled.
    pub solver: &'a mut Solver,
    /// Directory of its files.
    pub directory: &'a Path,
    /// Time and step at which the run begins or continues.
    pub clock: Clock,
    /// What it samples.
    pub sampled: Sampled,
    /// What draws pictures of slices, if anything does.
    pub draw: Option<DrawSlice>,
}

/// An output that a case asks for: its settings, evaluated and checked.
pub trait Request: fmt::Debug + Send + Sync {
    /// Returns the name of the output for the log: "integrals", "slices mid".
    fn label(&self) -> String;

    /// Returns the period.
    fn every(&self) -> Every;

    /// Creates the outputs; none if the mesh has nothing for them. Collective.
    ///
    /// # Errors
    /// The mesh does not have what the settings ask for, or the device fails.
    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError>;

    /// Returns the settings that determine the contents of the files: the key of the case, and a text that changes with
    /// them. A run that continues under other settings warns that its files mix both.
    fn fingerprints(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Returns the doubles that the device keeps for each cell of this kind.
    fn doubles_per_cell(&self, _kind: ElementKind, _order: usize) -> usize {
        0
    }

    /// Returns the bytes of a file of this output on this mesh; `None` if the size does not grow with the mesh or is
    /// not known. Collective.
    fn bytes_per_file(&self, _solver: &Solver) -> Option<f64> {
        None
    }

    /// Returns whether its files are written beside the run, from a copy in memory.
    fn is_written_beside(&self) -> bool {
        false
    }

    /// Returns whether the output writes one file and replaces it, in place of one file for each sample.
    fn replaces_its_file(&self) -> bool {
        false
    }

    /// Returns the time from which on the state is sampled, if the settings give one.
    fn samples_from(&self) -> Option<f64> {
        None
    }

    /// Returns the time from which on means of a series are taken, if they are.
    fn means_from(&self) -> Option<f64> {
        None
    }

    /// Returns the phases at which means are taken, if they are.
    fn phases(&self) -> Option<Phases> {
        None
    }

    /// Returns the pictures that are drawn of its files, if any are.
    fn pictures(&self) -> Option<&SlicePictures> {
        None
    }

    /// Returns a line for the log about the sampling. Collective.
    ///
    /// # Errors
    /// The mesh does not have what the settings ask for.
    fn describe(&self, _solver: &Solver) -> Result<Option<String>, OutputError> {
        Ok(None)
    }
}
