//! The memory of a steady solution on a device, which is compared with what is free before anything is allocated.

use super::dual::DualMesh;
use super::implicit::{self, Unknowns};
use super::keys::{Driver, Settings};
use super::multigrid::Levels;
use super::solver;

/// Bytes of a number in double precision.
const REAL: usize = size_of::<f64>();

/// The bytes that the arrays of a rank take, without those of boundaries and of the exchange between ranks, and without
/// the padding of slices: a few per cent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// Vertices of the rank, with the halo.
    pub vertices: usize,
    /// State, residuals and the dual mesh, with the coarse levels of a preconditioner.
    pub steps: usize,
    /// The matrices of implicit steps.
    pub matrices: usize,
    /// A vector of their linear solver in single precision.
    vector: usize,
    /// Iterations of the linear solver; `None` of explicit steps.
    krylov: Option<usize>,
}

impl Needs {
    /// Returns the needs of a dual mesh.
    pub fn new(dual: &DualMesh, levels: Option<&Levels>, settings: &Settings) -> Self {
        let vertices = dual.len();
        let implicit = settings.driver != Driver::Explicit;
        let turbulence = settings.scheme.turbulence;
        let unknowns = Unknowns::of(turbulence);
        let elements: usize = unknowns.iter().map(|of| of.count().pow(2)).sum();
        let matrices = |dual: &DualMesh| {
            elements * ((REAL + size_of::<f32>()) * dual.len() + size_of::<f32>() * dual.neighbour.len())
        };
        let of_level = |dual: &DualMesh| {
            solver::bytes_of_a_vertex(turbulence) * dual.len() + solver::BYTES_OF_AN_EDGE * dual.neighbour.len()
        };
        let coarse = || {
            levels
                .into_iter()
                .flat_map(|levels| &levels.coarse)
                .map(|level| &level.dual)
        };
        let all = || std::iter::once(dual).chain(coarse());
        Needs {
            vertices,
            steps: all().map(of_level).sum(),
            matrices: if implicit { all().map(matrices).sum() } else { 0 },
            vector: Unknowns::Flow.count() * size_of::<f32>() * vertices,
            krylov: implicit.then_some(settings.implicit.0.krylov),
        }
    }

    /// The vectors of the linear solver.
    pub fn vectors(&self) -> usize {
        self.krylov.map_or(0, |krylov| self.vector * implicit::vectors(krylov))
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
        let (vertices, needed, has) = (self.vertices, size(self.bytes()), size(free));
        let room = free.saturating_sub(self.steps + self.matrices) / self.vector.max(1);
        let fewer = (1..self.krylov.unwrap_or(0))
            .rev()
            .find(|&krylov| implicit::vectors(krylov) <= room);
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
            vector: 20 * vertices,
            krylov,
        }
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        let implicit = needs(Some(20));
        // 1000 + 1050 + 87 x 20 bytes.
        assert_eq!(implicit.bytes(), 3_790_000_000);
        assert_eq!(implicit.excess(3_790_000_000), None);
        let text = implicit.excess(3_789_999_999).expect("too little");
        assert!(
            text.contains("need 3.79 GB, 1.05 GB of them for matrices and 1.74 GB"),
            "{text}"
        );
        assert!(text.contains("take `implicit: {krylov: 19}`"), "{text}");
        // Room for 15 vectors: 4 k + 7.
        let text = implicit.excess(2_350_000_000).expect("too little");
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
                ("implicit", "multigrid"),
            ] {
                let implicit = serde_json::json!({"krylov": "7", "preconditioner": preconditioner});
                let keys = serde_json::json!({"driver": driver, "turbulence": turbulence, "implicit": implicit});
                let keys: SteadyKeys = serde_json::from_value(keys).expect("keys");
                let scope = Scope::new(&BTreeMap::new()).expect("no constants");
                let settings = keys.resolve(&scope, &GAS).expect("settings");
                let levels = settings.coarsening().map(|by| Levels::new(&mut dual, &[], by, &ranks));
                let host = Host::new(Some(1)).expect("threads");
                let meshes = (&dual, levels.as_ref());
                let stepper = Stepper::new(host, meshes, &[], &GAS, &settings, Ranks::alone()).expect("a solver");
                // The needs have room for the layers of curved walls, which a box does not have.
                let layers = 4 * REAL * dual.len();
                let needs = Needs::new(&dual, levels.as_ref(), &settings).bytes();
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
