//! The report of passive scalars: which boundaries bring or hold a value. A boundary without one brings 0 where the
//! flow enters, which nothing else tells.

use serde::Serialize;

use crate::case::Case;
use crate::input::listed;
use crate::physics::Scalar;
use crate::solver::Solver;

/// A passive scalar, with the names of boundaries.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct ScalarFacts {
    name: String,
    /// Those of which what enters has the value.
    brings: Vec<String>,
    /// Those through which the flow may enter, and brings 0.
    without: Vec<String>,
    /// Walls that hold a value.
    holds: Vec<String>,
}

impl ScalarFacts {
    fn new(scalar: &Scalar, solver: &Solver) -> Self {
        let mut facts = ScalarFacts {
            name: scalar.name.clone(),
            brings: Vec::new(),
            without: Vec::new(),
            holds: Vec::new(),
        };
        for (name, boundary) in solver.mesh.boundary_names.iter().zip(&solver.boundaries) {
            let has_value = scalar.boundaries.contains_key(name);
            let is_open = boundary.wall().is_none() && boundary.interface().is_none();
            if is_open && has_value {
                facts.brings.push(name.clone());
            } else if is_open {
                facts.without.push(name.clone());
            } else if has_value {
                facts.holds.push(name.clone());
            }
        }
        facts
    }

    /// Logs a line.
    pub(super) fn log(&self) {
        let parts = [
            (&self.brings, "what enters has the values of"),
            (&self.without, "what enters has 0 at"),
            (&self.holds, "the value is held at"),
        ];
        let parts = parts.into_iter().filter(|(names, _)| !names.is_empty());
        let words: Vec<String> = parts
            .map(|(names, words)| format!("{words} {}", listed(names.iter().map(String::as_str))))
            .collect();
        if words.is_empty() {
            tracing::info!("scalar  {}: nothing passes the boundaries", self.name);
        } else {
            tracing::info!("scalar  {}: {}", self.name, words.join("; "));
        }
    }
}

/// Logs a line for each scalar, and returns what they say.
pub(super) fn log(case: &Case, solver: &Solver) -> Vec<ScalarFacts> {
    let scalars = case.solver.scalars.iter();
    let facts: Vec<ScalarFacts> = scalars.map(|scalar| ScalarFacts::new(scalar, solver)).collect();
    facts.iter().for_each(ScalarFacts::log);
    facts
}
