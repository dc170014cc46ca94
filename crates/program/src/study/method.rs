//! How the designs of a study are chosen: its method, resolved.

use std::collections::BTreeSet;
use std::path::Path;

use crate::input::{Problem, Scope, check};

use super::evolution::{self, FEWEST_MEMBERS};
use super::experiment::{at_points, full_factorial, latin_hypercube, read_designs};
use super::keys::{DoeKeys, DoeKind, EgoKeys, EvolutionKeys, MethodName, StudyKeys};
use super::variable::{Choice, Domain, Variable};

/// Largest number of designs of one experiment.
const MOST_DESIGNS: usize = 100_000;
/// Largest number of designs in a Kriging model, whose cost grows with its third power.
const MOST_MODELLED: u64 = 2000;
/// How designs are chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum Method {
    /// These, all at once.
    Experiment(Vec<Vec<Choice>>),
    /// A differential evolution, and its number of generations after the first.
    Evolution(evolution::Settings, usize),
    /// These first, and then those that promise most.
    Ego(Vec<Vec<Choice>>, Ego),
    /// Those that are brought from elsewhere.
    Guest,
}

/// The settings of an efficient global optimisation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ego {
    /// Number of runs in all.
    pub budget: usize,
    /// Number of designs that are chosen at the same time.
    pub batch: usize,
    /// What chooses the random numbers.
    pub seed: u64,
}

impl Method {
    /// Evaluates and checks the keys of the method.
    ///
    /// # Errors
    /// A value is wrong or missing, or there are no designs or too many.
    pub(super) fn resolve(
        keys: &StudyKeys,
        scope: &Scope,
        variables: &[Variable],
        directory: &Path,
        places: usize,
    ) -> Result<Self, Problem> {
        match keys.method {
            MethodName::Doe => Ok(Method::Experiment(experiment(&keys.doe, scope, variables, directory)?)),
            MethodName::De => evolution(&keys.de, scope, variables.len()),
            MethodName::Ego => {
                let first = experiment(&keys.doe, scope, variables, directory)?;
                let ego = ego(&keys.ego, scope, first.len(), places)?;
                Ok(Method::Ego(first, ego))
            }
            MethodName::Guest => Ok(Method::Guest),
        }
    }

    /// Returns the number of runs of the whole study, if it is known.
    pub fn count(&self) -> Option<usize> {
        match self {
            Method::Experiment(designs) => Some(designs.len()),
            Method::Evolution(settings, generations) => Some(settings.population * (generations + 1)),
            Method::Ego(_, ego) => Some(ego.budget),
            Method::Guest => None,
        }
    }
}

/// Returns the designs of an experiment, each once.
fn experiment(
    keys: &DoeKeys,
    scope: &Scope,
    variables: &[Variable],
    directory: &Path,
) -> Result<Vec<Vec<Choice>>, Problem> {
    let foreign = |key: &str, kind: &str| {
        let problem = Problem::new(format!("`{key}` does not belong to a design of this kind"));
        problem
            .key(format!("doe.{key}"))
            .help(format!("it belongs to `kind: {kind}`"))
    };
    let given = [
        ("count", keys.count.is_some(), DoeKind::Lhs, "lhs"),
        ("seed", keys.seed.is_some(), DoeKind::Lhs, "lhs"),
        (
            "levels",
            keys.levels.is_some(),
            DoeKind::FullFactorial,
            "full-factorial",
        ),
        ("file", keys.file.is_some(), DoeKind::File, "file"),
    ];
    if let Some((key, _, _, kind)) = given.iter().find(|(_, given, of, _)| *given && *of != keys.kind) {
        return Err(foreign(key, kind));
    }
    let too_many = |key: &str, count: f64| {
        let good = count <= MOST_DESIGNS as f64;
        check(key, count, good, &format!("at most {MOST_DESIGNS} designs"))
    };
    let missing = |key: &str| Problem::new(format!("the key `{key}` is missing")).key(format!("doe.{key}"));
    let mut designs = match keys.kind {
        DoeKind::Lhs => {
            let count = keys.count.as_ref().ok_or_else(|| missing("count"))?;
            let count = scope.count("doe.count", count)?;
            too_many("doe.count", count as f64)?;
            at_points(
                variables,
                &latin_hypercube(variables.len(), count as usize, seed(keys, scope)?),
            )
        }
        DoeKind::FullFactorial => {
            let ranged = variables.iter().any(|v| matches!(v.domain, Domain::Range(..)));
            let levels = match &keys.levels {
                Some(levels) => scope.count("doe.levels", levels)?,
                None if ranged => return Err(missing("levels")),
                None => 2,
            };
            check(
                "doe.levels",
                levels as f64,
                (2..=1000).contains(&levels),
                "from 2 to 1000",
            )?;
            let counts = variables.iter().map(|v| v.levels(levels as usize).len() as f64);
            too_many("doe", counts.product())?;
            full_factorial(variables, levels as usize)
        }
        DoeKind::File => {
            let file = keys.file.as_ref().ok_or_else(|| missing("file"))?;
            read_designs(&directory.join(file), variables).map_err(|what| Problem::new(what).key("doe.file"))?
        }
    };
    let mut seen = BTreeSet::new();
    designs.retain(|design| seen.insert(design.iter().map(Choice::to_string).collect::<Vec<_>>()));
    if designs.is_empty() {
        Err(Problem::new("there are no designs").key("doe"))
    } else {
        Ok(designs)
    }
}

