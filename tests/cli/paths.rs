//! All paths in a file of settings are relative to that file, whatever the working directory is.

use std::fs;

use crate::common::program::{CASE, folder, refuses, succeeds, write};

const STUDY: &str = "case: run.yaml\nvariables: {steps: {values: [5, 10], set: time.steps}}\n\
    objectives: {cost: {from: run.steps}}\ndoe: {kind: full-factorial}\nrun: {workers: 1}\noutput: designs\n";

#[test]
fn a_run_writes_beside_its_case_and_continues_there() {
    let folder = folder();
    fs::create_dir(folder.path().join("cases")).expect("made");
    write(&folder, "cases/run.yaml", CASE.as_bytes());
    let log = succeeds(
        &folder,
        &["run", "cases/run.yaml", "--set", "output.checkpoint={every-steps: 10}"],
    );
    assert!(log.contains("output  cases/results: "), "{log}");
    assert!(folder.path().join("cases/results/run.json").is_file());
    assert!(!folder.path().join("results").exists());
    for restart in ["latest", "results/checkpoint_00000020.h5"] {
        let set = format!("restart={restart}");
        let log = succeeds(
            &folder,
            &["run", "cases/run.yaml", "--set", &set, "--set", "time.steps=22"],
        );
        assert!(log.contains("cases/results/checkpoint_000000"), "{log}");
        assert!(log.contains("step 22"), "{log}");
    }
}

#[test]
fn a_file_of_the_working_directory_is_named_with_the_path_that_would_be_right() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("cases/own")).expect("made");
    write(&folder, "cases/own/run.yaml", CASE.as_bytes());
    for name in ["mesh.h5", "state.h5", "inlet.csv"] {
        write(&folder, name, b"x\n");
    }
    for (set, key, file) in [
        ("mesh={file: mesh.h5}", "mesh.file", "mesh.h5"),
        ("restart=state.h5", "restart", "state.h5"),
        ("initial={file: state.h5}", "initial", "state.h5"),
        ("initial.u={file: inlet.csv, along: y}", "initial.u", "inlet.csv"),
    ] {
        let right = format!("the working directory has {file}, but paths in a settings file are relative to that file");
        let parts = [key, &right, &format!("write ../../{file}")];
        refuses(&folder, &["check", "cases/own/run.yaml", "--set", set], &parts);
    }
}

#[test]
fn results_under_the_same_name_elsewhere_bring_a_warning() {
    let folder = folder();
    fs::create_dir(folder.path().join("cases")).expect("made");
    fs::create_dir(folder.path().join("results")).expect("made");
    write(&folder, "cases/run.yaml", CASE.as_bytes());
    let check = || succeeds(&folder, &["check", "cases/run.yaml"]);
    assert!(!check().contains("the working directory has results"));
    write(&folder, "results/run.json", b"{}\n");
    let warned = check();
    let part = "WARN output.directory: the working directory has results in results, but";
    assert!(
        warned.contains(part) && warned.contains("this one is cases/results"),
        "{warned}"
    );
    // Where the run has results of its own there is nothing to confuse.
    succeeds(&folder, &["run", "cases/run.yaml"]);
    assert!(!check().contains("the working directory has results"));
}

#[test]
fn a_study_writes_beside_its_file() {
    let folder = folder();
    fs::create_dir(folder.path().join("cases")).expect("made");
    write(&folder, "cases/run.yaml", CASE.as_bytes());
    write(&folder, "cases/study.yaml", STUDY.as_bytes());
    succeeds(&folder, &["study", "cases/study.yaml"]);
    let table = fs::read_to_string(folder.path().join("cases/designs/study.jsonl")).expect("the table");
    assert_eq!(table.lines().count(), 2, "{table}");
    for design in ["d_0000", "d_0001"] {
        assert!(
            folder
                .path()
                .join(format!("cases/designs/{design}/results/run.json"))
                .is_file()
        );
    }
    assert!(!folder.path().join("designs").exists());
}
