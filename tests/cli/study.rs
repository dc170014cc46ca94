//! Studies as their users run them: refused, run, killed, interrupted, and with designs that fail.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::program::{end, folder, names, output, program, refuses, send, start, succeeds, wait_for, write};
use fr_les::study::Record;
use rustix::process::Signal;
use tempfile::TempDir;

const CASE: &str = "\
mesh: {box: {cells: [n, n, n], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}
order: 2
constants: {n: 2, M: 0.1, p0: 1/(1.4*M^2)}
gas: {viscosity: {constant: 1/100}}
initial: {u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0 + (cos(2*x) + cos(2*y))*(cos(2*z) + 2)/16, \
    temperature: p0}
device: cpu
time: {steps: 10, cfl: 0.9, scheme: rk4}
output: {integrals: {every-steps: 1}}
";

pub const STUDY: &str = "\
title: cells and order
case: run.yaml
variables:
  n: {values: [2, 3], set: constants.n}
  order: {values: [2, 3], set: order}
objectives: {energy: {from: integrals.kinetic_energy}}
constraints: {pressure: {from: integrals.pressure_min, take: minimum, at-least: 70}}
doe: {kind: full-factorial}
run: {workers: 2, threads: 1}
output: results
";

pub fn study(text: &str) -> TempDir {
    let folder = folder();
    write(&folder, "run.yaml", CASE.as_bytes());
    write(&folder, "study.yaml", text.as_bytes());
    folder
}

/// The lines of the table by design, without what differs from run to run.
pub fn table(folder: &Path) -> BTreeMap<String, Record> {
    let text = std::fs::read_to_string(folder.join("results/study.jsonl")).expect("the table");
    let mut table = BTreeMap::new();
    for line in text.lines() {
        let record: Record = serde_json::from_str(line).expect(line);
        let record = Record { hours: 0.0, ..record };
        assert!(
            table.insert(record.id.clone(), record).is_none(),
            "twice in the table: {line}"
        );
    }
    table
}

#[test]
fn wrong_studies_are_refused_with_the_place() {
    for (from, to, parts) in [
        (
            "doe: {",
            "does: {",
            &["study.yaml:8:1 (does)", "did you mean `doe`?"][..],
        ),
        (
            "from: integrals",
            "form: integrals",
            &["unknown key `form` in `objectives.energy`", "did you mean `from`?"],
        ),
        (
            "values: [2, 3], set: order",
            "range: [3, 2], set: order",
            &["the range from 3 to 2 is empty"],
        ),
        (
            "values: [2, 3], set: order",
            "set: order",
            &["one of the keys `range` and `values` is missing"],
        ),
        (
            "set: order",
            "set: ordre",
            &["unknown key `ordre`", "did you mean `order`?", "--set ordre=2"],
        ),
        (
            "values: [2, 3], set: order",
            "values: [2, 9], set: order",
            &["from 1 to 8", "--set order=9"],
        ),
        (
            "at-least: 70",
            "at-least: 70, at-most: 69",
            &["nothing is at most 69 and at least 70"],
        ),
        (
            "{kind: full-factorial}",
            "{kind: full-factorial, seed: 2}",
            &["`seed` does not belong", "kind: lhs"],
        ),
        ("{kind: full-factorial}", "{}", &["the key `count` is missing"]),
        (
            "output: results",
            "output: ''",
            &["study.yaml:10", "the name of the directory is empty"],
        ),
        (
            "output: results",
            "output: run.yaml",
            &["study.yaml:10", "run.yaml is a file"],
        ),
        (
            "output: results",
            "output: results\nconfirm: {fine: {set: [order=4]}, x: {set: [nope.y=1]}}",
            &["study.yaml:11", "confirm.x.set", "unknown key `nope`"],
        ),
        (
            "{from: integrals.kinetic_energy}",
            "{from: integrals.kinetic_energy, take: mean, window: [50, 60]}",
            &[
                "objectives.energy.from",
                "the window begins at 50, and the run ends at about 0.",
            ],
        ),
        (
            "threads: 1}",
            "threads: 1, time-limit: 1:90:00}",
            &["run.time-limit", "hours:minutes:seconds"],
        ),
        (
            "case: run.yaml",
            "case: ran.yaml",
            &["ran.yaml", "the case file does not exist"],
        ),
    ] {
        let folder = study(&STUDY.replace(from, to));
        refuses(&folder, &["study", "study.yaml", "--check"], parts);
    }
}

