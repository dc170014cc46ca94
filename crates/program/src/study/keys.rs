//! The keys of `study.yaml`.
//!
//! The doc comments of the keys are addressed to the user: docs/reference/study-keys.md is made from them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Count, Number, keys};
use crate::io::STEADY_FOLDER;

keys! {
#[schemars(title = "fr-les study")]
/// A study: many runs of one case, each with other values of some variables.
StudyKeys as "a mapping of keys such as `case` and `variables`" {
    /// Title for logs and reports.
    #[serde(default)]
    pub title: String,
    /// The base case, relative to the study file. Every design is this case with the values of its variables set.
    pub case: String,
    /// What is run for each design.
    #[serde(default)]
    pub mode: Mode,
    /// The variables by name (letters, digits, `_`, `-`).
    pub variables: BTreeMap<String, VariableKeys>,
    /// What makes the mesh of each design; without it the mesh is that of the case.
    #[serde(default)]
    pub geometry: GeometryKeys,
    /// What the designs are compared by, by name. The first in alphabetical order ranks the designs.
    pub objectives: BTreeMap<String, ObjectiveKeys>,
    /// Limits that a design has to keep to be feasible, by name.
    #[serde(default)]
    pub constraints: BTreeMap<String, ConstraintKeys>,
    /// How designs are chosen.
    #[serde(default)]
    pub method: MethodName,
    /// The designs of `method: doe`, and the first ones of `method: ego`.
    #[serde(default)]
    pub doe: DoeKeys,
    /// The settings of `method: de`.
    #[serde(default)]
    pub de: EvolutionKeys,
    /// The settings of `method: ego`.
    #[serde(default)]
    pub ego: EgoKeys,
    /// Which runs go on at the same time.
    #[serde(default)]
    pub run: RunKeys,
    /// Residual of the density over the largest that the solution of a design has to reach with `mode: steady`, above
    /// 0; without it that of the case, `steady.residual`. Other designs are `failed(unconverged)`.
    pub residual: Option<Number>,
    /// Retries of a design whose run has diverged, or whose steady solution has not reached its residual. They follow
    /// one another, and only after the last one does the design count as failed.
    #[serde(default)]
    pub retries: Vec<RetryKeys>,
    /// Runs that confirm the best design, by name (letters, digits, `_`, `-`): on another mesh, of another order, or in
    /// time from its steady solution. `fr-les study FILE --confirm NAME` carries one out, for another design with
    /// `--design`.
    #[serde(default)]
    pub confirm: BTreeMap<String, ConfirmKeys>,
    /// Directory of the study, relative to the study file.
    #[serde(default = "directory")]
    pub output: String,
}}

fn directory() -> String {
    "results/study".to_owned()
}

/// What is run for each design.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// A run of the case as it is.
    #[default]
    Les,
    /// The steady solution of the case, as `fr-les run --steady` computes it.
    Steady,
}

impl Mode {
    /// Returns the folder of the files of a run in its output directory.
    pub fn files_of(self, results: &Path) -> PathBuf {
        match self {
            Mode::Les => results.to_path_buf(),
            Mode::Steady => results.join(STEADY_FOLDER),
        }
    }
}

keys! {
/// A variable: exactly one of `range` and `values`, and exactly one of `set`, `gmsh` and `blade`.
VariableKeys as "a mapping with the keys `range` or `values`, and `set`, `gmsh` or `blade`" {
    /// Lower and upper bound.
    pub range: Option<[Number; 2]>,
    /// The values that it may have: numbers or words.
    pub values: Option<Vec<Number>>,
    /// The key of the case that gets the value, such as `boundaries.outlet.p`, `order` or `scheme.riemann`. A constant
    /// of the case (`constants.n`) carries a value into expressions of any keys.
    pub set: Option<String>,
    /// The number of the script of Gmsh that gets the value.
    pub gmsh: Option<String>,
    /// The control value of the blade that changes, from number 0 on: `camber.2`, to which the value is added in
    /// degrees, or `thickness.2`, which is multiplied by it.
    pub blade: Option<String>,
    /// The value of the baseline, the design that runs first if every variable has a base. It is 0 for `camber` and 1
    /// for `thickness` without this key.
    pub base: Option<Number>,
}}

