//! How steady solutions end that fail or do not converge: by an exit code, the log, the record and the report.

use super::said::PLATE;
use crate::common::program::{case_command, output, program, with_case};
use std::path::Path;

/// Returns the log of a steady solution along the plate, which must end with a code.
fn plate(directory: &Path, ranks: usize, set: &[&str], code: i32) -> String {
    output(case_command(directory, ranks, set).arg("--steady"), code)
}

/// Returns how the last part of the record says that it ended.
fn recorded(directory: &Path) -> String {
    let text = std::fs::read(directory.join("results/steady/run.json")).expect("a record");
    let record: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let parts = record["parts"].as_array().expect("parts");
    parts.last().expect("a part")["outcome"]
        .as_str()
        .expect("words")
        .to_owned()
}

#[test]
fn a_residual_that_grows_slowly_ends_a_solution_with_code_3() {
    let directory = with_case(PLATE);
    let path = directory.path();
    let log = plate(path, 1, &["boundaries.x+.p=1000", "steady.iterations=600"], 3);
    for part in [
        "error: the steady solution diverges at iteration",
        "times the largest of its first 5 checks; the residual of the ",
        "is largest at (",
        "last checkpoint: results/steady/steady.h5",
        "`steady.implicit.cfl` is [5, 50]",
    ] {
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    assert!(recorded(path).starts_with("failed: the steady solution diverges"));
    assert!(path.join("results/steady/steady.h5").is_file());
    let table = fr_les::io::read_series(&path.join("results/steady/convergence.csv")).expect("a table");
    let last = *table.column("iteration").expect("a column").last().expect("a row");
    assert!(
        log.contains(&format!("diverges at iteration {last}:")),
        "{last} in\n{log}"
    );
    assert!(!path.join("results/steady/steady.vtkhdf").exists());
}

#[test]
fn a_solution_that_takes_no_steps_ends_with_code_3() {
    // The linear systems are in single precision, which cannot hold such pressures.
    let directory = with_case(PLATE);
    let set = [
        "boundaries.x-.total-pressure=1.1e60",
        "boundaries.x+.p=1e60",
        "initial.p=1e60",
        "steady.iterations=600",
    ];
    let error = |ranks: usize| {
        let log = plate(directory.path(), ranks, &set, 3);
        let said = log
            .lines()
            .find_map(|line| line.split_once("error: the steady solution stands still"));
        let said = said.unwrap_or_else(|| panic!("no error in\n{log}")).1.to_owned();
        assert!(log.contains("`steady.implicit.cfl` is [5, 50]"), "{log}");
        said
    };
    let alone = error(1);
    assert!(alone.contains("no step of a usual size is accepted"), "{alone}");
    assert!(alone.contains("is largest at ("), "{alone}");
    assert_eq!(error(2), alone);
}

#[test]
fn steps_that_run_out_are_said_and_the_report_has_balances() {
    let directory = with_case(PLATE);
    let path = directory.path();
    let outputs = "output={boundaries: {every-steps: 1}, probes: {p: {points: [[1, 0.5, 0.2]], every-steps: 1}}}";
    let log = plate(path, 1, &["steady.iterations=20", outputs], 0);
    let said = "the steady solution has not converged: steady.iterations is reached before the residual has fallen to \
                1.00000e-6 of its largest value, and it is at ";
    assert!(log.contains(said), "{log}");
    assert_eq!(recorded(path), "finished, not converged");
    let seen = output(program(path).args(["watch", "results/steady", "--once"]), 0);
    assert!(
        seen.contains("state       finished, not converged at iteration 20"),
        "{seen}"
    );
    output(program(path).args(["report", "results/steady"]), 0);
    let page = std::fs::read_to_string(path.join("results/steady/report.html")).expect("a report");
    assert!(page.contains("finished, not converged, a steady solution at iteration 20"));
    let (_, balances) = page.split_once("Values of the steady solution.").expect("balances");
    let (balances, _) = balances.split_once("</table>").expect("a table");
    assert!(balances.contains("missing, over what flows"), "{balances}");
    assert!(!balances.contains("NaN"), "{balances}");

    let log = plate(path, 1, &["steady.iterations=400", outputs], 0);
    assert!(!log.contains("not converged"), "{log}");
    assert_eq!(recorded(path), "finished");
    // Residuals of other settings are no measure: another pressure is another solution.
    let other = ["restart=latest", "boundaries.x+.p=12", "steady.iterations=800"];
    let converged = std::fs::read(path.join("results/steady/steady.h5")).expect("a checkpoint");
    let log = plate(path, 1, &other, 0);
    let before = std::fs::read(path.join("results/steady/steady-before.h5")).expect("its copy");
    assert!(before == converged);
    assert!(!log.contains("not converged") && log.contains("settings"), "{log}");
}

#[test]
fn a_relaxed_outlet_that_gas_passes_faster_than_sound_keeps_the_outputs() {
    let directory = with_case(PLATE);
    let path = directory.path();
    // Gas at Mach 2 over slip walls is its own solution.
    let set = [
        "boundaries.x-={type: supersonic-inlet, u: 10, v: 0, w: 0, p: 17.857142857142858, temperature: 1}",
        "boundaries.x+={type: relaxed-outlet, p: 17.857142857142858}",
        "boundaries.y-={type: slip}",
        "initial.u=10",
        "steady.iterations=20",
        "output={boundaries: {every-steps: 1}}",
    ];
    let log = plate(path, 1, &set, 0);
    assert!(
        log.contains("gas passes the relaxed outlet x+ at the Mach number 2 at (3, "),
        "{log}"
    );
    let file = path.join("results/steady/boundaries.csv");
    let table = fr_les::io::read_series(&file).unwrap_or_else(|error| panic!("{error}"));
    let flux = table.column("x+_mass_flux").expect("a column")[0];
    // Density 1, velocity 10, area 0.5.
    assert!((flux - 5.0).abs() < 1e-6, "{flux}");
    let check = |set: &[&str]| {
        let mut command = program(path);
        command.args(["check", "run.yaml", "--steady", "--long"]);
        output(command.args(set.iter().flat_map(|set| ["--set", *set])), 0)
    };
    let log = check(&set);
    assert!(
        log.contains("relaxed-outlet") && !log.contains("Mach number of the initial state"),
        "{log}"
    );
    let log = check(&["initial.u=1e30"]);
    assert!(log.contains("the Mach number of the initial state is up to 7"), "{log}");
    assert!(log.contains("gas passes the boundary x+"), "{log}");
}
