//! The settings of all outputs of a case.

use std::path::PathBuf;
use std::sync::Arc;

use super::error::OutputError;
use super::interface::Output;
use super::request::{Request, Setup};
use crate::element::PerKind;
use crate::input::{Count, Every, Expression, Number, Problem, Scope, keys};
use crate::solver::{Clock, Solver};

/// Default number of checkpoints that are kept.
pub const DEFAULT_KEEP: usize = 2;

/// The settings of all outputs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Directory, relative to the working directory.
    pub directory: PathBuf,
    /// The outputs, in the order in which they sample a state.
    pub requests: Vec<Arc<dyn Request>>,
    /// The settings of checkpoints, if they are written regularly.
    pub checkpoints: Option<CheckpointSettings>,
    /// Keys that have no effect, as lines for the log.
    pub warnings: Vec<String>,
}

/// The settings of checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckpointSettings {
    /// The period. Steps are not shortened to end at a multiple of it.
    pub every: Every,
    /// Number of the newest checkpoints that are kept.
    pub keep: usize,
}

keys! {
/// Checkpoints: exactly one of `every` and `every-steps`.
CheckpointKeys as "a mapping with the key `every` or `every-steps`" {
    /// Period in time, above 0. Steps are not shortened to meet it: the first step at or after each time is taken, so
    /// that checkpoints never change a result.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Number of the run's newest checkpoints that are kept; older ones are removed once a new one is complete.
    #[serde(default = "keep")]
    pub keep: Count,
}}

fn keep() -> Count {
    Count(Expression::Value(DEFAULT_KEEP as f64))
}

impl CheckpointKeys {
    /// Evaluates and checks the keys.
    ///
    /// # Errors
    /// A value cannot be evaluated or is not valid.
    pub fn settings(&self, scope: &Scope) -> Result<CheckpointSettings, Problem> {
        Ok(CheckpointSettings {
            every: scope.every("output.checkpoint", &self.every, &self.every_steps)?,
            keep: scope.count("output.checkpoint.keep", &self.keep)? as usize,
        })
    }
}

impl Settings {
    /// Returns whether anything is written.
    pub fn writes(&self) -> bool {
        !self.requests.is_empty() || self.checkpoints.is_some()
    }

    /// Returns the kinds of files that are written, with their periods.
    pub fn files(&self) -> Vec<(String, Every)> {
        let requests = self.requests.iter().map(|r| (r.label(), r.every()));
        let checkpoints = self.checkpoints.iter().map(|c| ("checkpoints".to_owned(), c.every));
        requests.chain(checkpoints).collect()
    }

    /// Returns the doubles that outputs keep on the device per cell, by kind of cell.
    pub fn doubles_per_cell(&self, order: usize) -> PerKind<usize> {
        PerKind::new(|kind| self.requests.iter().map(|r| r.doubles_per_cell(kind, order)).sum())
    }

    /// Returns the settings that determine the contents of files: the key, and a text that changes with the settings.
    pub fn fingerprints(&self) -> Vec<(String, String)> {
        self.requests.iter().flat_map(|r| r.fingerprints()).collect()
    }
}

/// Creates all outputs, for a run that begins or continues at `clock`. Collective.
///
/// # Errors
/// The mesh does not have what an output asks for, or the device fails.
pub fn create(settings: &Settings, solver: &mut Solver, clock: &Clock) -> Result<Vec<Box<dyn Output>>, OutputError> {
    let mut setup = Setup {
        solver,
        directory: &settings.directory,
        clock: *clock,
    };
    let mut all = Vec::new();
    for request in &settings.requests {
        all.extend(request.create(&mut setup)?);
    }
    Ok(all)
}

/// Returns lines for the log about the sampling. Collective.
///
/// # Errors
/// The mesh does not have what an output asks for.
pub fn describe(settings: &Settings, solver: &Solver) -> Result<Vec<String>, OutputError> {
    let lines = settings.requests.iter().map(|r| r.describe(solver));
    Ok(lines.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}
