//! Files with which a run begins, solutions and checkpoints, must be refused or give a state that is finite. MPI must
//! be initialised before.

use fr_les::case::Case;
use fr_les::solver::Solver;

use super::hdf5_changes;

const CASE: &str = "\
mesh: {box: {cells: [1, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 1
initial: {file: start.vtkhdf}
device: cpu
time: {steps: 1}
";

/// Files that [`super::hdf5_changes`] changes: solutions of one cell of each kind, and a checkpoint.
const VALID: &[&[u8]] = &[
    include_bytes!("../seeds/initial/hexahedron.vtkhdf"),
    include_bytes!("../seeds/initial/prisms.vtkhdf"),
    include_bytes!("../seeds/initial/pyramids.vtkhdf"),
    include_bytes!("../seeds/initial/checkpoint.h5"),
];

/// Begins a run with bytes as its initial state.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("temporary directory");
    hdf5_changes::write(&folder.path().join("start.vtkhdf"), bytes, VALID);
    let case = match Case::parse(CASE, &folder.path().join("run.yaml"), &[]) {
        Ok(case) => case,
        Err(error) => return assert!(error.to_string().starts_with("error: ")),
    };
    match Solver::new(&case.solver) {
        Ok(mut solver) => {
            let bulk = solver.bulk().expect("the CPU");
            let finite = bulk.momentum.iter().all(|momentum| momentum.is_finite());
            assert!(finite && bulk.density > 0.0 && bulk.density.is_finite(), "{bulk:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
