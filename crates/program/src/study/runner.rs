//! The driver of a study: it plans designs and runs them on this machine, one process a design.
//!
//! A process runs one design with `fr-les study --design` and writes its result. It dies with the driver, and what it
//! has started dies with it, so that a killed driver leaves nothing behind; the next driver finds the designs without a
//! result and lets them go on from their checkpoints. Nothing that the driver holds in memory is needed for that. The
//! process is the head of a process group, so that the driver can end a design with all that it has started.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::format::{duration, number};
use crate::io::create_anew;

use super::error::StudyError;
use super::process::{ask_to_end, end_group, is_over, last_error, not_started, of_design, overdue_reason, start};
use super::record::{Record, State, ranked};
use super::settings::{Planned, Study};
use super::slurm;
use super::store::{Store, Stored, VARIABLES};
use super::variable::Choice;

/// Interval at which the driver looks at its processes.
const GLANCE: Duration = Duration::from_millis(20);
/// Exit code of a run that was interrupted and can go on.
const INTERRUPTED: i32 = 4;
/// Name of the log of the check of the first design.
const CHECK_LOG: &str = "check.log";

/// How a study ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// All designs have ended.
    Finished,
    /// A signal ended it; it can go on.
    Interrupted,
    /// Its designs are jobs of a batch system, and the last of these is the driver.
    Submitted,
    /// Designs wait for what is told of them, or for a run.
    Proposed,
}

/// What is done with the designs of a batch.
pub enum Work<'a> {
    /// They run.
    Run {
        /// The program that runs them.
        program: &'a Path,
        /// The number of a signal that asks for an end, 0 before any.
        signal: &'a AtomicUsize,
    },
    /// They wait for what is told of them.
    Propose,
}

/// A process that runs a design.
struct Running {
    /// Index of the design.
    design: usize,
    process: Child,
    begin: Instant,
    /// Whether it took longer than the limit and was ended.
    overdue: bool,
}

/// The driver of a study.
pub struct Driver<'a> {
    pub(super) study: &'a Study,
    pub(super) store: Store,
    pub(super) designs: Vec<Stored>,
    /// What runs in each place.
    running: Vec<Option<Running>>,
    /// Seconds of the runs that have ended since the start of the driver, and their number.
    spent: (f64, usize),
}

impl<'a> Driver<'a> {
    /// Returns the driver of the designs that there are. The caller holds the lock of the store.
    ///
    /// # Errors
    /// A record cannot be read, or the designs are of another case or have other variables.
    pub fn new(study: &'a Study, store: Store) -> Result<Self, StudyError> {
        let designs = store.load()?;
        let variables: Vec<String> = study.variables.iter().map(|variable| variable.to_string()).collect();
        if !designs.is_empty()
            && let Some(old) = store.variables()?
            && old != variables
        {
            let (was, now) = first_difference(&old, &variables);
            let file = store.path(VARIABLES).display().to_string();
            return Err(StudyError::Variables { file, was, now });
        }
        for Stored { record, .. } in &designs {
            let choices = record.choices(study).filter(|x| x.len() == record.x.len());
            let same = choices.map(|x| study.plan(&x)).transpose()?;
            if same.is_none_or(|planned| planned.hash != record.case) {
                let id = record.id.clone();
                return Err(StudyError::Changed { id });
            }
        }
        store.keep_variables(&variables)?;
        let designs = reopened(study, &store, designs)?;
        store.update_table(&designs)?;
        Ok(Driver {
            running: study.workers.gpus.iter().map(|_| None).collect(),
            study,
            store,
            designs,
            spent: (0.0, 0),
        })
    }

    /// Plans designs that are not there yet, and returns how many these are.
    ///
    /// # Errors
    /// The case is not valid with the values of a design, or its directory cannot be written.
    pub fn plan(&mut self, origin: &str, designs: &[Vec<Choice>]) -> Result<usize, StudyError> {
        let mut known: BTreeSet<String> = self.designs.iter().map(|d| d.record.case.clone()).collect();
        // All are checked before the first is written.
        let mut new = Vec::new();
        for x in designs {
            let planned = self.study.plan(x)?;
            if known.insert(planned.hash.clone()) {
                new.push((x, planned));
            }
        }
        for (x, planned) in &new {
            let record = self.record(origin, x, planned);
            self.store.plan(&mut self.designs, record, &planned.text)?;
        }
        Ok(new.len())
    }

