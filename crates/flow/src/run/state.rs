//! A run in progress: what it has, where it is, and what it hands to outputs.

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::path::PathBuf;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::backflow::BackFlow;
use super::error::RunError;
use super::filter_watch::FilterWatch;
use super::modelled_walls::ModelledWalls;
use super::net::Net;
use super::operator_limit::OperatorLimit;
use super::recorder::Recorder;
use super::settings::{AllSettings, Restart};
use super::step_watch::StepWatch;
use crate::io::{DirectoryLock, Provenance, Series};
use crate::output::{Beside, NamedResult, Output, SampleContext, Schedule};
use crate::solver::{Clock, Solver, StepError};

/// A run in progress.
pub struct Run<'a> {
    pub(super) settings: AllSettings<'a>,
    pub(super) solver: &'a mut Solver,
    pub(super) world: &'a SimpleCommunicator,
    pub(super) provenance: Provenance,
    pub(super) clock: Clock,
    /// The present time step.
    pub(super) dt: f64,
    /// The series by name, on rank 0.
    pub(super) series: BTreeMap<String, Series>,
    pub(super) outputs: Vec<Box<dyn Output>>,
    /// The watch over inlets and outlets, if there are any.
    pub(super) back_flow: Option<BackFlow>,
    /// The watch over modelled walls.
    pub(super) modelled_walls: ModelledWalls,
    /// The watch over the filter.
    pub(super) filter_watch: FilterWatch,
    /// The watch over the time step.
    pub(super) step_watch: StepWatch,
    /// Whether the result of `time.until` is known.
    pub(super) known: bool,
    /// The step of the state whose right-hand side the device holds.
    pub(super) rhs_of: Option<u64>,
    /// The step at which the state was last found physical in all cells.
    pub(super) physical_at: Option<u64>,
    /// The limit of the time step from the operator.
    pub(super) operator_limit: OperatorLimit,
    /// What takes steps back.
    pub(super) net: Net,
    /// Number and time of each step since the last look at the notes of the device.
    pub(super) times: Vec<(u64, f64)>,
    /// The checkpoints that are due in time or steps of the flow.
    pub(super) checkpoints: Schedule,
    /// When a checkpoint is due on the clock, if they are written by that.
    pub(super) checkpoint_at: Option<Instant>,
    /// Names of the run's checkpoints, oldest first.
    pub(super) kept: Vec<String>,
    /// When the newest checkpoint was written ([`crate::io::Header::written`]).
    pub(super) newest_written: Option<u64>,
    /// The files that are written beside the run.
    pub(super) beside: Beside,
    /// The newest complete file that holds the whole state.
    pub(super) last_output: Option<PathBuf>,
    /// The lock that keeps other runs out of the output directory, on rank 0.
    pub(super) lock: Option<DirectoryLock>,
    /// The record of the run, if it writes anything.
    pub(super) recorder: Option<Recorder>,
    /// Reading of the energy of the GPUs when the run began, in millijoules.
    pub(super) energy_at_begin: Option<u64>,
    /// Joules that the GPUs had used at the last checkpoint or the end, if they count them.
    pub joules: Option<f64>,
    /// Files of the run, for the summary at its end.
    pub files: Vec<PathBuf>,
    /// The results of the averages that were written last, on rank 0.
    pub(super) results: Vec<NamedResult>,
}

impl Run<'_> {
    /// Returns whether a run that may be restarted has yet to write its first checkpoint, which it does before its
    /// first step.
    pub(super) fn begins_with_checkpoint(&self) -> bool {
        let restarts = self.settings.run.restart == Some(Restart::Latest);
        restarts && self.settings.output.checkpoints.is_some() && self.newest_written.is_none() && !self.finished()
    }

    pub(super) fn context<'b>(&'b mut self, log: &'b dyn Fn(Arguments)) -> SampleContext<'b> {
        let dt = self.shortened();
        SampleContext {
            solver: self.solver,
            world: self.world,
            provenance: &self.provenance,
            clock: self.clock,
            dt,
            last_step: self.settings.run.steps,
            series: &mut self.series,
            files: &mut self.files,
            results: &mut self.results,
            beside: &mut self.beside,
            filter: &mut self.net.since_row,
            log,
        }
    }

    /// Returns the number of solution points of all ranks. Collective.
    pub fn points(&self) -> usize {
        self.solver.points_of_all_ranks()
    }

    /// Returns the clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    pub(super) fn finished(&self) -> bool {
        self.known || self.settings.run.ended(&self.clock)
    }

    /// Returns the completed fraction of the run.
    pub fn done(&self) -> f64 {
        let by_time = self.settings.run.end.map_or(0.0, |end| self.clock.time / end);
        let by_step = self
            .settings
            .run
            .steps
            .map_or(0.0, |steps| self.clock.step as f64 / steps as f64);
        by_time.max(by_step)
    }

    pub(super) fn ended_by(&self, error: StepError) -> RunError {
        match error {
            StepError::Device(error) => error.into(),
            StepError::OnOtherRank(_) => RunError::OnOtherRank,
            StepError::Value(value) => RunError::Value {
                value: Box::new(value),
                last_output: self.last_good(),
            },
        }
    }

    /// Returns the newest file with the whole state, or what has been written instead.
    pub(super) fn last_good(&self) -> String {
        if let Some(path) = &self.last_output {
            return path.display().to_string();
        }
        let series = self.outputs.iter().flat_map(|output| output.series());
        let names: Vec<String> = series.map(|(name, _)| format!("{name}.csv")).collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            format!(
                "none with the whole state; these series were written: {}",
                names.join(", ")
            )
        }
    }
}
