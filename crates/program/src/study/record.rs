//! The record of a design: what it is, how it ended, and what it is compared by.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::deb::by_debs_rules;
use super::settings::Study;
use super::variable::Choice;

/// How far a design has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    /// It waits for its run, or for the rest of it.
    #[serde(rename = "planned")]
    Planned,
    /// Its run has ended, and its values are known.
    #[serde(rename = "done")]
    Done,
    /// Its mesh could not be made.
    #[serde(rename = "failed(mesh)")]
    Mesh,
    /// The flow diverged.
    #[serde(rename = "failed(diverged)")]
    Diverged,
    /// The steady solution did not reach the residual that is asked for.
    #[serde(rename = "failed(unconverged)")]
    Unconverged,
    /// The case was refused when it was set up.
    #[serde(rename = "failed(refused)")]
    Refused,
    /// The run ended for another reason: it was killed, the disk was full, a device failed.
    #[serde(rename = "failed(lost)")]
    Lost,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            State::Planned => "planned",
            State::Done => "done",
            State::Mesh => "failed(mesh)",
            State::Diverged => "failed(diverged)",
            State::Unconverged => "failed(unconverged)",
            State::Refused => "failed(refused)",
            State::Lost => "failed(lost)",
        })
    }
}

impl State {
    /// Returns whether other keys of the case may help a design that has failed in this way.
    pub fn may_be_retried(self) -> bool {
        matches!(self, State::Diverged | State::Unconverged)
    }

    /// Returns whether the design has failed.
    pub fn failed(self) -> bool {
        !matches!(self, State::Planned | State::Done)
    }
}

/// A design.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Name of the design and of its directory: `d_0007`.
    pub id: String,
    /// What chose it: `doe`, `added`, `told`.
    pub origin: String,
    /// Values of the variables.
    pub x: BTreeMap<String, Choice>,
    /// How far it has come.
    pub state: State,
    /// Number of the retry that this is the result of, 0 for the first attempt.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub retry: usize,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Values of the objectives and constraints of a design that is done.
    pub values: BTreeMap<String, f64>,
    /// Standard errors of those values that have one, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, f64>,
    /// Names of those values whose statistical error is a lower bound or not known, because the run was too short.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_least: Vec<String>,
    /// Whether its values were told, and are not those of a run of this study.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub told: bool,
    /// How far it is beyond its constraints, 0 if it is feasible ([`super::limits::Limits::violation`]).
    pub violation: f64,
    /// What the models expected of these values when they chose the design, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, f64>,
    /// Hours of its run.
    pub hours: f64,
    /// Hash of the resolved case.
    pub case: String,
    /// Version of the program.
    pub version: String,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Record {
    /// Returns the record of a design that is planned and has no name yet.
    pub fn planned(origin: &str, x: BTreeMap<String, Choice>, hash: String) -> Self {
        Record {
            id: String::new(),
            origin: origin.to_owned(),
            x,
            state: State::Planned,
            retry: 0,
            reason: None,
            values: BTreeMap::new(),
            errors: BTreeMap::new(),
            at_least: Vec::new(),
            told: false,
            violation: 0.0,
            expected: BTreeMap::new(),
            hours: 0.0,
            case: hash,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// Returns the record of the design after a failure.
    pub fn failure(&self, state: State, reason: String) -> Self {
        Record {
            state,
            reason: Some(reason),
            ..self.clone()
        }
    }

    /// Returns the values of the variables of a study in their order.
    pub fn choices(&self, study: &Study) -> Option<Vec<Choice>> {
        study
            .variables
            .iter()
            .map(|variable| self.x.get(&variable.name).cloned())
            .collect()
    }

    /// Returns the design in words: `n = 4, order = 2`.
    pub fn describe(&self) -> String {
        let parts = self.x.iter().map(|(name, choice)| format!("{name} = {choice}"));
        parts.collect::<Vec<_>>().join(", ")
    }
}

/// Returns violation and first objective of a design that is done, the latter with the sign that makes less better.
pub fn merit(study: &Study, record: &Record) -> Option<[f64; 2]> {
    let objective = study.objectives.first()?;
    let value = record
        .values
        .get(&objective.name)
        .filter(|_| record.state == State::Done)?;
    Some([record.violation, objective.sign() * value])
}

/// Returns what is modelled of a design that is done: the first objective, with the sign that makes less better, and
/// the constraints.
pub fn modelled(study: &Study, record: &Record) -> Option<Vec<f64>> {
    let done = record.state == State::Done;
    let values = study.modelled().map(|name| record.values.get(name).copied());
    let mut values = values.collect::<Option<Vec<f64>>>().filter(|_| done)?;
    values[0] *= study.sign();
    Some(values)
}

/// Returns the place of a design in the unit cube of the variables.
pub fn point(study: &Study, record: &Record) -> Option<Vec<f64>> {
    let variables = study.variables.iter();
    variables.map(|v| v.place(record.x.get(&v.name)?)).collect()
}

/// Returns the designs that are done, the best first; those of equal merit in the order of their names.
pub fn ranked<'a>(study: &Study, records: &'a [Record]) -> Vec<&'a Record> {
    let with_merit = |record: &'a Record| Some((merit(study, record)?, record));
    let mut done: Vec<_> = records.iter().filter_map(with_merit).collect();
    done.sort_by(|a, b| by_debs_rules(a.0, b.0).then_with(|| a.1.id.cmp(&b.1.id)));
    done.into_iter().map(|(_, record)| record).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_read_as_they_were_written() {
        let x = BTreeMap::from([
            ("a".to_owned(), Choice::Number(0.1)),
            ("b".to_owned(), Choice::Word("roe".to_owned())),
        ]);
        let record = Record::planned("doe", x, "00ff".to_owned());
        let failed = record.failure(State::Lost, "signal 9".to_owned());
        let text = serde_json::to_string(&failed).expect("written");
        assert!(text.contains(r#""state":"failed(lost)""#), "{text}");
        assert_eq!(serde_json::from_str::<Record>(&text).expect("read"), failed);
        assert_eq!(failed.describe(), "a = 0.1, b = roe");
        assert!(failed.state.failed() && !record.state.failed());
    }
}
