//! Runs with a filter whose steps are taken back: they end where they would die, with the same bits on any number of
//! ranks and from any checkpoint, and nothing that they write has a state that was taken back.

use std::path::Path;

use crate::common::program::{hash, names, output, program, run_case, with_case};
use fr_les::io::{StoredSolution, read_series};
use tempfile::TempDir;

/// Waves in a box with a fixed step far beyond the largest stable one. The case without a filter dies.
const WAVES: &str = "mesh: {box: {cells: [6, 4, 4], lower: [0, 0, 0], upper: [6, 4, 4], periodic: [x, y, z], \
    elements: ELEMENTS}}\norder: 2\ndevice: cpu\nscheme: {shock: positivity}\n\
    initial: {u: 1 + 0.3*sin(pi*x/3), v: 0.2*cos(pi*y/2), w: 0.1*sin(pi*z/2), p: 1, rho: 1}\n\
    time: {end: END, dt: DT}\n\
    output: {directory: results, integrals: {every-steps: 3}, checkpoint: {every-steps: 2, keep: 1000}}\n";

/// The numbers that follow these words in the lines of a log.
fn after(log: &str, words: &str) -> Vec<f64> {
    let rest = log.lines().filter_map(|line| line.split_once(words));
    rest.map(|(_, rest)| {
        let number: String = rest.chars().take_while(|c| "0123456789.e-".contains(*c)).collect();
        number
            .parse()
            .unwrap_or_else(|_| panic!("no number after '{words}' in {rest}"))
    })
    .collect()
}

