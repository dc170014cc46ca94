//! The keys of multigrid cycles in a case.

use super::levels::Coarsening;
use crate::input::{Count, Expression, Problem, Scope, keys};

/// Most levels of cycles, where a case says nothing.
pub const LEVELS: usize = 10;

keys! {
/// Multigrid cycles of explicit steps, with `turbulence: sa-neg` or `none`; `{}` takes all defaults.
MultigridKeys as "a mapping with the key `levels`" {
    /// Largest number of levels, with that of the points, at least 2. A level has about half the vertices of the one
    /// above; there are fewer levels when the next one would have less than 32 vertices, or hardly fewer than the last.
    #[serde(default = "many")]
    pub levels: Count,
}}

fn many() -> Count {
    Count(Expression::Value(LEVELS as f64))
}

impl MultigridKeys {
    /// Evaluates and checks the keys, and returns how the levels are made.
    ///
    /// # Errors
    /// Returns a problem with the path of the key if a value is not possible.
    pub fn resolve(&self, scope: &Scope) -> Result<Coarsening, Problem> {
        let key = "steady.multigrid.levels";
        match scope.count(key, &self.levels)? {
            levels if levels >= 2 => Ok(Coarsening::of_cycles(levels as usize)),
            levels => Err(Problem::new(format!("{levels} is too small; it must be at least 2")).key(key)),
        }
    }
}