keys! {
/// What makes the mesh of each design: a script of Gmsh, or the settings of a cascade. The key `mesh.file` of the case
/// gets the mesh.
#[derive(Default)]
#[serde(default)]
GeometryKeys as "a mapping with the key `script` or `cascade`" {
    /// Script of Gmsh, relative to the study file. Numbers that it defines by `DefineConstant` can be set.
    pub script: Option<String>,
    /// Order of the cells that Gmsh makes of `script`, 1 without it.
    pub order: Option<Count>,
    /// Numbers of `script` that are the same for all designs, by name.
    pub numbers: BTreeMap<String, Number>,
    /// Settings of `fr-les mesh cascade`, relative to the study file. Control values of a blade can be set if its
    /// `profile` is a `blade`.
    pub cascade: Option<String>,
}}

keys! {
/// A quantity that becomes larger or smaller.
ObjectiveKeys as "a mapping with the key `from`" {
    /// The value: a column of a series, as in `integrals.enstrophy` or `coefficients.blade_drag`; a result with a
    /// statistical error, as in `traverses.wake.omega` or `blades.blade.C_y`; or `run.seconds`, `run.steps` or
    /// `run.points`.
    pub from: String,
    /// How one value is made of a series.
    #[serde(default)]
    pub take: Take,
    /// First and last time of the rows of the series that count; without it all do.
    pub window: Option<[Number; 2]>,
    /// Whether less is better; `false` means that more is.
    #[serde(default = "yes")]
    pub minimise: bool,
}}

fn yes() -> bool {
    true
}

keys! {
/// A quantity with a limit: one of `at-most` and `at-least`, or both.
ConstraintKeys as "a mapping with the keys `from` and `at-most` or `at-least`" {
    /// The value, as that of an objective.
    pub from: String,
    /// How one value is made of a series.
    #[serde(default)]
    pub take: Take,
    /// First and last time of the rows of the series that count; without it all do.
    pub window: Option<[Number; 2]>,
    /// Upper limit.
    pub at_most: Option<Number>,
    /// Lower limit.
    pub at_least: Option<Number>,
}}

keys! {
/// Another attempt at a design. It begins anew.
RetryKeys as "a mapping with the key `set`" {
    /// Keys of the case with other values, each as `KEY=VALUE`, such as `steady.implicit.cfl=[1, 20]`.
    pub set: Vec<String>,
}}

keys! {
/// A run that confirms a design.
#[derive(Default)]
#[serde(default)]
ConfirmKeys as "a mapping with keys such as `mode` and `set`" {
    /// What is run; without it the mode of the study. A run of mode `les` after a steady study begins with the steady
    /// solution of the design, unless it has another mesh.
    pub mode: Option<Mode>,
    /// Keys of the case with other values, each as `KEY=VALUE`, such as `time.end=20`.
    pub set: Vec<String>,
    /// Numbers of `geometry.script` with other values, by name: another mesh.
    pub numbers: BTreeMap<String, Number>,
    /// Settings of `fr-les mesh cascade` in place of `geometry.cascade`, relative to the study file: another mesh.
    pub cascade: Option<String>,
    /// The values that are compared, by the names of objectives and constraints; without it each from where the study
    /// takes it.
    pub values: BTreeMap<String, ValueKeys>,
}}

keys! {
/// A value of a run.
ValueKeys as "a mapping with the key `from`" {
    /// The value, as that of an objective.
    pub from: String,
    /// How one value is made of a series.
    #[serde(default)]
    pub take: Take,
    /// First and last time of the rows of the series that count; without it all do.
    pub window: Option<[Number; 2]>,
}}

/// How one value is made of the rows of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Take {
    /// The last row.
    #[default]
    Last,
    /// The mean over time, by the trapezoidal rule.
    Mean,
    /// The smallest value.
    Minimum,
    /// The largest value.
    Maximum,
    /// The frequency of an oscillation: the number of periods between the first and the last time at which the series
    /// rises through its mean, over that time. The Strouhal number is such a frequency of a lift.
    Frequency,
}