#[test]
fn a_value_that_no_run_writes_is_refused_before_anything_runs() {
    for (from, to, parts) in [
        (
            "integrals.kinetic_energy",
            "integrals.kinetic",
            ["has no column `kinetic`", "did you mean `kinetic_energy`?"],
        ),
        (
            "integrals.kinetic_energy",
            "integral.mass",
            ["no output writes integral.csv", "did you mean `integrals`?"],
        ),
        (
            "integrals.kinetic_energy",
            "traverses.a.omega",
            ["no output has the result", "the case asks for none"],
        ),
    ] {
        let folder = study(&STUDY.replace(from, to));
        let text = output(program(folder.path()).args(["study", "study.yaml"]), 2);
        for part in parts.iter().chain(&["study.yaml:6", "objectives.energy.from"]) {
            assert!(text.contains(part), "no '{part}' in\n{text}");
        }
        let begun = names(&folder.path().join("results/d_0000"));
        assert_eq!(begun, ["case.yaml", "design.json"], "nothing has run");
    }
}

#[test]
fn a_check_reports_variables_cases_and_cost_and_writes_nothing() {
    let folder = study(STUDY);
    let log = succeeds(&folder, &["study", "study.yaml", "--check"]);
    for part in [
        "variable n sets constants.n: 2, 3",
        "--- n = 3, order = 3",
        "value   energy [J/m^3]",
        "--- 4 designs,",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    assert_eq!(names(folder.path()), ["run.yaml", "study.yaml"]);
}

#[test]
fn all_designs_run_once_and_the_best_is_found() {
    let folder = study(STUDY);
    let log = succeeds(&folder, &["study", "study.yaml"]);
    let first = table(folder.path());
    assert_eq!(
        first.keys().collect::<Vec<_>>(),
        ["d_0000", "d_0001", "d_0002", "d_0003"],
        "{log}"
    );
    // Each design is what a run of the case with the same keys gives.
    let again = [
        "run.yaml",
        "--set",
        "constants.n=3",
        "--set",
        "order=2",
        "--set",
        "output.directory=alone",
    ];
    succeeds(&folder, &again);
    let series = |path: &str| std::fs::read_to_string(folder.path().join(path)).expect(path);
    let rows = |text: &str| -> Vec<String> {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect()
    };
    let [alone, design] = ["alone/integrals.csv", "results/d_0002/results/integrals.csv"].map(series);
    assert_eq!(rows(&alone), rows(&design));
    let last: f64 = rows(&alone)
        .last()
        .expect("a row")
        .split(',')
        .nth(3)
        .expect("a column")
        .parse()
        .expect("a number");
    assert_eq!(first["d_0002"].values["energy"], last);

    let best = succeeds(&folder, &["study", "study.yaml", "--best", "2"]);
    let lines: Vec<&str> = best.lines().collect();
    assert_eq!(lines[0], "id,n,order,energy,pressure,violation,state,hours,origin");
    let energy = |line: &str| -> f64 { line.split(',').nth(3).expect("a column").parse().expect("a number") };
    assert_eq!(lines.len(), 3, "{best}");
    assert!(energy(lines[1]) <= energy(lines[2]), "{best}");

    let status = succeeds(&folder, &["study", "study.yaml", "--status"]);
    assert!(status.contains("4 designs (4 done)"), "{status}");
    let report = succeeds(&folder, &["study", "study.yaml", "--report"]);
    assert_eq!(report, "results/study.csv\nresults/study.html\n");
    let page = series("results/study.html");
    for part in [
        "Parallel coordinates",
        "Objective against constraints",
        "d_0003",
        "</html>",
    ] {
        assert!(page.contains(part), "no '{part}' in the page");
    }
    assert_eq!(page.matches("<svg").count(), 4, "figures");
    assert_eq!(series("results/study.csv").lines().count(), 5);

    // A second start runs nothing, and a known design is not added.
    write(&folder, "more.csv", b"order,n\n2,3\n");
    assert!(succeeds(&folder, &["study", "study.yaml", "--add", "more.csv"]).contains("0 of 1 designs are new"));
    let log = succeeds(&folder, &["study", "study.yaml"]);
    assert!(!log.contains("starts:"), "{log}");
    assert_eq!(table(folder.path()), first);

    // Designs of another case are not mixed with these.
    write(&folder, "run.yaml", CASE.replace("steps: 10", "steps: 11").as_bytes());
    let text = output(program(folder.path()).args(["study", "study.yaml"]), 2);
    assert!(
        text.contains("d_0000 was planned with other variables or another case"),
        "{text}"
    );
}

#[test]
fn twenty_kills_leave_the_table_that_none_leaves() {
    let text = STUDY.replace("cells and order", "kills").replace(
        "values: [2, 3], set: constants.n",
        "range: [2, 4], set: \
         constants.M2",
    );
    let text = text.replace("kind: full-factorial", "kind: lhs, count: 6, seed: 3");
    let case = CASE
        .replace("M: 0.1", "M2: 3, M: M2/30")
        .replace("steps: 10", "steps: 60");
    let case = case.replace("every-steps: 1}}", "every-steps: 1}, checkpoint: {every-steps: 7}}");
    let prepared = || {
        let folder = study(&text);
        write(&folder, "run.yaml", case.as_bytes());
        folder
    };
    let (calm, killed) = (prepared(), prepared());
    succeeds(&calm, &["study", "study.yaml"]);
    let mut state = 1_u64;
    let mut kills = 0;
    while kills < 20 {
        // A linear congruential generator (D. E. Knuth) for times up to a second and a half.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let patience = Duration::from_millis((state >> 33) % 1500);
        let mut driver = start(program(killed.path()).args(["study", "study.yaml"]));
        let begin = Instant::now();
        wait_for(&mut driver, || begin.elapsed() > patience);
        driver.kill().expect("killed");
        driver.wait().expect("it ends");
        kills += 1;
    }
    let log = succeeds(&killed, &["study", "study.yaml"]);
    assert_eq!(table(killed.path()), table(calm.path()), "{log}");
    // No design has run twice: each has the rows of one run.
    for id in table(calm.path()).keys() {
        let series = |folder: &TempDir| {
            let path = folder.path().join(format!("results/{id}/results/integrals.csv"));
            let text = std::fs::read_to_string(path).expect("a series");
            text.lines()
                .filter(|line| !line.starts_with('#'))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(series(&killed), series(&calm), "{id}");
    }
    let hidden = names(&killed.path().join("results"))
        .into_iter()
        .filter(|name| name.starts_with('.'));
    assert_eq!(hidden.count(), 0);
}

#[test]
fn an_interrupted_study_goes_on() {
    let folder = study(&STUDY.replace(
        "values: [2, 3], set: constants.n",
        "values: [2, 2.0001], set: constants.k",
    ));
    let long = CASE.replace("constants: {n: 2", "constants: {k: 1, n: 2");
    write(
        &folder,
        "run.yaml",
        long.replace("steps: 10", "steps: 100000").as_bytes(),
    );
    let mut driver = start(program(folder.path()).args(["study", "study.yaml"]));
    let series = folder.path().join("results/d_0000/results/integrals.csv");
    wait_for(&mut driver, || series.exists());
    send(Signal::INT, driver.id());
    let log = end(driver, 4);
    assert!(log.contains("was interrupted and can go on"), "{log}");
    let status = succeeds(&folder, &["study", "study.yaml", "--status"]);
    assert!(status.contains("interrupted") && status.contains("planned"), "{status}");
    assert!(
        names(&folder.path().join("results/d_0000/results"))
            .iter()
            .any(|n| n.starts_with("checkpoint_"))
    );
}

#[test]
fn designs_that_fail_do_not_end_a_study() {
    // The second time step is too long, and the solutions on the second mesh, of which the first is written at the
    // start, are beyond the limit.
    let text = STUDY.replace("n: {values: [2, 3]", "n: {values: [2, 24]");
    let text = text.replace(
        "order: {values: [2, 3], set: order}",
        "dt: {values: [0.0005, 0.5], set: time.dt}",
    );
    let folder = study(&text);
    let case = CASE
        .replace("steps: 10, cfl: 0.9", "steps: 10")
        .replace("order: 2", "order: 3");
    let case = case.replace("every-steps: 1}}", "every-steps: 1}, solution: {every-steps: 10}}");
    write(&folder, "run.yaml", case.as_bytes());
    let command = program(folder.path());
    let mut limited = Command::new("bash");
    limited
        .args(["-c", "ulimit -f 12000; exec \"$@\"", "bash"])
        .arg(command.get_program())
        .args(["study", "study.yaml"])
        .current_dir(folder.path())
        .env_remove("RUST_LOG")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let log = output(&mut limited, 0);
    let table = table(folder.path());
    let states: Vec<String> = table.values().map(|record| record.state.to_string()).collect();
    assert_eq!(
        states,
        ["done", "failed(lost)", "failed(diverged)", "failed(lost)"],
        "{log}"
    );
    let reason = table["d_0001"].reason.clone().expect("a reason");
    assert!(reason.contains("File too large"), "{reason}");
    for part in ["3 of 4 designs failed", "best: d_0000"] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }

    // Without its result a design runs again.
    std::fs::remove_file(folder.path().join("results/d_0001/result.json")).expect("removed");
    let log = succeeds(&folder, &["study", "study.yaml"]);
    assert!(log.contains("d_0001 done"), "{log}");
}

#[test]
fn an_evolution_goes_on_after_a_kill_as_if_there_had_been_none() {
    // The kinetic energy of a uniform flow, ((a - 0.3)^2 + (b + 0.2)^2)/2, with a limit of the momentum in x.
    let case = "\
mesh: {box: {cells: [2, 2, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}
order: 2
constants: {a: 0, b: 0}
initial: {u: a - 0.3, v: b + 0.2, w: 0, p: 70, rho: 1}
device: cpu
time: {steps: 1}
output: {integrals: {every-steps: 1}}
";
    let text = "\
case: run.yaml
variables: {a: {range: [-1, 1], set: constants.a}, b: {range: [-1, 1], set: constants.b}}
objectives: {energy: {from: integrals.kinetic_energy}}
constraints: {push: {from: integrals.momentum_x, at-least: 0.1}}
method: de
de: {population: 6, generations: 3, weight: 0.6, seed: 2}
run: {workers: 2, threads: 1}
output: results
";
    let prepared = || {
        let folder = study(text);
        write(&folder, "run.yaml", case.as_bytes());
        folder
    };
    let (calm, killed) = (prepared(), prepared());
    let log = succeeds(&calm, &["study", "study.yaml"]);
    assert!(log.contains("generation 3: best energy"), "{log}");
    let table_of = |folder: &TempDir| table(folder.path());
    assert_eq!(table_of(&calm).len(), 24);
    for record in table_of(&calm).values() {
        let [a, b] = ["a", "b"].map(|name| record.x[name].to_string().parse::<f64>().expect("a number"));
        let energy = 0.5 * ((a - 0.3).powi(2) + (b + 0.2).powi(2));
        assert!((record.values["energy"] - energy).abs() < 1e-12, "{record:?}");
        let violation = ((0.1 - (a - 0.3)) / 0.1).max(0.0);
        assert!((record.violation - violation).abs() < 1e-10, "{record:?}");
    }
    let mut driver = start(program(killed.path()).args(["study", "study.yaml"]));
    let tenth = killed.path().join("results/d_0010/result.json");
    wait_for(&mut driver, || tenth.exists());
    driver.kill().expect("killed");
    driver.wait().expect("it ends");
    succeeds(&killed, &["study", "study.yaml"]);
    assert_eq!(table_of(&killed), table_of(&calm));
}
