//! The start of a run: the output directory, the series, and the initial state or that of a checkpoint.

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::path::PathBuf;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::backflow::BackFlow;
use super::beginning::reopen;
use super::checkpoint::{NET, OPERATOR_LIMIT, next_on_the_clock};
use super::error::RunError;
use super::filter_watch::FilterWatch;
use super::modelled_walls::ModelledWalls;
use super::net::Net;
use super::operator_limit::OperatorLimit;
use super::restart::{self, Origin, Restored};
use super::sampling::{create_outputs, silent};
use super::settings::AllSettings;
use super::state::Run;
use super::step_watch::StepWatch;
use crate::input::Every;
use crate::io::{self, CheckpointData, DirectoryLock, Provenance, Series, agree};
use crate::output::{self, Beside, CheckpointPeriod, DIVERGED, DIVERGED_EARLIER, ExtraSamples, Schedule};
use crate::solver::{RestartState, Solver};

/// Returns the period of checkpoints in time or steps of the flow, if they have one.
fn in_the_flow(output: &output::Settings) -> Option<Every> {
    match output.checkpoints?.period {
        CheckpointPeriod::Flow(every) => Some(every),
        CheckpointPeriod::Clock(_) => None,
    }
}

/// Logs lines on the first rank.
fn on_first_rank(world: &SimpleCommunicator) -> impl Fn(Arguments) + use<> {
    let first = Communicator::rank(world) == 0;
    move |line| {
        if first {
            tracing::info!("{line}");
        }
    }
}

impl<'a> Run<'a> {
    /// Opens the output directory, and writes the initial state or continues from a checkpoint. `begin` is the start of
    /// the program.
    ///
    /// # Errors
    /// The directory or the checkpoint cannot be used, the mesh does not have what an output asks for, the initial
    /// state is not physical, or a file cannot be written.
    pub fn start(
        settings: AllSettings<'a>,
        solver: &'a mut Solver,
        world: &'a SimpleCommunicator,
        provenance: Provenance,
        begin: Instant,
    ) -> Result<Self, RunError> {
        let output = settings.output;
        // The lock comes before the checkpoints are read, which another run may be about to replace.
        let lock = if output.writes() && Communicator::rank(world) == 0 && output.directory.is_dir() {
            DirectoryLock::take(&output.directory).map(Some)
        } else {
            Ok(None)
        };
        let lock = agree(world, lock).map_err(RunError::Directory)?;
        let origin = restart::restore(settings, solver, world)?;
        let clock = origin.clock();
        let outputs = create_outputs(output, settings.run, solver, &clock)?;
        let back_flow = BackFlow::new(solver);
        let net = Net::new(solver.steps_are_taken_back());
        let mut run = Run {
            settings,
            solver,
            world,
            provenance,
            clock,
            dt: 0.0,
            series: BTreeMap::new(),
            outputs,
            back_flow,
            modelled_walls: ModelledWalls::default(),
            filter_watch: FilterWatch::default(),
            step_watch: StepWatch::default(),
            known: false,
            rhs_of: None,
            physical_at: None,
            operator_limit: OperatorLimit::default(),
            net,
            times: Vec::new(),
            checkpoints: Schedule::new(in_the_flow(output), &clock),
            checkpoint_at: next_on_the_clock(output),
            kept: Vec::new(),
            newest_written: None,
            beside: Beside::default(),
            last_output: None,
            lock,
            recorder: None,
            energy_at_begin: None,
            joules: None,
            files: Vec::new(),
            results: Vec::new(),
        };
        if output.writes() {
            run.create_directory()?;
        }
        run.energy_at_begin = run.solver.millijoules();
        let continued = matches!(origin, Origin::Checkpoint(_));
        match origin {
            Origin::Checkpoint(restored) => run.resume(*restored)?,
            origin => {
                run.move_previous_run()?;
                run.begin(&origin)?;
            }
        }
        run.begin_record(begin, continued);
        Ok(run)
    }

    /// Moves the files of an earlier run out of the output directory. They do not belong to this run, and `restart:
    /// latest` must not continue from them.
    fn move_previous_run(&mut self) -> Result<(), RunError> {
        let output = self.settings.output;
        let moved = self.on_root(|_| {
            if output.writes() {
                io::move_previous_run(&output.directory, io::Writer::Run)
            } else {
                Ok(None)
            }
        });
        if let Some(to) = moved.map_err(RunError::Directory)? {
            let from = output.directory.display();
            let to = to.display();
            tracing::warn!("{from} has files of an earlier run: they were moved to {to}");
        }
        Ok(())
    }

    /// Begins with the initial state, or with that of a solution.
    fn begin(&mut self, origin: &Origin) -> Result<(), RunError> {
        self.open_series(None)?;
        let world = self.world;
        self.guard(&on_first_rank(world))?;
        if let Origin::Solution(_) = origin {
            // What is controlled or kept beside the state begins with this state.
            let begun =
                self.solver
                    .restore_controls(&CheckpointData::default(), RestartState::Converted, self.clock.time);
            begun.map_err(|e| self.ended_by(e))?;
        }
        self.adjust_controls()?;
        let due = self
            .outputs
            .iter()
            .map(|o| o.extra_samples() != ExtraSamples::None)
            .collect::<Vec<_>>();
        self.sample(&due, &silent)
    }

