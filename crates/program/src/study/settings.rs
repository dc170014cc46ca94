//! A study, resolved: its variables, what its designs are compared by, how they are chosen, and where they run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::case::{self, Case, FileKind, SettingsFile};
use crate::input::{Number, Problem, Scope, check_path, nearest, positive};
use crate::io::STEADY_CHECKPOINT;

use super::confirm::Confirmation;
use super::error::StudyError;
use super::geometry::Geometry;
use super::keys::{ConfirmKeys, ConstraintKeys, Mode, ObjectiveKeys, StudyKeys};
use super::limits::Limits;
use super::measure::{Measure, RunEnd, Written};
use super::method::Method;
use super::places::{Batch, Workers};
use super::retries;
use super::variable::{Choice, Target, Variable};

/// What the designs are compared by.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// Name.
    pub name: String,
    /// Its value.
    pub measure: Measure,
    /// Whether less is better.
    pub minimise: bool,
}

impl Objective {
    /// Returns the factor with which less is better: 1 or -1.
    pub fn sign(&self) -> f64 {
        if self.minimise { 1.0 } else { -1.0 }
    }
}

/// A limit that a design has to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// Its value.
    pub measure: Measure,
    /// Its limits.
    pub limits: Limits,
}

/// A study.
#[derive(Debug)]
pub struct Study {
    /// Path of the study file.
    pub path: PathBuf,
    /// Title.
    pub title: String,
    /// Path of the base case.
    pub case: PathBuf,
    /// What is run for each design.
    pub mode: Mode,
    /// Residual over the largest that a steady solution has to reach, if the study says so.
    pub residual: Option<f64>,
    /// What is tried in turn with designs that have diverged or not converged: keys of the case, each as `KEY=VALUE`.
    pub retries: Vec<Vec<String>>,
    /// The runs that confirm the best design.
    pub confirmations: Vec<Confirmation>,
    /// Directory of the study.
    pub directory: PathBuf,
    /// The variables.
    pub variables: Vec<Variable>,
    /// How the mesh of each design is made, if they have meshes of their own.
    pub geometry: Option<Geometry>,
    /// The design with which the others are compared, if every variable has a base.
    pub baseline: Option<Vec<Choice>>,
    /// What the designs are compared by; at least one.
    pub objectives: Vec<Objective>,
    /// The limits.
    pub constraints: Vec<Constraint>,
    /// How designs are chosen.
    pub method: Method,
    /// What runs at the same time.
    pub workers: Workers,
    /// The jobs in which designs run, if they do not run on this machine.
    pub batch: Option<Batch>,
    file: SettingsFile<StudyKeys>,
}

/// The base case with the values of a design, ready to run.
pub struct Planned {
    /// The case file of the design.
    pub text: String,
    /// Hash of the resolved case: two designs with the same hash are the same run.
    pub hash: String,
}

impl Study {
    /// Reads a study.
    ///
    /// # Errors
    /// The file cannot be read, or a key is wrong.
    pub fn read(path: &Path) -> Result<Self, case::Error> {
        let file = SettingsFile::<StudyKeys>::read(path, FileKind::Study, &[])?;
        let resolved = resolve(&file.keys, file.directory());
        let parts = resolved.map_err(|problem| file.refuse(problem))?;
        let keys = &file.keys;
        let refuse = |problem| file.refuse(problem);
        let case = file.directory().join(&keys.case);
        let output = file.directory().join(&keys.output);
        require_constants(&parts.variables, &case).map_err(refuse)?;
        let geometry = Geometry::resolve(&keys.geometry, &parts.variables, file.directory(), refuse)?;
        let with = |name: &String, keys: &ConfirmKeys| {
            let of_study = (parts.variables.as_slice(), parts.measures(), file.directory());
            Confirmation::resolve((name, keys), (&file.keys, of_study), refuse)
        };
        let confirmations = keys.confirm.iter().map(|(name, keys)| with(name, keys));
        Ok(Study {
            confirmations: confirmations.collect::<Result<_, case::Error>>()?,
            mode: keys.mode,
            residual: parts.residual,
            retries: parts.retries,
            geometry,
            baseline: parts.variables.iter().map(|variable| variable.base.clone()).collect(),
            path: path.to_path_buf(),
            title: if keys.title.is_empty() {
                path.display().to_string()
            } else {
                keys.title.clone()
            },
            case,
            directory: output,
            variables: parts.variables,
            objectives: parts.objectives,
            constraints: parts.constraints,
            method: parts.method,
            workers: parts.workers,
            batch: parts.batch,
            file,
        })
    }

