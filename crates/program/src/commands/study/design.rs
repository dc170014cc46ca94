//! `fr-les study STUDY --design NAME`: the run of one design, and of its retries.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::of_design::{choices, make_mesh, plain, state_of};
use crate::case::Case;
use crate::commands::run::carry_out;
use crate::commands::{Failure, steady};
use crate::io::{DirectoryLock, RunRecord, STEADY_CHECKPOINT, list_checkpoints};
use crate::output::Certainty;
use crate::ranks::Ranks;
use crate::run::Outcome;
use crate::study::{Mode, RESULTS, Record, State, Store, Stored, Study, residual_of, unknown_error};

/// Runs a design, or the rest of it, and writes its result. Collective.
///
/// # Errors
/// The design is not there, another process runs it, its run fails, or a file cannot be written.
pub(super) fn run(
    study: &Study,
    id: &str,
    threads: Option<usize>,
    world: &SimpleCommunicator,
    signal: Arc<AtomicUsize>,
) -> Result<u8, Failure> {
    let begin = Instant::now();
    let (ranks, store) = (Ranks::of(world), Store::new(&study.directory));
    let first = ranks.rank() == 0;
    // Two processes never run one design at the same time, whoever starts them.
    let lock = if first && store.of(id).is_dir() {
        DirectoryLock::take(&store.of(id)).map(Some)
    } else {
        Ok(None)
    };
    let _lock = ranks.agree(lock.map_err(Failure::from), Failure::OnOtherRank)?;
    let Stored { record, .. } = ranks.agree(store.read(id).map_err(Failure::from), Failure::OnOtherRank)?;
    if record.state != State::Planned {
        tracing::info!("{id} has ended already: {}", record.state);
        return Ok(0);
    }
    let made = make_mesh(study, &choices(study, &record)?, &store.of(id), &ranks);
    if let (Err(failure), true) = (&made, first) {
        let hours = begin.elapsed().as_secs_f64() / 3600.0;
        let ended = record.failure(state_of(failure), plain(failure));
        store.end(&Record { hours, ..ended })?;
    }
    made?;
    loop {
        // All ranks make the same attempt, whatever they see of the directory.
        let mut attempts = [if first { store.attempts(id) as f64 } else { 0.0 }];
        ranks.allreduce_max(&mut attempts);
        let retry = attempts[0] as usize;
        let case = case_of(study, (&store, id), retry, threads, first);
        let outcome = ranks
            .agree(case, Failure::OnOtherRank)
            .and_then(|case| Ok((run_case(study.mode, &case, world, signal.clone(), begin)?, case)));
        if matches!(outcome, Ok((Outcome::Interrupted, _))) {
            return Ok(4);
        }
        let settled = if first {
            settle(study, (&store, &record, retry), &outcome, begin)
        } else {
            Ok(false)
        };
        let mut again = [f64::from(ranks.agree(settled, Failure::OnOtherRank)?)];
        ranks.allreduce_max(&mut again);
        if again == [0.0] {
            return outcome.map(|_| 0);
        }
    }
}

/// Writes the result of an attempt, or makes way for a retry; returns whether there is one.
fn settle(
    study: &Study,
    (store, record, retry): (&Store, &Record, usize),
    outcome: &Result<(Outcome, Case), Failure>,
    begin: Instant,
) -> Result<bool, Failure> {
    let ended = match outcome {
        Ok((_, case)) => measured(study, store, record, case),
        Err(failure) => record.failure(state_of(failure), plain(failure)),
    };
    let again = ended.state.may_be_retried() && retry < study.retries.len();
    if again {
        let (reason, set) = (ended.reason.unwrap_or_default(), study.retry(retry + 1).join(" "));
        tracing::warn!(
            "{} {}: {reason}; retry {} sets {set}",
            record.id,
            ended.state,
            retry + 1
        );
        store.set_aside(&record.id)?;
    } else {
        let seconds = seconds_of(study.mode, store, &record.id).unwrap_or(begin.elapsed().as_secs_f64());
        let hours = seconds / 3600.0;
        store.end(&Record { hours, retry, ..ended })?;
    }
    Ok(again)
}

