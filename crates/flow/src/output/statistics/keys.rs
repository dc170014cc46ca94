//! The keys of statistics, and what a case asks for with them.

use std::collections::HashSet;
use std::sync::Arc;

use super::moments::{Column, columns};
use super::products::{Contents, Products};
use crate::input::{AXES, Axis, Count, Every, Number, Problem, keys, not_negative};
use crate::output::keys::{Context, Keys};
use crate::output::request::Request;

/// The files of all numbers of directions.
pub(super) const TABLE: &str = "statistics.csv";
pub(super) const HDF5: &str = "statistics.h5";
pub(super) const FIELDS: &str = "statistics.vtkhdf";

/// Statistics that a case asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsRequest {
    /// Time from which on the state is sampled.
    pub from: f64,
    /// The period of the samples.
    pub every: Every,
    /// The homogeneous directions: x, y, z; two at most.
    pub average: [bool; 3],
    /// Whether the fields have the gradients of means.
    pub gradients: bool,
    /// What the files have beside means and moments without weight.
    pub contents: Contents,
    /// Names of the passive scalars.
    pub scalars: Vec<String>,
}

impl StatisticsRequest {
    /// Returns the number of directions over which means are taken.
    pub fn directions(&self) -> usize {
        self.average.iter().filter(|&&a| a).count()
    }

    /// Returns the products that are summed.
    pub fn products(&self) -> Products {
        Products::of(self.contents, self.scalars.len())
    }

    /// Returns the columns of the files.
    pub(super) fn columns(&self) -> Vec<Column> {
        columns(&self.products(), self.contents, &self.scalars)
    }

    /// Returns whether the files have the budget of turbulent kinetic energy.
    pub fn has_budget(&self) -> bool {
        self.contents == Contents::Budget
    }

    /// Returns the files that are written.
    pub fn files(&self) -> &'static [&'static str] {
        match self.directions() {
            0 => &[FIELDS],
            1 => &[FIELDS, HDF5],
            _ => &[TABLE, HDF5],
        }
    }
}

keys! {
/// Statistics of turbulence: exactly one of `every` and `every-steps`.
StatisticsKeys as "a mapping with keys such as `every-steps` and `average`" {
    /// Time from which on the state is sampled, at least 0.
    #[serde(default = "start")]
    pub from: Number,
    /// Period of the samples in time, above 0; steps are shortened to meet it.
    pub every: Option<Number>,
    /// Period of the samples in steps, at least 1.
    pub every_steps: Option<Count>,
    /// Up to two directions in which the flow is homogeneous; means are also taken over them. The points of every cell
    /// must lie along these directions. With two the result is a profile, `statistics.csv`, else fields,
    /// `statistics.vtkhdf`; `statistics.h5` has the means over one direction or two, each place once.
    #[serde(default)]
    pub average: Vec<Axis>,
    /// Whether `statistics.vtkhdf` also has the gradients of the mean velocity and the mean temperature, those of the
    /// polynomials of each cell. Two directions in `average` leave no such file.
    #[serde(default)]
    pub gradients: bool,
    /// Whether the files also have density-weighted (Favre) means of velocity and temperature, stresses and heat
    /// fluxes.
    #[serde(default)]
    pub favre: bool,
    /// Whether the files also have the turbulent kinetic energy and the terms of its budget, and with them what `favre`
    /// adds. Each sample then evaluates the right-hand side.
    #[serde(default)]
    pub budget: bool,
}}

fn start() -> Number {
    0.0.into()
}

impl Keys for StatisticsKeys {
    fn request(&self, context: &Context) -> Result<Arc<dyn Request>, Problem> {
        let scope = context.scope;
        let average = homogeneous(&self.average, context)?;
        if self.gradients && self.average.len() > 1 {
            let what = "gradients are written to statistics.vtkhdf, and with two directions in `average` there is none";
            return Err(Problem::new(what).key(context.at("gradients")));
        }
        let request = StatisticsRequest {
            gradients: self.gradients,
            contents: match (self.favre, self.budget) {
                (_, true) => Contents::Budget,
                (true, false) => Contents::Favre,
                (false, false) => Contents::Reynolds,
            },
            average,
            from: scope.number_if(&context.at("from"), &self.from, not_negative, "at least 0")?,
            every: scope.every(&context.key, &self.every, &self.every_steps)?,
            scalars: context.facts.scalars.to_vec(),
        };
        different_names(&request.columns())?;
        Ok(Arc::new(request))
    }
}

/// Refuses names of passive scalars that would give two columns one name.
fn different_names(columns: &[Column]) -> Result<(), Problem> {
    let mut seen = HashSet::new();
    match columns.iter().find(|column| !seen.insert(&column.name)) {
        None => Ok(()),
        Some(column) => {
            let what = format!(
                "two columns of the statistics would have the name `{}`: a scalar needs a name that does not give it",
                column.name
            );
            Err(Problem::new(what).key("scalars"))
        }
    }
}

/// Returns the directions over which means are taken.
fn homogeneous(axes: &[Axis], context: &Context) -> Result<[bool; 3], Problem> {
    let mut average = [false; 3];
    for (i, &axis) in axes.iter().enumerate() {
        let key = context.at(&format!("average[{i}]"));
        if std::mem::replace(&mut average[axis.index()], true) {
            return Err(Problem::new("a homogeneous direction is named twice").key(key));
        }
        // The periodic directions of a mesh file are not known before it is read.
        if context.facts.periodic.is_some_and(|periodic| !periodic[axis.index()]) {
            let name = AXES[axis.index()];
            let what = format!(
                "the box is not periodic in {name}: a flow between its sides is not homogeneous in that direction"
            );
            return Err(Problem::new(what).key(key));
        }
    }
    match average {
        [true, true, true] => Err(Problem::new(
            "a mean over all three directions is one number: at most two can be averaged over",
        )
        .key(context.at("average"))
        .help("`output.integrals` has means over the whole domain")),
        _ => Ok(average),
    }
}
