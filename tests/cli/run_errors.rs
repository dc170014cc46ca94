//! Runs that are refused or end early: exit codes, messages, and the files that are left.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::common::program::{CASE, ended, names, program, refuses, run, with_case};
use fr_les::io::read_series;

/// Numeric id of the user and group `nobody`.
const NOBODY: u32 = 65534;

/// One case in ten; case_errors.rs reads all of them in the process of the test.
#[test]
fn malformed_cases_end_with_code_2_and_leave_no_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad-cases");
    let directory = tempfile::tempdir().expect("temporary directory");
    let entries = std::fs::read_dir(folder).expect("folder");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
    paths.sort();
    let mut count = 0;
    for path in paths.iter().step_by(10) {
        let output = run(directory.path(), &[&path.display().to_string()]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{}: {error}", path.display());
        assert!(error.starts_with("error: ") && error.lines().count() <= 24, "{error}");
        assert_eq!(names(directory.path()), [""; 0], "{}", path.display());
        count += 1;
    }
    assert!(count >= 10);
}

#[test]
fn bad_input_beyond_the_case_file_ends_with_code_2() {
    let directory = with_case(CASE);
    for (arguments, part) in [
        (vec!["missing.yaml"], "missing.yaml"),
        (vec!["run.yaml", "--set", "time.clf=0.5"], "did you mean `cfl`"),
        (vec!["run.yaml", "--set", "device=cuda"], "cuda"),
        (vec!["run.yaml", "--set", "initial.p=sin(x)"], "initial.p is -"),
        (vec!["run.yaml", "--set", "initial.u=1e200"], "initial has a density"),
        (
            vec!["run.yaml", "--set", "output.directory=run.yaml/new"],
            "--set output.directory=run.yaml/new",
        ),
        (
            vec!["check", "run.yaml", "--set", "output.directory=run.yaml"],
            "because run.yaml is a file",
        ),
        (vec!["run.yaml", "--threads", "100000"], "from 1 to 1024"),
        (vec!["run.yaml", "--threads", "-1"], "'-1' for '--threads"),
        (vec!["bench", "--steps", "0"], "--steps"),
        (vec!["bench", "--cells", "-4"], "'-4' is not a whole number"),
        (
            vec!["bench", "--json", "new/b.json"],
            "--json new/b.json: there is no directory new",
        ),
        (vec!["run.yaml", "--no-such-flag"], "--no-such-flag"),
        (vec![], "Usage"),
    ] {
        let output = run(directory.path(), &arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(part), "{arguments:?}: {error}");
        assert_eq!(names(directory.path()), ["run.yaml"]);
    }
}

