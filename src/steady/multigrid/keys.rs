//! The keys of multigrid cycles in a case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::input::{Count, Expression, Problem, Scope, keys};

/// The order in which a cycle visits its levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cycle {
    /// Each level once.
    #[default]
    V,
    /// Each level twice as often as the one above.
    W,
}

keys! {
/// Multigrid cycles of explicit steps; `{}` takes all defaults.
MultigridKeys as "a mapping with the keys `levels` and `cycle`" {
    /// Largest number of levels, with that of the points, from 2. There are fewer when the coarsest one would have less
    /// than 32 vertices.
    #[serde(default = "many")]
    pub levels: Count,
    /// The order in which a cycle visits its levels.
    #[serde(default)]
    pub cycle: Cycle,
}}

fn many() -> Count {
    Count(Expression::Value(10.0))
}

/// The settings of multigrid cycles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MultigridSettings {
    /// Largest number of levels.
    pub levels: usize,
    /// The order in which a cycle visits them.
    pub cycle: Cycle,
}

impl MultigridKeys {
    /// Evaluates and checks the keys.
    ///
    /// # Errors
    ///
    /// Returns a problem with the path of the key if a value is not possible.
    pub(crate) fn resolve(&self, scope: &Scope) -> Result<MultigridSettings, Problem> {
        Ok(MultigridSettings {
            levels: scope.count("steady.multigrid.levels", &self.levels)? as usize,
            cycle: self.cycle,
        })
    }
}
