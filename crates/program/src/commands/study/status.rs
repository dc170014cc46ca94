//! `fr-les study STUDY --status` prints the progress of every design, as text or as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::commands::json::{Form, print_json};
use crate::commands::{Failure, print_line};
use crate::format::duration;
use crate::io::{DirectoryLock, Quantity};
use crate::study::{Record, State, Store, Stored, Study, values};

/// The progress of a study.
#[derive(Debug, Serialize)]
struct Status {
    title: String,
    /// Numbers of designs in each state.
    states: BTreeMap<String, usize>,
    /// Time of all runs.
    runs: Quantity,
    designs: Vec<Design>,
}

/// The progress of a design: its record, and what is known of a run that has not ended.
#[derive(Debug, Serialize)]
struct Design {
    #[serde(flatten)]
    record: Record,
    /// The state of its run at present: running, meshing and interrupted besides those of the record.
    now: String,
    /// Number of the retry, 0 for the first attempt.
    attempt: usize,
}

/// Prints the status.
pub fn print(study: &Study, store: &Store, form: Form) -> Result<(), Failure> {
    let status = Status::of(study, store)?;
    match form {
        Form::Text => status.print(),
        Form::Json => print_json("study --status", &status),
    }
    Ok(())
}

impl Status {
    fn of(study: &Study, store: &Store) -> Result<Self, Failure> {
        let designs = store.load()?.into_iter();
        let designs: Vec<Design> = designs.map(|stored| Design::of(study, store, stored)).collect();
        let mut states: BTreeMap<String, usize> = BTreeMap::new();
        for design in &designs {
            *states.entry(design.now.clone()).or_default() += 1;
        }
        let hours: f64 = designs.iter().map(|design| design.record.hours).sum();
        Ok(Status {
            title: study.title.clone(),
            states,
            runs: Quantity::new(hours, "h"),
            designs,
        })
    }

    /// Prints a line for each design, and the numbers of each state.
    fn print(&self) {
        for design in &self.designs {
            let record = &design.record;
            let more = record.reason.clone().unwrap_or_else(|| values(record));
            let more = match design.attempt {
                0 if record.told => format!("{more} (told)"),
                0 => more,
                retry => format!("{more} (retry {retry})"),
            };
            print_line(format_args!(
                "{}  {:<16}  {}  {more}",
                record.id,
                design.now,
                record.describe()
            ));
        }
        let states = self.states.iter().map(|(state, count)| format!("{count} {state}"));
        print_line(format_args!(
            "{}: {} designs ({}), {} of runs",
            self.title,
            self.designs.len(),
            states.collect::<Vec<_>>().join(", "),
            duration(3600.0 * self.runs.value)
        ));
    }
}

impl Design {
    fn of(study: &Study, store: &Store, Stored { record, begun }: Stored) -> Self {
        // A process that cannot get the lock has met the driver.
        let now = match record.state {
            State::Planned if begun || study.geometry.is_some() => {
                match (DirectoryLock::is_held(&store.of(&record.id)), begun) {
                    (true, true) => "running".to_owned(),
                    (true, false) => "meshing".to_owned(),
                    (false, true) => "interrupted".to_owned(),
                    (false, false) => State::Planned.to_string(),
                }
            }
            state => state.to_string(),
        };
        let attempt = match record.state {
            State::Planned => store.attempts(&record.id),
            _ => record.retry,
        };
        Design { record, now, attempt }
    }
}
