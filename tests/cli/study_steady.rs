//! Studies of steady solutions, and the runs that confirm their best design.

use std::path::Path;

use crate::common::program::{folder, output, program, refuses, succeeds, write};
use fr_les::study::{Record, State};
use tempfile::TempDir;

/// Couette flow between isothermal walls, the upper one of which moves. Its dissipation is small, so that its
/// temperature and density are nearly those of the walls.
const CASE: &str = "\
mesh: {box: {cells: [2, n, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}
order: 2
constants: {n: 4, U: 0.3, mu: 0.1}
gas: {viscosity: {constant: mu}}
boundaries:
  y-: {type: no-slip-isothermal, temperature: 1}
  y+: {type: no-slip-isothermal, temperature: 1, velocity: [U, 0, 0]}
initial: {u: U*y, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {turbulence: none, iterations: 1000, residual: 1e-4}
time: {steps: 20}
output:
  boundaries: {every-steps: 10}
";

const STUDY: &str = "\
mode: steady
case: run.yaml
variables: {speed: {values: [0.1, 0.2, 0.3], set: constants.U}}
objectives: {residual: {from: convergence.density}}
constraints: {lower: {from: convergence.pressure_y, take: mean, window: [20, 1000], at-most: 1}}
doe: {kind: full-factorial}
run: {threads: 1}
output: results
confirm:
  fine: {set: [constants.n=6]}
  les:
    mode: les
    set: [time.steps=30]
    values: {residual: {from: boundaries.y-_force_x}, lower: {from: boundaries.y-_force_x}}
";

fn study(text: &str) -> TempDir {
    let folder = folder();
    write(&folder, "run.yaml", CASE.as_bytes());
    write(&folder, "study.yaml", text.as_bytes());
    folder
}

fn records(folder: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(folder.join("results/study.jsonl")).expect("the table");
    text.lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

#[test]
fn a_window_after_the_last_iteration_is_refused() {
    let folder = study(&STUDY.replace("[20, 1000]", "[1200, 1300]"));
    let parts = [
        "constraints.lower.from",
        "the window begins at 1200, and the run ends at 1000",
    ];
    refuses(&folder, &["study", "study.yaml", "--check"], &parts);
}

#[test]
fn a_study_of_steady_solutions_is_confirmed_on_a_finer_mesh_and_in_time() {
    let folder = study(STUDY);
    let log = succeeds(&folder, &["study", "study.yaml", "--check"]);
    assert!(log.contains("value   residual [density/time]"), "{log}");
    succeeds(&folder, &["study", "study.yaml"]);
    let records = records(folder.path());
    assert_eq!(records.len(), 3);
    for record in &records {
        assert_eq!(record.state, State::Done, "{:?}", record.reason);
        let table = folder
            .path()
            .join(format!("results/{}/results/steady/convergence.csv", record.id));
        let text = std::fs::read_to_string(table).expect("the table");
        let last: Vec<f64> = text
            .lines()
            .last()
            .expect("a row")
            .split(',')
            .map(|x| x.trim().parse().expect(x))
            .collect();
        assert_eq!(record.values["residual"], last[2]);
    }
    // The flow of the slowest wall is nearest to the fields that it begins with.
    let log = succeeds(&folder, &["study", "study.yaml", "--confirm", "fine"]);
    assert!(log.contains("confirmed"), "{log}");
    let best: Record = {
        let csv = succeeds(&folder, &["study", "study.yaml", "--best", "1"]);
        let id = csv.lines().find(|line| line.starts_with("d_")).expect("a row")[..6].to_owned();
        records.iter().find(|record| record.id == id).expect("the best").clone()
    };
    let results = folder.path().join("results/confirm_fine").join(&best.id);
    assert!(results.join("results/steady/steady.h5").is_file());
    let done = std::fs::read_to_string(results.join("result.json")).expect("a result");
    // A run that has ended is not repeated.
    let again = succeeds(&folder, &["study", "study.yaml", "--confirm", "fine"]);
    assert!(again.contains("confirmed") && !again.contains("iteration"), "{again}");
    assert_eq!(
        std::fs::read_to_string(results.join("result.json")).expect("a result"),
        done
    );

    let log = succeeds(&folder, &["study", "study.yaml", "--confirm", "les"]);
    assert!(log.contains("initial state from the checkpoint"), "{log}");
    // The friction of the lower wall, mu U/h over the area 1, at the speed of the design: the steady solution has it
    // from the first row on.
    let friction_of = |id: &str| {
        let path = folder.path().join("results/confirm_les").join(id).join("result.json");
        let text = std::fs::read_to_string(path).expect("a result");
        let confirmed: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        confirmed["values"]["lower"].as_f64().expect("a number")
    };
    // Another design than the best one can be confirmed, too.
    let other = records
        .iter()
        .find(|record| record.id != best.id)
        .expect("another")
        .clone();
    let confirm = ["study", "study.yaml", "--confirm", "les", "--design", other.id.as_str()];
    let log = succeeds(&folder, &confirm);
    assert!(log.contains(&format!("les confirms {}", other.id)), "{log}");
    for record in [&best, &other] {
        let speed: f64 = record.x["speed"].to_string().parse().expect("a number");
        let friction = friction_of(&record.id);
        assert!(
            (friction - 0.1 * speed).abs() < 0.02 * 0.1 * speed,
            "{friction} at {speed}"
        );
    }
    succeeds(&folder, &["study", "study.yaml", "--report"]);
    let page = std::fs::read_to_string(folder.path().join("results/study.html")).expect("the page");
    let section = &page[page.find("Confirmation").expect("a section")..];
    assert!(section.contains("fine") && section.contains(&best.id) && section.contains(&other.id));
}

#[test]
fn a_solution_that_does_not_converge_is_no_design_that_is_done() {
    let folder = study(&format!("residual: 1e-9\n{STUDY}"));
    let log = output(program(folder.path()).args(["study", "study.yaml"]), 1);
    assert!(
        log.contains("error: all 3 designs failed, d_0000 since the residual"),
        "{log}"
    );
    let records = records(folder.path());
    assert!(
        records.iter().all(|record| record.state == State::Unconverged),
        "{records:?}"
    );
    let reason = records[0].reason.as_ref().expect("a reason");
    assert!(reason.contains("not to 1.0e-9"), "{reason}");
    let log = output(
        program(folder.path()).args(["study", "study.yaml", "--confirm", "fine"]),
        2,
    );
    assert!(log.contains("no design is done and keeps all constraints"), "{log}");
}

/// A study whose designs need the second of two retries, and what was tried before it.
const TRIED: &str = "\
residual: 1e-4
retries:
  - set: [steady.iterations=60]
  - set: [steady.iterations=1000, steady.cfl=2]
";

#[test]
fn designs_that_do_not_converge_are_tried_again_with_other_keys() {
    let folder = study(&format!("{TRIED}{STUDY}"));
    let short = CASE.replace("iterations: 1000", "iterations: 40");
    write(&folder, "run.yaml", short.as_bytes());
    let log = succeeds(&folder, &["study", "study.yaml"]);
    assert!(log.contains("d_0000 done with retry 2"), "{log}");
    let rows_of = |id: &str, results: &str| {
        let path = folder
            .path()
            .join(format!("results/{id}/{results}/steady/convergence.csv"));
        let text = std::fs::read_to_string(&path).expect("the table");
        text.lines().filter(|line| !line.starts_with('#')).count() - 2
    };
    let check = |records: &[Record]| {
        assert_eq!(records.len(), 3);
        for record in records {
            assert_eq!((record.state, record.retry), (State::Done, 2), "{:?}", record.reason);
            // A row every 20 iterations: each attempt began anew, with its own keys.
            assert_eq!(
                [rows_of(&record.id, "attempt_1"), rows_of(&record.id, "attempt_2")],
                [2, 3]
            );
            assert!(rows_of(&record.id, "results") > 3);
        }
    };
    let done = records(folder.path());
    check(&done);
    let status = succeeds(&folder, &["study", "study.yaml", "--status"]);
    assert_eq!(status.matches("(retry 2)").count(), 3, "{status}");
    let csv = succeeds(&folder, &["study", "study.yaml", "--best", "3"]);
    assert!(
        csv.lines().all(|line| line.ends_with(",retry") || line.ends_with(",2")),
        "{csv}"
    );
    // What a kill between two retries leaves, and one in the middle of making way for a retry: the same end.
    let of = |id: &str, name: &str| folder.path().join("results").join(id).join(name);
    for id in ["d_0000", "d_0001"] {
        std::fs::remove_file(of(id, "result.json")).expect("removed");
        std::fs::remove_dir_all(of(id, "results")).expect("removed");
    }
    std::fs::rename(of("d_0001", "attempt_2"), of("d_0001", "results")).expect("renamed");
    let log = succeeds(&folder, &["study", "study.yaml"]);
    assert!(
        log.contains("d_0000 starts") && log.contains("d_0001 starts") && !log.contains("d_0002"),
        "{log}"
    );
    let mut again = records(folder.path());
    again.sort_by(|a, b| a.id.cmp(&b.id));
    check(&again);
    for (record, before) in again.iter().zip(&done) {
        assert_eq!(record.values, before.values);
    }
}

#[test]
fn retries_that_are_added_later_serve_the_designs_that_failed() {
    let folder = study(&format!("residual: 1e-4\n{STUDY}"));
    let short = CASE.replace("iterations: 1000", "iterations: 40");
    write(&folder, "run.yaml", short.as_bytes());
    let log = output(program(folder.path()).args(["study", "study.yaml"]), 1);
    assert!(
        log.contains("error: all 3 designs failed, d_0000 since the residual"),
        "{log}"
    );
    assert!(
        records(folder.path())
            .iter()
            .all(|record| record.state == State::Unconverged)
    );
    write(&folder, "study.yaml", format!("{TRIED}{STUDY}").as_bytes());
    succeeds(&folder, &["study", "study.yaml"]);
    let ended: Vec<_> = records(folder.path()).iter().map(|r| (r.state, r.retry)).collect();
    assert_eq!(ended, [(State::Done, 2); 3]);
}

#[test]
fn retries_with_wrong_keys_are_refused_before_anything_runs() {
    for (retries, part) in [
        ("[{set: [steady.cfl]}]", "`steady.cfl` sets nothing"),
        ("[{set: []}]", "the same keys would give the same run"),
        (
            "[{set: [steady.cfl=1]}, {set: [steady.iteration=5]}]",
            "unknown key `iteration`",
        ),
        ("[{}]", "the key `set` is missing"),
    ] {
        let folder = study(&format!("retries: {retries}\n{STUDY}"));
        let log = output(program(folder.path()).args(["study", "study.yaml"]), 2);
        assert!(log.contains(part) && log.contains("study.yaml:1:"), "{log}");
        assert!(!folder.path().join("results/d_0000/results").exists());
    }
}

#[test]
fn wrong_confirmations_are_refused_with_the_place() {
    for (from, to, parts) in [
        (
            "set: [constants.n=6]",
            "set: [constants.n]",
            &["`constants.n` sets nothing", "confirm.fine.set"][..],
        ),
        (
            "from: convergence.density",
            "from: convergence.densty",
            &["no column `densty`", "did you mean `density`?"],
        ),
        (
            "mode: steady",
            "mode: les\nresidual: 1e-3",
            &["`residual` belongs to `mode: steady`"],
        ),
        (
            "values: {residual:",
            "values: {resid:",
            &["`resid` is no objective and no constraint"],
        ),
    ] {
        let folder = study(&STUDY.replace(from, to));
        let log = output(program(folder.path()).args(["study", "study.yaml", "--check"]), 2);
        assert!(parts.iter().all(|part| log.contains(part)), "{log}");
    }
    // A value that the run would not write is found before the run, and so is a design that has not run.
    let folder = study(&STUDY.replace(
        "lower: {from: boundaries.y-_force_x}",
        "lower: {from: boundaries.y-_force}",
    ));
    let refused = |options: &[&str]| output(program(folder.path()).args(["study", "study.yaml"]).args(options), 2);
    succeeds(&folder, &["study", "study.yaml"]);
    let log = refused(&["--confirm", "les"]);
    assert!(
        log.contains("confirm.les.values.lower") && log.contains("no column `y-_force`") && !log.contains("step 1 "),
        "{log}"
    );
    let log = refused(&["--confirm", "fin"]);
    assert!(
        log.contains("there is no `fin`: the key `confirm` has fine, les"),
        "{log}"
    );
    std::fs::remove_file(folder.path().join("results/d_0001/result.json")).expect("removed");
    let log = refused(&["--confirm", "fine", "--design", "d_0001"]);
    assert!(log.contains("d_0001 is planned"), "{log}");
}