    /// Continues from a checkpoint.
    fn resume(&mut self, restored: Restored) -> Result<(), RunError> {
        self.open_series(Some(&restored))?;
        self.rename_divergence()?;
        self.restore_outputs(&restored.data, &restored.accumulating)?;
        let bounds = self.healthy()?;
        let state = match restored.dt {
            Some(_) => RestartState::Same,
            None => RestartState::Converted,
        };
        let controls = self.solver.restore_controls(&restored.data, state, self.clock.time);
        controls.map_err(|e| self.ended_by(e))?;
        match restored.dt {
            Some(dt) => {
                let numbers = restored.data.section.arrays.get(OPERATOR_LIMIT);
                self.operator_limit.resume(numbers.map_or(&[], Vec::as_slice));
                self.dt = dt;
            }
            None => {
                let world = self.world;
                self.take_operator_limit(&bounds, &on_first_rank(world))?;
                self.set_step(&bounds);
            }
        }
        self.begin_participants(&bounds);
        if let Some(numbers) = restored.data.section.arrays.get(NET) {
            self.net.resume(numbers);
            if restored.dt.is_none() {
                self.net.forget_halvings();
            }
        }
        self.kept = restored.kept;
        self.newest_written = Some(restored.file_written);
        let all = vec![true; self.outputs.len()];
        self.becomes_known(&all, &silent)?;
        if self.finished() {
            // A run that was killed behind its last checkpoint has left an old one.
            self.keep_newest(self.kept.clone())?;
            if Communicator::rank(self.world) == 0 {
                restart::warn_of_end(&restored.path);
            }
        }
        self.last_output = Some(restored.path);
        Ok(())
    }

    /// Gives the file of the cells around the death of an earlier attempt another name, since the run that goes on may
    /// end well.
    fn rename_divergence(&self) -> Result<(), RunError> {
        let directory = &self.settings.output.directory;
        let (from, to) = (directory.join(DIVERGED), directory.join(DIVERGED_EARLIER));
        let renamed = self.on_root(|run| {
            if !run.settings.output.writes() || !from.exists() {
                return Ok(false);
            }
            std::fs::rename(&from, &to).map_err(io::Error::os("rename", &from))?;
            Ok(true)
        })?;
        if renamed && Communicator::rank(self.world) == 0 {
            let from = from.display();
            tracing::info!("{from} is of an attempt that diverged: it is {} now", to.display());
        }
        Ok(())
    }

    /// Creates the output directory if needed, and locks it unless this run has locked it already.
    pub(super) fn create_directory(&mut self) -> Result<(), RunError> {
        let directory = &self.settings.output.directory;
        let lock = self.on_root(|run| {
            io::create_directory(directory)?;
            match run.lock {
                Some(_) => Ok(None),
                None => DirectoryLock::take(directory).map(Some),
            }
        });
        let lock = lock.map_err(RunError::Directory)?;
        self.lock = self.lock.take().or(lock);
        Ok(())
    }

    /// Runs `work` on rank 0. All ranks learn whether it succeeded.
    pub(super) fn on_root<T: Default>(&self, work: impl FnOnce(&Self) -> Result<T, io::Error>) -> Result<T, io::Error> {
        let root = Communicator::rank(self.world) == 0;
        agree(self.world, if root { work(self) } else { Ok(T::default()) })
    }

    /// Creates the series of the case, or continues those that a checkpoint names.
    fn open_series(&mut self, restored: Option<&Restored>) -> Result<(), RunError> {
        let wanted: Vec<_> = self.outputs.iter().flat_map(|o| o.series()).collect();
        let path = |name: &str| self.settings.output.directory.join(format!("{name}.csv"));
        let files: Vec<PathBuf> = wanted.iter().map(|(name, _)| path(name)).collect();
        let opened = self.on_root(|run| {
            let mut opened = BTreeMap::new();
            for (name, columns) in &wanted {
                let mark = restored.and_then(|r| r.series.get(name));
                let series = mark.map(|mark| reopen(&path(name), columns, *mark));
                let series = match series.transpose()?.flatten() {
                    Some(series) => series,
                    None => {
                        let file = path(name).display().to_string();
                        if mark.is_some() {
                            tracing::warn!("{file} begins anew: the file that the checkpoint continues is not there");
                        } else if restored.is_some() {
                            tracing::info!("{file} begins now: the checkpoint has no such series");
                        }
                        let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
                        Series::create(&path(name), &columns, &run.provenance)?
                    }
                };
                opened.insert(name.clone(), series);
            }
            // The files are truncated only when all of them can be continued.
            opened.values().try_for_each(Series::cut)?;
            for (path, columns) in opened.values().map(Series::left_out) {
                if !columns.is_empty() {
                    tracing::warn!(
                        "{} was begun without the columns {}, and goes on without them: move it away to begin one that \
                         has them",
                        path.display(),
                        columns.join(", ")
                    );
                }
            }
            Ok(opened)
        });
        self.series = opened.map_err(|e| match e {
            e @ io::Error::Series { .. } => RunError::Restart(e),
            e => e.into(),
        })?;
        self.files.extend(files);
        Ok(())
    }

    /// Passes the data of a checkpoint to the outputs. `accumulating` names the outputs whose sums it holds.
    fn restore_outputs(&mut self, data: &CheckpointData, accumulating: &[String]) -> Result<(), RunError> {
        let root = self.solver.ranks.rank() == 0;
        for name in accumulating {
            if root && !self.outputs.iter().any(|o| o.name() == name) {
                tracing::warn!(
                    "the checkpoint has sums of output.{name}, which the case does not ask for: they are dropped"
                );
            }
        }
        self.for_each_output(&silent, |output, context| {
            if !output.restore(context, data)? {
                tracing::info!("output.{} begins now: the checkpoint has no data of it", output.name());
            }
            Ok(())
        })
    }
}