/// Returns the seconds of all attempts at a design, if they are known.
fn seconds_of(mode: Mode, store: &Store, id: &str) -> Option<f64> {
    let attempts = (1..=store.attempts(id)).map(|number| store.attempt(id, number));
    let seconds = attempts.chain([store.results_of(id)]).map(|results| {
        let record = RunRecord::read(&mode.files_of(&results)).ok()?;
        Some(record.parts.iter().map(|part| part.seconds).sum::<f64>())
    });
    seconds.sum()
}

/// Runs a case in time, or computes its steady solution. Collective.
pub(super) fn run_case(
    mode: Mode,
    case: &Case,
    world: &SimpleCommunicator,
    signal: Arc<AtomicUsize>,
    begin: Instant,
) -> Result<Outcome, Failure> {
    match mode {
        Mode::Les => carry_out(case, world, signal, begin, false),
        Mode::Steady => steady::carry_out(case, world, signal, begin, false),
    }
}

/// Returns the case of a design with the keys of a retry: its run writes into the directory of the design, and goes on
/// from the checkpoint that is there.
fn case_of(
    study: &Study,
    (store, id): (&Store, &str),
    retry: usize,
    threads: Option<usize>,
    first: bool,
) -> Result<Case, Failure> {
    let (mode, results) = (study.mode, store.results_of(id));
    let mut overrides = study.retry(retry).to_vec();
    overrides.push(format!("output.directory={RESULTS}"));
    overrides.extend(threads.map(|threads| format!("threads={threads}")));
    let checkpoints = match mode {
        Mode::Les => results.is_dir() && !list_checkpoints(&results)?.is_empty(),
        Mode::Steady => mode.files_of(&results).join(STEADY_CHECKPOINT).is_file(),
    };
    if checkpoints {
        overrides.push("restart=latest".to_owned());
    } else if first {
        store.clear_results(id)?;
    }
    Ok(Case::read(&store.case_of(id), &overrides)?)
}

/// Returns the record of a design whose run has ended.
fn measured(study: &Study, store: &Store, record: &Record, case: &Case) -> Record {
    let results = study.mode.files_of(&store.results_of(&record.id));
    if let (Mode::Steady, Some(steady)) = (study.mode, &case.steady) {
        let asked = study.residual.unwrap_or(steady.control.residual);
        match residual_of(&results) {
            Ok(residual) if residual <= asked => {}
            Ok(residual) => {
                let what =
                    format!("the residual of the density fell to {residual:.1e} of its largest, not to {asked:.1e}");
                return record.failure(State::Unconverged, what);
            }
            Err(what) => return record.failure(State::Refused, what),
        }
    }
    let mut ended = Record {
        state: State::Done,
        values: BTreeMap::new(),
        violation: 0.0,
        errors: BTreeMap::new(),
        at_least: Vec::new(),
        ..record.clone()
    };
    let objectives = study.objectives.iter().map(|o| (&o.name, &o.measure));
    let constraints = study.constraints.iter().map(|c| (&c.name, &c.measure));
    for (name, measure) in objectives.chain(constraints) {
        let measured = match measure.of_run(&results) {
            Ok(measured) => measured,
            Err(what) => return record.failure(State::Refused, what),
        };
        ended.values.insert(name.clone(), measured.value);
        ended.errors.extend(measured.error.map(|error| (name.clone(), error)));
        // A steady solution has no statistical error.
        if study.mode != Mode::Steady && measured.certainty == Certainty::AtLeast {
            tracing::warn!("{}: {}", record.id, unknown_error(name));
            ended.at_least.push(name.clone());
        }
    }
    ended.violation = study.violation(&ended.values);
    ended
}
