//! The extents of the mesh, and the Reynolds numbers with them: a mesh in millimetres shows here.

use serde::Serialize;

use super::flow::{Flow, REYNOLDS};
use crate::format::{location, short};
use crate::geometry::extent;
use crate::solver::Solver;

/// The bounding box of the mesh.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Extent {
    lower: [f64; 3],
    upper: [f64; 3],
    /// The largest Reynolds number with its longest side; `None` in an inviscid gas.
    reynolds_number_of_longest: Option<f64>,
    /// The same with its shortest side.
    reynolds_number_of_shortest: Option<f64>,
}

impl Extent {
    /// Returns the extents of the whole mesh. Collective.
    pub fn of(solver: &Solver, flow: &Flow) -> Self {
        let [mut lower, mut upper] = extent(&solver.mesh.nodes);
        solver.ranks.allreduce_min(&mut lower);
        solver.ranks.allreduce_max(&mut upper);
        let mut of = Extent {
            lower,
            upper,
            reynolds_number_of_longest: None,
            reynolds_number_of_shortest: None,
        };
        let per_length = flow.largest(REYNOLDS);
        // Not a number without viscosity, infinite where it is 0.
        if per_length > 0.0 && per_length.is_finite() {
            of.reynolds_number_of_longest = Some(per_length * of.longest());
            of.reynolds_number_of_shortest = Some(per_length * of.shortest());
        }
        of
    }

    /// Returns the longest side.
    pub fn longest(&self) -> f64 {
        self.sides().into_iter().fold(0.0, f64::max)
    }

    fn shortest(&self) -> f64 {
        self.sides().into_iter().fold(f64::INFINITY, f64::min)
    }

    fn sides(&self) -> [f64; 3] {
        std::array::from_fn(|d| self.upper[d] - self.lower[d])
    }

    /// Returns them in words.
    pub fn words(&self) -> String {
        format!(
            "{} from {} to {}",
            self.sides().map(short).join(" x "),
            location(self.lower),
            location(self.upper)
        )
    }

    /// Returns the Reynolds numbers with the longest and the shortest side, where the gas is viscous.
    pub fn reynolds_numbers(&self) -> Option<[f64; 2]> {
        Some([self.reynolds_number_of_longest?, self.reynolds_number_of_shortest?])
    }

    /// Logs them.
    pub fn log(&self) {
        tracing::info!("extent  {}", self.words());
        if let Some([of_longest, of_shortest]) = self.reynolds_numbers() {
            tracing::info!(
                "        Reynolds number at most {} with the longest extent of the mesh ({}), {} with the shortest \
                 ({})",
                short(of_longest),
                short(self.longest()),
                short(of_shortest),
                short(self.shortest())
            );
        }
    }
}
