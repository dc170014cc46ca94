//! The settings of implicit steps.

use crate::steady::multigrid::Coarsening;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most levels of the preconditioner, more than a mesh has.
const MOST_LEVELS: usize = 20;
/// Pairings from one of its levels to the next, which make agglomerates of about eight vertices.
const PAIRINGS: usize = 3;
/// Fewest vertices of one of them: sweeps solve the system of so few.
const FEWEST: usize = 50;

/// Preconditioner of the linear systems of implicit steps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Preconditioner {
    /// Sweeps of Gauss and Seidel over coloured vertices.
    #[default]
    GaussSeidel,
    /// Sweeps of Gauss and Seidel over coloured lines along the strong couplings of stretched cells.
    Lines,
    /// Incomplete factors, with the colours as the order of elimination, of which only the diagonal is kept apart
    /// (DILU; ILU(0) on lattices of hexahedra). That of the turbulence model takes `gauss-seidel`.
    Ilu,
    /// Multigrid cycles on agglomerates of about eight vertices, with sweeps of `gauss-seidel` on every level.
    Multigrid,
}

impl Preconditioner {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::GaussSeidel, Self::Lines, Self::Ilu, Self::Multigrid];
}

/// When factors of the preconditioner are computed anew.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Refresh {
    /// After a solution that took more than a + b CFL iterations.
    OnDemand {
        /// The number a.
        a: f64,
        /// The number b.
        b: f64,
    },
    /// In the first of so many steps.
    Every(u64),
}

/// The settings of implicit steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Implicit {
    /// The preconditioner.
    pub preconditioner: Preconditioner,
    /// Number of sweeps of the preconditioner.
    pub sweeps: usize,
    /// Number of iterations in which `linear_stop` is aimed at; up to as many more follow while a quarter is left.
    pub krylov: usize,
    /// Residual of a linear system over that of its start at which its solution ends.
    pub linear_stop: f64,
    /// When the factors are computed anew; `None` in every step.
    pub refresh: Option<Refresh>,
}

impl Implicit {
    /// How the levels of the preconditioner are made, if it has any.
    pub fn coarsening(&self) -> Option<Coarsening> {
        let levels = Coarsening {
            levels: MOST_LEVELS,
            pairings: PAIRINGS,
            fewest: FEWEST,
        };
        (self.preconditioner == Preconditioner::Multigrid).then_some(levels)
    }
}
