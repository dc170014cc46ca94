//! An output as a case asks for it, before there is a solver.

use std::fmt;
use std::path::Path;

use super::error::OutputError;
use super::interface::Output;
use crate::element::ElementKind;
use crate::input::Every;
use crate::solver::{Clock, Solver};

/// What a new output is made from.
pub struct Setup<'a> {
    /// The solver whose state it is to sample.
    pub solver: &'a mut Solver,
    /// Directory of its files.
    pub directory: &'a Path,
    /// Time and step at which the run begins or continues.
    pub clock: Clock,
}

/// An output that a case asks for: its settings, evaluated and checked.
pub trait Request: fmt::Debug + Send + Sync {
    /// What is written, for the log: "integrals", "slices mid".
    fn label(&self) -> String;

    /// How often.
    fn every(&self) -> Every;

    /// Makes the outputs; none where the mesh has nothing for them. Collective.
    ///
    /// # Errors
    /// The mesh does not have what the settings ask for, or the device fails.
    fn create(&self, setup: &mut Setup) -> Result<Vec<Box<dyn Output>>, OutputError>;

    /// Settings that determine the contents of the files: key of the case, and a text that changes when they do. A run that
    /// continues under other settings warns that its files mix both.
    fn fingerprints(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Double-precision numbers that the device keeps for each cell of this kind.
    fn doubles_per_cell(&self, _kind: ElementKind, _order: usize) -> usize {
        0
    }

    /// Bytes of a file of this output on this mesh; `None` where it does not grow with the mesh or is not known. Collective.
    fn bytes_per_file(&self, _solver: &Solver) -> Option<f64> {
        None
    }

    /// Time from which on the state is sampled, if the settings give one.
    fn samples_from(&self) -> Option<f64> {
        None
    }

    /// A line for the log about what is sampled. Collective.
    ///
    /// # Errors
    /// The mesh does not have what the settings ask for.
    fn describe(&self, _solver: &Solver) -> Result<Option<String>, OutputError> {
        Ok(None)
    }
}
