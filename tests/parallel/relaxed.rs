//! The values of relaxed boundaries in a checkpoint are on rank 0 alone, which writes them, and in the order of one
//! rank.

use crate::common::cases::case;
use crate::common::program::as_ranks;
use fr_les::io::CheckpointData;
use fr_les::ranks::Ranks;
use fr_les::solver::Solver;
use mpi::topology::SimpleCommunicator;

/// A duct with a relaxed inlet and outlet, whose initial values differ from point to point.
const DUCT: &str = "mesh: {box: {cells: [3, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1]}}
order: 2
gas: {}
initial: {u: 0.3 + 0.01*y, v: 0, w: 0, p: 1/1.4 + 0.01*y*z, rho: 1}
boundaries:
  x-: {type: relaxed-total-inlet, total-pressure: 1.06/1.4, total-temperature: 1.02/1.4, direction: [1, 0, 0],
    relaxation: 1}
  x+: {type: relaxed-outlet, p: 1/1.4, relaxation: 1}
  y-: {type: slip}
  y+: {type: slip}
  z-: {type: slip}
  z+: {type: slip}
time: {steps: 1}
";

#[test]
fn values_of_a_checkpoint_are_on_the_first_rank() {
    let test = "values_of_a_checkpoint_are_on_the_first_rank";
    as_ranks(module_path!(), test, &[3], compare);
}

/// Compares what the ranks save with what one rank does.
fn compare(world: &SimpleCommunicator, ranks: &Ranks) {
    let case = case(DUCT);
    let saved = |solver: Solver| {
        let mut data = CheckpointData::default();
        solver.save_controls(&mut data).expect("values");
        data.section.arrays
    };
    let expected = saved(Solver::new(&case.solver).expect("a solver"));
    let arrays = saved(Solver::on_ranks(&case.solver, world).expect("a solver"));
    assert!(expected.values().map(Vec::len).sum::<usize>() > 100, "{expected:?}");
    if ranks.rank() == 0 {
        assert_eq!(arrays, expected);
    } else {
        assert!(arrays.values().all(Vec::is_empty), "{arrays:?}");
    }
}
