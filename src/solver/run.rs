//! The run loop: steps, the guard that watches the state, and what is written when.
//!
//! Every [`GUARD_INTERVAL`] steps and before anything is written the device is asked for the largest wave rates and for
//! states that are not physical. The same answer sets the next time steps, so the sequence of steps depends on step
//! numbers alone and never on how long the machine took. A force that holds the mass flow is adjusted at these step numbers,
//! and only there. Checkpoints are the exception: what they ask is for the health of the
//! state only, so that neither their schedule nor a restart changes a step.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use super::numbered::Numbered;
use super::observer::{self, Besides, Observer};
use super::restart::{self, Restored};
use super::schedule::Schedule;
use super::stop::{Stop, together};
use super::{Clock, RunError, Solver, StepError, divergence};
use crate::case::{Case, TimeStep};
use crate::device::Rates;
use crate::io::{self, DirectoryLock, Provenance, Series, agree};
use crate::monitor::{Boundaries, COLUMNS, Progress};
use crate::words::shown;

/// Steps between two looks at the state.
const GUARD_INTERVAL: u64 = 10;

/// Names of the series.
const INTEGRALS: &str = "integrals";
const BOUNDARIES: &str = "boundaries";

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It reached its end.
    Finished,
    /// A signal or the clock stopped it after a complete step; a checkpoint was written.
    Interrupted,
}

/// What is to be written.
#[derive(Debug, Clone, Copy)]
struct Due {
    solution: bool,
    integrals: bool,
    boundaries: bool,
}

/// A run in progress.
pub struct Run<'a> {
    pub(super) case: &'a Case,
    pub(super) solver: &'a mut Solver,
    pub(super) world: &'a SimpleCommunicator,
    pub(super) provenance: Provenance,
    pub(super) clock: Clock,
    pub(super) dt: f64,
    /// The series by name; rank 0 has them.
    pub(super) series: BTreeMap<String, Series>,
    pub(super) observers: Vec<Box<dyn Observer>>,
    /// The step of whose state the device holds the right-hand side.
    rhs_of: Option<u64>,
    boundary_fluxes: Option<Boundaries>,
    solutions: Schedule,
    integrals: Schedule,
    boundaries: Schedule,
    checkpoints: Schedule,
    /// Number of the next solution.
    pub(super) solution_files: Numbered,
    /// Names of the run's checkpoints, oldest first.
    pub(super) kept: Vec<String>,
    /// When the newest checkpoint was written, and its step.
    pub(super) newest: Option<(u64, u64)>,
    pub(super) last_output: Option<PathBuf>,
    /// Keeps other runs out of the output directory; rank 0 has it.
    lock: Option<DirectoryLock>,
    /// Files of the run, for the closing lines.
    pub files: Vec<PathBuf>,
}

impl<'a> Run<'a> {
    /// Opens the output directory, and writes the initial state or goes on from a checkpoint.
    pub fn start(
        case: &'a Case,
        solver: &'a mut Solver,
        world: &'a SimpleCommunicator,
        provenance: Provenance,
    ) -> Result<Self, RunError> {
        let output = &case.output;
        // Before the checkpoints are looked at, which another run may be about to replace.
        let lock = match output.writes() && Communicator::rank(world) == 0 && output.directory.is_dir() {
            true => DirectoryLock::take(&output.directory).map(Some),
            false => Ok(None),
        };
        let lock = agree(world, lock).map_err(RunError::Directory)?;
        let restored = restart::restore(case, solver, world)?;
        let clock = restored.as_ref().map(|r| r.clock).unwrap_or_default();
        let boundary_fluxes = output.boundaries.map(|_| {
            Boundaries::new(
                solver.device.plan(),
                &solver.mesh,
                &solver.geometry,
                &solver.elements,
                &solver.ranks,
            )
        });
        let observers = observer::of_case(case, solver, &clock)?;
        let mut run = Run {
            case,
            solver,
            world,
            provenance,
            clock,
            dt: 0.0,
            series: BTreeMap::new(),
            observers,
            rhs_of: None,
            boundary_fluxes,
            solutions: Schedule::new(output.solution.as_ref().map(|s| s.every), &clock),
            integrals: Schedule::new(output.integrals, &clock),
            boundaries: Schedule::new(output.boundaries, &clock),
            checkpoints: Schedule::new(output.checkpoint.map(|c| c.every), &clock),
            solution_files: Numbered::new(output.directory.clone(), "solution"),
            kept: Vec::new(),
            newest: None,
            last_output: None,
            lock,
            files: Vec::new(),
        };
        if output.writes() {
            run.create_directory()?;
        }
        match restored {
            Some(restored) => run.go_on(restored)?,
            None => run.begin()?,
        }
        Ok(run)
    }

