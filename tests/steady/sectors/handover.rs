//! A run in time on a sector begins with the steady solution: every point has the values of its vertex, turned to it.

use std::collections::BTreeMap;
use std::path::Path;

use super::{There, annulus, dual_of, state_at};
use crate::common::program::{again, ended, with_case};
use fr_les::case::Case;
use fr_les::io::Provenance;
use fr_les::mesh::native;
use fr_les::mesh::partition::distribute;
use fr_les::ranks::{Ranks, abort_all_on_panic};
use fr_les::solver::Solver;
use fr_les::steady::{Solution, Stored, Turbulence, Values};
use nalgebra::Rotation3;

/// Environment variable with the directory of the case.
const DIRECTORY: &str = "FR_LES_TEST_SECTOR";

const CASE: &str = "\
mesh: {file: sector.h5}
order: 2
gas: {gas-constant: 1, viscosity: {constant: 0.01}}
boundaries: {inner: {type: no-slip-adiabatic}, outer: {type: slip}, z-: {type: slip}, z+: {type: slip}}
initial: {file: steady.h5}
device: cpu
time: {steps: 2}
";

fn place() -> There {
    There {
        turn: Rotation3::from_euler_angles(0.4, -1.1, 2.0),
        shift: [0.3, -2.0, 0.7],
    }
}

#[test]
fn every_point_of_a_sector_begins_with_its_vertex_turned_to_it() {
    if let Some(directory) = std::env::var_os(DIRECTORY) {
        return be_a_rank(Path::new(&directory));
    }
    let directory = with_case(CASE);
    let path = directory.path();
    native::write(&place().mesh(&annulus(3)), &path.join("sector.h5")).expect("a mesh");
    let test = "every_point_of_a_sector_begins_with_its_vertex_turned_to_it";
    for ranks in [1, 3] {
        let ran = again(module_path!(), test, ranks, DIRECTORY, path).output();
        ended(&ran.expect("mpirun starts"), 0);
    }
}

fn be_a_rank(directory: &Path) {
    let universe = mpi::initialize().expect("MPI");
    let world = universe.world();
    abort_all_on_panic(&world);
    let ranks = Ranks::of(&world);
    let case = Case::parse(CASE, &directory.join("run.yaml"), &[]).expect("a case");
    let place = place();
    let mesh = distribute(place.mesh(&annulus(3)), &world, 2, &[]).expect("parts");
    let dual = dual_of(&mesh, 2, &ranks);
    let of_place = |x: [f64; 3]| -> Values {
        let [rho, u, v, w, t, nu, _] = place.values(state_at(place.back(x)));
        [rho, u, v, w, t, nu, 0.0]
    };
    let values: Vec<Values> = dual.position.iter().map(|x| of_place(*x)).collect();
    let gradient = dual.gradient(|v| [values[v][1], values[v][2], values[v][3]], &ranks);
    let solution = Solution {
        mesh: &mesh,
        order: 2,
        dual: &dual,
        gas: &case.solver.gas,
        model: Turbulence::SaNeg,
        values: &values,
        gradient: &gradient,
    };
    let provenance = Provenance {
        mesh_hash: mesh.hash(),
        ..Provenance::of_this_program()
    };
    let path = directory.join("steady.h5");
    let part = serde_json::json!({"iteration": 12});
    let written = solution.write_checkpoint(&path, &world, part, BTreeMap::new(), &provenance);
    written.expect("a checkpoint");
    let stored = Stored::read(&path, &world, &mesh, &dual, 2, Turbulence::SaNeg, &ranks).expect("a checkpoint");
    assert!(
        stored.values == values,
        "the steady solver continues with the bits of its vertices"
    );
    let solver = Solver::on_ranks(&case.solver, &world).expect("a solver");
    let state = solver.device.state().expect("a state");
    for cell in 0..solver.mesh.len() {
        let first = solver.geometry.first_point[cell];
        let points = solver.geometry.cell_points(cell);
        for point in 0..points {
            let [rho, u, v, w, t, ..] = of_place(solver.geometry.points[first + point]);
            let expected = case.solver.gas.conserved(rho, [u, v, w], rho * t);
            for (variable, expected) in expected.iter().enumerate() {
                let found = state[5 * first + variable * points + point];
                assert!((found - expected).abs() < 1e-13, "{found} for {expected}");
            }
        }
    }
}
