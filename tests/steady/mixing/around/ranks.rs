//! Steps of rows with a plane around an axis have the same bits on any number of ranks, and on a GPU.

use super::{Stage, mesh_of, rough, two_rows};
use crate::common::program::as_ranks;
use crate::implicit::host;
use crate::solver::{GAS, MODELS, assert_part_of, conditions, with_model};
use fr_les::mesh::Mesh;
use fr_les::mesh::partition::distribute;
use fr_les::physics::BoundaryKind;
use fr_les::ranks::Ranks;
use fr_les::steady::{DualMesh, Machine, Solver, Turbulence, Values};
use mpi::topology::SimpleCommunicator;

#[test]
fn ranks_do_not_change_a_bit() {
    as_ranks(module_path!(), "ranks_do_not_change_a_bit", &[1, 2, 3], compare);
}

/// The dual of a mesh, and its state after ten steps on a machine.
fn ten_steps<M: Machine>(
    store: M,
    mesh: Mesh,
    model: Turbulence,
    ranks: &Ranks,
    of_solver: Ranks,
) -> (DualMesh, Vec<Values>) {
    let mut stage = Stage::new(two_rows(0.5), mesh, 2, ranks);
    let mut lists = conditions(&stage.joined.dual, |b| {
        match stage.joined.mesh.boundary_names[b].as_str() {
            "a-z-" => (BoundaryKind::TotalInlet, [1.15, 1.0, 0.0, 0.0, 1.0, 0.0]),
            "a-z+" | "b-z-" => (BoundaryKind::FarField, [0.0; 6]),
            "b-z+" => (BoundaryKind::PressureOutlet, [0.8, 1.0, 0.0, 0.0, 0.0, 0.0]),
            _ => (BoundaryKind::NoSlipAdiabatic, [0.0; 6]),
        }
    });
    // The casing of the second row is at rest.
    let casing = stage
        .joined
        .mesh
        .boundary_names
        .iter()
        .position(|name| name == "b-outer");
    let casing = &mut lists[casing.expect("a casing")];
    for (vertex, data) in casing.vertex.iter().zip(&mut casing.data) {
        let [x, y, _] = stage.joined.dual.position[*vertex as usize];
        data[..3].copy_from_slice(&[0.5 * y, -0.5 * x, 0.0]);
    }
    let planes = stage.joined.planes(&lists, ranks).expect("a plane");
    assert_eq!(planes[0].bands.len(), 5, "the places on walls join those beside them");
    stage.turn(&planes, ranks);
    let mut solver =
        Solver::new(store, &stage.joined.dual, &lists, &GAS, &with_model(model), of_solver).expect("a solver");
    solver
        .set_planes(&planes, &stage.joined.dual, &lists, &GAS)
        .expect("memory");
    let state = stage
        .joined
        .dual
        .position
        .iter()
        .map(|&x| rough(x))
        .collect::<Vec<Values>>();
    solver.set_state(&state).expect("a state");
    (0..10).for_each(|_| solver.step(1.5).expect("a step"));
    assert!(solver.agreements()[0].holds(), "{:?}", solver.agreements());
    let state = solver.state().expect("a state");
    assert!(state.as_flattened().iter().all(|value| value.is_finite()));
    (stage.joined.dual, state)
}

/// Compares the state of each rank's part with that of the whole mesh.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    for model in MODELS {
        let mesh = mesh_of(&two_rows(0.5), [3, 2, 2]);
        let (whole, expected) = ten_steps(host(1), mesh.clone(), model, &Ranks::alone(), Ranks::alone());
        let mesh = distribute(mesh, world, 2, &[]).expect("parts");
        let (part, state) = ten_steps(host(1), mesh, model, ranks, Ranks::of(world));
        assert_part_of((&part, &state), (&whole, &expected), &format!("{model:?}"));
    }
}

mod gpu {
    use super::{ten_steps, two_rows};
    use crate::implicit::host;
    use crate::mixing::around::mesh_of;
    use crate::solver::{MODELS, bits};
    use fr_les::device::cuda::{Gpu, GpuStore};
    use fr_les::ranks::Ranks;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_bits_of_the_cpu_on_rows_that_turn() {
        for model in MODELS {
            let mesh = mesh_of(&two_rows(0.5), [3, 2, 2]);
            let (_, cpu) = ten_steps(host(1), mesh.clone(), model, &Ranks::alone(), Ranks::alone());
            let gpu = GpuStore::new(Gpu::open(0).expect("a GPU"), true).expect("queues");
            let (_, gpu) = ten_steps(gpu, mesh, model, &Ranks::alone(), Ranks::alone());
            assert_eq!(bits(&cpu), bits(&gpu), "{model:?}");
        }
    }
}