    /// Writes the initial state.
    fn begin(&mut self) -> Result<(), RunError> {
        self.open_series(None)?;
        self.guard()?;
        self.solver.hold_mass_flow(self.clock.time)?;
        if self.case.output.solution.is_some() {
            self.write_solution()?;
        }
        self.write_series(true, true)?;
        let at_start: Vec<bool> = self.observers.iter().map(|o| o.besides() != Besides::Nothing).collect();
        self.observe(&at_start)
    }

    /// Takes up what a checkpoint remembers.
    fn go_on(&mut self, restored: Restored) -> Result<(), RunError> {
        self.open_series(Some(&restored))?;
        self.recall(&restored.notes)?;
        let rates = self.healthy()?;
        match restored.dt {
            Some(dt) => self.dt = dt,
            None => self.set_step(&rates),
        }
        let same = restored.dt.is_some();
        self.solver
            .recall_mass_flow(&restored.notes.memory, same, self.clock.time)?;
        self.solution_files.recall(&restored.notes, self.world)?;
        self.kept = restored.kept;
        self.newest = Some((restored.file_written, self.clock.step));
        if self.finished() && Communicator::rank(self.world) == 0 {
            let path = restored.path.display();
            tracing::warn!("{path} is at the end of the run or past it: `time` leaves nothing to do");
        }
        self.last_output = Some(restored.path);
        Ok(())
    }

