//! Steps on a sector have the same bits on any number of ranks, and on a GPU.

use super::{There, annulus, dual_of, duct, frame_of, state_of};
use crate::common::program::as_ranks;
use crate::implicit::{SETTINGS, host, implicit};
use crate::solver::{GAS, assert_part_of, with_model};
use fr_les::device::cpu::Host;
use fr_les::mesh::Mesh;
use fr_les::mesh::partition::distribute;
use fr_les::ranks::Ranks;
use fr_les::steady::{
    Coarsening, DualMesh, Implicit, ImplicitSolver, Levels, Machine, Meshes, Preconditioner, Solver, Step, Turbulence,
    Values, keep_lines_whole,
};
use mpi::topology::SimpleCommunicator;

#[test]
fn ranks_do_not_change_a_bit() {
    as_ranks(module_path!(), "ranks_do_not_change_a_bit", &[1, 2, 3], compare_ranks);
}

/// Explicit and implicit steps of a sector with each preconditioner, in a frame that rotates.
fn steps(
    mesh: &Mesh,
    preconditioner: Option<Preconditioner>,
    ranks: &Ranks,
    of_solver: Ranks,
) -> (DualMesh, Vec<Values>) {
    let place = There::about_z(0.0);
    let mut dual = dual_of(mesh, 2, ranks);
    dual.frame = frame_of(0.4);
    let mut lists = duct(&dual, mesh, &place);
    let scheme = with_model(Turbulence::Sst);
    let Some(preconditioner) = preconditioner else {
        let mut solver = Solver::new(host(1), &dual, &lists, &GAS, &scheme, of_solver).expect("a solver");
        solver.set_state(&state_of(&dual, &place)).expect("a state");
        (0..10).for_each(|_| solver.step(1.5).expect("a step"));
        let state = solver.state().expect("a state");
        return (dual, state);
    };
    if preconditioner == Preconditioner::Lines {
        keep_lines_whole(&mut dual, &mut lists, ranks);
    }
    let by = Coarsening {
        levels: 10,
        pairings: 1,
        fewest: 32,
    };
    let is_multigrid = preconditioner == Preconditioner::Multigrid;
    let levels = is_multigrid.then(|| Levels::new(&mut dual, &lists, by, ranks));
    assert!(levels.as_ref().is_none_or(|levels| levels.coarse.len() >= 2));
    let meshes = Meshes {
        dual: &dual,
        levels: levels.as_ref(),
    };
    let settings = Implicit {
        preconditioner,
        ..SETTINGS
    };
    let solver = ImplicitSolver::new(host(1), meshes, &lists, &GAS, &scheme, &settings, of_solver);
    let mut solver = solver.expect("a solver");
    solver.solver.set_state(&state_of(&dual, &place)).expect("a state");
    for cfl in [2.0, 8.0] {
        solver.step(cfl).expect("a step");
    }
    let state = solver.solver.state().expect("a state");
    (dual, state)
}

fn compare_ranks(world: &SimpleCommunicator, ranks: &Ranks) {
    let mesh = There::about_z(0.0).mesh(&annulus(3));
    let part = distribute(mesh.clone(), world, 2, &[]).expect("parts");
    for preconditioner in [None].into_iter().chain(Preconditioner::ALL.map(Some)) {
        let (whole, expected) = steps(&mesh, preconditioner, &Ranks::alone(), Ranks::alone());
        let (dual, state) = steps(&part, preconditioner, ranks, Ranks::of(world));
        assert!(state.as_flattened().iter().all(|value| value.is_finite()));
        assert_part_of((&dual, &state), (&whole, &expected), &format!("{preconditioner:?}"));
    }
}

/// Five explicit steps and two implicit ones, all of which are taken.
fn mixed_steps<M: Machine>(store: M, model: Turbulence, preconditioner: Preconditioner) -> Vec<Values> {
    let place = There::about_z(0.4);
    let mesh = place.mesh(&annulus(3));
    let mut dual = dual_of(&mesh, 2, &Ranks::alone());
    dual.frame = frame_of(0.4);
    let lists = duct(&dual, &mesh, &place);
    let settings = Implicit {
        preconditioner,
        ..SETTINGS
    };
    let mut solver = implicit(store, &dual, &lists, &GAS, &with_model(model), &settings);
    solver.solver.set_state(&state_of(&dual, &place)).expect("a state");
    (0..5).for_each(|_| solver.solver.step(1.5).expect("a step"));
    for cfl in [2.0, 8.0] {
        let step = solver.step(cfl).expect("a step");
        assert!(matches!(step, Step::Taken(_)), "{model:?} {preconditioner:?}: {step:?}");
    }
    solver.solver.state().expect("a state")
}

/// The slots of a slice that have no vertex get no finite state from explicit steps; implicit ones do not see it.
#[test]
fn implicit_steps_after_explicit_ones_are_taken() {
    for preconditioner in Preconditioner::ALL {
        mixed_steps(Host::new(None).expect("threads"), Turbulence::SaNeg, preconditioner);
    }
}

mod gpu {
    use super::mixed_steps;
    use crate::solver::{MODELS, bits};
    use fr_les::device::cpu::Host;
    use fr_les::device::cuda::{Gpu, GpuStore};
    use fr_les::steady::Preconditioner;

    #[test]
    #[ignore = "needs an NVIDIA GPU"]
    fn a_gpu_gives_the_bits_of_the_cpu_on_a_sector() {
        for model in MODELS {
            for preconditioner in [Preconditioner::Lines, Preconditioner::Ilu, Preconditioner::Multigrid] {
                let cpu = mixed_steps(Host::new(None).expect("threads"), model, preconditioner);
                let gpu = GpuStore::new(Gpu::open(0).expect("a GPU"), true).expect("queues");
                let gpu = mixed_steps(gpu, model, preconditioner);
                assert_eq!(bits(&cpu), bits(&gpu), "{model:?} {preconditioner:?}");
            }
        }
    }
}
