//! The results of a run in one file for programs, `results.json`: means of series, what acts on walls, and the results
//! of blades and traverses, each with its unit and what is known of its error.
//!
//! Outputs add their results when they write the tables that have the same numbers in their heads or columns. The file
//! holds nothing of the machine, so that it has the same bytes whenever and wherever a run is made.

use std::path::{Path, PathBuf};

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::estimate::{Certainty, Estimate};
use crate::io::{self, JSON_VERSION, Provenance, Quantity, RESULTS, atomic_write};
use crate::solver::Clock;

/// A result with its name and its unit.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedResult {
    /// The name, under which `time.until` and studies know it: "traverses.wake.omega".
    pub name: String,
    /// The unit, "-" without one.
    pub unit: String,
    /// The value and its error.
    pub estimate: Estimate,
}

impl NamedResult {
    /// Returns a result of this name.
    pub fn new(name: String, unit: &str, estimate: Estimate) -> Self {
        let unit = unit.to_owned();
        NamedResult { name, unit, estimate }
    }
}

/// What is known of the error of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Known {
    /// It is the standard error.
    Estimated,
    /// It is a lower bound of it.
    AtLeast,
    /// Nothing.
    Unknown,
}

/// A result as the file has it. What is not known is `null`.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Entry<'a> {
    value: f64,
    error: f64,
    unit: &'a str,
    error_is: Known,
    /// The mean over the second half of the time less that over the first.
    half_difference: f64,
    /// Whether this difference is more than chance explains.
    drifts: bool,
}

/// The file.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct File<'a> {
    schema_version: u32,
    provenance: Entries<&'static str, String>,
    step: u64,
    time: Quantity,
    results: Entries<&'a str, Entry<'a>>,
}

/// An object whose keys have an order.
struct Entries<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for Entries<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// Writes the results at this step and time into the directory of a run, by one rank, and returns the path. Without
/// results nothing is written, unless the file is there and would tell old ones.
pub fn write_results(
    directory: &Path,
    results: &[NamedResult],
    clock: &Clock,
    provenance: &Provenance,
) -> Result<Option<PathBuf>, io::Error> {
    let path = directory.join(RESULTS);
    if results.is_empty() && !path.exists() {
        return Ok(None);
    }
    let file = File {
        schema_version: JSON_VERSION,
        provenance: Entries(provenance.decisive_entries().collect()),
        step: clock.step,
        time: Quantity::new(clock.time, "s"),
        results: Entries(results.iter().map(entry).collect()),
    };
    let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
    text.push('\n');
    atomic_write(&path, text.as_bytes())?;
    Ok(Some(path))
}

fn entry(NamedResult { name, unit, estimate }: &NamedResult) -> (&str, Entry<'_>) {
    let error_is = match estimate.certainty {
        _ if !estimate.error.is_finite() => Known::Unknown,
        Certainty::Estimated => Known::Estimated,
        Certainty::AtLeast => Known::AtLeast,
    };
    let entry = Entry {
        value: estimate.value,
        error: estimate.error,
        unit,
        error_is,
        half_difference: estimate.half_difference,
        drifts: estimate.drifts(),
    };
    (name, entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_units_and_errors_and_old_ones_do_not_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let provenance = Provenance::of_this_program();
        let clock = Clock::default();
        let write = |results: &[NamedResult]| write_results(folder.path(), results, &clock, &provenance);
        assert_eq!(write(&[]).expect("written"), None);
        let known = Estimate {
            value: 0.5,
            error: 0.25,
            certainty: Certainty::AtLeast,
            half_difference: f64::NAN,
        };
        let path = write(&[NamedResult::new("blades.a.force_x".to_owned(), "N", known)]).expect("written");
        let text = std::fs::read_to_string(path.expect("a path")).expect("read");
        let read: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let expected = serde_json::json!({
            "value": 0.5, "error": 0.25, "unit": "N", "error-is": "at-least", "half-difference": null, "drifts": false
        });
        assert_eq!(read["results"]["blades.a.force_x"], expected);
        assert_eq!(read["schema-version"], JSON_VERSION);
        assert!(read["provenance"]["device"].is_null(), "{text}");
        write(&[]).expect("written");
        let text = std::fs::read_to_string(folder.path().join(RESULTS)).expect("read");
        assert!(!text.contains("force_x"), "{text}");
    }
}
