//! The memory of a steady solution on a device, which is compared with what is free before anything is allocated.

use super::arrays::{
    EdgeSizes, FlowSizes, GalerkinSizes, MatrixSizes, bytes_of_boundary, bytes_of_cycle, bytes_of_edges,
    bytes_of_elimination, bytes_of_flow, bytes_of_galerkin, bytes_of_matrix,
};
use super::conditions::BoundaryList;
use super::dual::DualMesh;
use super::implicit::{Preconditioner, Unknowns, bytes_of_vectors};
use super::keys::{Driver, Settings};
use super::multigrid::{Level, Meshes};
use crate::physics::Turbulence;

/// The bytes that the arrays of a rank take, without those of the exchange between ranks, and without the padding of
/// slices: a few per cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Vertices of the rank, with the halo.
    pub vertices: usize,
    /// State, residuals and the dual mesh.
    pub steps: usize,
    /// The matrices of implicit steps, with the coarse levels of a preconditioner.
    pub matrices: usize,
    /// Iterations of the linear solver; `None` of explicit steps.
    krylov: Option<usize>,
}

impl Needs {
    /// Returns the needs of a solution on these meshes.
    pub fn new(meshes: Meshes, boundaries: &[BoundaryList], settings: &Settings) -> Self {
        let dual = meshes.dual;
        let of_boundary = |boundary: &BoundaryList| bytes_of_boundary(&boundary.vertex.len()).total();
        let at_boundaries: usize = boundaries.iter().map(of_boundary).sum();
        let turbulence = settings.scheme.turbulence;
        let implicit = settings.driver != Driver::Explicit;
        let mut matrices = 0;
        if implicit {
            matrices += of_matrices(dual, turbulence);
            if settings.implicit.steps.preconditioner == Preconditioner::Ilu {
                matrices += bytes_of_elimination(&dual.len()).total();
            }
            let mut finer = dual;
            for level in meshes.levels.iter().flat_map(|levels| &levels.coarse) {
                matrices += of_level(level, finer, turbulence);
                finer = &level.dual;
            }
        }
        Needs {
            vertices: dual.len(),
            steps: of_edges(dual.len(), dual.neighbour.len()) + of_flow(dual, turbulence) + at_boundaries,
            matrices,
            krylov: implicit.then_some(settings.implicit.steps.krylov),
        }
    }

    /// The vectors of the linear solver, for so many iterations.
    fn of_vectors(&self, krylov: usize) -> usize {
        bytes_of_vectors(Unknowns::Flow.count() * self.vertices, krylov)
    }

    /// The vectors of the linear solver.
    pub fn vectors(&self) -> usize {
        self.krylov.map_or(0, |krylov| self.of_vectors(krylov))
    }

    /// All bytes.
    pub fn bytes(&self) -> usize {
        self.steps + self.matrices + self.vectors()
    }

    /// Returns why the solution does not fit into so many bytes, and what to do; `None` if it fits.
    pub fn excess(&self, free: usize) -> Option<String> {
        if self.bytes() <= free {
            return None;
        }
        let size = |bytes: usize| format!("{:.2} GB", bytes as f64 / 1e9);
        let vertices = self.vertices;
        let needed = size(self.bytes());
        let has = size(free);
        let room = free.saturating_sub(self.steps + self.matrices);
        let fewer = (1..self.krylov.unwrap_or(0))
            .rev()
            .find(|&krylov| self.of_vectors(krylov) <= room);
        let fitting = (vertices as f64 * free as f64 / self.bytes() as f64) as usize;
        let advice = match (self.krylov, fewer) {
            (Some(_), Some(fewer)) => format!("take `implicit: {{krylov: {fewer}}}`, or more devices"),
            (Some(_), None) if self.steps <= free => format!(
                "about {fitting} vertices would fit; take more devices, or `driver: explicit`, which needs {}",
                size(self.steps)
            ),
            _ => format!("about {fitting} vertices would fit; take more devices or a coarser mesh"),
        };
        Some(match self.krylov {
            Some(krylov) => format!(
                "implicit steps on {vertices} vertices need {needed}, {} of them for matrices and {} for the vectors \
                 of `krylov: {krylov}`, and {has} are free on the device: {advice}",
                size(self.matrices),
                size(self.vectors())
            ),
            None => format!(
                "explicit steps on {vertices} vertices need {needed}, and {has} are free on the device: {advice}"
            ),
        })
    }
}

/// The edges of so many vertices, or as many ties to another level.
fn of_edges(slots: usize, edges: usize) -> usize {
    let sizes = EdgeSizes {
        slots,
        edges,
        ..EdgeSizes::default()
    };
    bytes_of_edges(&sizes).total()
}

/// The flow on the points, with room for the layers of curved walls.
fn of_flow(dual: &DualMesh, turbulence: Turbulence) -> usize {
    let sizes = FlowSizes {
        turbulence,
        slots: dual.len(),
        edges: dual.neighbour.len(),
        layers: true,
        turns: dual.rotation.as_ref().map_or(0, |rotation| rotation.matrices().len()),
        frames: dual.frames(),
        wall_rows: 0,
        boundary_rows: 0,
        parts: 0,
    };
    bytes_of_flow(&sizes).total()
}

/// The matrices of all systems on a level.
fn of_matrices(dual: &DualMesh, turbulence: Turbulence) -> usize {
    let of_system = |unknowns: Unknowns| {
        let sizes = MatrixSizes {
            elements: unknowns.count().pow(2),
            slots: dual.len(),
            edges: dual.neighbour.len(),
            groups: 0,
        };
        bytes_of_matrix(&sizes).total()
    };
    Unknowns::of_step(turbulence).into_iter().map(of_system).sum()
}

