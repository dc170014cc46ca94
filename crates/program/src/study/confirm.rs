//! Runs that confirm a design of a study, mostly the best: on another mesh, of another order, or in time from its
//! steady solution.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::case::{self, Case};
use crate::input::{Problem, Scope, is_name};
use crate::io::{Error, atomic_write, read_input};
use crate::output::Certainty;

use super::geometry::Geometry;
use super::keys::{ConfirmKeys, Mode, StudyKeys};
use super::measure::{Measure, unknown_error};
use super::retries::check_assignments;
use super::variable::Variable;

/// Start of the name of the directory of a confirmation.
const PREFIX: &str = "confirm_";
/// The file with its values, which is written last.
const RESULT: &str = "result.json";

/// A run that confirms a design.
#[derive(Debug)]
pub struct Confirmation {
    /// Name.
    pub name: String,
    /// What is run.
    pub mode: Mode,
    /// Keys of the case with other values, each as `KEY=VALUE`.
    pub set: Vec<String>,
    /// What makes its mesh, if this is not the mesh of the design.
    pub geometry: Option<Geometry>,
    /// The values that are compared, by the names of objectives and constraints.
    pub values: Vec<(String, Measure)>,
}

/// What a confirmation has found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confirmed {
    /// The design.
    pub design: String,
    /// Hash of the resolved case of the design.
    pub case: String,
    /// Values by the names of objectives and constraints.
    pub values: BTreeMap<String, f64>,
    /// Hours of the run.
    pub hours: f64,
}

impl Confirmation {
    /// Evaluates and checks the keys of a confirmation; `study` has the variables and the values of the study and the
    /// directory of its file.
    ///
    /// # Errors
    /// `refuse` makes an error of what is wrong. A file of the geometry cannot be read.
    #[allow(clippy::type_complexity)]
    pub(super) fn resolve(
        (name, keys): (&String, &ConfirmKeys),
        (of_study, (variables, measures, directory)): (&StudyKeys, (&[Variable], Vec<(String, Measure)>, &Path)),
        refuse: impl Fn(Problem) -> case::Error,
    ) -> Result<Self, case::Error> {
        let key = format!("confirm.{name}");
        if !is_name(name) {
            let problem = Problem::new(format!(
                "`{name}` is no name: it may have up to 100 letters, digits, `_` and `-`"
            ));
            return Err(refuse(problem.key(key)));
        }
        check_assignments(&format!("{key}.set"), &keys.set).map_err(&refuse)?;
        let mut geometry = of_study.geometry.clone();
        geometry
            .numbers
            .extend(keys.numbers.iter().map(|(name, number)| (name.clone(), number.clone())));
        if let Some(cascade) = &keys.cascade {
            geometry.cascade = Some(cascade.clone());
        }
        let other = !keys.numbers.is_empty() || keys.cascade.is_some();
        let geometry = if other {
            Geometry::resolve(&geometry, variables, directory, &refuse)?
        } else {
            None
        };
        let scope = Scope::new(&Default::default()).map_err(&refuse)?;
        let mut values = measures;
        for (value, keys) in &keys.values {
            let key = format!("{key}.values.{value}");
            let Some((_, measure)) = values.iter_mut().find(|(known, _)| known == value) else {
                let problem = Problem::new(format!("`{value}` is no objective and no constraint")).key(key);
                return Err(refuse(problem));
            };
            *measure = Measure::resolve(&key, (&keys.from, keys.take, &keys.window), &scope).map_err(&refuse)?;
        }
        Ok(Confirmation {
            name: name.clone(),
            mode: keys.mode.unwrap_or(of_study.mode),
            set: keys.set.clone(),
            geometry,
            values,
        })
    }

    /// Returns the directory of the confirmation of a design in that of the study.
    pub fn directory(&self, of_study: &Path, design: &str) -> PathBuf {
        of_study.join(format!("{PREFIX}{}", self.name)).join(design)
    }

    /// Returns the case that confirms a design, from the case file of the design and the keys of its last retry. Its
    /// mesh, if it has one of its own, is in `folder`. Its run writes into `results`. `begin` is the steady solution
    /// with which a run in time begins.
    ///
    /// # Errors
    /// The case is not valid.
    pub fn case_of(
        &self,
        (design, retry): (&Path, &[String]),
        (folder, results): (&Path, &Path),
        begin: Option<&Path>,
    ) -> Result<Case, case::Error> {
        // Paths in a case are relative to its own directory.
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let file = |path: &Path| serde_json::json!(whole(path).to_string_lossy()).to_string();
        let mut set = retry.to_vec();
        set.push(format!("output.directory={}", file(results)));
        if let Some(geometry) = &self.geometry {
            set.push(format!("mesh.file={}", file(&geometry.path_in(folder))));
        }
        set.extend(begin.map(|path| format!("initial={{file: {}}}", file(path))));
        set.extend(self.set.iter().cloned());
        Case::read(design, &set)
    }

    /// Returns the values of the run in its output directory.
    ///
    /// # Errors
    /// Returns what is missing.
    pub fn measured(&self, results: &Path) -> Result<BTreeMap<String, f64>, String> {
        let folder = self.mode.files_of(results);
        let value = |(name, measure): &(String, Measure)| {
            let measured = measure.of_run(&folder)?;
            // A steady solution has no statistical error.
            if self.mode != Mode::Steady && measured.certainty == Certainty::AtLeast {
                tracing::warn!("{}", unknown_error(name));
            }
            Ok((name.clone(), measured.value))
        };
        self.values.iter().map(value).collect()
    }

    /// Returns what the confirmation in a folder has found, if it has ended.
    pub fn read(folder: &Path) -> Result<Option<Confirmed>, Error> {
        let path = folder.join(RESULT);
        if !path.is_file() {
            return Ok(None);
        }
        let text = read_input(&path)?;
        let read = serde_json::from_slice(&text);
        read.map(Some).map_err(|error| Error::Input {
            path,
            detail: format!("this is no result of a confirmation: {error}"),
        })
    }
}

impl Confirmed {
    /// Writes what a confirmation has found into its folder.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let text = serde_json::to_string(self).unwrap_or_default() + "\n";
        atomic_write(&folder.join(RESULT), text.as_bytes())
    }
}
