//! Results of `fr-les bench` in JSON files: reading, checking and distinguishing.
//!
//! A file holds one result or an array of them. A result of a series that did not fit the machine holds an error in
//! place of numbers; the log mentions it and the figure omits it.

use super::error::Error;
use crate::io;
use serde_json::{Map, Value};
use std::path::Path;

mod figure;

pub use figure::figure;

/// The kernels of a stage, from the bottom of a bar, with the fraction of the four stages of a step in which each runs.
pub(super) const KERNELS: [(&str, f64); 4] = [
    ("sweep1", 1.0),
    ("sweep2 first", 0.25),
    ("sweep2 middle", 0.5),
    ("sweep2 last", 0.25),
];

/// One measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchResult {
    /// Name of its file, or a text in place of it.
    pub source: String,
    /// Description of the device.
    pub device: String,
    /// What computes, in the same words for all cases on it; older files do not have it.
    pub machine: Option<String>,
    /// MPI ranks.
    pub ranks: u64,
    /// CPU threads.
    pub threads: Option<u64>,
    /// Polynomial degree.
    pub order: u64,
    /// The elements of the box, in the spelling of the case file.
    pub elements: String,
    /// Cubes per direction.
    pub cells: u64,
    /// double or single.
    pub precision: String,
    /// strict, fast or auto.
    pub arithmetic: String,
    /// Whether the cells are curved.
    pub curved: bool,
    /// Whether there are viscous terms.
    pub viscous: bool,
    /// Solution points.
    pub points: f64,
    /// Speed in 10^9 points times right-hand sides a second.
    pub gdof_per_s: f64,
    /// Nanoseconds a point and stage.
    pub stage: f64,
    /// Nanoseconds per point and stage of the kernels, in the order of `KERNELS`; zero for kernels that the case does
    /// not use.
    pub kernels: [f64; 4],
}

/// Reads all results of a file.
///
/// # Errors
/// The file cannot be read, is no JSON, or holds a wrong result or none.
pub fn read(source: &str, path: &Path) -> Result<Vec<BenchResult>, Error> {
    let text = super::error::read_text(path)?;
    let wrong = |detail: String| Error::Json {
        path: path.into(),
        detail,
    };
    let json: Value = serde_json::from_str(&text).map_err(|e| wrong(format!("not JSON: {e}")))?;
    let list = match json {
        Value::Array(list) => list,
        one => vec![one],
    };
    if list.is_empty() {
        return Err(wrong("an empty list of results".into()));
    }
    let one = list.len() == 1;
    let mut results = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let place = if one {
            String::new()
        } else {
            format!("result {}: ", index + 1)
        };
        match result(source, value).map_err(|detail| wrong(format!("{place}{detail}")))? {
            Ok(result) => results.push(result),
            Err(reason) => tracing::warn!("{}: {place}left out: {reason}", path.display()),
        }
    }
    if results.is_empty() {
        return Err(wrong("no result that was measured, only errors".into()));
    }
    Ok(results)
}

/// Returns the result that a JSON object describes, or the reason why it was not measured.
///
/// # Errors
/// The value describes no result.
pub fn result(source: &str, value: &Value) -> Result<Result<BenchResult, String>, String> {
    let fields = value.as_object().ok_or_else(|| "not an object".to_owned())?;
    Fields(fields).result(source)
}

/// A JSON object. Errors about its keys are returned as text.
struct Fields<'a>(&'a Map<String, Value>);

