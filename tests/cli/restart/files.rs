//! What a restart finds in the output directory: checkpoints that are damaged or foreign, series that have changed,
//! files of an earlier run, or no directory any more. Nothing is continued from a wrong file, and nothing that an
//! earlier run has left is lost.

use std::fs;

use super::{CASE, checkpoints, newest, run};
use crate::common::program::{case_command, end, ended, hash, names, program, start, wait_for, with_case};
use fr_les::io::read_series;

#[test]
fn bad_checkpoints_are_passed_over_by_latest_and_refused_by_name() {
    let set = ["output.checkpoint={every-steps: 10, keep: 3}", "time.steps=30"];
    let original = with_case(CASE);
    let log = run(original.path(), &set, 0);
    let foreign = with_case(&CASE.replace("[4, 4, 4]", "[4, 4, 2]"));
    run(foreign.path(), &set, 0);
    let foreign = fs::read(newest(foreign.path())).expect("checkpoint");
    let good = fs::read(newest(original.path())).expect("checkpoint");
    let flip = |at: usize| {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        bytes
    };
    // A byte in the middle of the file belongs to the state.
    let state = good.len() / 2;
    let cases = [
        ("a bit of the state", flip(state), "the checksum of its cells is"),
        ("cut in half", good[..good.len() / 2].to_vec(), "it is cut short: "),
        ("empty", Vec::new(), "it is not an HDF5 file"),
        ("another mesh", foreign, "it is of another mesh (32 cells"),
        ("text", b"not a checkpoint\n".to_vec(), "it is not an HDF5 file"),
    ];
    for (what, bytes, expected) in cases {
        let path = newest(original.path());
        fs::write(&path, bytes).expect("written");
        let file = "results/checkpoint_00000030.h5";
        let refused = run(original.path(), &[&set[..], &[&format!("restart={file}")]].concat(), 2);
        assert!(
            refused.contains(expected) && refused.contains(file),
            "{what}: {refused}"
        );
        let passed = run(original.path(), &set, 0);
        assert!(
            passed.contains("skipped: ") && passed.contains(expected),
            "{what}: {passed}"
        );
        assert!(
            passed.contains("restart from results/checkpoint_00000020.h5: step 20"),
            "{what}: {passed}"
        );
        assert_eq!(hash(&passed), hash(&log), "{what}");
        assert_eq!(
            fs::read(&path).expect("checkpoint").len(),
            good.len(),
            "it was written anew"
        );
    }
    for name in checkpoints(original.path()) {
        fs::write(original.path().join("results").join(name), "nothing").expect("written");
    }
    let refused = run(original.path(), &set, 2);
    assert!(
        refused.contains("none of the 3 here can be used: `restart: FILE` continues from a solution"),
        "{refused}"
    );
    let refused = run(original.path(), &["restart=nowhere.h5"], 2);
    assert!(refused.contains("cannot open nowhere.h5"), "{refused}");
}

#[test]
fn no_flipped_bit_of_a_checkpoint_goes_unseen_or_does_harm() {
    let directory = with_case(CASE);
    let set = [
        "output.checkpoint.every-steps=10",
        "time.steps=10",
        "mesh.box.cells=[1,1,1]",
    ];
    let set = [&set[..], &["output.solution=null"]].concat();
    let hashed = hash(&run(directory.path(), &set, 0));
    let path = newest(directory.path());
    let good = fs::read(&path).expect("checkpoint");
    let mut refused = 0;
    let file = format!("restart={}", path.display());
    for k in 0..40 {
        let mut bytes = good.clone();
        bytes[(k * 7919 * 13) % good.len()] ^= 1 << (k % 8);
        fs::write(&path, bytes).expect("written");
        let output = case_command(directory.path(), 1, &[&set[..], &[&file]].concat())
            .output()
            .expect("starts");
        match output.status.code() {
            Some(2) => refused += 1,
            // The flipped bit is in an unused byte of the file.
            Some(0) => assert_eq!(hash(&ended(&output, 0)), hashed, "byte {k}"),
            other => panic!("{other:?}: {}", String::from_utf8_lossy(&output.stderr)),
        }
        fs::write(&path, &good).expect("written");
    }
    assert!(refused > 0);
}

