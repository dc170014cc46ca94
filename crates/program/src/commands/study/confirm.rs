//! `fr-les study STUDY --confirm NAME`: a run that confirms the best design, or another one.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::design::run_case;
use super::of_design::choices;
use crate::case::Case;
use crate::commands::{Failure, check, print_line};
use crate::format::number;
use crate::io::{DirectoryLock, STEADY_CHECKPOINT, create_own_folder, list_checkpoints};
use crate::ranks::Ranks;
use crate::run::{Outcome, Restart};
use crate::study::{
    Confirmation, Confirmed, Mode, Record, State, Store, Study, Written, end_of_steady, ranked, written_by_steady,
};

/// Confirms a design, which is the best one without `design`, or goes on with it; returns the exit code. Collective.
///
/// # Errors
/// There is no confirmation of this name or no such design, the case is not valid or does not write the values that
/// are compared, or the run fails.
pub(super) fn run(
    study: &Study,
    name: &str,
    design: Option<&str>,
    world: &SimpleCommunicator,
    signal: Arc<AtomicUsize>,
) -> Result<u8, Failure> {
    let begin = Instant::now();
    let (ranks, store) = (Ranks::of(world), Store::new(&study.directory));
    let first = ranks.rank() == 0;
    let prepared = prepare(study, (name, design), &store, first);
    let Prepared {
        confirmation,
        record,
        done,
        lock: _lock,
    } = ranks.agree(prepared, Failure::OnOtherRank)?;
    if let Some(done) = done {
        if first {
            print(&record, &done);
        }
        return Ok(0);
    }
    let folder = confirmation.directory(&study.directory, &record.id);
    let mesh = confirmation.geometry.as_ref().filter(|_| first);
    let made = mesh.map_or(Ok(()), |geometry| {
        Ok(geometry.make(&study.variables, &choices(study, &record)?, &folder)?)
    });
    ranks.agree(made, Failure::OnOtherRank)?;
    let results = folder.join("results");
    let steady = study
        .mode
        .files_of(&store.results_of(&record.id))
        .join(STEADY_CHECKPOINT);
    let begin_with = study.begins_steady(confirmation).then_some(steady.as_path());
    let case = || -> Result<Case, Failure> {
        let design = (store.case_of(&record.id), study.retry(record.retry));
        let case = confirmation.case_of((&design.0, design.1), (&folder, &results), begin_with);
        ranks.agree(case.map_err(Failure::from), Failure::OnOtherRank)
    };
    let begun = match confirmation.mode {
        Mode::Les => results.is_dir() && !list_checkpoints(&results)?.is_empty(),
        Mode::Steady => confirmation.mode.files_of(&results).join(STEADY_CHECKPOINT).is_file(),
    };
    if first {
        tracing::info!("{name} confirms {}: {}", record.id, record.describe());
    }
    if !begun {
        examine(study, confirmation, case()?, world)?;
    }
    let mut case = case()?;
    if begun {
        case.run.restart = Some(Restart::Latest);
    }
    if run_case(confirmation.mode, &case, world, signal, begin)? == Outcome::Interrupted {
        return Ok(4);
    }
    if first {
        let values = confirmation.measured(&results).map_err(Failure::Argument)?;
        let hours = begin.elapsed().as_secs_f64() / 3600.0;
        let (design, case) = (record.id.clone(), record.case.clone());
        let confirmed = Confirmed {
            design,
            case,
            values,
            hours,
        };
        confirmed.write(&folder)?;
        print(&record, &confirmed);
    }
    Ok(0)
}

/// Sets up the case of a confirmation, and refuses it if its run would not write the values that are compared.
/// Collective.
fn examine(
    study: &Study,
    confirmation: &Confirmation,
    mut case: Case,
    world: &SimpleCommunicator,
) -> Result<(), Failure> {
    let require = |written: Written, end| {
        confirmation.values.iter().try_for_each(|(name, measure)| {
            let key = format!("confirm.{}.values.{name}", confirmation.name);
            let found = measure.require(&written, end).map(drop);
            found.map_err(|what| Failure::from(study.refuse(&key, what)))
        })
    };
    match confirmation.mode {
        Mode::Les => check::examine(case, world, |outputs, end| require(Written::by(outputs), end)).map(drop),
        Mode::Steady => {
            let (outputs, checked) = check::steady::examine(&mut case, world)?;
            checked.log();
            require(written_by_steady(&outputs, &case), end_of_steady(&case))
        }
    }
}

/// What a confirmation begins with.
struct Prepared<'a> {
    /// Its keys.
    confirmation: &'a Confirmation,
    /// The design.
    record: Record,
    /// Its result, if it is there.
    done: Option<Confirmed>,
    /// The lock of its directory, on the first rank.
    lock: Option<DirectoryLock>,
}

fn prepare<'a>(
    study: &'a Study,
    (name, design): (&str, Option<&str>),
    store: &Store,
    first: bool,
) -> Result<Prepared<'a>, Failure> {
    let found = study
        .confirmations
        .iter()
        .find(|confirmation| confirmation.name == name);
    let confirmation = found.ok_or_else(|| {
        let known: Vec<&str> = study.confirmations.iter().map(|c| c.name.as_str()).collect();
        let there = if known.is_empty() {
            "the key `confirm` has none".to_owned()
        } else {
            format!("the key `confirm` has {}", known.join(", "))
        };
        Failure::Argument(format!("--confirm: there is no `{name}`: {there}"))
    })?;
    let record = match design {
        Some(id) => confirmable(store.read(id)?.record)?,
        None => best(study, store)?,
    };
    let folder = confirmation.directory(&study.directory, &record.id);
    let lock = if first {
        create_own_folder(&folder)?;
        Some(DirectoryLock::take(&folder)?)
    } else {
        None
    };
    let done = Confirmation::read(&folder)?;
    if done.as_ref().is_some_and(|done| done.case != record.case) {
        return Err(Failure::Argument(format!(
            "--confirm: {} has the confirmation of another case: rename or remove that directory",
            folder.display()
        )));
    }
    Ok(Prepared {
        confirmation,
        record,
        done,
        lock,
    })
}

/// Returns the best design.
fn best(study: &Study, store: &Store) -> Result<Record, Failure> {
    let records: Vec<Record> = store.load()?.into_iter().map(|design| design.record).collect();
    let best = ranked(study, &records)
        .first()
        .filter(|best| best.violation == 0.0)
        .copied();
    best.cloned().ok_or_else(|| {
        Failure::Argument(
            "--confirm: no design is done and keeps all constraints, so that there is no best one; --design names \
             another one"
                .to_owned(),
        )
    })
}

/// Returns a design that is done.
fn confirmable(record: Record) -> Result<Record, Failure> {
    match record.state {
        State::Done => Ok(record),
        state => Err(Failure::Argument(format!(
            "--confirm: {} is {state}, and only a design that is done can be confirmed",
            record.id
        ))),
    }
}

/// Prints the values of the design and those of its confirmation.
fn print(record: &Record, confirmed: &Confirmed) {
    for (name, value) in &confirmed.values {
        let of_design = record.values.get(name).copied().map(number).unwrap_or_default();
        print_line(format_args!(
            "{name}: {} {of_design}, confirmed {}",
            record.id,
            number(*value)
        ));
    }
}