/// A coarse level of a preconditioner: its edges and matrices, the ties to the finer one, the lists of the blocks that
/// are added, and the vectors of a cycle.
fn of_level(level: &Level, finer: &DualMesh, turbulence: Turbulence) -> usize {
    let dual = &level.dual;
    let edges = dual.neighbour.len();
    let members: usize = level.members.iter().map(Vec::len).sum();
    let ties = of_edges(dual.len(), members) + of_edges(finer.len(), level.parent.len());
    let sums = GalerkinSizes {
        sums: edges + dual.owned,
        blocks: finer.neighbour.len() + finer.owned,
        ..GalerkinSizes::default()
    };
    let vectors = bytes_of_cycle(&(Unknowns::Flow.count() * dual.len()));
    of_edges(dual.len(), edges)
        + of_matrices(dual, turbulence)
        + ties
        + bytes_of_galerkin(&sums).total()
        + vectors.total()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::device::cpu::Host;
    use crate::element::{Correction, Elements};
    use crate::geometry::Geometry;
    use crate::input::Scope;
    use crate::mesh::test_meshes::a_box;
    use crate::mesh::{BoxElements, build_box};
    use crate::physics::{Gas, Viscosity};
    use crate::ranks::Ranks;
    use crate::steady::keys::SteadyKeys;
    use crate::steady::multigrid::Levels;
    use crate::steady::stepper::Stepper;

    const GAS: Gas = Gas {
        gamma: 1.4,
        prandtl: 0.72,
        gas_constant: 1.0,
        viscosity: Some(Viscosity::Constant(1e-3)),
    };

    /// A million vertices with 6 edges each.
    fn needs(krylov: Option<usize>) -> Needs {
        let vertices = 1_000_000;
        Needs {
            vertices,
            steps: 1000 * vertices,
            matrices: if krylov.is_some() { 1050 * vertices } else { 0 },
            krylov,
        }
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        let implicit = needs(Some(20));
        // 1000 + 1050 + 87 x 20 bytes, and those of 126 coefficients and sums.
        assert_eq!(implicit.bytes(), 3_790_001_008);
        assert_eq!(implicit.excess(3_790_001_008), None);
        let text = implicit.excess(3_790_001_007).expect("too little");
        assert!(
            text.contains("need 3.79 GB, 1.05 GB of them for matrices and 1.74 GB"),
            "{text}"
        );
        assert!(text.contains("take `implicit: {krylov: 19}`"), "{text}");
        // Room for 15 vectors: 4 k + 7.
        let text = implicit.excess(2_350_000_144).expect("too little");
        assert!(text.contains("krylov: 2}"), "{text}");
        let text = implicit.excess(2_100_000_000).expect("too little");
        assert!(
            text.contains("about 554089 vertices would fit") && text.contains("which needs 1.00 GB"),
            "{text}"
        );
        let text = implicit.excess(500_000_000).expect("too little");
        assert!(text.contains("a coarser mesh"), "{text}");
        let text = needs(None).excess(999_000_000).expect("too little");
        assert!(
            text.contains("explicit steps on 1000000 vertices need 1.00 GB"),
            "{text}"
        );
        assert_eq!(needs(None).excess(1_000_000_000), None);
    }

    #[test]
    fn the_needs_are_the_bytes_of_the_arrays() {
        let ranks = Ranks::alone();
        for (kind, turbulence) in [
            (BoxElements::Hex, "sa-neg"),
            (BoxElements::Hex, "sst"),
            (BoxElements::Tet, "none"),
        ] {
            let mesh = build_box(&a_box(kind, [8, 8, 8], [true, false, true]), 1).expect("a box");
            let elements = Elements::new(2, Correction::Radau, &mesh.kinds_present());
            let geometry = Geometry::on_ranks(&mesh, &elements, &ranks).expect("good cells");
            let mut dual = DualMesh::new(&mesh, &geometry, 2, |_| false, &ranks).expect("a dual");
            for (driver, preconditioner) in [
                ("explicit", "gauss-seidel"),
                ("implicit", "gauss-seidel"),
                ("implicit", "ilu"),
                ("implicit", "multigrid"),
            ] {
                let implicit = serde_json::json!({"krylov": "7", "preconditioner": preconditioner});
                let keys = serde_json::json!({"driver": driver, "turbulence": turbulence, "implicit": implicit});
                let keys: SteadyKeys = serde_json::from_value(keys).expect("keys");
                let scope = Scope::new(&BTreeMap::new()).expect("no constants");
                let settings = keys.resolve(&scope, &GAS).expect("settings");
                let levels = settings.coarsening().map(|by| Levels::new(&mut dual, &[], by, &ranks));
                let host = Host::new(Some(1)).expect("threads");
                let meshes = Meshes {
                    dual: &dual,
                    levels: levels.as_ref(),
                };
                let stepper = Stepper::new(host, meshes, &[], &GAS, &settings, Ranks::alone()).expect("a solver");
                // The needs have room for the layers of curved walls, which a box does not have.
                let layers = 4 * size_of::<f64>() * dual.len();
                let needs = Needs::new(meshes, &[], &settings).bytes();
                let share = (stepper.bytes() + layers) as f64 / needs as f64;
                // Slices of eight vertices are filled up to the one with the most edges.
                let padding = if kind == BoxElements::Hex { 1.03 } else { 1.25 };
                // Agglomerates have different numbers of edges, and lists of their members.
                let of_levels = if levels.is_some() { 0.1 } else { 0.0 };
                let what = format!("{kind:?} {driver} {preconditioner}: {share}");
                assert!((1.0..padding + of_levels).contains(&share), "{what}");
            }
        }
    }
}