    /// Returns the case of a design. A mesh of its own is in `folder`.
    ///
    /// # Errors
    /// The base case cannot be read, or it is not valid with these values.
    pub fn case_of(&self, x: &[Choice], folder: &Path) -> Result<Case, case::Error> {
        Case::read(&self.case, &self.assignments(x, folder))
    }

    /// Verifies that the case of a design is valid with the keys of each retry.
    ///
    /// # Errors
    /// It is not.
    pub fn check_retries(&self, x: &[Choice], folder: &Path) -> Result<(), case::Error> {
        let mut retries = self.retries.iter().enumerate();
        retries.try_for_each(|(i, set)| {
            let all = [&self.assignments(x, folder)[..], set].concat();
            let read = Case::read(&self.case, &all).map(drop);
            read.map_err(|error| self.refuse(&format!("retries[{i}].set"), error.message()))
        })
    }

    /// Verifies that the case of a design is valid with the keys of each confirmation.
    ///
    /// # Errors
    /// It is not.
    pub fn check_confirmations(&self, x: &[Choice], folder: &Path) -> Result<(), case::Error> {
        self.confirmations.iter().try_for_each(|confirmation| {
            let mut all = self.assignments(x, folder);
            if self.begins_steady(confirmation) {
                all.push(format!("initial={{file: {STEADY_CHECKPOINT}}}"));
            }
            all.extend(confirmation.set.iter().cloned());
            let read = Case::read(&self.case, &all).map(drop);
            read.map_err(|error| self.refuse(&format!("confirm.{}.set", confirmation.name), error.message()))
        })
    }

    /// Returns whether a confirmation begins with the steady solution of the design.
    pub fn begins_steady(&self, confirmation: &Confirmation) -> bool {
        self.mode == Mode::Steady && confirmation.mode == Mode::Les && confirmation.geometry.is_none()
    }

    /// Returns what the retry of this number sets in the case: nothing for number 0, the first attempt.
    pub fn retry(&self, number: usize) -> &[String] {
        let retry = number.checked_sub(1).and_then(|at| self.retries.get(at));
        retry.map_or(&[], Vec::as_slice)
    }

    /// Returns what a design sets in the case.
    fn assignments(&self, x: &[Choice], folder: &Path) -> Vec<String> {
        let pairs = self.variables.iter().zip(x);
        let mesh = self.geometry.as_ref().map(|geometry| mesh_in(folder, geometry));
        let values = pairs.filter_map(|(variable, choice)| variable.assignment(choice));
        mesh.into_iter().chain(values).collect()
    }

