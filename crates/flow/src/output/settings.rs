//! The settings of all outputs of a case.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::error::OutputError;
use super::interface::Output;
use super::request::{Request, Sampled, Setup};
use super::slice_pictures::DrawSlice;
use crate::element::PerKind;
use crate::input::{Count, Every, Expression, Number, Problem, Scope, keys, one_of};
use crate::solver::{Clock, Solver};

/// Default number of checkpoints that are kept.
pub const DEFAULT_KEEP: usize = 2;
/// Default period of checkpoints: what a run loses at most if its machine fails. Of such a run a checkpoint takes far
/// less than a per cent.
const DEFAULT_PERIOD: Duration = Duration::from_secs(3600);

/// The settings of all outputs.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Directory of all files, as the working directory sees it.
    pub directory: PathBuf,
    /// The outputs, in the order in which they sample a state.
    pub requests: Vec<Arc<dyn Request>>,
    /// The settings of checkpoints; without them one is written only when a signal or the clock ends the run.
    pub checkpoints: Option<CheckpointSettings>,
    /// Keys that have no effect, as lines for the log.
    pub warnings: Vec<String>,
    /// What draws pictures of slices; none are drawn without it.
    pub draw: Option<DrawSlice>,
}

/// The settings of checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CheckpointSettings {
    /// The period.
    pub period: CheckpointPeriod,
    /// Number of the newest checkpoints that are kept, at least 1.
    pub keep: usize,
}

/// The period of checkpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CheckpointPeriod {
    /// In time or steps of the flow. Steps are not shortened to end at a multiple of it.
    Flow(Every),
    /// On the clock.
    Clock(Duration),
}

impl fmt::Display for CheckpointPeriod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointPeriod::Flow(every) => every.fmt(f),
            CheckpointPeriod::Clock(DEFAULT_PERIOD) => write!(f, "every hour on the clock"),
            CheckpointPeriod::Clock(period) => write!(f, "every {} s on the clock", period.as_secs_f64()),
        }
    }
}

keys! {
/// Checkpoints: at most one of `every`, `every-steps` and `wall-clock`.
CheckpointKeys as "a mapping with keys such as `every` and `keep`" {
    /// Period in time, above 0. Steps are not shortened to meet it: the first step at or after each time is taken, so
    /// that checkpoints change no result but that of steps which `scheme.shock` takes back.
    pub every: Option<Number>,
    /// Period in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Period on the clock: seconds above 0, or hours:minutes:seconds as in 0:30:00. It is an hour if no other period
    /// is given.
    pub wall_clock: Option<Number>,
    /// Number of the run's newest checkpoints that are kept; older ones are removed once a new one is complete. With 0
    /// a checkpoint is written only when a signal or `time.wall-clock` ends the run.
    #[serde(default = "keep")]
    pub keep: Count,
}}

fn keep() -> Count {
    Count(Expression::Value(DEFAULT_KEEP as f64))
}

impl Default for CheckpointKeys {
    fn default() -> Self {
        CheckpointKeys {
            every: None,
            every_steps: None,
            wall_clock: None,
            keep: keep(),
        }
    }
}

impl CheckpointKeys {
    /// Evaluates and checks the keys; `None` if no checkpoints are kept.
    ///
    /// # Errors
    /// A value cannot be evaluated or is not valid, or two periods are given.
    pub fn settings(&self, scope: &Scope) -> Result<Option<CheckpointSettings>, Problem> {
        const KEY: &str = "output.checkpoint";
        let given = [
            ("every", self.every.is_some()),
            ("every-steps", self.every_steps.is_some()),
            ("wall-clock", self.wall_clock.is_some()),
        ];
        let given: Vec<&str> = given.iter().filter(|(_, given)| *given).map(|(key, _)| *key).collect();
        if let [one, other, ..] = given[..] {
            return Err(one_of(KEY, one, other, true));
        }
        let period = match &self.wall_clock {
            Some(clock) => CheckpointPeriod::Clock(scope.clock_time(&format!("{KEY}.wall-clock"), clock)?),
            None if given.is_empty() => CheckpointPeriod::Clock(DEFAULT_PERIOD),
            None => CheckpointPeriod::Flow(scope.every(KEY, &self.every, &self.every_steps)?),
        };
        let keep = scope.count_or_zero(&format!("{KEY}.keep"), &self.keep)? as usize;
        match (keep, given.first()) {
            (0, Some(key)) => {
                let what = format!("`keep: 0` writes no checkpoints, and `{key}` asks for some");
                Err(Problem::new(what).key(format!("{KEY}.keep")))
            }
            (0, None) => Ok(None),
            _ => Ok(Some(CheckpointSettings { period, keep })),
        }
    }
}

impl Settings {
    /// Returns whether anything is written.
    pub fn writes(&self) -> bool {
        !self.requests.is_empty() || self.checkpoints.is_some()
    }

    /// Returns the kinds of files that are written, each with its period in words.
    pub fn files(&self) -> Vec<String> {
        let requests = self.requests.iter().map(|r| format!("{} {}", r.label(), r.every()));
        let checkpoints = self.checkpoints.iter().map(|c| format!("checkpoints {}", c.period));
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

/// Creates all outputs, for a run or a steady solution that begins or continues at `clock`. Collective.
///
/// # Errors
/// The mesh does not have what an output asks for, or the device fails.
pub fn create(
    settings: &Settings,
    solver: &mut Solver,
    clock: &Clock,
    sampled: Sampled,
) -> Result<Vec<Box<dyn Output>>, OutputError> {
    let mut setup = Setup {
        solver,
        directory: &settings.directory,
        clock: *clock,
        sampled,
        draw: settings.draw,
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