    /// Creates the output directory if it is not there, and locks it if that is not done.
    pub(super) fn create_directory(&mut self) -> Result<(), RunError> {
        let directory = &self.case.output.directory;
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

    /// Does something on rank 0; all ranks learn whether it succeeded.
    pub(super) fn on_root<T: Default>(&self, work: impl FnOnce(&Self) -> Result<T, io::Error>) -> Result<T, io::Error> {
        let root = Communicator::rank(self.world) == 0;
        agree(self.world, if root { work(self) } else { Ok(T::default()) })
    }

    /// Begins the series of the case, or goes on with those that a checkpoint names.
    fn open_series(&mut self, restored: Option<&Restored>) -> Result<(), RunError> {
        let mut wanted = Vec::new();
        if self.case.output.integrals.is_some() {
            let columns = COLUMNS.map(|(name, unit)| (name.to_owned(), unit));
            wanted.push((INTEGRALS.to_owned(), columns.to_vec()));
        }
        if let Some(boundaries) = &self.boundary_fluxes {
            wanted.push((BOUNDARIES.to_owned(), boundaries.columns()));
        }
        wanted.extend(self.observers.iter().flat_map(|o| o.series()));
        let path = |name: &str| self.case.output.directory.join(format!("{name}.csv"));
        let files: Vec<PathBuf> = wanted.iter().map(|(name, _)| path(name)).collect();
        let opened = self.on_root(|run| {
            let mut opened = BTreeMap::new();
            for (name, columns) in &wanted {
                let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
                let mark = restored.and_then(|r| r.series.get(name));
                let series = mark.map(|mark| Series::reopen(&path(name), &columns, *mark));
                let series = match series.transpose()?.flatten() {
                    Some(series) => series,
                    None => {
                        if restored.is_some() {
                            tracing::info!("{} begins here: the checkpoint has none there", path(name).display());
                        }
                        Series::create(&path(name), &columns, &run.provenance)?
                    }
                };
                opened.insert(name.clone(), series);
            }
            // Only when all of them can go on.
            opened.values().try_for_each(Series::cut)?;
            Ok(opened)
        });
        self.series = opened.map_err(|e| match e {
            e @ io::Error::Series { .. } => RunError::Restart(e),
            e => e.into(),
        })?;
        self.files.extend(files);
        Ok(())
    }

    /// Steps to the end, or to the first step after `stop` asks for it.
    pub fn advance(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Outcome, RunError> {
        let ended = self.steps(stop, progress);
        if let Err(RunError::Diverged { .. } | RunError::DivergedElsewhere { .. }) = &ended {
            // The last samples show how it came about; where they cannot be had, the divergence is still what has to be said.
            let _ = self.settle();
        }
        ended.map_err(|e| match e {
            RunError::Device(error) => RunError::Stopped {
                step: self.clock.step,
                time: self.clock.time,
                error: Box::new(error),
                last_output: self.last_good(),
            },
            other => other,
        })
    }

    fn steps(&mut self, stop: &Stop, progress: &mut Progress) -> Result<Outcome, RunError> {
        while !self.finished() {
            if self.clock.step.is_multiple_of(GUARD_INTERVAL) {
                self.guard()?;
                self.solver.hold_mass_flow(self.clock.time)?;
            }
            let target = [
                self.case.time.end,
                self.solutions.next_time(),
                self.integrals.next_time(),
                self.boundaries.next_time(),
            ]
            .into_iter()
            .flatten()
            .fold(self.observed_times(), f64::min);
            let (dt, hit) = self.clock.clip(self.dt, target);
            let stepped = self.solver.step(self.clock.time, dt);
            stepped.map_err(|e| self.ended_by(e))?;
            let asked = stop.asked(self.world);
            self.clock.advance(dt, hit.then_some(target));
            progress.update(self.clock.step, self.clock.time, dt, self.done());
            let last = self.finished();
            let due = Due {
                solution: self.solutions.due(&self.clock) | last,
                integrals: self.integrals.due(&self.clock) | last,
                boundaries: self.boundaries.due(&self.clock) | last,
            };
            let observed = self.observers_due(last);
            self.write(due, progress)?;
            self.observe(&observed)?;
            let checkpoint = self.checkpoints.due(&self.clock) || last && self.case.output.checkpoint.is_some();
            if checkpoint || asked.is_some() && !last {
                self.write_checkpoint(progress)?;
                self.report()?;
            } else if last {
                self.settle()?;
                self.report()?;
            }
            if let Some(reason) = asked.filter(|_| !last) {
                progress.say(|| tracing::info!("{reason}: the run ends; `restart: latest` continues it"));
                // After the checkpoint: what is written only because the run ends here is not part of it.
                let rest = Due {
                    solution: !due.solution,
                    integrals: !due.integrals,
                    boundaries: !due.boundaries,
                };
                self.write(rest, progress)?;
                let rest: Vec<bool> = self
                    .observers
                    .iter()
                    .zip(&observed)
                    .map(|(o, seen)| o.besides() == Besides::StartAndEnd && !seen)
                    .collect();
                self.observe(&rest)?;
                self.settle()?;
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Finished)
    }

    /// Number of solution points of all ranks. Collective.
    pub fn points(&self) -> usize {
        self.solver.points_of_all_ranks()
    }

    /// The clock.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    fn finished(&self) -> bool {
        self.case.time.end.is_some_and(|end| self.clock.time >= end)
            || self.case.time.steps.is_some_and(|steps| self.clock.step >= steps)
    }

    /// Completed share of the run.
    pub fn done(&self) -> f64 {
        let by_time = self.case.time.end.map_or(0.0, |end| self.clock.time / end);
        let by_step = self
            .case
            .time
            .steps
            .map_or(0.0, |steps| self.clock.step as f64 / steps as f64);
        by_time.max(by_step)
    }

    /// Writes solution and series as far as the case asks for them.
    fn write(&mut self, due: Due, progress: &Progress) -> Result<(), RunError> {
        let Due {
            solution,
            integrals,
            boundaries,
        } = due;
        if !(solution || integrals || boundaries) {
            return Ok(());
        }
        // Not the guard: what is written, and when, decides no time step.
        self.healthy()?;
        if self.case.output.solution.is_some() && solution {
            let path = self.write_solution()?;
            progress.say(|| tracing::info!("t {}: wrote {}", shown(self.clock.time), path.display()));
        }
        self.write_series(integrals, boundaries)
    }

    /// Asks the device for the health of the state and sets the step.
    fn guard(&mut self) -> Result<(), RunError> {
        let rates = self.healthy()?;
        self.set_step(&rates);
        Ok(())
    }

    fn set_step(&mut self, rates: &Rates) {
        self.dt = match self.case.time.step {
            TimeStep::Fixed(dt) => dt,
            TimeStep::Cfl(cfl) => cfl * self.solver.stable_step(rates),
        };
    }

    /// The rates of a state that is physical on all ranks. Collective.
    pub(super) fn healthy(&mut self) -> Result<Rates, RunError> {
        let rates = self.solver.rates()?;
        match rates.unphysical {
            Some(number) => Err(self.diverged(number)?),
            None => Ok(rates),
        }
    }

    /// What is wrong in a cell, given by its number in the whole mesh. Collective.
    fn diverged(&self, number: usize) -> Result<RunError, RunError> {
        let mesh = &self.solver.mesh;
        let seen = (0..mesh.len()).find(|&cell| mesh.global(cell) == number);
        let looked = divergence::locate(self.solver, seen).map_err(RunError::from);
        let (found, extent) = together(self.world, looked)?;
        let extent = extent.of_all(&self.solver.ranks);
        let Some(found) = found else {
            return Ok(RunError::DivergedElsewhere { step: self.clock.step });
        };
        Ok(RunError::Diverged {
            step: self.clock.step,
            time: self.clock.time,
            what: found.what,
            value: found.value,
            cell: mesh.name_of(found.cell),
            at: found.at,
            extent: Box::new(extent),
            last_output: self.last_good(),
        })
    }

    fn ended_by(&self, error: StepError) -> RunError {
        match error {
            StepError::Device(error) => error.into(),
            StepError::Elsewhere(_) => RunError::Elsewhere,
            StepError::Value(value) => RunError::Value {
                value: Box::new(value),
                last_output: self.last_good(),
            },
        }
    }

    fn last_good(&self) -> String {
        let path = self.last_output.as_ref();
        path.map_or("none".to_owned(), |p| p.display().to_string())
    }

    /// Appends a line to the series that are due; both look at one right-hand side.
    fn write_series(&mut self, integrals: bool, boundaries: bool) -> Result<(), RunError> {
        let integrals = integrals && self.case.output.integrals.is_some();
        let boundaries = boundaries && self.boundary_fluxes.is_some();
        if !integrals && !boundaries {
            return Ok(());
        }
        let (step, time) = (self.clock.step, self.clock.time);
        self.right_hand_side()?;
        if integrals {
            let row = self.solver.integrals()?.row(step, time, self.dt);
            self.append(INTEGRALS, &row)?;
        }
        if let Some(of) = self.boundary_fluxes.as_ref().filter(|_| boundaries) {
            let fluxes = of.take(self.solver.device.as_mut(), &self.solver.ranks)?;
            let row = of.row(step, time, &fluxes);
            self.append(BOUNDARIES, &row)?;
        }
        Ok(())
    }

    /// Leaves the right-hand side of the present state on the device.
    pub(super) fn right_hand_side(&mut self) -> Result<(), RunError> {
        if self.rhs_of == Some(self.clock.step) {
            return Ok(());
        }
        if let Err(error) = self.solver.evaluate_rhs(self.clock.time) {
            return Err(self.ended_by(error));
        }
        self.rhs_of = Some(self.clock.step);
        Ok(())
    }

    fn append(&mut self, name: &str, row: &[f64]) -> Result<(), RunError> {
        let appended = self.series.get_mut(name).map_or(Ok(()), |series| series.append(row));
        Ok(agree(self.world, appended)?)
    }

    fn write_solution(&mut self) -> Result<PathBuf, RunError> {
        let path = self.solution_files.path();
        let single = self
            .case
            .output
            .solution
            .as_ref()
            .is_some_and(|s| s.precision == crate::device::Precision::Single);
        let state = self.solver.device.state()?;
        super::snapshot::write(
            &path,
            self.solver,
            &state,
            &self.case.gas,
            self.world,
            &self.clock,
            single,
            &self.provenance,
        )?;
        self.solution_files.wrote(self.clock.time, self.world)?;
        self.files.push(path.clone());
        self.last_output = Some(path.clone());
        Ok(path)
    }
}