/// How designs are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MethodName {
    /// All at once, as `doe` says.
    #[default]
    Doe,
    /// By differential evolution (rand/1/bin), a generation after the other, with the first objective and the rules of
    /// Deb for the constraints.
    De,
    /// By efficient global optimisation: the designs of `doe` first, and then those from which Kriging models of the
    /// first objective and of the constraints expect the largest improvement.
    Ego,
    /// By an optimiser from elsewhere, which brings them by `fr-les study FILE --ask DESIGNS.json`.
    Guest,
}

keys! {
/// A design of experiments.
#[derive(Default)]
#[serde(default)]
DoeKeys as "a mapping with keys such as `kind` and `count`" {
    /// The kind of design.
    pub kind: DoeKind,
    /// Number of designs of a Latin hypercube.
    pub count: Option<Count>,
    /// Number of values that a full factorial takes of each range, its bounds included; at least 2.
    pub levels: Option<Count>,
    /// A whole number that chooses the random numbers of a Latin hypercube. It gives the same designs everywhere.
    pub seed: Option<Count>,
    /// Table with a column for each variable and a row for each design, relative to the study file.
    pub file: Option<String>,
}}

keys! {
/// A differential evolution.
#[derive(Default)]
#[serde(default)]
EvolutionKeys as "a mapping with keys such as `population` and `generations`" {
    /// Number of members, at least 4; 10 for each variable without it.
    pub population: Option<Count>,
    /// Number of generations after the first, which is a Latin hypercube.
    pub generations: Option<Count>,
    /// Factor F of the difference of two members, above 0 and at most 2; 0.7 without it.
    pub weight: Option<Number>,
    /// Probability CR with which a variable comes from the mutant, from 0 to 1; 0.9 without it.
    pub crossover: Option<Number>,
    /// A whole number that chooses the random numbers.
    pub seed: Option<Count>,
}}

keys! {
/// An efficient global optimisation.
#[derive(Default)]
#[serde(default)]
EgoKeys as "a mapping with keys such as `budget` and `batch`" {
    /// Number of runs in all, those of `doe` included.
    pub budget: Option<Count>,
    /// Number of designs that are chosen at the same time; without it as many as run at the same time.
    pub batch: Option<Count>,
    /// A whole number that chooses the random numbers.
    pub seed: Option<Count>,
}}

/// Where designs run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Where {
    /// On this machine.
    #[default]
    Local,
    /// In jobs of Slurm, one a design.
    Slurm,
}

/// A kind of design of experiments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum DoeKind {
    /// A Latin hypercube: each variable takes `count` values, one in each of as many equal parts of its range.
    #[default]
    Lhs,
    /// All combinations of the values of all variables.
    FullFactorial,
    /// The rows of `file`.
    File,
}

keys! {
/// Where designs run, and which of them at the same time.
#[derive(Default)]
#[serde(default)]
RunKeys as "a mapping with keys such as `workers`" {
    /// Where designs run.
    pub r#where: Where,
    /// File with lines for the jobs of `where: slurm`, relative to the study file: options (`#SBATCH --account=...`)
    /// and commands that come before each run (`module load ...`).
    pub template: Option<String>,
    /// Most jobs of `where: slurm` at the same time; without it Slurm decides.
    pub concurrent: Option<Count>,
    /// Runs at the same time, from 1 to 1024; without it one, or one for each GPU.
    pub workers: Option<Count>,
    /// CPU threads of each run; without it the cores of the machine are shared equally.
    pub threads: Option<Count>,
    /// Numbers of the GPUs to use, each by `per-gpu` runs.
    pub gpus: Option<Vec<Number>>,
    /// Runs that share a GPU, 1 without it.
    pub per_gpu: Option<Count>,
    /// Longest time of a design on the clock, with its mesh and its retries: seconds above 0, or hours:minutes:seconds
    /// as in 12:00:00. A design that takes longer is ended with all that it has started, and has failed. Without it
    /// there is no limit. Jobs of `where: slurm` have that of their option `--time`.
    pub time_limit: Option<Number>,
}}
