//! Passive scalars under `mpirun`: the same bits on any number of ranks and through restarts, and a flow that has the
//! bits of a run without them.

use super::{MIXED, SECTOR, by, ready};
use crate::common::program::{case_command, hash, output, run_case};

/// Scalars that all boundaries of [`MIXED`] and [`SECTOR`] know.
const SCALARS: &str = "sgs: {model: wale}\nscalars:\n  dye: {schmidt: 0.7, initial: 'sin(x)*cos(y)'}\n  \
                       smoke: {schmidt: 1, initial: 1 + 0.1*z}\n";

/// The line of the scalars' hash in the output of a run.
fn scalars_of(log: &str) -> String {
    let line = log.lines().find(|line| line.starts_with("scalars "));
    line.unwrap_or_else(|| panic!("no hash of scalars in\n{log}"))
        .to_owned()
}

fn with_scalars(case: &str) -> String {
    format!("{case}{SCALARS}")
}

#[test]
fn scalars_are_the_same_on_any_number_of_ranks_and_leave_the_flow_as_it_is() {
    let held = with_scalars(MIXED).replace("schmidt: 0.7,", "schmidt: 0.7, boundaries: {y-: 1, y+: '2 + 0.1*x'},");
    for case in [held, with_scalars(SECTOR), with_scalars(&by("lsrk5", MIXED))] {
        let alone = run_case(ready(&case).path(), 1, &[], 0);
        let bare = run_case(ready(&case).path(), 1, &["scalars=null"], 0);
        assert_eq!(hash(&alone), hash(&bare), "{case}");
        for ranks in [2, 3] {
            let directory = ready(&case);
            let log = output(&mut case_command(directory.path(), ranks, &[]), 0);
            assert_eq!(
                (hash(&log), scalars_of(&log)),
                (hash(&alone), scalars_of(&alone)),
                "{ranks} ranks:\n{case}"
            );
        }
    }
}

#[test]
fn scalars_continue_through_restarts_on_other_numbers_of_ranks() {
    for case in [with_scalars(MIXED), with_scalars(&by("lsrk5", MIXED))] {
        let expected = scalars_of(&run_case(ready(&case).path(), 1, &[], 0));
        let directory = ready(&case);
        for (ranks, steps) in [(2, 5), (1, 10), (3, 15)] {
            output(
                &mut case_command(directory.path(), ranks, &[&format!("time.steps={steps}")]),
                0,
            );
        }
        assert_eq!(scalars_of(&run_case(directory.path(), 2, &[], 0)), expected, "{case}");
    }
}