fn seed(keys: &DoeKeys, scope: &Scope) -> Result<u64, Problem> {
    keys.seed.as_ref().map_or(Ok(1), |seed| scope.count("doe.seed", seed))
}

/// Returns the settings of an efficient global optimisation that begins with so many designs.
fn ego(keys: &EgoKeys, scope: &Scope, first: usize, places: usize) -> Result<Ego, Problem> {
    let Some(budget) = &keys.budget else {
        return Err(Problem::new("the key `budget` is missing").key("ego.budget"));
    };
    let budget = scope.count("ego.budget", budget)?;
    let good = (first as u64 + 1..=MOST_MODELLED).contains(&budget);
    let must = format!("above the {first} designs of `doe` and at most {MOST_MODELLED}");
    check("ego.budget", budget as f64, good, &must)?;
    let batch = keys
        .batch
        .as_ref()
        .map(|batch| scope.count("ego.batch", batch))
        .transpose()?;
    if let Some(batch) = batch {
        check(
            "ego.batch",
            batch as f64,
            (1..=budget).contains(&batch),
            "from 1 to `budget`",
        )?;
    }
    Ok(Ego {
        budget: budget as usize,
        batch: batch.map_or(places, |batch| batch as usize),
        seed: keys.seed.as_ref().map_or(Ok(1), |seed| scope.count("ego.seed", seed))?,
    })
}

/// Returns the settings of a differential evolution of so many variables.
fn evolution(keys: &EvolutionKeys, scope: &Scope, variables: usize) -> Result<Method, Problem> {
    let count = |key: &str, count: &Option<_>, default: usize, least: usize| {
        let key = format!("de.{key}");
        let number = count
            .as_ref()
            .map_or(Ok(default as u64), |count| scope.count(&key, count))?;
        let good = (least..=MOST_DESIGNS).contains(&(number as usize));
        check(&key, number as f64, good, &format!("from {least} to {MOST_DESIGNS}")).map(|number| number as usize)
    };
    let number = |key: &str, number: &Option<_>, default: f64, test: fn(f64) -> bool, must: &str| {
        let key = format!("de.{key}");
        number
            .as_ref()
            .map_or(Ok(default), |number| scope.number_if(&key, number, test, must))
    };
    let Some(generations) = &keys.generations else {
        return Err(Problem::new("the key `generations` is missing").key("de.generations"));
    };
    let settings = evolution::Settings {
        population: count(
            "population",
            &keys.population,
            (10 * variables).max(FEWEST_MEMBERS),
            FEWEST_MEMBERS,
        )?,
        weight: number(
            "weight",
            &keys.weight,
            0.7,
            |f| f > 0.0 && f <= 2.0,
            "above 0 and at most 2",
        )?,
        crossover: number(
            "crossover",
            &keys.crossover,
            0.9,
            |c| (0.0..=1.0).contains(&c),
            "from 0 to 1",
        )?,
        seed: keys.seed.as_ref().map_or(Ok(1), |seed| scope.count("de.seed", seed))?,
    };
    Ok(Method::Evolution(
        settings,
        count("generations", &Some(generations.clone()), 0, 1)?,
    ))
}