    /// Plans the design that the models suggest and of which they expect these values. Returns whether it is new.
    ///
    /// # Errors
    /// The case is not valid with its values, or its directory cannot be written.
    pub(super) fn plan_suggestion(
        &mut self,
        origin: &str,
        x: &[Choice],
        expected: BTreeMap<String, f64>,
    ) -> Result<bool, StudyError> {
        let planned = self.study.plan(x)?;
        let new = !self.designs.iter().any(|design| design.record.case == planned.hash);
        if new {
            let record = Record {
                expected,
                ..self.record(origin, x, &planned)
            };
            self.store.plan(&mut self.designs, record, &planned.text)?;
        }
        Ok(new)
    }

    fn record(&self, origin: &str, x: &[Choice], planned: &Planned) -> Record {
        let names = self.study.variables.iter().map(|variable| variable.name.clone());
        Record::planned(origin, names.zip(x.iter().cloned()).collect(), planned.hash.clone())
    }

    /// Plans designs, and runs all that have no result or leaves them waiting.
    pub(super) fn run_batch(
        &mut self,
        origin: &str,
        designs: &[Vec<Choice>],
        work: &Work,
    ) -> Result<Ended, StudyError> {
        self.plan(origin, designs)?;
        let Work::Run { program, signal } = *work else {
            return Ok(match self.next() {
                Some(_) => Ended::Proposed,
                None => Ended::Finished,
            });
        };
        if self.next().is_some() && !self.designs.iter().any(|design| design.record.state == State::Done) {
            let checked = self.check_first(program, signal)?;
            if checked == Ended::Interrupted {
                return Ok(checked);
            }
        }
        if self.next().is_none() {
            return Ok(Ended::Finished);
        }
        self.log_start();
        match &self.study.batch {
            None => self.work(program, signal),
            Some(batch) => {
                let waiting = self
                    .designs
                    .iter()
                    .filter(|design| design.record.state == State::Planned);
                let waiting: Vec<String> = waiting.map(|design| design.record.id.clone()).collect();
                let job = slurm::submit(self.study, batch, &self.store, &waiting, program)?;
                tracing::info!(
                    "{} designs are job {job}; a job that follows it continues the study",
                    waiting.len()
                );
                Ok(Ended::Submitted)
            }
        }
    }

    /// Ends all processes.
    pub(super) fn stop(&mut self) {
        self.running.iter_mut().flatten().for_each(|running| {
            end_group(&running.process);
            let _ = running.process.wait();
        });
    }

    /// Runs the designs that have no result, until there are none or a signal comes.
    fn work(&mut self, program: &Path, signal: &AtomicUsize) -> Result<Ended, StudyError> {
        let mut asked = false;
        loop {
            if !asked && signal.load(Ordering::Relaxed) != 0 {
                asked = true;
                tracing::info!("the study ends when its runs have written their states; the same command continues it");
                self.running
                    .iter()
                    .flatten()
                    .for_each(|running| ask_to_end(&running.process));
            }
            for place in 0..self.running.len() {
                self.look_at(place)?;
                if self.running[place].is_none() && !asked {
                    self.start_next(place, program)?;
                }
            }
            if self.running.iter().all(Option::is_none) {
                return Ok(if self.next().is_none() {
                    Ended::Finished
                } else {
                    Ended::Interrupted
                });
            }
            std::thread::sleep(GLANCE);
        }
    }

    /// Returns the next design to run: one whose run has begun before the others.
    fn next(&self) -> Option<usize> {
        let waits = |at: &usize| {
            let runs = self.running.iter().flatten().any(|running| running.design == *at);
            self.designs[*at].record.state == State::Planned && !runs
        };
        (0..self.designs.len())
            .filter(waits)
            .min_by_key(|at| !self.designs[*at].begun)
    }

