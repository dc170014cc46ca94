//! Thin cells on a curved wall: gradients and residuals along the layer.

use std::collections::HashMap;

use crate::common::program::as_ranks;
use crate::meshes::with_dual;
use crate::solver::{GAS, bits, duct, on_cpu, rough, with_model};
use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::device::cpu::Host;
use fr_les::mesh::partition::distribute;
use fr_les::mesh::{Mesh, build_box};
use fr_les::ranks::Ranks;
use fr_les::steady::{DualMesh, Machine, Scheme, Solver, Turbulence, Values};
use fr_les::vector::Vector;
use mpi::topology::SimpleCommunicator;

const KINDS: [BoxElements; 2] = [BoxElements::Hex, BoxElements::Prism];

/// Cells of the angle 0.1 and the height 2.5e-4 on a convex wall of radius 1: lines along the wall leave its tangent by
/// twenty heights between two vertices.
fn arc(elements: BoxElements) -> Mesh {
    let flat = BoxMesh {
        cells: [12, 4, 2],
        lower: [0.0; 3],
        upper: [1.2, 1e-3, 0.2],
        periodic: [false; 3],
        elements,
        stretch: [None; 3],
        warp: 0.0,
        warp_kind: WarpKind::Curved,
    };
    let mut mesh = build_box(&flat, 2).expect("a box");
    for node in &mut mesh.nodes {
        let [angle, height, z] = *node;
        *node = [(1.0 + height) * angle.sin(), (1.0 + height) * angle.cos(), z];
    }
    mesh
}

fn distance(x: &Vector) -> f64 {
    x[0].hypot(x[1]) - 1.0
}

#[test]
fn gradients_follow_the_layer() {
    for elements in KINDS {
        let (_, _, mut dual) = with_dual(arc(elements), 1, &Ranks::alone()).expect("a dual");
        dual.wall_distance = dual.position.iter().map(distance).collect();
        let mut solver = on_cpu(&dual, &[], &Scheme::default(), 1);
        // The speed in z is the distance, whose gradient is the unit vector off the wall.
        let state: Vec<Values> = (dual.position.iter())
            .map(|x| [1.0, 0.0, 0.0, distance(x), 1.0, 0.0, 0.0])
            .collect();
        solver.set_state(&state).expect("a state");
        let gradients = solver.state_gradients().expect("gradients");
        // The normals of the vertices at both ends are those of one side.
        let inside = |x: &Vector| (0.05..1.15).contains(&x[0].atan2(x[1]));
        for (x, g) in dual.position.iter().zip(&gradients).filter(|(x, _)| inside(x)) {
            let radius = x[0].hypot(x[1]);
            let off = [x[0] / radius, x[1] / radius, 0.0];
            let error = (0..3).map(|d| (g[3][d] - off[d]).powi(2)).sum::<f64>().sqrt();
            // Diagonals tilt the normal by a part of the angle 0.1 between two vertices.
            let most = if elements == BoxElements::Hex { 0.01 } else { 0.025 };
            assert!(error < most, "{elements:?} at {x:?}: {error}");
        }
    }
}

/// The residuals of a state that changes from vertex to vertex, by owned vertices.
fn residuals<M: Machine>(store: M, dual: &DualMesh, mesh: &Mesh, model: Turbulence, ranks: Ranks) -> Vec<Values> {
    let boundaries = duct(dual, &mesh.boundary_names);
    let scheme = Scheme {
        second_order_turbulence: true,
        ..with_model(model)
    };
    let mut solver = Solver::new(store, dual, &boundaries, &GAS, &scheme, ranks).expect("a solver");
    solver.set_state(&rough(dual)).expect("a state");
    solver.residuals().expect("residuals")
}

#[test]
fn ranks_do_not_change_a_bit() {
    as_ranks(module_path!(), "ranks_do_not_change_a_bit", &[1, 2, 4], compare);
}

/// Compares the residuals of each rank's part with those of the whole mesh.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    let host = || Host::new(Some(1)).expect("threads");
    for (elements, model) in KINDS.into_iter().zip([Turbulence::SaNeg, Turbulence::Sst]) {
        let mesh = arc(elements);
        let (whole, _, of_whole) = with_dual(mesh.clone(), 2, &Ranks::alone()).expect("a dual");
        let expected = residuals(host(), &of_whole, &whole, model, Ranks::alone());
        let (part, _, of_part) = with_dual(distribute(mesh, world, 2, &[]).expect("parts"), 2, ranks).expect("a dual");
        let found = residuals(host(), &of_part, &part, model, Ranks::of(world));
        let at: HashMap<u64, usize> = of_whole.global.iter().copied().zip(0..).collect();
        let there: Vec<Values> = (of_part.global[..of_part.owned].iter())
            .map(|number| expected[at[number]])
            .collect();
        assert_eq!(bits(&found), bits(&there), "{elements:?}");
    }
}

mod gpu {
    use super::{KINDS, arc, residuals};
    use crate::meshes::with_dual;
    use crate::solver::{MODELS, bits};
    use fr_les::device::cpu::Host;
    use fr_les::device::cuda::{Gpu, GpuStore};
    use fr_les::ranks::Ranks;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_bits_of_the_cpu() {
        for (elements, model) in KINDS.into_iter().flat_map(|kind| MODELS.map(|model| (kind, model))) {
            let (mesh, _, dual) = with_dual(arc(elements), 2, &Ranks::alone()).expect("a dual");
            let cpu = residuals(Host::new(None).expect("threads"), &dual, &mesh, model, Ranks::alone());
            let store = GpuStore::new(Gpu::open(0).expect("a GPU"), false).expect("queues");
            let gpu = residuals(store, &dual, &mesh, model, Ranks::alone());
            assert_eq!(bits(&cpu), bits(&gpu), "{elements:?} {model:?}");
        }
    }
}
