//! Checkpoints and restarts, as users meet them: a run that was stopped for any reason, or that goes on after its end,
//! continues with the same results.

mod checked;
mod files;
mod inputs;
mod other_state;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::program::{case_command, end, hash, names, run_case, send, start, wait_for, with_case};
use fr_les::io::read_series;
use rustix::process::Signal;

const CASE: &str = "\
title: restart
mesh: {box: {cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, z]}}
order: 2
constants: {p0: 1/(1.4*0.1^2)}
gas: {viscosity: {constant: 1/100}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: no-slip-adiabatic}}
device: cpu
time: {steps: 47, cfl: 0.9}
output:
  solution: {every: 0.3}
  integrals: {every: 0.071}
  boundaries: {every-steps: 3}
restart: latest
";

/// Runs the case, which must exit with `code`, and returns its output.
fn run(directory: &Path, set: &[&str], code: i32) -> String {
    run_case(directory, 1, set, code)
}

fn read(directory: &Path, name: &str) -> Vec<u8> {
    fs::read(directory.join("results").join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn checkpoints(directory: &Path) -> Vec<String> {
    let mut names = names(&directory.join("results"));
    names.retain(|name| name.contains("checkpoint"));
    names
}

fn newest(directory: &Path) -> PathBuf {
    let names = checkpoints(directory);
    directory.join("results").join(names.last().expect("a checkpoint"))
}

/// Asserts that two runs left the same series.
fn same_results(one: &Path, other: &Path) {
    for name in ["integrals.csv", "boundaries.csv", "solution.vtkhdf.series"] {
        let (one, other) = (read(one, name), read(other, name));
        assert!(
            one == other,
            "{name}\n{}\n{}",
            String::from_utf8_lossy(&one),
            String::from_utf8_lossy(&other)
        );
    }
}

#[test]
fn a_run_in_pieces_leaves_the_files_of_an_uninterrupted_one() {
    for more in [
        &[][..],
        &["precision=single"],
        &["time.cfl=null", "time.dt=0.002"],
        &["time.kahan=false"],
        &["time.scheme=lsrk5"],
        &["time.scheme=lsrk14", "precision=single"],
    ] {
        let through = with_case(CASE);
        let log = run(through.path(), more, 0);
        assert!(
            log.contains("restart: no checkpoint in results yet: the run begins with the initial state"),
            "{log}"
        );
        let kept = ["checkpoint_00000000.h5", "checkpoint_00000047.h5"];
        assert_eq!(checkpoints(through.path()), kept, "of the beginning, and of the end");

        let pieces = with_case(CASE);
        for (steps, every) in [
            ("13", "every-steps: 4"),
            ("30", "every: 0.05"),
            ("47", "every-steps: 100"),
        ] {
            // A piece ends earlier than the whole run, so what it writes at its end must go: its last checkpoint is
            // removed, and the next piece restarts from the one before.
            let set = [
                &format!("time.steps={steps}"),
                &format!("output.checkpoint={{{every}, keep: 3}}"),
            ];
            let set: Vec<&str> = more.iter().copied().chain(set.map(String::as_str)).collect();
            let piece = run(pieces.path(), &set, 0);
            if steps == "47" {
                assert_eq!(hash(&piece), hash(&log), "{more:?}");
            } else {
                fs::remove_file(newest(pieces.path())).expect("the checkpoint of the end");
            }
        }
        same_results(through.path(), pieces.path());
    }
}

#[test]
fn neither_restarts_nor_outputs_in_steps_change_a_bit() {
    let whole = hash(&run(with_case(CASE).path(), &[], 0));
    let pieces = with_case(CASE);
    let go = |steps: usize, more: &[&str]| {
        let set = [&format!("time.steps={steps}"), "output.checkpoint={every-steps: 100}"];
        run(pieces.path(), &[&set[..], more].concat(), 0)
    };
    go(13, &[]);
    go(35, &[]);
    let log = go(47, &[]);
    assert_eq!(hash(&log), whole);
    assert!(!log.contains("WARN"), "{log}");
    let often = run(with_case(CASE).path(), &["output.boundaries.every-steps=7"], 0);
    assert_eq!(hash(&often), whole);
    // A change of the flow is reported, and so is an end that is already reached.
    let log = go(48, &["gas.viscosity.constant=1/50"]);
    assert!(log.contains("`gas` differs from that of the checkpoint"), "{log}");
    assert!(!log.contains("`boundaries"), "{log}");
    let log = go(40, &[]);
    assert!(log.contains("leaves nothing to do"), "{log}");
}

#[test]
fn the_end_of_a_finished_run_is_a_checkpoint_too() {
    let directory = with_case(CASE);
    let set = ["output.checkpoint.every-steps=20"];
    let log = run(directory.path(), &set, 0);
    assert_eq!(
        checkpoints(directory.path()),
        ["checkpoint_00000040.h5", "checkpoint_00000047.h5"]
    );
    let before = read(directory.path(), "integrals.csv");
    let again = run(directory.path(), &set, 0);
    assert!(
        again.contains("restart from results/checkpoint_00000047.h5: step 47"),
        "{again}"
    );
    assert_eq!(
        (hash(&again), read(directory.path(), "integrals.csv")),
        (hash(&log), before)
    );
    run(
        directory.path(),
        &["output.checkpoint={every-steps: 20, keep: 1}", "time.steps=50"],
        0,
    );
    assert_eq!(checkpoints(directory.path()), ["checkpoint_00000050.h5"]);
}

#[test]
fn kill_9_at_any_moment_loses_and_duplicates_nothing() {
    killed_at_any_moment("scheme={}");
}

#[test]
fn kill_9_keeps_the_bits_with_corrected_entropy_and_a_filter() {
    killed_at_any_moment("scheme={entropy-correction: cells, shock: positivity}");
}

fn killed_at_any_moment(scheme: &str) {
    let more = [
        scheme,
        "time.steps=400",
        "output.checkpoint.every-steps=7",
        "output.solution.every-steps=50",
        "output.solution.every=null",
    ];
    let through = with_case(CASE);
    let log = run(
        through.path(),
        &[&more[..], &["output.checkpoint={keep: 0}"]].concat(),
        0,
    );
    let killed = with_case(CASE);
    let mut kills = 0;
    for attempt in 0..60_u64 {
        let mut child = start(&mut case_command(killed.path(), 1, &more));
        let begin = Instant::now();
        // The times look random but are the same in every run of the test. Later attempts wait longer, so that one of
        // them reaches the end.
        let patience = Duration::from_millis(150 + (attempt * 7919) % 211 + 60 * attempt);
        while child.try_wait().expect("child").is_none() && begin.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(2));
        }
        if child.try_wait().expect("child").is_none() {
            child.kill().expect("killed");
            child.wait().expect("gone");
            kills += 1;
            continue;
        }
        assert_eq!(hash(&end(child, 0)), hash(&log));
        same_results(through.path(), killed.path());
        assert!(kills >= 2, "only {kills} kills");
        assert_eq!(checkpoints(killed.path()).len(), 2, "{:?}", checkpoints(killed.path()));
        let left = fs::read_dir(killed.path().join("results")).expect("results");
        let mut left = left.map(|entry| entry.expect("entry").file_name());
        let hidden = left.find(|name| name.to_string_lossy().starts_with('.'));
        assert_eq!(hidden, None, "a killed run has left a file behind");
        return;
    }
    panic!("it never came to its end");
}