    /// Starts the next design in a place, if there is one.
    fn start_next(&mut self, place: usize, program: &Path) -> Result<(), StudyError> {
        let Some(design) = self.next() else {
            return Ok(());
        };
        let record = &self.designs[design].record;
        let mut command = of_design(self.study, &record.id, place, program, &[]);
        // Without a log, as on a full disk, the design may still run or fail in its own way.
        let log = || {
            self.store
                .log_of(&record.id)
                .map_or_else(|_| Stdio::null(), Stdio::from)
        };
        command.stdout(log()).stderr(log());
        tracing::info!("{} starts: {}", record.id, record.describe());
        self.running[place] = Some(Running {
            design,
            process: start(&mut command, program)?,
            begin: Instant::now(),
            overdue: false,
        });
        self.designs[design].begun = true;
        Ok(())
    }

    /// Takes note of the end of the process in a place, if it has ended.
    fn look_at(&mut self, place: usize) -> Result<(), StudyError> {
        let Some(running) = &mut self.running[place] else {
            return Ok(());
        };
        let limit = self.study.workers.limit;
        let Ok(Some(status)) = running.process.try_wait() else {
            if !running.overdue && is_over(limit, running.begin) {
                running.overdue = true;
                end_group(&running.process);
            }
            return Ok(());
        };
        let (at, seconds) = (running.design, running.begin.elapsed().as_secs_f64());
        let overdue = limit.filter(|_| running.overdue);
        self.running[place] = None;
        let stored = self.store.read(&self.designs[at].record.id)?;
        self.designs[at] = match (stored.record.state, status.code()) {
            (State::Planned, Some(INTERRUPTED)) => {
                tracing::info!("{} was interrupted and can go on", stored.record.id);
                stored
            }
            (State::Planned, _) => self.lost(stored, status, seconds, overdue),
            _ => stored,
        };
        if self.designs[at].record.state == State::Planned {
            return Ok(());
        }
        self.spent = (self.spent.0 + seconds, self.spent.1 + 1);
        self.log_end(&self.designs[at].record);
        if let Err(error) = self.store.update_table(&self.designs) {
            tracing::warn!("the table is not up to date: {error}");
        }
        Ok(())
    }

    /// Returns a design whose run has ended without a result as lost. `overdue` is the limit of its time if it was
    /// ended for that. If the result cannot be written, as on a full disk, the next driver runs the design again.
    fn lost(&self, stored: Stored, status: ExitStatus, seconds: f64, overdue: Option<Duration>) -> Stored {
        let reason = match (overdue, status.signal(), status.code()) {
            (Some(limit), ..) => overdue_reason(limit),
            (None, Some(signal), _) => format!("its process was killed by signal {signal}"),
            (None, None, code) => {
                let message = last_error(&self.store.of(&stored.record.id).join("log"));
                message.unwrap_or_else(|| format!("its process ended with exit code {}", code.unwrap_or(-1)))
            }
        };
        let record = Record {
            hours: seconds / 3600.0,
            ..stored.record.failure(State::Lost, reason)
        };
        if let Err(error) = self.store.end(&record) {
            tracing::warn!(
                "{}: the result cannot be written, and the design runs again later: {error}",
                record.id
            );
        }
        Stored { record, ..stored }
    }

    /// Checks the first design in a process of its own, before anything runs: that it can be set up, and that it writes
    /// what the designs are compared by. A design whose mesh fails, or that takes longer than the limit, ends there,
    /// and the next one is the first.
    fn check_first(&mut self, program: &Path, signal: &AtomicUsize) -> Result<Ended, StudyError> {
        let mut ended = Ended::Finished;
        while let Some(first) = self.next() {
            ended = self.check(first, program, signal)?;
            self.designs[first] = self.store.read(&self.designs[first].record.id)?;
            if ended == Ended::Interrupted || self.designs[first].record.state == State::Planned {
                break;
            }
            self.log_end(&self.designs[first].record);
        }
        self.store.update_table(&self.designs)?;
        Ok(ended)
    }

