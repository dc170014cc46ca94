//! Files that a case reads, among those that its run writes: none is moved away or replaced, and none is read in place
//! of another one.

use std::fs;
use std::path::Path;

use super::{CASE, run};
use crate::common::program::{names, outcome, refuses, with_case, write};
use tempfile::TempDir;

/// A flow that enters with the speeds of a table, and writes into the directory of the case.
const ENTERING: &str = "\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [z]}}
order: 2
gas: {viscosity: {constant: 1/100}}
initial: {u: 0.5, v: 0, w: 0, p: 1, rho: 1}
boundaries:
  x-: {type: velocity-inlet, u: {file: inlet.csv, along: y, column: speed}, v: 0, w: 0, rho: 1}
  x+: {type: pressure-outlet, p: 1}
  y-: {type: slip}
  y+: {type: slip}
device: cpu
time: {steps: 3, cfl: 0.5}
output: {directory: ., integrals: {every-steps: 1}}
";

/// The arguments of a verb on the case with changed keys.
pub(super) fn arguments<'a>(verb: &'a str, set: &[&'a str]) -> Vec<&'a str> {
    let set = set.iter().flat_map(|set| ["--set", *set]);
    [verb, "run.yaml"].into_iter().chain(set).collect()
}

/// Asserts that a run is refused with these parts, that `check` says the same, and that no file of a folder changes.
pub(super) fn both_refuse(directory: &TempDir, folder: &Path, set: &[&str], parts: &[&str]) {
    let before = names(folder);
    let errors = ["run", "check"].map(|verb| {
        refuses(directory, &arguments(verb, set), parts);
        outcome(directory, &arguments(verb, set)).2
    });
    assert_eq!(errors[0], errors[1], "{set:?}");
    assert_eq!(names(folder), before, "{set:?}");
}

#[test]
fn a_run_does_not_begin_with_a_file_of_its_own_results() {
    let directory = with_case(CASE);
    let short = ["restart=null", "time.steps=6", "output.solution={every-steps: 3}"];
    run(directory.path(), &short, 0);
    let results = directory.path().join("results");
    fs::hard_link(
        results.join("solution_0001.vtkhdf"),
        directory.path().join("kept.vtkhdf"),
    )
    .expect("kept");
    std::os::unix::fs::symlink("results/solution_0001.vtkhdf", directory.path().join("link.vtkhdf")).expect("a link");
    for file in [
        "results/solution_0001.vtkhdf",
        "link.vtkhdf",
        "results/checkpoint_00000006.h5",
    ] {
        let initial = format!("initial={{file: {file}}}");
        let parts = [
            "initial.file",
            file,
            "results or moves away",
            "copy it elsewhere",
            "another `output.directory`",
        ];
        both_refuse(&directory, &results, &[&short[..], &[&initial]].concat(), &parts);
    }
    for set in [
        ["initial={file: kept.vtkhdf}", "output.directory=results"],
        [
            "initial={file: results/solution_0001.vtkhdf}",
            "output.directory=elsewhere",
        ],
    ] {
        run(directory.path(), &[&short[..], &set].concat(), 0);
    }
}

#[test]
fn tables_that_a_case_reads_and_files_of_others_stay_where_they_are() {
    let directory = with_case(ENTERING);
    let table = b"# version: fr-les 0.1.0\ny,speed\n0,0.4\n1,0.5\n";
    let foreign = ["inlet.csv", "mine.csv", "slices_old.png", "profile_inlet.csv"];
    for name in foreign {
        write(&directory, name, table);
    }
    for _ in 0..3 {
        run(directory.path(), &["restart=null"], 0);
    }
    for moved in ["previous-1", "previous-2"] {
        let moved = names(&directory.path().join(moved));
        assert!(moved.contains(&"integrals.csv".to_owned()), "{moved:?}");
        assert!(
            foreign.iter().all(|name| !moved.iter().any(|moved| moved == name)),
            "{moved:?}"
        );
    }
    for name in foreign {
        assert_eq!(fs::read(directory.path().join(name)).expect(name), table, "{name}");
    }
    let set = "boundaries.x-.u.file=boundaries.csv";
    write(&directory, "boundaries.csv", table);
    both_refuse(
        &directory,
        directory.path(),
        &[set],
        &["boundaries.x-.u.file", "boundaries.csv is among the files"],
    );
    run(directory.path(), &[set, "output.directory=results"], 0);
}
