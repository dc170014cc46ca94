//! The settings of the run loop: the end, the time step, and the checkpoint from which it continues; and those of all
//! rooms together.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::until::Until;
use crate::output;
use crate::solver::{self, Clock};

/// Steps between two checks of the state.
pub(super) const GUARD_INTERVAL: u64 = 10;

/// The settings of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// End time, in units of time; at least one of `end` and `steps` is given.
    pub end: Option<f64>,
    /// Largest number of steps.
    pub steps: Option<u64>,
    /// The accuracy of a result at which the run ends earlier.
    pub until: Option<Until>,
    /// The time step.
    pub step: TimeStep,
    /// What a time step that follows the flow is a fraction of.
    pub limit: StepLimit,
    /// Elapsed time after which the run ends with a checkpoint.
    pub wall_clock: Option<Duration>,
    /// The checkpoint from which the run continues, in place of the initial state.
    pub restart: Option<Restart>,
}

impl Settings {
    /// Returns whether a clock is at the end of the run, or past it.
    pub(super) fn ended(&self, clock: &Clock) -> bool {
        self.end.is_some_and(|end| clock.time >= end) || self.steps.is_some_and(|steps| clock.step >= steps)
    }
}

/// The choice of the time step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeStep {
    /// Fixed, in units of time.
    Fixed(f64),
    /// Fraction of the limit of linear stability ([`StepLimit`]).
    Cfl(f64),
}

/// The limit of linear stability.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StepLimit {
    /// From the speeds of waves, the viscosity, and the sizes of single cells, at every tenth step.
    #[default]
    Waves,
    /// The longest step with which the time scheme amplifies no small disturbance of the flow, found by trials at the
    /// start, at the steps 1000, 5000, 20 000 and each time that the steps have doubled since, and after steps were
    /// taken back. Between these it changes as that of the waves. It is up to 2.5 times as long.
    Operator,
}

/// The checkpoint from which a run continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restart {
    /// The newest complete checkpoint of the output directory; the initial state if the directory has no results.
    Latest,
    /// A checkpoint or a solution.
    File(PathBuf),
}

/// All settings of a case that a run needs.
#[derive(Debug, Clone, Copy)]
pub struct AllSettings<'a> {
    /// Settings of the solver.
    pub solver: &'a solver::Settings,
    /// Settings of the outputs.
    pub output: &'a output::Settings,
    /// Settings of the run loop.
    pub run: &'a Settings,
}
