//! The comparison of a measurement with an earlier one of the same machine, case by case (`fr-les bench --against`).

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::Value;

use super::setup::Setup;
use crate::commands::{Failure, print_line};
use crate::io::read_input_text;
use crate::mesh::BoxElements;

/// A measurement, as far as it is compared.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct BenchResult {
    /// What computes, in the same words for all cases on it.
    machine: Option<String>,
    /// MPI ranks, of which files of one rank do not speak.
    #[serde(default = "one")]
    ranks: u64,
    /// Polynomial degree.
    order: u64,
    /// The elements of the box, in the spelling of the case file.
    elements: String,
    /// Cubes per direction.
    cells: u64,
    /// double or single.
    precision: String,
    /// strict, fast or auto.
    arithmetic: String,
    /// Whether the cells are curved.
    curved: bool,
    /// Whether there are viscous terms.
    viscous: bool,
    /// Speed in 10^9 points times right-hand sides a second.
    gdof_per_s: f64,
}

fn one() -> u64 {
    1
}

/// Returns the results of a file that holds one or a list of them, without those that were not measured.
///
/// # Errors
/// A value describes no result; the message says which.
fn measured(json: Value) -> Result<Vec<BenchResult>, String> {
    let list = match json {
        Value::Array(list) => list,
        one => vec![one],
    };
    let mut results = Vec::new();
    for (index, value) in list.into_iter().enumerate() {
        if value.get("error").is_some() {
            continue;
        }
        let wrong = |detail: String| format!("result {}: {detail}", index + 1);
        for (key, option) in [("series", "--exchange"), ("explicit_seconds", "--steady")] {
            if value.get(key).is_some() {
                return Err(wrong(format!(
                    "`bench {option}` wrote it, and only cases can be timed again and compared: give a file that \
                     `bench --json` wrote without {option}"
                )));
            }
        }
        let result: BenchResult = serde_json::from_value(value).map_err(|e| wrong(e.to_string()))?;
        // JSON has no infinite numbers.
        if result.gdof_per_s <= 0.0 {
            return Err(wrong(format!("`gdof_per_s` is {}, not above zero", result.gdof_per_s)));
        }
        results.push(result);
    }
    Ok(results)
}

/// The results of an earlier file.
pub struct Earlier {
    path: PathBuf,
    results: Vec<BenchResult>,
}

/// A case with its speeds in GDOF/s, where it was measured.
#[derive(Debug, PartialEq)]
struct Row {
    case: String,
    old: Option<f64>,
    new: Option<f64>,
}

impl Earlier {
    /// Reads a file of `--json`.
    ///
    /// # Errors
    /// The file holds no results, or was measured on another number of ranks than `ranks`.
    pub fn read(path: &Path, ranks: usize) -> Result<Self, Failure> {
        let text = read_input_text(path).map_err(|e| Failure::Argument(format!("--against: {e}")))?;
        let mut earlier = Earlier {
            path: path.to_owned(),
            results: Vec::new(),
        };
        let json = serde_json::from_str(&text).map_err(|e| earlier.refused(&format!("not JSON: {e}")))?;
        earlier.results = measured(json).map_err(|detail| earlier.refused(&detail))?;
        if earlier.results.is_empty() {
            return Err(earlier.refused("no result that was measured"));
        }
        match earlier.results.iter().find(|r| r.ranks != ranks as u64) {
            Some(other) => Err(earlier.refused(&format!(
                "it was measured on {} ranks, and this is {ranks}: start with `mpirun -n {}`",
                other.ranks, other.ranks
            ))),
            None => Ok(earlier),
        }
    }

    fn refused(&self, why: &str) -> Failure {
        Failure::Argument(format!("--against {}: {why}", self.path.display()))
    }

    /// Returns the cases of the file. All that no result tells is as in `base`.
    ///
    /// # Errors
    /// A result names elements that there are not.
    pub fn setups(&self, base: &Setup) -> Result<Vec<Setup>, Failure> {
        let setup = |r: &BenchResult| {
            let elements = BoxElements::from_str(&r.elements, false);
            Ok(Setup {
                order: r.order,
                cells: r.cells,
                precision: r.precision.clone(),
                arithmetic: r.arithmetic.clone(),
                elements: elements.map_err(|_| self.refused(&format!("unknown elements '{}'", r.elements)))?,
                curved: r.curved,
                viscous: r.viscous,
                ..base.clone()
            })
        };
        self.results.iter().map(setup).collect()
    }

