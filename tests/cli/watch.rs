//! `fr-les watch`: what it shows of runs that are queued, go on, have ended, and were killed.

use crate::common::program::{
    CASE, end, folder, names, outcome, program, refuses, send, start, succeeds, wait_for, with_case, write,
};
use fr_les::io::{RunRecord, read_series};
use rustix::process::Signal;

const WATCH: [&str; 3] = ["watch", "results", "--once"];

/// The text of the line that begins with a word.
fn line<'a>(view: &'a str, word: &str) -> &'a str {
    let found = view.lines().find_map(|line| line.strip_prefix(word));
    found.unwrap_or_else(|| panic!("no line '{word}' in\n{view}")).trim()
}

#[test]
fn a_finished_run_is_shown_with_its_last_values() {
    let directory = with_case(CASE);
    succeeds(&directory, &["run.yaml"]);
    let before = names(&directory.path().join("results"));
    let view = succeeds(&directory, &WATCH);
    assert!(
        view.starts_with("small Taylor-Green: 64 cells, p = 3, 4096 points"),
        "{view}"
    );
    assert!(
        line(&view, "state").starts_with("finished at step 20, t = 0."),
        "{view}"
    );
    assert!(line(&view, "progress").ends_with("100.0 %"), "{view}");
    assert!(!view.contains('\u{1b}'), "no control codes\n{view}");
    let table = read_series(&directory.path().join("results/integrals.csv")).expect("series");
    let shown = [
        "dt",
        "kinetic_energy",
        "enstrophy",
        "dissipation_viscous",
        "mass",
        "density_min",
        "mach_max",
    ];
    for name in shown {
        let last = format!("{:.6e}", table.column(name).expect(name).last().expect("rows"));
        assert!(
            line(&view, &format!("{name} ")).starts_with(&last),
            "{name} {last}\n{view}"
        );
    }
    assert_eq!(names(&directory.path().join("results")), before, "nothing is written");
}

#[test]
fn a_run_is_shown_before_while_and_after_it_goes_on() {
    let long = CASE
        .replace("steps: 20", "steps: 1000000")
        .replace("every-steps: 10", "every-steps: 100000000");
    let directory = with_case(&long);
    let parts = [
        "results: this directory does not exist",
        "queued",
        "the name is wrong",
        "output.directory",
    ];
    refuses(&directory, &WATCH, &parts);
    let mut child = start(program(directory.path()).arg("run.yaml"));
    let series = directory.path().join("results/integrals.csv");
    wait_for(&mut child, || {
        read_series(&series).map_or(0, |t| t.columns[0].len()) >= 40
    });
    let view = succeeds(&directory, &WATCH);
    let state = line(&view, "state");
    let step: u64 = state
        .split(' ')
        .nth(3)
        .and_then(|step| step.trim_end_matches(',').parse().ok())
        .expect(state);
    assert!(
        state.starts_with("running at step ") && step >= 195,
        "the step of the last row\n{view}"
    );
    assert!(state.contains("last row ") && state.ends_with(" ago"), "{view}");
    assert!(line(&view, "time").contains(" left"), "{view}");
    assert!(line(&view, "speed").contains(" GDOF/s"), "{view}");
    send(Signal::TERM, child.id());
    end(child, 4);
    let view = succeeds(&directory, &WATCH);
    assert!(line(&view, "state").starts_with("interrupted at step"), "{view}");
    assert!(line(&view, "checkpoint").starts_with("checkpoint_"), "{view}");
}

#[test]
fn a_run_that_was_killed_does_not_look_alive() {
    let directory = with_case(
        &CASE
            .replace("steps: 20", "steps: 1000000")
            .replace("every-steps: 10", "every-steps: 9999999"),
    );
    let latest = ["run.yaml", "--set", "restart=latest"];
    let mut child = start(program(directory.path()).args(latest));
    let series = directory.path().join("results/integrals.csv");
    wait_for(&mut child, || {
        read_series(&series).map_or(0, |t| t.columns[0].len()) >= 3
    });
    send(Signal::KILL, child.id());
    child.wait().expect("ends");
    // The record says "running", but no process holds the lock.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(7300);
    let file = std::fs::File::options().append(true).open(&series).expect("series");
    file.set_modified(old).expect("an older file");
    let view = succeeds(&directory, &WATCH);
    let state = line(&view, "state");
    assert!(
        state.starts_with("killed at step ") && state.ends_with("last row 2 h 1 min ago"),
        "{view}"
    );
    assert!(
        view.contains("it ended without a word: no process holds the lock"),
        "{view}"
    );
    assert!(!view.contains(" left"), "{view}");
    // The run that goes on notes how this part ended.
    let outcomes = || {
        let record = RunRecord::read(&directory.path().join("results")).expect("a record");
        record.parts.into_iter().map(|part| part.outcome).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(), ["running"]);
    succeeds(&directory, &[&latest[..], &["--set", "time.steps=20"]].concat());
    let text = std::fs::read_to_string(directory.path().join("results/run.json")).expect("a record");
    assert!(!text.contains("\"running\""), "{text}");
    assert_eq!(outcomes(), ["killed", "finished"]);
}

#[test]
fn a_view_of_many_columns_has_those_that_tell_and_the_numbers_of_all() {
    let case = CASE
        .replace("periodic: [x, y, z]", "periodic: [x]")
        .replace(
            "output: {",
            "output: {reference: {pressure: p0, density: 1, velocity: [1, 0, 0], area: 1}, ",
        )
        .replace(
            "integrals: {every-steps: 5}",
            "integrals: {every-steps: 5}, boundaries: {every-steps: 5}",
        );
    let walls = ["y-", "y+", "z-", "z+"].map(|side| format!("  {side}: {{type: no-slip-adiabatic}}\n"));
    let directory = with_case(&format!("{case}boundaries:\n{}", walls.concat()));
    succeeds(&directory, &["run.yaml"]);
    let view = succeeds(&directory, &WATCH);
    assert!(view.lines().count() <= 45, "{view}");
    assert!(line(&view, "integrals:").starts_with("8 of 24 "), "{view}");
    assert!(line(&view, "boundaries:").starts_with("8 of 44 "), "{view}");
    assert!(line(&view, "coefficients:").starts_with("10 of 28 "), "{view}");
    line(&view, "y-_mass_flux");
    line(&view, "z+_pressure");
    line(&view, "y-_drag");
    assert!(!view.contains("_viscous_x"), "{view}");
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = folder();
    write(&folder, "results", b"text");
    refuses(&folder, &WATCH, &["results", "no directory"]);
    std::fs::remove_file(folder.path().join("results")).expect("removed");
    std::fs::create_dir(folder.path().join("results")).expect("a folder");
    std::fs::write(folder.path().join("results/run.json"), "{}").expect("written");
    refuses(&folder, &WATCH, &["run.json", "no record of a run"]);
    // Without a terminal there is nothing to renew: one view is printed.
    std::fs::remove_file(folder.path().join("results/run.json")).expect("removed");
    let (code, view, _) = outcome(&folder, &["watch", "results"]);
    assert_eq!((code, view.lines().count()), (Some(0), 1), "{view}");
    assert!(view.starts_with("results: nothing was written yet"), "{view}");
}
