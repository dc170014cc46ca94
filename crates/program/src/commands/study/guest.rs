//! `fr-les study STUDY --ask` and `--tell`: designs for a solver from elsewhere, designs from an optimiser from
//! elsewhere, and results from either.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::commands::json::print_json;
use crate::commands::{Failure, print_line};
use crate::io::read_input_text;
use crate::study::{Domain, Driver, Ended, Record, Store, Study, read_proposals, read_results};

/// The name of standard input in place of a file.
const STANDARD_INPUT: &str = "-";

/// What an optimiser or a solver needs to know.
#[derive(Serialize)]
struct Asked<'a> {
    title: &'a str,
    variables: Vec<Variable<'a>>,
    objectives: Vec<Objective<'a>>,
    constraints: Vec<Constraint<'a>>,
    /// Whether the method of the study has no further designs.
    finished: bool,
    designs: Vec<Design>,
}

#[derive(Serialize)]
struct Variable<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<&'a [crate::study::Choice]>,
}

#[derive(Serialize)]
struct Objective<'a> {
    name: &'a str,
    minimise: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Constraint<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_least: Option<f64>,
}

#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct Design {
    #[serde(flatten)]
    record: Record,
    case_file: PathBuf,
}

/// Plans the next designs of the study's method, or those in a file from elsewhere, and prints them as JSON. The caller
/// holds the lock of the store.
///
/// # Errors
/// A design is not valid, or a file cannot be read or written.
pub fn ask(study: &Study, store: Store, file: Option<&Path>) -> Result<(), Failure> {
    let proposals = match file {
        None => None,
        Some(file) => {
            let read = |text: String| read_proposals(&text, &study.variables);
            Some(
                text_of(file)
                    .and_then(read)
                    .map_err(|what| argument("--ask", file, &what))?,
            )
        }
    };
    let directory = store.path("");
    let mut driver = Driver::new(study, store)?;
    let (finished, records) = match proposals {
        None => (driver.propose()? == Ended::Finished, driver.waiting()),
        Some(designs) => (false, driver.bring(&designs)?),
    };
    let of = |record: Record| Design {
        case_file: Store::new(&directory).case_of(&record.id),
        record,
    };
    let asked = Asked {
        title: &study.title,
        variables: study.variables.iter().map(variable).collect(),
        objectives: study
            .objectives
            .iter()
            .map(|o| Objective {
                name: &o.name,
                minimise: o.minimise,
            })
            .collect(),
        constraints: study
            .constraints
            .iter()
            .map(|c| Constraint {
                name: &c.name,
                at_most: c.limits.at_most,
                at_least: c.limits.at_least,
            })
            .collect(),
        finished,
        designs: records.into_iter().map(of).collect(),
    };
    print_json("study --ask", &asked);
    Ok(())
}

/// Records what a file tells of designs. The caller holds the lock of the store.
///
/// # Errors
/// The file cannot be read, or says something that cannot be the result of a design; then nothing is recorded.
pub fn tell(study: &Study, store: Store, file: &Path) -> Result<(), Failure> {
    let refused = |what: String| argument("--tell", file, &what);
    let results = text_of(file).and_then(|text| read_results(&text)).map_err(refused)?;
    let mut driver = Driver::new(study, store)?;
    let records = driver.check_told(&results).map_err(refused)?;
    let count = records.len();
    driver.take(records)?;
    print_line(format_args!(
        "results recorded: {count}, designs waiting: {}",
        driver.waiting().len()
    ));
    Ok(())
}

fn variable(variable: &crate::study::Variable) -> Variable<'_> {
    let (range, values) = match &variable.domain {
        Domain::Range(low, high) => (Some([*low, *high]), None),
        Domain::Values(values) => (None, Some(&values[..])),
    };
    Variable {
        name: &variable.name,
        range,
        values,
    }
}

/// Returns the text of a file, or of standard input.
fn text_of(file: &Path) -> Result<String, String> {
    if file == Path::new(STANDARD_INPUT) {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        return read.map(|_| text).map_err(|e| e.to_string());
    }
    read_input_text(file).map_err(|e| e.to_string())
}

fn argument(option: &str, file: &Path, what: &str) -> Failure {
    Failure::Argument(format!("{option} {}: {what}", file.display()))
}
