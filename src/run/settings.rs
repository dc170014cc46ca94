//! What the run loop is told of a case: its end, its time step, and what it continues from.

use std::path::PathBuf;
use std::time::Duration;

/// The settings of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// End time, in units of time; at least one of `end` and `steps` is given.
    pub end: Option<f64>,
    /// Largest number of steps.
    pub steps: Option<u64>,
    /// Size of the step.
    pub step: TimeStep,
    /// Time on the clock after which the run ends with a checkpoint.
    pub wall_clock: Option<Duration>,
    /// What to continue from instead of the initial state.
    pub restart: Option<Restart>,
}

/// How the time step is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeStep {
    /// Fixed, in units of time.
    Fixed(f64),
    /// Fraction of the linear stability limit.
    Cfl(f64),
}

/// What a run continues from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restart {
    /// The newest whole checkpoint of the output directory, if there is one.
    Latest,
    /// A checkpoint.
    File(PathBuf),
}