    /// Makes the mesh of a design in a folder, if the designs have meshes of their own.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_mesh(&self, x: &[Choice], folder: &Path) -> Result<(), StudyError> {
        let geometry = self.geometry.as_ref();
        geometry.map_or(Ok(()), |geometry| geometry.make(&self.variables, x, folder))
    }

    /// Returns the case file of a design and its hash.
    ///
    /// # Errors
    /// The case is not valid with these values.
    pub fn plan(&self, x: &[Choice]) -> Result<Planned, case::Error> {
        let here = Path::new("");
        let case = self.case_of(x, here)?;
        // A case in the working directory has the empty path as its parent.
        let parent = self.case.parent().filter(|parent| *parent != here);
        let parent = parent.unwrap_or(Path::new("."));
        let directory = std::path::absolute(parent).unwrap_or_else(|_| parent.to_path_buf());
        let text = case.written(Some(&directory));
        let identity = self
            .geometry
            .as_ref()
            .map(|geometry| geometry.identity(&self.variables, x));
        // A steady solution of a case is another design than its run in time.
        let mode = if self.mode == Mode::Steady { "steady\n" } else { "" };
        let identity = case.written(None) + &identity.unwrap_or_default() + mode;
        Ok(Planned {
            text: match &self.geometry {
                None => text,
                // The mesh is beside the case of the design, and not beside the base case.
                Some(geometry) => Case::parse(&text, &self.case, &[mesh_in(here, geometry)])?.written(None),
            },
            hash: format!("{:016x}", xxh3_64(identity.as_bytes())),
        })
    }

    /// Verifies that a run which writes this, and ends there, writes all objectives and constraints. Returns
    /// their names with units.
    ///
    /// # Errors
    /// Something is not written.
    pub fn require(&self, written: &Written, end: RunEnd) -> Result<Vec<(String, String)>, case::Error> {
        let objectives = self.objectives.iter().map(|o| ("objectives", &o.name, &o.measure));
        let constraints = self.constraints.iter().map(|c| ("constraints", &c.name, &c.measure));
        let unit = |(group, name, measure): (&str, &String, &Measure)| {
            let unit = measure.require(written, end);
            let unit = unit.map_err(|what| self.refuse(&format!("{group}.{name}.from"), what))?;
            Ok((name.clone(), unit))
        };
        objectives.chain(constraints).map(unit).collect()
    }

    /// Returns the error that something is wrong with a key of the study.
    pub fn refuse(&self, key: &str, what: impl Into<String>) -> case::Error {
        self.file.refuse(Problem::new(what).key(key))
    }

    /// Returns the names of the first objective and of the constraints, which have models.
    pub fn modelled(&self) -> impl Iterator<Item = &String> {
        let first = self.objectives.iter().take(1).map(|objective| &objective.name);
        first.chain(self.constraints.iter().map(|constraint| &constraint.name))
    }

    /// Returns the factor with which less of the first objective is better: 1 or -1.
    pub fn sign(&self) -> f64 {
        self.objectives.first().map_or(1.0, Objective::sign)
    }

    /// Returns the number of runs of the whole study, if it is known.
    pub fn count(&self) -> Option<usize> {
        self.method.count()
    }
}

/// The key of a case that [`require_constants`] needs.
#[derive(Deserialize)]
struct Constants {
    #[serde(default)]
    constants: BTreeMap<String, Number>,
}

/// Refuses a variable that sets a constant which the case does not have: no expression of the case uses it.
fn require_constants(variables: &[Variable], case: &Path) -> Result<(), Problem> {
    // A case that cannot be read is reported with the first design.
    let Ok(case) = SettingsFile::<Constants>::read(case, FileKind::Case, &[]) else {
        return Ok(());
    };
    let known = &case.keys.constants;
    for variable in variables {
        let Target::Case(key) = &variable.target else { continue };
        let Some(name) = key.strip_prefix("constants.").filter(|name| !known.contains_key(*name)) else {
            continue;
        };
        let help = match nearest(name, known.keys().map(String::as_str)) {
            Some(near) => format!("did you mean `constants.{near}`?"),
            None => "add it to the `constants` of the case".to_owned(),
        };
        let problem = Problem::new(format!(
            "the case has no constant `{name}`, and all designs would be the same"
        ));
        return Err(problem.key(format!("variables.{}.set", variable.name)).help(help));
    }
    Ok(())
}

/// Returns the override that names the mesh of a design.
fn mesh_in(folder: &Path, geometry: &Geometry) -> String {
    let path = folder.join(geometry.file());
    format!("mesh.file={}", serde_json::json!(path.to_string_lossy()))
}

/// The parts of a study.
struct Parts {
    variables: Vec<Variable>,
    objectives: Vec<Objective>,
    constraints: Vec<Constraint>,
    method: Method,
    workers: Workers,
    batch: Option<Batch>,
    residual: Option<f64>,
    retries: Vec<Vec<String>>,
}