/// The table of integrals without its head.
fn rows(directory: &Path, results: &str) -> Vec<String> {
    let text = std::fs::read_to_string(directory.join(results).join("integrals.csv")).expect("a series");
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn steps_are_taken_back_alike_on_any_number_of_ranks_and_from_any_checkpoint() {
    for (elements, dt, scheme, end) in [
        ("hex", 0.3, "rk4", 2),
        ("prism", 0.15, "lsrk5", 2),
        ("tet", 0.45, "paired", 6),
    ] {
        let case = with_case(
            &WAVES
                .replace("ELEMENTS", elements)
                .replace("DT", &dt.to_string())
                .replace("END", &end.to_string()),
        );
        let directory = case.path();
        let scheme = format!("time.scheme={scheme}");
        let died = run_case(
            directory,
            1,
            &[&scheme, "scheme.shock=none", "output.directory=none"],
            3,
        );
        assert!(died.contains("diverged at step"), "{died}");
        let log = run_case(directory, 1, &[&scheme], 0);
        let back = after(&log, "; back to step ");
        println!("{elements} {scheme}: back to steps {back:?}");
        assert!(!back.is_empty(), "{elements}: {log}");
        // The first time and the count of all are warnings, which --quiet shows as well.
        let warned = |text: &str| {
            log.lines()
                .filter(|line| line.contains("WARN") && line.contains(text))
                .count()
        };
        assert_eq!(
            (warned("; back to step "), warned("steps were taken back ")),
            (1, 1),
            "{log}"
        );
        for until in after(&log, "time step until t = ") {
            let steps = until / dt;
            assert!(
                (steps - steps.round()).abs() < 1e-4,
                "{until} is not a time of the fixed step {dt}"
            );
        }
        let (alone, table) = (hash(&log), rows(directory, "results"));
        let series = read_series(&directory.join("results/integrals.csv")).expect("a series");
        assert!(
            series.columns.iter().flatten().all(|x| x.is_finite()),
            "a row of a state that was taken back"
        );
        let times = &series.columns[series.names.iter().position(|name| name == "time").expect("times")];
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
        let counted = series
            .names
            .iter()
            .position(|name| name == "steps_back")
            .expect("a count");
        let counted: f64 = series.columns[counted].iter().sum();
        assert!(
            counted <= back.len() as f64 && counted + 1.0 >= back.len() as f64,
            "{counted} of {}",
            back.len()
        );
        let log = run_case(directory, 3, &[&scheme, "output.directory=three"], 0);
        assert_eq!(
            (hash(&log), rows(directory, "three")),
            (alone.clone(), table.clone()),
            "{elements} on 3 ranks"
        );
        let checkpoints = names(&directory.join("results"));
        let checkpoints: Vec<&String> = checkpoints
            .iter()
            .filter(|name| name.starts_with("checkpoint"))
            .collect();
        assert!(checkpoints.len() > 4, "{checkpoints:?}");
        for name in checkpoints.iter().rev().skip(1).step_by(3) {
            let from = format!("restart=results/{name}");
            // The series goes on from its length at the checkpoint.
            let again = directory.join("again");
            let _ = std::fs::remove_dir_all(&again);
            std::fs::create_dir(&again).expect("a directory");
            std::fs::copy(directory.join("results/integrals.csv"), again.join("integrals.csv")).expect("a copy");
            let log = run_case(directory, 2, &[&scheme, &from, "output.directory=again"], 0);
            assert_eq!(
                (hash(&log), rows(directory, "again")),
                (alone.clone(), table.clone()),
                "{elements} from {name}"
            );
        }
    }
}

/// A supersonic outlet through which gas enters fits no step. The message and the file have the last sound state.
#[test]
fn a_run_that_no_shorter_step_saves_ends_with_the_last_sound_state() {
    let case = with_case(
        "mesh: {box: {cells: [6, 3, 3], lower: [0, 0, 0], upper: [6, 3, 3], periodic: [y, z], elements: pyramid}}\n\
         order: 2\ndevice: cpu\nscheme: {shock: positivity}\n\
         initial: {u: -2 + 0.1*sin(2*pi*y/3), v: 0, w: 0, p: 1, rho: 1}\n\
         boundaries: {x-: {type: slip}, x+: {type: supersonic-outlet}}\ntime: {steps: 1500, cfl: 0.9}\n\
         output: {directory: results, integrals: {every-steps: 100}}\n",
    );
    let mut errors = Vec::new();
    for ranks in [1, 3] {
        let log = run_case(case.path(), ranks, &[], 3);
        assert!(after(&log, "; back to step ").len() >= 6, "{log}");
        let error = log.split_once("error: ").expect("an error").1;
        assert!(
            error.contains("; density ") && error.contains("beside it at step "),
            "{error}"
        );
        assert!(error.contains("it lies on the boundary `x+`"), "{error}");
        let tried = "tried: 1/2, 1/4, 1/8, 1/16, 1/32 and 1/64 of the time step; with the last, dt = ";
        assert!(error.contains(tried) && !error.contains("scheme.shock"), "{error}");
        // What the filter did stands in the log before the error.
        let times = after(&log, "steps were taken back ");
        assert!(times.len() == 1 && times[0] >= 6.0, "{log}");
        errors.push(error.lines().take(6).collect::<Vec<_>>().join("\n"));
        // The series end before the death; the record has what the filter did until then.
        let told = output(program(case.path()).args(["watch", "results", "--once"]), 0);
        let words = log.rsplit_once("WARN filter: ").expect("what the filter did").1;
        let changes = words.split(", in ").next().expect("a number of changes");
        assert!(told.contains(&format!("filter      {changes}")), "{changes}\n{told}");
        let state = told.lines().find(|line| line.starts_with("state")).expect("a state");
        assert_eq!(
            state.matches(" at step ").count(),
            2,
            "of the death, and where it was found: {state}"
        );
        let stored = StoredSolution::open(&case.path().join("results/diverged.vtkhdf")).expect("a file");
        let before = stored
            .field("pressure_before", 0..stored.cells())
            .expect("the last sound state");
        // Between points the polynomials may be lower.
        assert!(before.iter().all(|p| p.is_finite()));
    }
    println!("{}", errors[0]);
    assert_eq!(errors[0], errors[1]);
}

#[test]
fn a_correction_between_central_interfaces_gets_a_warning() {
    let case = with_case(
        &WAVES
            .replace("ELEMENTS", "hex")
            .replace("DT", "0.01")
            .replace("END", "1"),
    );
    let log = |scheme: &str| {
        let set = format!("scheme={{{scheme}}}");
        output(
            program(case.path()).args(["check", "--long", "run.yaml", "--set", &set]),
            0,
        )
    };
    let warns = |scheme: &str| log(scheme).contains("`scheme.riemann: central` dissipates nothing at interfaces");
    assert!(warns("riemann: central, entropy-correction: cells"));
    assert!(warns("riemann: central") && !warns("riemann: central, entropy-correction: none"));
    assert!(!warns("riemann: roe, entropy-correction: cells"));
}

/// A run that died is continued with a filter: its series goes on with the same columns, and the file of the cells
/// around its death does not look like one of the run that ends well.
#[test]
fn a_run_that_died_without_a_filter_goes_on_with_one() {
    let case = with_case(
        &WAVES
            .replace("shock: positivity", "shock: none, entropy-correction: none")
            .replace("ELEMENTS", "hex")
            .replace("DT", "0.15, scheme: rk4")
            .replace("END", "3"),
    );
    let directory = case.path();
    let died = run_case(directory, 1, &[], 3);
    let before = rows(directory, "results");
    assert!(died.contains("the cells around it: results/diverged.vtkhdf"), "{died}");
    let filtered = ["restart=latest", "scheme.shock=positivity"];
    let log = run_case(directory, 1, &filtered, 0);
    assert!(!log.contains("goes on without"), "{log}");
    let series = read_series(&directory.join("results/integrals.csv")).expect("a series");
    assert_eq!(rows(directory, "results")[..before.len()], before);
    let counted = series.column("filter_changes").expect("a count");
    let begun = before.len() - 2;
    assert!(
        counted[..begun].iter().all(|&changes| changes == 0.0) && counted.iter().any(|&changes| changes > 0.0),
        "{counted:?}"
    );
    let files = names(&directory.join("results"));
    assert!(files.contains(&"diverged-earlier.vtkhdf".to_owned()) && !files.contains(&"diverged.vtkhdf".to_owned()));
    assert!(log.contains("it is results/diverged-earlier.vtkhdf now"), "{log}");
    let view = output(program(directory).args(["watch", "results", "--once"]), 0);
    assert!(
        view.lines()
            .any(|line| line.starts_with("filter ") && line.contains("changes of a cell in a stage")),
        "{view}"
    );
    output(program(directory).args(["report", "results"]), 0);
    let page = std::fs::read_to_string(directory.join("results/report.html")).expect("a report");
    assert!(
        page.contains("changes of a cell in a stage"),
        "a report without what the filter did"
    );
}

/// The Kelvin-Helmholtz instability of J. Chan et al., Frontiers in Physics 10 (2022), in a thin box. A mean leaves the
/// admissible states within a stage at t = 5.71, which the limiter alone cannot mend.
#[test]
fn the_hexahedra_of_a_shear_layer_live_on() {
    let case = with_case(
        "mesh: {box: {cells: [12, 12, 1], lower: [-1, -1, 0], upper: [1, 1, 1/6], periodic: [x, y, z]}}\n\
         order: 3\ndevice: cpu\nthreads: 1\nscheme: {entropy-correction: none}\n\
         initial: {rho: 0.5 + 0.75*(tanh(15*y + 7.5) - tanh(15*y - 7.5)), \
         u: 0.5*(tanh(15*y + 7.5) - tanh(15*y - 7.5) - 1), v: 0.1*sin(2*pi*x), w: 0, p: 1}\n\
         time: {end: 6, scheme: lsrk5, cfl: 0.9}\noutput: {directory: results, integrals: {every-steps: 10}}\n",
    );
    let log = run_case(case.path(), 1, &[], 0);
    let back = after(&log, "; back to step ");
    println!("back to steps {back:?}");
    assert!(!back.is_empty() && back.len() < 10, "{log}");
    assert!(log.contains("changes of a cell in a stage, the strongest"), "{log}");
}

/// A flow in a box with a fixed time step.
fn box_with_steps(dt: f64) -> TempDir {
    with_case(&format!(
        "mesh: {{box: {{cells: [4, 4, 4], lower: [-pi, -pi, -pi], upper: [pi, pi, pi], periodic: [x, y, z]}}}}\n\
         order: 3\ndevice: cpu\nconstants: {{p0: 1/(1.4*0.1^2)}}\n\
         initial: {{u: sin(x)*cos(y)*cos(z), v: -cos(x)*sin(y)*cos(z), w: 0, p: p0, temperature: p0}}\n\
         time: {{steps: 60, dt: {dt}}}\noutput: {{directory: results, integrals: {{every-steps: 5}}}}\n"
    ))
}

/// Runs it on one and on three ranks; returns the logs of runs that end with a code.
fn with_fixed_steps(dt: f64, code: i32) -> [String; 2] {
    let case = box_with_steps(dt);
    [1, 3].map(|ranks| run_case(case.path(), ranks, &[], code))
}

/// What the filter did before a restart counts, also where the run goes on with other steps.
#[test]
fn restarts_with_other_steps_keep_the_counts() {
    let case = box_with_steps(0.05);
    let changes = |log: &str| {
        let line = log.lines().find(|line| line.contains("changes of a cell in a stage"));
        line.map_or(0.0, |line| after(line, "filter: ")[0])
    };
    let before = changes(&run_case(case.path(), 1, &["time.steps=20"], 0));
    let more = ["time.steps=30", "time.dt=0.01", "restart=latest"];
    let all = changes(&run_case(case.path(), 1, &more, 0));
    println!("{before} changes, {all} after a restart with shorter steps");
    let check = |keys: &[&str]| {
        let mut command = program(case.path());
        command.args(["check", "--long", "run.yaml"]);
        for key in keys {
            command.args(["--set", key]);
        }
        output(&mut command, 0)
    };
    let continued = check(&["time.steps=90", "restart=latest"]);
    assert!(
        continued.contains("checkpoint_00000030.h5: step 30, t = "),
        "{continued}"
    );
    assert!(continued.contains("steps   about 60 of"), "{continued}");
    assert!(before > 0.0 && all >= before, "{before} {all}");
}

/// A time step that is too long leaves the limiter most cells to change: the run goes back and takes shorter steps.
#[test]
fn steps_in_which_the_limiter_changes_most_cells_are_taken_back() {
    let logs = with_fixed_steps(0.2, 0);
    println!("{}", logs[0]);
    for log in &logs {
        assert!(
            log.contains("the limiter changed ") && log.contains("; back to step 0"),
            "{log}"
        );
        assert!(log.contains("finished at step 60"), "{log}");
    }
    assert_eq!(after(&logs[0], "; back to step "), after(&logs[1], "; back to step "));
}

/// Where no shorter step helps, the run says so in place of going on.
#[test]
fn a_flow_that_only_the_limiter_holds_is_no_result() {
    let case = box_with_steps(20.0);
    let errors = [1, 3].map(|ranks| {
        let log = run_case(case.path(), ranks, &[], 3);
        let error = log.split_once("error: ").expect("an error").1;
        error.lines().take(3).collect::<Vec<_>>().join("\n")
    });
    println!("{}", errors[0]);
    for part in [
        "`scheme.shock: positivity` changed ",
        " % of the cells in each stage",
        "tried: 1/2, 1/4, 1/8, 1/16, 1/32 and 1/64 of the time step",
        "last good output: ",
    ] {
        assert!(errors[0].contains(part), "{}", errors[0]);
    }
    assert_eq!(errors[0], errors[1]);
}