#[test]
fn a_diverging_run_reports_the_place_and_keeps_its_good_output() {
    let directory = with_case(
        &CASE
            .replace(
                "time: {steps: 20, cfl: 0.9",
                "scheme: {shock: none}\ntime: {steps: 2000, dt: 0.2",
            )
            .replace("solution: {every-steps: 10}", "solution: {every-steps: 1000}"),
    );
    let output = run(directory.path(), &["run.yaml"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    for part in [
        "diverged at step",
        "t = ",
        "in hex ",
        "at (",
        "found at step",
        " cells have no number left now; without `scheme.shock` no earlier state is kept",
        "near: no boundary",
        "help: `scheme.shock: positivity`",
        "1/2 to 1/64 of the time step; a checkpoint can be continued with it",
        "the cells around it: results/diverged.vtkhdf",
        "last good output: results/solution_0000.vtkhdf",
    ] {
        assert!(error.contains(part), "no '{part}' in\n{error}");
    }
    let results = directory.path().join("results");
    assert_eq!(
        names(&results),
        [
            "diverged.vtkhdf",
            "integrals.csv",
            "run.json",
            "solution.vtkhdf.series",
            "solution_0000.vtkhdf"
        ]
    );
    let table = read_series(&results.join("integrals.csv")).expect("series");
    assert!(
        table.columns.iter().flatten().all(|x| x.is_finite()),
        "nothing unphysical is written"
    );
}

#[test]
fn the_place_of_a_divergence_is_known_after_it_has_spread() {
    // A peak of pressure that the scheme does not survive, in a row of cells whose states depend on each other over
    // some eight cells a step.
    let directory = with_case(
        "mesh: {box: {cells: [80, 1, 1], lower: [0, 0, 0], upper: [80, 1, 1], periodic: [x, y, z]}}\norder: 2\n\
         device: cpu\ninitial: {u: 0, v: 0, w: 0, p: '1 + 1e5*exp(-((x - 45.3)/0.4)^2)', rho: 1}\n\
         scheme: {shock: none, entropy-correction: none}\ntime: {steps: 100, cfl: 0.9, scheme: rk4}\n\
         output: {directory: results, integrals: {every-steps: 1000}}\n",
    );
    let output = run(directory.path(), &["run.yaml"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    let place = error.split("at (").nth(1).and_then(|rest| rest.split(',').next());
    let x: f64 = place.and_then(|x| x.parse().ok()).unwrap_or_else(|| panic!("{error}"));
    assert!((x - 45.3).abs() < 5.0, "{error}");
}

/// A channel in the box of the case, with this temperature of the wall y-.
fn channel(temperature: &str) -> String {
    let wall = "boundaries:\n  y+: {type: slip}\n  y-:\n    type: no-slip-isothermal\n";
    CASE.replace("[x, y, z]", "[x, z]").replace(
        "time: {steps: 20",
        &format!("{wall}    temperature: {temperature}\ntime: {{steps: 200"),
    )
}

#[test]
fn a_boundary_value_that_becomes_invalid_is_bad_input_and_good_output_is_kept() {
    let directory = with_case(&channel("p0*(1 - t)"));
    let output = run(directory.path(), &["run.yaml", "--set", "time={end: 2, dt: 0.005}"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    for part in [
        "error: boundaries.y-.temperature is ",
        " at (",
        " and t = 1.0",
        "must be positive and finite",
        "run.yaml:16:18 (boundaries.y-.temperature)",
        "16 |     temperature: p0*(1 - t)",
        "last good output: results/solution_0020.vtkhdf",
    ] {
        assert!(error.contains(part), "no '{part}' in\n{error}");
    }
    assert!(directory.path().join("results/solution_0020.vtkhdf").exists());
}

#[test]
fn a_boundary_value_that_is_invalid_at_the_start_is_reported_with_its_line() {
    let directory = with_case(&channel("x"));
    for arguments in [&["check", "run.yaml"][..], &["run.yaml"]] {
        let output = run(directory.path(), arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        for part in [
            "boundaries.y-.temperature is -",
            "t = 0;",
            "run.yaml:16:18",
            "16 |     temperature: x\n",
        ] {
            assert!(error.contains(part), "no '{part}' in\n{error}");
        }
        assert_eq!(names(directory.path()), ["run.yaml"]);
    }
}

#[test]
fn an_invalid_force_is_bad_input_and_not_a_divergence() {
    let directory = with_case(&channel("1"));
    for verb in [&["run.yaml"][..], &["check", "run.yaml"]] {
        let arguments = [verb, &["--set", "forcing.force=[0, log(-y^2), 0]"]].concat();
        refuses(&directory, &arguments, &["forcing.force[1] is", "it must be finite"]);
    }
}

#[test]
fn a_directory_that_cannot_be_written_to_is_bad_input() {
    let directory = with_case(CASE);
    let closed = directory.path().join("closed");
    std::fs::create_dir(&closed).expect("created");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o555)).expect("closed");
    // Root may write everywhere. Its test therefore runs a copy of the program as another user, in a directory that
    // this user can read.
    let root = std::fs::write(closed.join("probe"), "").is_ok();
    let copy = directory.path().join("fr-les");
    if root {
        std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).expect("opened");
        std::fs::copy(env!("CARGO_BIN_EXE_fr-les"), &copy).expect("copied");
    }
    for arguments in [&["check", "run.yaml"][..], &["run.yaml"]] {
        let mut command = program(directory.path());
        if root {
            command = Command::new(&copy);
            command.current_dir(directory.path()).uid(NOBODY).gid(NOBODY);
        }
        let output = command.args(arguments).args(["--set", "output.directory=closed/new"]);
        let output = output.output().expect("starts");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("cannot write to the directory closed"), "{error}");
    }
}

#[test]
fn a_launcher_of_another_library_is_refused() {
    let folder = with_case(CASE);
    let run = |rank: &str, size: &str| {
        let mut command = program(folder.path());
        let envs = [("PMI_RANK", rank), ("PMI_SIZE", size)];
        let output = command.args(["run.yaml", "--set", "time.steps=1"]).envs(envs).output();
        output.expect("the program starts")
    };
    let error = ended(&run("0", "2"), 2);
    for part in ["error: 2 processes were started, but each is alone", "srun --mpi=pmi"] {
        assert!(error.contains(part), "{error}");
    }
    assert_eq!(names(folder.path()), ["run.yaml"]);
    assert_eq!(ended(&run("1", "2"), 2), "", "one process reports it");
    ended(&run("0", "1"), 0);
}
