//! Ten steps of the steady solver on several ranks give the state of one rank, to the last bit.

use crate::common::program::as_ranks;
use crate::meshes::{a_box, with_dual};
use crate::solver::{GAS, assert_part_of, duct, rough, with_model};
use fr_les::case::BoxElements;
use fr_les::device::cpu::Host;
use fr_les::mesh::partition::distribute;
use fr_les::mesh::{Mesh, build_box};
use fr_les::ranks::Ranks;
use fr_les::steady::{DualMesh, Solver, Turbulence, Values};
use mpi::topology::SimpleCommunicator;

#[test]
fn ranks_do_not_change_a_bit() {
    as_ranks(module_path!(), "ranks_do_not_change_a_bit", &[1, 2, 4], compare);
}

/// The dual of a mesh, and its state after ten steps.
fn ten_steps(mesh: Mesh, model: Turbulence, ranks: &Ranks, of_solver: Ranks) -> (DualMesh, Vec<Values>) {
    let (mesh, _, dual) = with_dual(mesh, 2, ranks).expect("a dual");
    let boundaries = duct(&dual, &mesh.boundary_names);
    let store = Host::new(Some(1)).expect("threads");
    let mut solver = Solver::new(store, &dual, &boundaries, &GAS, &with_model(model), of_solver).expect("a solver");
    solver.set_state(&rough(&dual)).expect("a state");
    (0..10).for_each(|_| solver.step(1.5).expect("a step"));
    let state = solver.state().expect("a state");
    (dual, state)
}

/// Compares the state of each rank's part with that of the whole mesh.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    for (elements, periodic, model) in [
        (BoxElements::Mixed, [false; 3], Turbulence::SaNeg),
        (BoxElements::Hex, [false, false, true], Turbulence::SaNeg),
        (BoxElements::Mixed, [false; 3], Turbulence::KOmega),
        (BoxElements::Hex, [false, false, true], Turbulence::Sst),
    ] {
        let mesh = build_box(&a_box(elements, [4, 2, 2], periodic), 2).expect("a box");
        let (whole, expected) = ten_steps(mesh.clone(), model, &Ranks::alone(), Ranks::alone());
        let mesh = distribute(mesh, world, 2, &[]).expect("parts");
        let (part, state) = ten_steps(mesh, model, ranks, Ranks::of(world));
        assert_part_of((&part, &state), (&whole, &expected), &format!("{elements:?} {model:?}"));
    }
}