    /// Checks a design in a process of its own, unless a signal comes.
    fn check(&self, first: usize, program: &Path, signal: &AtomicUsize) -> Result<Ended, StudyError> {
        let log = self.store.path(CHECK_LOG);
        let mut command = of_design(self.study, &self.designs[first].record.id, 0, program, &["--check"]);
        command
            .stdout(create_anew(&log).map_or_else(|_| Stdio::null(), Stdio::from))
            .stderr(Stdio::piped());
        let (mut process, begin) = (start(&mut command, program)?, Instant::now());
        let printed = process.stderr.take();
        let message = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = printed.map(|mut printed| printed.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).trim_end().to_owned()
        });
        let limit = self.study.workers.limit;
        let status = loop {
            if let Some(status) = process.try_wait().map_err(|source| not_started(program, source))? {
                break status;
            }
            let asked = signal.load(Ordering::Relaxed) != 0;
            if asked || is_over(limit, begin) {
                end_group(&process);
                let _ = process.wait();
                if asked {
                    return Ok(Ended::Interrupted);
                }
                let record = &self.designs[first].record;
                let reason = limit.map(overdue_reason).unwrap_or_default();
                self.store.end(&record.failure(State::Lost, reason))?;
                return Ok(Ended::Finished);
            }
            std::thread::sleep(GLANCE);
        };
        if status.success() {
            Ok(Ended::Finished)
        } else {
            Err(StudyError::Refused(message.join().unwrap_or_default()))
        }
    }

    fn log_start(&self) {
        let count = |state: fn(State) -> bool| self.designs.iter().filter(|d| state(d.record.state)).count();
        let (places, threads) = (self.running.len(), self.study.workers.threads);
        tracing::info!(
            "{}: {} designs, {} done, {} failed; {places} at the same time, {threads} threads each",
            self.study.title,
            self.designs.len(),
            count(|state| state == State::Done),
            count(State::failed)
        );
    }

    /// Logs the end of a design, and how far the study has come.
    fn log_end(&self, record: &Record) {
        let left = self.designs.iter().filter(|d| d.record.state == State::Planned).count();
        let seconds = self.spent.0 / self.spent.1.max(1) as f64 * left as f64 / self.running.len() as f64;
        let left = match left {
            0 => "none left".to_owned(),
            _ => format!("{left} left, about {}", duration(seconds)),
        };
        let retry = match record.retry {
            0 => String::new(),
            number => format!(" with retry {number}"),
        };
        match &record.reason {
            None => tracing::info!("{} done{retry}: {} ({left})", record.id, values(record)),
            Some(reason) => tracing::warn!("{} {}{retry}: {reason} ({left})", record.id, record.state),
        }
    }

    /// Logs the best design.
    ///
    /// # Errors
    /// All designs have failed.
    pub fn log_best(&self) -> Result<(), StudyError> {
        let records: Vec<Record> = self.designs.iter().map(|design| design.record.clone()).collect();
        if let Some(first) = records
            .first()
            .filter(|_| records.iter().all(|record| record.state.failed()))
        {
            return Err(StudyError::AllFailed {
                count: records.len(),
                first: format!("{} since {}", first.id, first.reason.clone().unwrap_or_default()),
            });
        }
        let failed = records.iter().filter(|record| record.state.failed()).count();
        if failed > 0 {
            tracing::warn!("{failed} of {} designs failed: --status names them", records.len());
        }
        match ranked(self.study, &records).first() {
            Some(best) if best.violation == 0.0 => {
                tracing::info!("best: {} with {}: {}", best.id, best.describe(), values(best));
            }
            Some(_) => tracing::warn!("no design keeps all constraints"),
            None => tracing::warn!("no design has come to its end"),
        }
        Ok(())
    }
}

/// Lets designs that failed before the study had the next of its retries run again.
fn reopened(study: &Study, store: &Store, designs: Vec<Stored>) -> Result<Vec<Stored>, StudyError> {
    let reopen = |stored: Stored| {
        let record = &stored.record;
        if !record.state.may_be_retried() || record.retry >= study.retries.len() {
            return Ok(stored);
        }
        store.set_aside(&record.id)?;
        Ok(store.read(&record.id)?)
    };
    designs.into_iter().map(reopen).collect()
}

/// Returns the first entries in which two lists differ, or "no variable" beyond the end of one.
fn first_difference(old: &[String], new: &[String]) -> (String, String) {
    let entry = |list: &[String], at: usize| list.get(at).cloned().unwrap_or_else(|| "no variable".to_owned());
    let mut places = 0..old.len().max(new.len());
    let at = places.find(|&at| old.get(at) != new.get(at)).unwrap_or_default();
    (entry(old, at), entry(new, at))
}

/// Returns the values of a design in words.
pub fn values(record: &Record) -> String {
    let parts = record
        .values
        .iter()
        .map(|(name, value)| format!("{name} = {}", number(*value)));
    parts.collect::<Vec<_>>().join(", ")
}
