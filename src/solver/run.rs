//! The run loop: steps, the guard that watches the state, and what is written when.
//!
//! Every [`GUARD_INTERVAL`] steps and before anything is written the device is asked for the largest wave rates and for
//! states that are not physical. The same answer sets the next time steps, so the sequence of steps depends on step
//! numbers alone and never on how long the machine took.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mpi::topology::SimpleCommunicator;

use super::{Clock, RunError, Solver, StepError, divergence};
use crate::case::{Case, Every, TimeStep};
use crate::device::DeviceError;
use crate::halo::Traffic;
use crate::io::{self, Provenance, Series};
use crate::monitor::{Boundaries, COLUMNS, Progress};

/// Steps between two looks at the state.
const GUARD_INTERVAL: u64 = 10;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It reached its end.
    Finished,
    /// A signal stopped it after a complete step; the state was written.
    Interrupted,
}

/// A point in time or steps that comes again and again.
struct Schedule {
    every: Option<Every>,
    count: u64,
}

impl Schedule {
    fn new(every: Option<Every>) -> Self {
        Schedule { every, count: 1 }
    }

    /// Time of the next event, if it is one of time.
    fn next_time(&self) -> Option<f64> {
        match self.every {
            Some(Every::Time(period)) => Some(period * self.count as f64),
            _ => None,
        }
    }

    /// Whether the clock stands on an event; counts it.
    fn due(&mut self, clock: &Clock) -> bool {
        let due = match self.every {
            None => false,
            Some(Every::Steps(n)) => clock.step.is_multiple_of(n),
            Some(Every::Time(period)) => clock.time >= period * self.count as f64,
        };
        self.count += u64::from(due);
        due
    }
}

/// A run in progress.
pub struct Run<'a> {
    case: &'a Case,
    solver: &'a mut Solver,
    world: &'a SimpleCommunicator,
    provenance: Provenance,
    clock: Clock,
    dt: f64,
    integral_series: Option<Series>,
    boundary_series: Option<(Boundaries, Option<Series>)>,
    solutions: Schedule,
    integrals: Schedule,
    boundaries: Schedule,
    written: Vec<(f64, String)>,
    last_output: Option<PathBuf>,
    /// Files of the run, for the closing lines.
    pub files: Vec<PathBuf>,
}

impl<'a> Run<'a> {
    /// Opens the output directory and writes the initial state. Collective, like everything that a run does.
    pub fn start(
        case: &'a Case,
        solver: &'a mut Solver,
        world: &'a SimpleCommunicator,
        provenance: Provenance,
    ) -> Result<Self, RunError> {
        let output = &case.output;
        if output.writes() {
            io::create_directory(&output.directory).map_err(RunError::Directory)?;
        }
        let mut files = Vec::new();
        // The first rank writes the series for all.
        let ranks = &solver.ranks;
        let mut series = |name: &str, columns: &[(&str, &str)]| {
            let path = output.directory.join(name);
            let created = match ranks.rank() {
                0 => Series::create(&path, columns, &provenance).map(Some),
                _ => Ok(None),
            };
            files.push(path);
            ranks.agree(created.map_err(RunError::from), RunError::Elsewhere)
        };
        let integral_series = match output.integrals {
            Some(_) => series("integrals.csv", &COLUMNS)?,
            None => None,
        };
        let boundary_series = match output.boundaries {
            Some(_) => {
                let plan = solver.device.plan();
                let boundaries = Boundaries::new(plan, &solver.mesh, &solver.geometry, &solver.elements, ranks);
                let columns = boundaries.columns();
                let columns: Vec<_> = columns.iter().map(|(name, unit)| (name.as_str(), *unit)).collect();
                Some((boundaries, series("boundaries.csv", &columns)?))
            }
            None => None,
        };
        let mut run = Run {
            case,
            solver,
            world,
            provenance,
            clock: Clock::default(),
            dt: 0.0,
            integral_series,
            boundary_series,
            solutions: Schedule::new(output.solution.as_ref().map(|s| s.every)),
            integrals: Schedule::new(output.integrals),
            boundaries: Schedule::new(output.boundaries),
            written: Vec::new(),
            last_output: None,
            files,
        };
        run.guard()?;
        if run.case.output.solution.is_some() {
            run.write_solution()?;
        }
        run.write_series(true, true)?;
        Ok(run)
    }

    /// Steps to the end, or to the first step after `stop` is raised.
    pub fn advance(&mut self, stop: &Arc<AtomicBool>, progress: &mut Progress) -> Result<Outcome, RunError> {
        self.steps(stop, progress).map_err(|e| match e {
            RunError::Device(error) => RunError::Stopped {
                step: self.clock.step,
                time: self.clock.time,
                error: Box::new(error),
                last_output: self.last_good(),
            },
            other => other,
        })
    }

