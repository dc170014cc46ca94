//! `fr-les study STUDY --confirm NAME`: a run that confirms the best design.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::{choices, run_case};
use crate::commands::{Failure, print_line};
use crate::format::number;
use crate::io::{DirectoryLock, STEADY_CHECKPOINT, create_directory, list_checkpoints};
use crate::ranks::Ranks;
use crate::run::Outcome;
use crate::study::{Confirmation, Confirmed, Mode, Record, Store, Study, ranked};

/// Confirms the best design, or goes on with it; returns the exit code. Collective.
///
/// # Errors
/// There is no confirmation of this name or no best design, the confirmation of another design is there, the case is
/// not valid, or the run fails.
pub(super) fn run(
    study: &Study,
    name: &str,
    world: &SimpleCommunicator,
    signal: Arc<AtomicUsize>,
) -> Result<u8, Failure> {
    let begin = Instant::now();
    let (ranks, store) = (Ranks::of(world), Store::new(&study.directory));
    let first = ranks.rank() == 0;
    let prepared = prepare(study, name, &store, first);
    let (confirmation, best, done, _lock) = ranks.agree(prepared, Failure::OnOtherRank)?;
    if let Some(done) = done {
        if first {
            print(&best, &done);
        }
        return Ok(0);
    }
    let folder = confirmation.directory(&study.directory);
    let mesh = confirmation.geometry.as_ref().filter(|_| first);
    let made = mesh.map_or(Ok(()), |geometry| {
        Ok(geometry.make(&study.variables, &choices(study, &best)?, &folder)?)
    });
    ranks.agree(made, Failure::OnOtherRank)?;
    let results = folder.join("results");
    let steady = study.mode.files_of(&store.results_of(&best.id)).join(STEADY_CHECKPOINT);
    let begins_steady = study.mode == Mode::Steady && confirmation.mode == Mode::Les && confirmation.geometry.is_none();
    let case = confirmation.case_of(
        &store.case_of(&best.id),
        &folder,
        &results,
        begins_steady.then_some(steady.as_path()),
    );
    let mut case = ranks.agree(case.map_err(Failure::from), Failure::OnOtherRank)?;
    let begun = match confirmation.mode {
        Mode::Les => results.is_dir() && !list_checkpoints(&results)?.is_empty(),
        Mode::Steady => confirmation.mode.files_of(&results).join(STEADY_CHECKPOINT).is_file(),
    };
    if begun {
        case.run.restart = Some(crate::run::Restart::Latest);
    }
    if first {
        tracing::info!("{name} confirms {}: {}", best.id, best.describe());
    }
    if run_case(confirmation.mode, &case, world, signal, begin)? == Outcome::Interrupted {
        return Ok(4);
    }
    if first {
        let values = confirmation.measured(&results).map_err(Failure::Argument)?;
        let hours = begin.elapsed().as_secs_f64() / 3600.0;
        let (design, case) = (best.id.clone(), best.case.clone());
        let confirmed = Confirmed {
            design,
            case,
            values,
            hours,
        };
        confirmed.write(&folder)?;
        print(&best, &confirmed);
    }
    Ok(0)
}

/// What a confirmation begins with: its keys, the best design, its result if it is there, and the lock of its
/// directory.
type Prepared<'a> = (&'a Confirmation, Record, Option<Confirmed>, Option<DirectoryLock>);

fn prepare<'a>(study: &'a Study, name: &str, store: &Store, first: bool) -> Result<Prepared<'a>, Failure> {
    let found = study
        .confirmations
        .iter()
        .find(|confirmation| confirmation.name == name);
    let confirmation = found.ok_or_else(|| {
        let known: Vec<&str> = study.confirmations.iter().map(|c| c.name.as_str()).collect();
        let there = match known.is_empty() {
            true => "the key `confirm` has none".to_owned(),
            false => format!("the key `confirm` has {}", known.join(", ")),
        };
        Failure::Argument(format!("--confirm: there is no `{name}`: {there}"))
    })?;
    let records: Vec<Record> = store.load()?.into_iter().map(|design| design.record).collect();
    let best = ranked(study, &records)
        .first()
        .filter(|best| best.violation == 0.0)
        .cloned()
        .cloned();
    let best = best.ok_or_else(|| {
        Failure::Argument(
            "--confirm: no design is done and keeps all constraints, so that there is no best one".to_owned(),
        )
    })?;
    let folder = confirmation.directory(&study.directory);
    let lock = match first {
        true => {
            create_directory(&folder)?;
            Some(DirectoryLock::take(&folder)?)
        }
        false => None,
    };
    let done = Confirmation::read(&folder)?;
    if let Some(other) = done.as_ref().filter(|done| !done.is_of(&best.id, &best.case)) {
        return Err(Failure::Argument(format!(
            "--confirm: {} has the confirmation of {}, and the best design is {} now: rename or remove that directory",
            folder.display(),
            other.design,
            best.id
        )));
    }
    Ok((confirmation, best, done, lock))
}

/// Prints the values of the design and those of its confirmation.
fn print(best: &Record, confirmed: &Confirmed) {
    for (name, value) in &confirmed.values {
        let of_design = best.values.get(name).copied().map(number).unwrap_or_default();
        print_line(format_args!(
            "{name}: {} {of_design}, confirmed {}",
            best.id,
            number(*value)
        ));
    }
}
