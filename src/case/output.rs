//! What a case asks a run to write, and what it continues from.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{Precision, Probes, Reference, SliceOutput, Spectra, SurfaceOutput};
use crate::input::Every;

/// What is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Directory, relative to the working directory.
    pub directory: PathBuf,
    /// Solutions.
    pub solution: Option<SolutionOutput>,
    /// Integrals.
    pub integrals: Option<Every>,
    /// What flows through each boundary.
    pub boundaries: Option<Every>,
    /// Force and bulk velocity of a held mass flow.
    pub forcing: Option<Every>,
    /// Means over time and homogeneous directions.
    pub statistics: Option<StatisticsOutput>,
    /// Reference state of coefficients.
    pub reference: Option<Reference>,
    /// What acts on boundaries.
    pub surfaces: Option<SurfaceOutput>,
    /// Planes.
    pub slices: Vec<SliceOutput>,
    /// Sets of places where the state is sampled, by name.
    pub probes: BTreeMap<String, Probes>,
    /// Spectra and correlations.
    pub spectra: Option<Spectra>,
    /// Checkpoints at regular times, and at the end.
    pub checkpoint: Option<CheckpointOutput>,
}

/// How many checkpoints stay where the case says nothing.
pub const DEFAULT_KEEP: usize = 2;

/// Statistics of turbulence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatisticsOutput {
    /// Time from which on the state is sampled.
    pub from: f64,
    /// How often.
    pub every: Every,
    /// The directions in which the flow is homogeneous: x, y, z, two at most.
    pub average: [bool; 3],
}

impl StatisticsOutput {
    /// How many directions means are taken over.
    pub fn directions(&self) -> usize {
        self.average.iter().filter(|&&a| a).count()
    }
}

/// Checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckpointOutput {
    /// How often; steps are not clipped to hit a time.
    pub every: Every,
    /// How many of the newest stay.
    pub keep: usize,
}

/// What a run continues from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restart {
    /// The newest whole checkpoint of the output directory, if there is one.
    Latest,
    /// A checkpoint.
    File(PathBuf),
}

impl Output {
    /// Whether anything is written.
    pub fn writes(&self) -> bool {
        !self.files().is_empty()
    }

    /// The kinds of files that are written, and when.
    pub fn files(&self) -> Vec<(String, Every)> {
        let of = |name: &str, every: Option<Every>| every.map(|every| (name.to_owned(), every));
        let mut files: Vec<(String, Every)> = [
            of("solutions", self.solution.as_ref().map(|s| s.every)),
            of("integrals", self.integrals),
            of("boundaries", self.boundaries),
            of("forcing", self.forcing),
            of("statistics", self.statistics.as_ref().map(|s| s.every)),
            of("spectra", self.spectra.as_ref().map(|s| s.every)),
            of("surfaces", self.surfaces.as_ref().map(|s| s.every)),
        ]
        .into_iter()
        .flatten()
        .collect();
        files.extend(self.slices.iter().map(|s| (format!("slices {}", s.name), s.every)));
        files.extend(self.probes.iter().map(|(name, p)| (format!("probes {name}"), p.every)));
        files.extend(of("checkpoints", self.checkpoint.map(|c| c.every)));
        files
    }
}

/// Solution files.
#[derive(Debug, Clone, PartialEq)]
pub struct SolutionOutput {
    /// How often.
    pub every: Every,
    /// Precision in the file.
    pub precision: Precision,
}
