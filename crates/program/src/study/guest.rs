//! A study beside optimisers and solvers from elsewhere: designs that are asked for or brought, and results that are
//! told, each as JSON. docs/reference/studies.md has the layout.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::io::DirectoryLock;

use super::error::StudyError;
use super::record::{Record, State};
use super::runner::Driver;
use super::settings::Study;
use super::store::Stored;
use super::variable::{Choice, Variable};

/// A file of designs. Further keys are those that `--ask` prints, so that its output can be told with values in it.
#[derive(Deserialize)]
struct File<T> {
    designs: Vec<T>,
}

/// A design from elsewhere.
#[derive(Deserialize)]
struct Proposal {
    x: BTreeMap<String, Choice>,
}

/// What is told of a design.
#[derive(Debug, Deserialize)]
pub struct Told {
    id: String,
    /// The values of the objectives and constraints.
    #[serde(default)]
    values: BTreeMap<String, f64>,
    /// Why there are no values.
    failed: Option<String>,
    /// Hours that it took.
    #[serde(default)]
    hours: f64,
}

/// Reads designs from elsewhere.
///
/// # Errors
/// Returns what is wrong with the text, or with which value of which design.
pub fn read_proposals(text: &str, variables: &[Variable]) -> Result<Vec<Vec<Choice>>, String> {
    let file: File<Proposal> = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let designs = file.designs.iter().enumerate();
    designs
        .map(|(number, Proposal { x })| {
            if let Some(name) = x.keys().find(|name| variables.iter().all(|v| v.name != **name)) {
                return Err(format!("designs[{number}].x: the study has no variable `{name}`"));
            }
            let value = |v: &Variable| {
                let name = &v.name;
                let given = x.get(name);
                let given = given.ok_or_else(|| format!("designs[{number}].x: the variable `{name}` is missing"))?;
                let allowed = v.read(&given.to_string());
                allowed.ok_or_else(|| {
                    format!(
                        "designs[{number}].x: `{given}` is no value of `{name}`, which may be {}",
                        v.describe()
                    )
                })
            };
            variables.iter().map(value).collect()
        })
        .collect()
}

/// Reads what is told of designs.
///
/// # Errors
/// Returns what is wrong with the text, or the design that is told twice.
pub fn read_results(text: &str) -> Result<Vec<Told>, String> {
    let file: File<Told> = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let mut seen = BTreeSet::new();
    match file.designs.iter().find(|told| !seen.insert(&told.id)) {
        Some(twice) => Err(format!("{} is told twice", twice.id)),
        None => Ok(file.designs),
    }
}

impl Study {
    /// Returns how far values are beyond the constraints, 0 if all are kept.
    pub fn violation(&self, values: &BTreeMap<String, f64>) -> f64 {
        let beyond = self
            .constraints
            .iter()
            .filter_map(|c| Some(c.limits.violation(*values.get(&c.name)?)));
        beyond.sum()
    }

    /// Returns the record of a design that waits with what is told of it.
    ///
    /// # Errors
    /// Returns why this cannot be its result: it has ended, or values are missing, unknown or not finite.
    fn told(&self, stored: &Stored, told: &Told) -> Result<Record, String> {
        let (record, id) = (&stored.record, &told.id);
        if record.state != State::Planned {
            return Err(format!("{id} has ended already: {}", record.state));
        }
        if !(told.hours >= 0.0 && told.hours.is_finite()) {
            return Err(format!("{id}: the hours are {}, which is no time", told.hours));
        }
        let with = |record: Record| Record {
            hours: told.hours,
            told: true,
            ..record
        };
        match &told.failed {
            Some(_) if !told.values.is_empty() => return Err(format!("{id} has values, and `failed` too")),
            Some(reason) => return Ok(with(record.failure(State::Lost, reason.clone()))),
            None => {}
        }
        let names: Vec<&String> = self
            .objectives
            .iter()
            .map(|o| &o.name)
            .chain(self.constraints.iter().map(|c| &c.name))
            .collect();
        if let Some(missing) = names.iter().find(|name| !told.values.contains_key(**name)) {
            return Err(format!(
                "{id}: the value `{missing}` is missing; a design without values has `failed`"
            ));
        }
        if let Some(unknown) = told.values.keys().find(|name| !names.contains(name)) {
            return Err(format!("{id}: the study has no objective or constraint `{unknown}`"));
        }
        Ok(with(Record {
            state: State::Done,
            violation: self.violation(&told.values),
            values: told.values.clone(),
            ..record.clone()
        }))
    }
}

impl Driver<'_> {
    /// Plans designs from elsewhere, and returns what is known of them in their order: of those that were there before,
    /// too.
    ///
    /// # Errors
    /// Those of [`Driver::plan`].
    pub fn bring(&mut self, designs: &[Vec<Choice>]) -> Result<Vec<Record>, StudyError> {
        self.plan("brought", designs)?;
        let mut records = Vec::new();
        for x in designs {
            let planned = self.study.plan(x)?;
            let known = self.designs.iter().find(|design| design.record.case == planned.hash);
            records.extend(known.map(|design| design.record.clone()));
        }
        Ok(records)
    }

    /// Returns the designs that have no result.
    pub fn waiting(&self) -> Vec<Record> {
        let waiting = self
            .designs
            .iter()
            .filter(|design| design.record.state == State::Planned);
        waiting.map(|design| design.record.clone()).collect()
    }

    /// Returns the records of designs with what is told of them.
    ///
    /// # Errors
    /// Returns why something cannot be the result of a design.
    pub fn check_told(&self, results: &[Told]) -> Result<Vec<Record>, String> {
        let record = |told: &Told| {
            let design = self.designs.iter().find(|design| design.record.id == told.id);
            let design = design.ok_or_else(|| format!("there is no design {}", told.id))?;
            if DirectoryLock::is_held(&self.store.of(&told.id)) {
                return Err(format!("{} runs", told.id));
            }
            self.study.told(design, told)
        };
        results.iter().map(record).collect()
    }

    /// Ends designs with their records.
    ///
    /// # Errors
    /// A file of the study cannot be written.
    pub fn take(&mut self, records: Vec<Record>) -> Result<(), StudyError> {
        for record in records {
            self.store.end(&record)?;
            if let Some(design) = self.designs.iter_mut().find(|design| design.record.id == record.id) {
                design.record = record;
            }
        }
        Ok(self.store.update_table(&self.designs)?)
    }
}