    fn steps(&mut self, stop: &Arc<AtomicBool>, progress: &mut Progress) -> Result<Outcome, RunError> {
        while !self.finished() {
            if self.clock.step.is_multiple_of(GUARD_INTERVAL) {
                self.guard()?;
            }
            let target = [
                self.case.time.end,
                self.solutions.next_time(),
                self.integrals.next_time(),
                self.boundaries.next_time(),
            ]
            .into_iter()
            .flatten()
            .fold(f64::INFINITY, f64::min);
            let (dt, hit) = self.clock.clip(self.dt, target);
            let stepped = self.solver.step(self.clock.time, dt);
            stepped.map_err(|e| self.ended_by(e))?;
            self.clock.advance(dt, hit.then_some(target));
            progress.update(self.clock.step, self.clock.time, dt, self.done());
            let stopped = self.solver.ranks.any(stop.load(Ordering::Relaxed)) && !self.finished();
            self.write_what_is_due(stopped, progress)?;
            if stopped {
                return Ok(Outcome::Interrupted);
            }
        }
        Ok(Outcome::Finished)
    }

    /// Number of solution points of all ranks. Collective.
    pub fn points(&self) -> usize {
        self.solver.points_of_all_ranks()
    }

    /// What the exchanges with other ranks took so far; `None` for a rank alone.
    pub fn traffic(&self) -> Option<Traffic> {
        self.solver.traffic()
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
    fn done(&self) -> f64 {
        let by_time = self.case.time.end.map_or(0.0, |end| self.clock.time / end);
        let by_step = self
            .case
            .time
            .steps
            .map_or(0.0, |steps| self.clock.step as f64 / steps as f64);
        by_time.max(by_step)
    }

    fn write_what_is_due(&mut self, stopped: bool, progress: &Progress) -> Result<(), RunError> {
        let last = stopped || self.finished();
        let (solution, integrals) = (self.solutions.due(&self.clock), self.integrals.due(&self.clock));
        let boundaries = self.boundaries.due(&self.clock);
        if !(solution || integrals || boundaries || last) {
            return Ok(());
        }
        self.guard()?;
        if self.case.output.solution.is_some() && (solution || last) {
            let path = self.write_solution()?;
            progress.say(|| tracing::info!("t {:.5}: wrote {}", self.clock.time, path.display()));
        }
        self.write_series(integrals || last, boundaries || last)
    }

    /// Asks the device for the health of the state and sets the step.
    fn guard(&mut self) -> Result<(), RunError> {
        let rates = self.solver.rates()?;
        if let Some(cell) = rates.unphysical {
            return Err(self.diverged(cell)?);
        }
        let stable = self.solver.stable_step(&rates);
        self.dt = match self.case.time.step {
            TimeStep::Fixed(dt) => dt,
            TimeStep::Cfl(cfl) => cfl * stable,
        };
        Ok(())
    }

    /// What is wrong in a cell, given by its number in the whole mesh.
    fn diverged(&self, number: usize) -> Result<RunError, DeviceError> {
        let mesh = &self.solver.mesh;
        let Some(cell) = (0..mesh.len()).find(|&cell| mesh.global(cell) == number) else {
            return Ok(RunError::DivergedElsewhere { step: self.clock.step });
        };
        let found = divergence::locate(self.solver, cell)?;
        Ok(RunError::Diverged {
            step: self.clock.step,
            time: self.clock.time,
            what: found.what,
            value: found.value,
            cell: self.solver.mesh.name_of(found.cell),
            at: found.at,
            extent: Box::new(found.extent),
            last_output: self.last_good(),
        })
    }

    /// What a step or a right-hand side that failed means for the run.
    fn ended_by(&self, error: StepError) -> RunError {
        match error {
            StepError::Device(error) => error.into(),
            StepError::Elsewhere(rank) => RunError::Elsewhere(rank),
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
        let boundaries = boundaries && self.boundary_series.is_some();
        if !(integrals || boundaries) {
            return Ok(());
        }
        let (step, time) = (self.clock.step, self.clock.time);
        if let Err(error) = self.solver.evaluate_rhs(time) {
            return Err(self.ended_by(error));
        }
        let boundary_series = self.boundary_series.as_mut().filter(|_| boundaries);
        let mut written = Ok(());
        if integrals {
            let row = self.solver.integrals()?.row(step, time, self.dt);
            if let Some(series) = &mut self.integral_series {
                written = series.append(&row);
            }
        }
        if let Some((boundaries, series)) = boundary_series {
            let fluxes = boundaries.take(self.solver.device.as_mut(), &self.solver.ranks)?;
            if let Some(series) = series {
                written = written.and_then(|()| series.append(&boundaries.row(step, time, &fluxes)));
            }
        }
        self.solver
            .ranks
            .agree(written.map_err(RunError::from), RunError::Elsewhere)
    }

    fn write_solution(&mut self) -> Result<PathBuf, RunError> {
        let name = format!("solution_{:04}.vtkhdf", self.written.len());
        let path = self.case.output.directory.join(&name);
        let single = self
            .case
            .output
            .solution
            .as_ref()
            .is_some_and(|s| s.precision == crate::case::Precision::Single);
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
        self.written.push((self.clock.time, name));
        let indexed = match self.solver.ranks.rank() {
            0 => io::write_series_index(&self.case.output.directory, "solution", &self.written).map(drop),
            _ => Ok(()),
        };
        let ranks = &self.solver.ranks;
        ranks.agree(indexed.map_err(RunError::from), RunError::Elsewhere)?;
        self.files.push(path.clone());
        self.last_output = Some(path.clone());
        Ok(path)
    }
}
