//! What `check` finds in a file from which a run was to continue, and what is left of the run.

use std::fs;

use super::inputs::{arguments, both_refuse};
use super::{CASE, newest, run};
use crate::common::program::{succeeds, with_case, write};

#[test]
fn a_check_refuses_what_a_run_does_not_continue_from() {
    let directory = with_case(CASE);
    let first = ["restart=null", "time.steps=6", "output.solution={every-steps: 3}"];
    run(directory.path(), &first, 0);
    let results = directory.path().join("results");
    let good = fs::read(newest(directory.path())).expect("a checkpoint");
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 4;
    write(&directory, "flipped.h5", &flipped);
    write(&directory, "cut.h5", &good[..good.len() / 2]);
    write(&directory, "mesh.msh", b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    for (file, what) in [
        ("flipped.h5", "the checksum of its cells is"),
        ("cut.h5", "it is cut short: "),
        ("mesh.msh", "it is not an HDF5 file"),
        ("run.yaml", "it is not an HDF5 file"),
        ("nowhere.h5", "nowhere.h5"),
    ] {
        let restart = format!("restart={file}");
        both_refuse(&directory, &results, &[&restart], &["restart", file, what]);
    }
    let other = "mesh.box.cells=[4, 4, 2]";
    for (restart, what) in [
        ("restart=latest", "none of the 1 here can be used"),
        (
            "restart=results/checkpoint_00000006.h5",
            "it is of another mesh (64 cells",
        ),
        (
            "restart=results/solution_0001.vtkhdf",
            "this solution is of another mesh",
        ),
    ] {
        both_refuse(&directory, &results, &[other, restart], &["restart", what]);
    }
    both_refuse(
        &directory,
        &results,
        &["restart=results/solution_0001.vtkhdf", "time.steps=3"],
        &["this solution is of step 3", "`time` leaves nothing to do"],
    );
}

#[test]
fn a_check_of_a_restart_counts_the_steps_that_are_left() {
    let directory = with_case(CASE);
    run(
        directory.path(),
        &["restart=null", "time.steps=6", "output.solution={every-steps: 3}"],
        0,
    );
    let flow = |shown: &str| {
        shown
            .lines()
            .find(|line| line.contains("INFO flow "))
            .map(str::to_owned)
    };
    let anew = flow(&succeeds(&directory, &arguments("check", &["restart=null"])));
    assert!(anew.is_some());
    for (restart, left) in [
        ("restart=latest", "47 steps, of which 41 are left"),
        ("restart=results/solution_0001.vtkhdf", "47 steps, of which 44 are left"),
    ] {
        let shown = succeeds(&directory, &arguments("check", &[restart]));
        assert!(shown.contains(left), "{shown}");
        assert_eq!(flow(&shown), anew, "that of the initial state");
    }
    let set = ["restart=results/checkpoint_00000006.h5", "time.steps=6"];
    let end = "checkpoint_00000006.h5 is at the end of the run or past it: `time` leaves nothing to do";
    for verb in ["check", "run"] {
        let shown = succeeds(&directory, &arguments(verb, &set));
        assert!(shown.contains(end), "{verb}: {shown}");
    }
}
