//! Ten steps of the steady solver on several ranks give the state of one rank, to the last bit.

use std::collections::HashMap;
use std::path::Path;

use crate::common::program::{again, ended};
use crate::meshes::{a_box, with_dual};
use crate::solver::{GAS, duct, rough, with_model};
use fr_les::case::BoxElements;
use fr_les::device::cpu::Host;
use fr_les::mesh::partition::distribute;
use fr_les::mesh::{Mesh, build_box};
use fr_les::ranks::{Ranks, abort_all_on_panic};
use fr_les::steady::{DualMesh, Solver, Turbulence, Values};

/// Environment variable of the copies that are ranks.
const RANK: &str = "FR_LES_TEST_STEADY_STEPS";

#[test]
fn ranks_do_not_change_a_bit() {
    if std::env::var_os(RANK).is_some() {
        return be_a_rank();
    }
    for ranks in [1, 2, 4] {
        let output = again(module_path!(), "ranks_do_not_change_a_bit", ranks, RANK, Path::new("1")).output();
        ended(&output.expect("mpirun starts"), 0);
    }
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

fn be_a_rank() {
    let universe = mpi::initialize().expect("MPI");
    let world = universe.world();
    abort_all_on_panic(&world);
    let ranks = Ranks::of(&world);
    for (elements, periodic, model) in [
        (BoxElements::Mixed, [false; 3], Turbulence::SaNeg),
        (BoxElements::Hex, [false, false, true], Turbulence::SaNeg),
        (BoxElements::Mixed, [false; 3], Turbulence::KOmega),
        (BoxElements::Hex, [false, false, true], Turbulence::Sst),
    ] {
        let mesh = build_box(&a_box(elements, [4, 2, 2], periodic), 2).expect("a box");
        let (whole, expected) = ten_steps(mesh.clone(), model, &Ranks::alone(), Ranks::alone());
        let mesh = distribute(mesh, &world, 2).expect("parts");
        let (part, state) = ten_steps(mesh, model, &ranks, Ranks::of(&world));
        let at: HashMap<u64, usize> = whole.global.iter().copied().zip(0..).collect();
        for (number, values) in part.global.iter().zip(&state) {
            assert_eq!(
                values.map(f64::to_bits),
                expected[at[number]].map(f64::to_bits),
                "{elements:?} {model:?}"
            );
        }
    }
}