#[test]
fn a_series_that_is_not_that_of_the_checkpoint_is_refused() {
    let directory = with_case(CASE);
    let set = ["output.checkpoint.every-steps=10", "time.steps=20"];
    run(directory.path(), &set, 0);
    let path = directory.path().join("results/integrals.csv");
    let good = fs::read(&path).expect("series");
    let more = ["output.checkpoint.every-steps=10", "time.steps=30"];
    fs::write(&path, &good[..good.len() - 10]).expect("written");
    let refused = run(directory.path(), &more, 2);
    assert!(
        refused.contains("integrals.csv: this series cannot be continued: it has"),
        "{refused}"
    );
    fs::write(&path, String::from_utf8_lossy(&good).replacen("kinetic", "cinetic", 1)).expect("written");
    let refused = run(directory.path(), &more, 2);
    assert!(refused.contains("its columns are not those of this run"), "{refused}");
    fs::remove_file(&path).expect("removed");
    let begun = run(directory.path(), &more, 0);
    assert!(begun.contains("results/integrals.csv begins anew"), "{begun}");
    let steps = read_series(&path).expect("series").columns[0].clone();
    assert!(steps.iter().all(|step| *step > 20.0) && !steps.is_empty(), "{steps:?}");
}

#[test]
fn a_fresh_run_moves_files_of_an_earlier_one_and_latest_takes_its_own() {
    let directory = with_case(CASE);
    let set = ["output.checkpoint.every-steps=10", "time.steps=40"];
    run(directory.path(), &set, 0);
    let fresh = ["output.checkpoint.every-steps=10", "time.steps=20", "restart=null"];
    let log = run(directory.path(), &fresh, 0);
    assert!(log.contains("they were moved to results/previous-1"), "{log}");
    let results = directory.path().join("results");
    assert!(results.join("previous-1/checkpoint_00000040.h5").exists());
    assert!(results.join("previous-1/integrals.csv").exists());
    assert!(!results.join("checkpoint_00000040.h5").exists());
    let log = run(
        directory.path(),
        &["output.checkpoint.every-steps=10", "time.steps=21"],
        0,
    );
    assert!(log.contains("restart from results/checkpoint_00000020.h5"), "{log}");
    // A run that wrote no checkpoint is not continued from a checkpoint of an earlier run.
    let without = ["time.steps=5", "output.checkpoint={keep: 0}", "restart=null"];
    run(directory.path(), &without, 0);
    let log = run(directory.path(), &["time.steps=6"], 2);
    assert!(log.contains("no checkpoint to continue from"), "{log}");
    assert!(results.join("previous-2/checkpoint_00000021.h5").exists() && !results.join("previous-3").exists());
}

#[test]
fn latest_touches_no_results_that_have_no_checkpoint() {
    let directory = with_case(CASE);
    let without = ["output.checkpoint={keep: 0}", "time.steps=5"];
    run(directory.path(), &[&without[..], &["restart=null"]].concat(), 0);
    let results = directory.path().join("results");
    let before = names(&results);
    for arguments in [&["run", "run.yaml"][..], &["check", "run.yaml"]] {
        let refused = ended(&program(directory.path()).args(arguments).output().expect("starts"), 2);
        for part in [
            "run.yaml",
            "restart",
            "results: an earlier run has left results here (boundaries.csv and ",
            "`restart: results/solution_0001.vtkhdf` continues from that solution",
        ] {
            assert!(refused.contains(part), "no '{part}' in\n{refused}");
        }
        assert_eq!(names(&results), before);
    }
    // Files that no run has written do not count as results.
    let other = with_case(CASE);
    fs::create_dir(other.path().join("results")).expect("created");
    fs::write(other.path().join("results/notes.csv"), "a,b\n").expect("written");
    let log = run(other.path(), &["time.steps=2"], 0);
    assert!(log.contains("the run begins with the initial state"), "{log}");
}

#[test]
fn a_directory_that_is_gone_ends_the_run_with_code_1() {
    let directory = with_case(CASE);
    let set = [
        "time.steps=1e9",
        "output={checkpoint: {every-steps: 500}, boundaries: {every-steps: 100}}",
        "restart=null",
    ];
    let mut child = start(&mut case_command(directory.path(), 1, &set));
    wait_for(&mut child, || directory.path().join("results/run.json").exists());
    fs::rename(directory.path().join("results"), directory.path().join("elsewhere")).expect("renamed");
    let failed = end(child, 1);
    assert!(failed.contains("cannot create results/.checkpoint_"), "{failed}");
    assert!(!directory.path().join("results").exists());
    let left = names(&directory.path().join("elsewhere"));
    assert!(
        !left.is_empty() && left.iter().all(|name| !name.ends_with(".part")),
        "{left:?}"
    );
}