    /// Checks that the file is of the machine of the last of `results`.
    ///
    /// # Errors
    /// It is not, or the file names no machine.
    pub fn check_machine(&self, results: &[Value]) -> Result<(), Failure> {
        let Some(here) = results.last().and_then(|r| r["machine"].as_str()) else {
            return Ok(());
        };
        match self.results.iter().find(|r| r.machine.as_deref() != Some(here)) {
            None => Ok(()),
            Some(other) => Err(match &other.machine {
                Some(there) => self.refused(&format!(
                    "it was measured on another machine ({there}) than this one ({here})"
                )),
                None => self.refused("its results name no machine: an earlier version wrote them; measure again"),
            }),
        }
    }

    /// Prints a table of the cases, and returns how many of them are slower than a fraction `tolerance` allows.
    pub fn compare(&self, results: &[Value], tolerance: f64) -> usize {
        let new = measured(results.to_vec().into()).expect("the results of this program can be read");
        let rows = rows(&self.results, &new);
        let speed = |speed: Option<f64>| speed.map_or_else(|| "-".to_owned(), |s| format!("{s:.4}"));
        print_line(format_args!(
            "\n{:<46} {:>10} {:>10} {:>7}",
            "GDOF/s", "old", "new", "ratio"
        ));
        for row in &rows {
            let ratio = row
                .ratio()
                .map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}"));
            let note = match (row.old, row.new) {
                (None, _) => "  only measured now",
                (_, None) => "  only in the file",
                _ if row.is_slower(tolerance) => "  slower",
                _ => "",
            };
            print_line(format_args!(
                "{:<46} {:>10} {:>10} {ratio:>7}{note}",
                row.case,
                speed(row.old),
                speed(row.new)
            ));
        }
        let slower = rows.iter().filter(|row| row.is_slower(tolerance)).count();
        let both = rows.iter().filter(|row| row.ratio().is_some()).count();
        print_line(format_args!(
            "{slower} of {both} cases are slower than in {} by more than {} %",
            self.path.display(),
            100.0 * tolerance
        ));
        slower
    }
}

impl Row {
    /// Returns the new speed over the old one.
    fn ratio(&self) -> Option<f64> {
        Some(self.new? / self.old?)
    }

    fn is_slower(&self, tolerance: f64) -> bool {
        self.ratio().is_some_and(|ratio| ratio < 1.0 - tolerance)
    }
}

/// Returns all cases: those of `new` in their order, then those that only `old` has.
fn rows(old: &[BenchResult], new: &[BenchResult]) -> Vec<Row> {
    let speed_in = |results: &[BenchResult], case: &str| {
        let same = results.iter().find(|r| name(r) == case);
        same.map(|r| r.gdof_per_s)
    };
    let mut cases: Vec<String> = Vec::new();
    for case in new.iter().chain(old).map(name) {
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    let row = |case: String| Row {
        old: speed_in(old, &case),
        new: speed_in(new, &case),
        case,
    };
    cases.into_iter().map(row).collect()
}

/// Returns the name of a case, which tells it from all others.
fn name(r: &BenchResult) -> String {
    format!(
        "{} p = {}, {}^3, {}{}{}{}",
        r.elements,
        r.order,
        r.cells,
        r.precision,
        if r.arithmetic == "auto" {
            String::new()
        } else {
            format!(", {}", r.arithmetic)
        },
        if r.curved { ", curved" } else { "" },
        if r.viscous { "" } else { ", inviscid" }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn result(cells: u64, speed: f64) -> BenchResult {
        let value = json!({
            "order": 4, "cells": cells, "precision": "double", "gdof_per_s": speed, "machine": "M", "viscous": false,
            "elements": "hex", "arithmetic": "auto", "curved": false,
        });
        serde_json::from_value(value).expect("a result")
    }

    #[test]
    fn speeds_are_compared_case_by_case() {
        let all = rows(&[result(4, 1.0), result(8, 2.0)], &[result(16, 5.0), result(4, 0.9)]);
        let seen: Vec<_> = all.iter().map(|row| (row.old, row.new)).collect();
        assert_eq!(
            seen,
            [(None, Some(5.0)), (Some(1.0), Some(0.9)), (Some(2.0), None)],
            "{all:?}"
        );
        assert!(all[1].is_slower(0.05) && !all[1].is_slower(0.11));
        assert!(!all[0].is_slower(0.0) && !all[2].is_slower(0.0));
    }

    #[test]
    fn a_file_of_another_machine_is_refused() {
        let earlier = |machine: Option<&str>| Earlier {
            path: "old.json".into(),
            results: vec![BenchResult {
                machine: machine.map(str::to_owned),
                ..result(4, 1.0)
            }],
        };
        let here = [json!({"machine": "M"})];
        assert!(earlier(Some("M")).check_machine(&here).is_ok());
        for (machine, part) in [
            (Some("X"), "another machine (X) than this one (M)"),
            (None, "name no machine"),
        ] {
            let error = earlier(machine).check_machine(&here).expect_err("refused").to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
