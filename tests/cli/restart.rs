//! Checkpoints and restarts, as users meet them: a run that was stopped for any reason continues with the same results.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::common::program::{
    case_command, end, ended, hash, names, program, run_case, send, start, wait_for, with_case,
};
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

/// A uniform flow, which solutions of any order and precision represent exactly.
const UNIFORM: &str = "\
mesh: {box: {cells: [4, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z], elements: mixed}}
order: 2
gas: {viscosity: {constant: 1/100}}
initial: {u: 0.5, v: 0.25, w: 0.125, p: 1, rho: 1}
device: cpu
time: {steps: 5, cfl: 0.5}
output: {checkpoint: {every-steps: 5}, integrals: {every-steps: 1}}
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
fn other_orders_and_precisions_continue_from_a_converted_state() {
    for (more, words) in [
        (&["precision=single"][..], "converted to the precision of the case"),
        (&["order=3"], "interpolated from order 2"),
        (&["order=3", "precision=single"], "interpolated from order 2, converted"),
    ] {
        let directory = with_case(UNIFORM);
        run(directory.path(), &[], 0);
        let log = run(directory.path(), &[more, &["time.steps=10"]].concat(), 0);
        assert!(log.contains(words), "{log}");
        let table = read_series(&directory.path().join("results/integrals.csv")).expect("series");
        assert_eq!(table.columns[0].len(), 11);
        let tolerance = if more.contains(&"precision=single") {
            2e-6
        } else {
            1e-12
        };
        for (name, expected) in [
            ("mass", 1.0),
            ("momentum_x", 0.5),
            ("momentum_y", 0.25),
            ("momentum_z", 0.125),
        ] {
            let column = table.column(name).unwrap_or_else(|| panic!("{:?}", table.names));
            assert!(
                column.iter().all(|x| (x - expected).abs() < tolerance),
                "{name} {more:?}: {column:?}"
            );
        }
        // The state that was interpolated to a higher order is restored exactly.
        let log = run(directory.path(), &["time.steps=15"], 0);
        assert!(
            log.contains("restart from results/checkpoint_00000010.h5: step 10"),
            "{log}"
        );
    }
    let directory = with_case(UNIFORM);
    run(directory.path(), &["mesh.box.elements=hex", "order=3"], 0);
    let log = run(
        directory.path(),
        &["mesh.box.elements=hex", "order=2", "time.steps=10"],
        0,
    );
    assert!(log.contains("interpolated from order 3"), "{log}");
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
    assert!(begun.contains("results/integrals.csv begins now"), "{begun}");
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

/// Time, kinetic energy and enstrophy in the last line of the integrals.
fn last_integrals(results: &Path) -> [f64; 3] {
    let table = read_series(&results.join("integrals.csv")).expect("series");
    let last = table.columns[0].len() - 1;
    ["time", "kinetic_energy", "enstrophy"].map(|name| table.column(name).expect(name)[last])
}

#[test]
fn cells_of_all_kinds_continue_from_a_solution_with_the_same_bits_on_any_ranks() {
    let directory = with_case(CASE);
    let on = |ranks: usize, to: &str, set: &[&str]| {
        let to = format!("output.directory={to}");
        let all = ["mesh.box.elements=mixed", "time.cfl=null", "time.dt=0.002", &to];
        hash(&run_case(directory.path(), ranks, &[&all[..], set].concat(), 0))
    };
    for (precision, bound) in [("double", 1e-13), ("single", 1e-7)] {
        let output = format!("output.solution={{every-steps: 3, precision: {precision}}}");
        on(1, precision, &["restart=null", "time.steps=6", &output]);
        let file = format!("restart={precision}/solution_0001.vtkhdf");
        for order in ["order=2", "order=3"] {
            let [one, three] = [1, 3].map(|ranks| on(ranks, &format!("on-{ranks}"), &["time.steps=6", order, &file]));
            assert_eq!(one, three, "{precision}, {order}");
            if order == "order=2" {
                let [through, continued] = [precision, "on-1"].map(|to| last_integrals(&directory.path().join(to)));
                for (a, b) in through.iter().zip(continued) {
                    assert!(
                        (a - b).abs() <= bound * a.abs(),
                        "{precision}: {through:?} {continued:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_run_continues_from_a_solution_at_its_time_and_step() {
    let directory = with_case(CASE);
    let set = ["time.cfl=null", "time.dt=0.002", "output.solution={every-steps: 20}"];
    run(directory.path(), &[&set[..], &["restart=null"]].concat(), 0);
    let through = last_integrals(&directory.path().join("results"));
    let file = "restart=results/solution_0001.vtkhdf";
    let log = run(directory.path(), &[&set[..], &[file]].concat(), 0);
    for part in [
        "WARN restart from the solution results/solution_0001.vtkhdf: step 20, t = 0.04",
        "It has the state alone: statistics and other means",
        "they were moved to results/previous-1",
        "finished at step 47",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    let continued = last_integrals(&directory.path().join("results"));
    // Each cell continues with its own values, also at points on faces.
    for (a, b) in through.iter().zip(continued) {
        assert!((a - b).abs() <= 1e-13 * a.abs(), "{through:?} {continued:?}");
    }
    let table = read_series(&directory.path().join("results/integrals.csv")).expect("series");
    assert_eq!(table.column("step").expect("steps")[0], 20.0);
    // At the end there is nothing to compute, and the results stay where they are.
    let last = "restart=results/solution_0002.vtkhdf";
    let refused = run(directory.path(), &[&set[..], &[last]].concat(), 2);
    assert!(
        refused.contains("this solution is of step 47, t = 0.093") && !refused.contains("previous-2"),
        "{refused}"
    );
    // What continued has a checkpoint, from which it goes on.
    let more = run(directory.path(), &[&set[..], &["time.steps=48"]].concat(), 0);
    assert!(
        more.contains("restart from results/checkpoint_00000047.h5: step 47"),
        "{more}"
    );

    let kept = "restart=results/previous-1/solution_0001.vtkhdf";
    let other = [&set[..], &[kept, "order=3", "time.steps=22"]].concat();
    let log = run_case(directory.path(), 2, &other, 0);
    assert!(log.contains("previous-1/solution_0001.vtkhdf: step 20"), "{log}");
    let wrong = [&set[..], &[kept, "mesh.box.cells=[4, 4, 2]"]].concat();
    let refused = run(directory.path(), &wrong, 2);
    assert!(
        refused.contains("this solution is of another mesh") && refused.contains("`initial.file` begins"),
        "{refused}"
    );
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

#[test]
fn a_table_with_other_values_is_named_with_its_key() {
    let directory = with_case(&UNIFORM.replace("[x, y, z], elements: mixed", "[y, z]").replace(
        "device: cpu",
        "boundaries: {x-: {type: velocity-inlet, u: {file: in.csv, along: y, column: speed}, v: 0.25, w: 0.125, \
             rho: 1}, x+: {type: pressure-outlet, p: 1}}\ndevice: cpu",
    ));
    let table = |speed: f64| {
        let text = format!("y,speed\n0,{speed}\n1,0.5\n");
        fs::write(directory.path().join("in.csv"), text).expect("a table");
    };
    table(0.5);
    run(directory.path(), &[], 0);
    let log = run(directory.path(), &["time.steps=6"], 0);
    assert!(!log.contains("differs"), "{log}");
    table(0.4);
    let log = run(directory.path(), &["time.steps=7"], 0);
    assert!(
        log.contains("`boundaries.x-` differs from that of the checkpoint") && !log.contains("`boundaries.x+`"),
        "{log}"
    );
    assert!(
        log.contains("`boundaries.x-.u` differs: in.csv has other values"),
        "{log}"
    );
}