#[test]
fn signals_and_the_clock_end_a_run_with_a_checkpoint() {
    let through = with_case(CASE);
    let long = ["time.steps=800", "output.solution=null"];
    let log = run(through.path(), &long, 0);
    let signals = [
        (Signal::TERM, "SIGTERM"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::INT, "SIGINT"),
    ];
    for (signal, name) in signals {
        let directory = with_case(CASE);
        let mut child = start(&mut case_command(directory.path(), 1, &long));
        let series = directory.path().join("results/boundaries.csv");
        wait_for(&mut child, || {
            read_series(&series).is_ok_and(|table| table.columns[0].len() >= 3)
        });
        send(signal, child.id());
        let stopped = end(child, 4);
        let reason = format!("the signal {name} was received");
        for part in ["interrupted at step", "wrote results/checkpoint_", &reason] {
            assert!(stopped.contains(part), "no '{part}' in\n{stopped}");
        }
        assert_eq!(
            checkpoints(directory.path()).len(),
            2,
            "of the beginning, and of the end"
        );
        let continued = run(directory.path(), &long, 0);
        assert_eq!(hash(&continued), hash(&log));
        assert_eq!(
            read(directory.path(), "integrals.csv"),
            read(through.path(), "integrals.csv")
        );
        assert_eq!(
            read(directory.path(), "boundaries.csv"),
            read(through.path(), "boundaries.csv")
        );
    }
    let directory = with_case(CASE);
    let endless = ["time.steps=1e9", "output=null", "time.wall-clock=0:00:01"];
    let stopped = run(directory.path(), &endless, 4);
    assert!(stopped.contains("time.wall-clock is reached"), "{stopped}");
    let first = newest(directory.path());
    let again = run(directory.path(), &endless, 4);
    let name = first.file_name().expect("name").to_string_lossy();
    assert!(again.contains(&format!("restart from results/{name}")), "{again}");
    assert!(newest(directory.path()) > first);
}

#[test]
fn a_run_without_any_key_of_checkpoints_can_be_extended() {
    let (whole, extended) = (with_case(CASE), with_case(CASE));
    let plain = ["restart=null", "output={integrals: {every-steps: 3}}"];
    let log = run(whole.path(), &[&plain[..], &["time.steps=20"]].concat(), 0);
    run(extended.path(), &[&plain[..], &["time.steps=11"]].concat(), 0);
    assert_eq!(checkpoints(extended.path()), ["checkpoint_00000011.h5"]);
    let more = run(extended.path(), &[plain[1], "restart=latest", "time.steps=20"], 0);
    assert_eq!(hash(&more), hash(&log));
    // The same without an output: the state is there at the end.
    let nothing = with_case(CASE);
    run(nothing.path(), &["restart=null", "output=null"], 0);
    assert_eq!(checkpoints(nothing.path()), ["checkpoint_00000047.h5"]);
    // Switched off, and with other periods.
    let none = with_case(CASE);
    run(none.path(), &["restart=null", "output.checkpoint={keep: 0}"], 0);
    assert_eq!(checkpoints(none.path()), [""; 0]);
}

#[test]
fn checkpoints_on_the_clock_change_no_bit() {
    let few = with_case(CASE);
    let log = run(few.path(), &["restart=null"], 0);
    let many = with_case(CASE);
    let often = run(
        many.path(),
        &["restart=null", "output.checkpoint={wall-clock: 1e-6, keep: 100}"],
        0,
    );
    assert_eq!(checkpoints(many.path()).len(), 47, "one after every step");
    assert_eq!(hash(&often), hash(&log));
    same_results(few.path(), many.path());
    // Each of them continues with the same bits.
    let from = "restart=results/checkpoint_00000023.h5";
    assert_eq!(hash(&run(many.path(), &[from], 0)), hash(&log));
}