impl Fields<'_> {
    /// Returns the result, or the reason why there is none.
    fn result(&self, source: &str) -> Result<Result<BenchResult, String>, String> {
        if let Some(reason) = self.0.get("error") {
            let (order, cells) = (self.number("order")?, self.number("cells")?);
            let reason = reason.as_str().unwrap_or("it was not measured");
            let elements = self.text("elements")?.unwrap_or_default();
            let elements = if elements.is_empty() { elements } else { elements + ", " };
            return Ok(Err(format!("{elements}p = {order}, {cells}^3 cells: {reason}")));
        }
        let viscous = self.flag("viscous")?.unwrap_or(true);
        let all = self.0.get("kernels").and_then(Value::as_object);
        let all = all.ok_or("neither an object `kernels` nor an object `timeline`; is this a file of fr-les bench?")?;
        let mut kernels = [0.0; 4];
        for (time, (name, share)) in kernels.iter_mut().zip(KERNELS) {
            match all.get(name).and_then(Value::as_object) {
                Some(kernel) => {
                    *time = share
                        * Fields(kernel)
                            .positive("ns_per_dof")
                            .map_err(|e| format!("{name}: {e}"))?
                }
                // Without viscosity there is no first sweep.
                None if name == "sweep1" && (!viscous || !self.0.contains_key("viscous")) => {}
                None => return Err(format!("no kernel `{name}` in `kernels`")),
            }
        }
        Ok(Ok(BenchResult {
            source: source.to_owned(),
            device: self.text("device")?.unwrap_or_default(),
            machine: self.text("machine")?,
            ranks: self.0.get("ranks").and_then(Value::as_u64).unwrap_or(1),
            threads: self.0.get("threads").and_then(Value::as_u64),
            order: self.whole("order")?,
            elements: self.text("elements")?.unwrap_or_else(|| "hex".into()),
            cells: self.whole("cells")?,
            precision: self.text("precision")?.ok_or("no key `precision`")?,
            arithmetic: self.text("arithmetic")?.unwrap_or_else(|| "auto".into()),
            curved: self.flag("curved")?.unwrap_or(false),
            viscous,
            points: self.positive("points")?,
            gdof_per_s: self.positive("gdof_per_s")?,
            stage: self.positive("ns_per_dof_stage")?,
            kernels,
        }))
    }

    fn number(&self, key: &str) -> Result<f64, String> {
        let value = self.0.get(key).ok_or_else(|| format!("no key `{key}`"))?;
        value
            .as_f64()
            .ok_or_else(|| format!("`{key}` is {value}, not a number"))
    }

    fn positive(&self, key: &str) -> Result<f64, String> {
        let number = self.number(key)?;
        if number > 0.0 && number.is_finite() {
            Ok(number)
        } else {
            Err(format!("`{key}` is {number}, not a positive number"))
        }
    }

    fn whole(&self, key: &str) -> Result<u64, String> {
        let number = self.number(key)?;
        if number >= 1.0 && number.fract() == 0.0 {
            Ok(number as u64)
        } else {
            Err(format!("`{key}` is {number}, not a positive whole number"))
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        let text = |value: &Value| {
            let text = value.as_str().map(str::to_owned);
            text.ok_or_else(|| format!("`{key}` is {value}, not a text"))
        };
        self.0.get(key).map(text).transpose()
    }

    fn flag(&self, key: &str) -> Result<Option<bool>, String> {
        let flag = |value: &Value| {
            value
                .as_bool()
                .ok_or_else(|| format!("`{key}` is {value}, not true or false"))
        };
        self.0.get(key).map(flag).transpose()
    }
}

/// Speeds of other programs or machines, for comparison with a series over orders.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// Their name in the legend.
    pub label: String,
    /// Orders and speeds in GDOF/s.
    pub points: Vec<(f64, f64)>,
}

/// Reads references from a CSV file with columns order, gdof_per_s and label; lines that begin with # are comments.
///
/// # Errors
/// The file cannot be read, lacks a column or holds no row.
pub fn read_references(path: &Path) -> Result<Vec<Reference>, Error> {
    let text = super::error::read_text(path)?;
    let at = |line: u64, detail: String| {
        let path = path.into();
        Error::File(io::Error::Table { path, line, detail })
    };
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let line_of = |error: &csv::Error| error.position().map_or(1, csv::Position::line);
    let names = reader.headers().map_err(|e| at(line_of(&e), e.to_string()))?.clone();
    let column = |column: &'static str| {
        names
            .iter()
            .position(|name| name == column)
            .ok_or_else(|| Error::MissingColumn {
                path: path.into(),
                column,
                names: names.iter().map(str::to_owned).collect(),
            })
    };
    let (order, speed, label) = (column("order")?, column("gdof_per_s")?, column("label")?);
    let mut references: Vec<Reference> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| at(line_of(&e), e.to_string()))?;
        let line = record.position().map_or(1, csv::Position::line);
        let number = |column: usize| {
            let number = record[column].parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
            let wrong = || format!("({}): '{}' is not a positive number", &names[column], &record[column]);
            number.ok_or_else(|| at(line, wrong()))
        };
        let point = (number(order)?, number(speed)?);
        match references.iter_mut().find(|r| r.label == record[label]) {
            Some(reference) => reference.points.push(point),
            None => references.push(Reference {
                label: record[label].to_owned(),
                points: vec![point],
            }),
        }
    }
    if references.is_empty() {
        return Err(Error::TooShort {
            path: path.into(),
            rows: 0,
            needed: 1,
        });
    }
    Ok(references)
}
