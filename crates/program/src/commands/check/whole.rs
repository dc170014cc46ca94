//! The cells and points of a mesh, on all ranks together.

use serde::Serialize;

use crate::element::ElementKind;
use crate::solver::Solver;

/// How large a case is.
#[derive(Debug, Serialize)]
pub(super) struct Whole {
    cells: u64,
    points: u64,
    /// Number of cells of each kind, in the order of [`ElementKind::ALL`].
    #[serde(skip)]
    of_kind: [u64; ElementKind::ALL.len()],
    #[serde(skip)]
    order: usize,
}

impl Whole {
    /// Counts them. Collective.
    pub fn of(solver: &Solver) -> Self {
        let count = |kind| solver.mesh.kinds.iter().filter(|of| **of == kind).count() as u64;
        let mut of_kind = ElementKind::ALL.map(count);
        solver.ranks.allreduce_sum(&mut of_kind);
        Whole {
            cells: of_kind.iter().sum(),
            points: solver.points_of_all_ranks() as u64,
            of_kind,
            order: solver.elements.order,
        }
    }

    /// Returns them in words.
    pub fn words(&self) -> String {
        let kinds = ElementKind::ALL
            .iter()
            .zip(self.of_kind)
            .filter(|(_, count)| *count > 0);
        let kinds = kinds.map(|(kind, count)| {
            let noun = if count == 1 { kind.noun() } else { kind.plural() };
            format!("{count} {noun}")
        });
        format!(
            "{} of order {}: {} solution points",
            kinds.collect::<Vec<_>>().join(", "),
            self.order,
            self.points
        )
    }
}