impl Parts {
    /// Returns the values by which designs are compared, with their names.
    fn measures(&self) -> Vec<(String, Measure)> {
        let objectives = self.objectives.iter().map(|o| (o.name.clone(), o.measure.clone()));
        objectives
            .chain(self.constraints.iter().map(|c| (c.name.clone(), c.measure.clone())))
            .collect()
    }
}

fn resolve(keys: &StudyKeys, directory: &Path) -> Result<Parts, Problem> {
    if keys.output.is_empty() {
        return Err(Problem::new("the name of the directory is empty").key("output"));
    }
    let scope = Scope::new(&Default::default())?;
    let variables = keys.variables.iter();
    let variables: Vec<_> = variables
        .map(|(name, keys)| Variable::resolve(name, keys, &scope))
        .collect::<Result<_, _>>()?;
    if variables.is_empty() {
        return Err(Problem::new("there are no variables").key("variables"));
    }
    let objectives = keys.objectives.iter();
    let objectives: Vec<_> = objectives
        .map(|(name, keys)| objective(name, keys, &scope))
        .collect::<Result<_, _>>()?;
    if objectives.is_empty() {
        return Err(Problem::new("there are no objectives").key("objectives"));
    }
    let constraints = keys.constraints.iter();
    let constraints = constraints
        .map(|(name, keys)| {
            if keys_of(&objectives, name) {
                let what = format!("`{name}` is an objective, too: their names head columns of one table");
                Err(Problem::new(what).key(format!("constraints.{name}")))
            } else {
                constraint(name, keys, &scope)
            }
        })
        .collect::<Result<_, _>>()?;
    check_path("output", &keys.output)?;
    let batch = Batch::resolve(&keys.run, &scope, directory)?;
    batch.as_ref().map_or(Ok(()), |_| {
        Batch::refuse(&directory.join(&keys.output).to_string_lossy())
    })?;
    let workers = Workers::resolve(&keys.run, &scope)?;
    let residual = keys.residual.as_ref();
    if residual.is_some() && keys.mode != Mode::Steady {
        return Err(Problem::new("`residual` belongs to `mode: steady`").key("residual"));
    }
    let residual = residual.map(|residual| scope.number_if("residual", residual, positive, "above 0"));
    Ok(Parts {
        method: Method::resolve(keys, &scope, &variables, directory, workers.gpus.len())?,
        variables,
        objectives,
        constraints,
        workers,
        residual: residual.transpose()?,
        retries: retries::resolve(&keys.retries)?,
        batch,
    })
}

fn keys_of(objectives: &[Objective], name: &str) -> bool {
    objectives.iter().any(|objective| objective.name == name)
}

fn objective(name: &str, keys: &ObjectiveKeys, scope: &Scope) -> Result<Objective, Problem> {
    let key = format!("objectives.{name}");
    Ok(Objective {
        name: name.to_owned(),
        measure: Measure::resolve(&key, (&keys.from, keys.take, &keys.window), scope)?,
        minimise: keys.minimise,
    })
}

fn constraint(name: &str, keys: &ConstraintKeys, scope: &Scope) -> Result<Constraint, Problem> {
    let key = format!("constraints.{name}");
    let limit = |part: &str, number: &Option<_>| {
        let key = format!("{key}.{part}");
        number.as_ref().map(|number| scope.number(&key, number)).transpose()
    };
    let (at_most, at_least) = (limit("at-most", &keys.at_most)?, limit("at-least", &keys.at_least)?);
    match (at_most, at_least) {
        (None, None) => {
            return Err(Problem::new("one of the keys `at-most` and `at-least` is missing").key(key));
        }
        (Some(most), Some(least)) if most < least => {
            return Err(Problem::new(format!("nothing is at most {most} and at least {least}")).key(key));
        }
        _ => (),
    }
    Ok(Constraint {
        name: name.to_owned(),
        measure: Measure::resolve(&key, (&keys.from, keys.take, &keys.window), scope)?,
        limits: Limits { at_most, at_least },
    })
}
