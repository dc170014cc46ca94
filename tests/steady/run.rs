//! Steady solutions by the program: files, restarts to the bit, ranks, and the start of a large-eddy simulation.

mod ends;
mod gpu;
mod implicit;
mod mixing;
mod said;
mod sectors;
mod stages;

use std::path::Path;

use crate::common::program::{case_command, hash, names, output, run_case, with_case};
use fr_les::io::DirectoryLock;

/// Couette flow between isothermal walls.
const CASE: &str = "\
mesh: {box: {cells: [2, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z], elements: prism}}
order: 2
gas: {viscosity: {constant: 0.1}}
boundaries:
  y-: {type: no-slip-isothermal, temperature: 1}
  y+: {type: no-slip-isothermal, temperature: 1, velocity: [0.3, 0, 0]}
initial: {u: 0.1, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {turbulence: none, iterations: 400, residual: 1e-12}
time: {steps: 2}
";

/// Its files.
const FILES: [&str; 6] = [
    "adequacy.md",
    "adequacy.vtkhdf",
    "convergence.csv",
    "run.json",
    "steady.h5",
    "steady.vtkhdf",
];

/// Runs the steady solution and returns the hash of its values.
fn steady(directory: &Path, ranks: usize, set: &[&str]) -> String {
    hash(&output(case_command(directory, ranks, set).arg("--steady"), 0))
}

#[test]
fn a_steady_solution_continues_to_the_bit_on_any_number_of_ranks_and_begins_a_run() {
    let directory = with_case(CASE);
    let path = directory.path();
    let whole = steady(path, 1, &[]);
    let folder = path.join("results/steady");
    assert_eq!(names(&folder), FILES);
    let table = std::fs::read_to_string(folder.join("convergence.csv")).expect("a table");
    let rows: Vec<Vec<f64>> = table
        .lines()
        .filter_map(|line| line.split(',').map(|x| x.trim().parse().ok()).collect())
        .collect();
    assert_eq!(rows.len(), 20);
    assert_eq!((rows[0][0], rows[19][0]), (20.0, 400.0));
    assert!(rows[19][2] < 1e-3 * rows[0][2], "{table}");
    // Friction: mu du/dy = 0.1 * 0.3 over the area 1 of each wall, which cancel; so does the pressure.
    assert!(
        rows[19][9].abs() < 1e-3 * 0.03 && rows[19][7].abs() < 1e-3,
        "{:?}",
        rows[19]
    );
    let report = std::fs::read_to_string(folder.join("adequacy.md")).expect("a report");
    // u_tau = sqrt(0.03/rho) with rho near 1.
    assert!(report.contains("mean friction velocity 0.17"), "{report}");

    assert_eq!(steady(path, 3, &["output.directory=three"]), whole);
    let of_three = std::fs::read_to_string(path.join("three/steady/adequacy.md")).expect("a report");
    assert_eq!(of_three, report);
    assert!(
        report.contains("| largest y1+ | (") && report.contains("| no edge |"),
        "{report}"
    );
    steady(path, 2, &["output.directory=half", "steady.iterations=200"]);
    let on = ["output.directory=half", "restart=half/steady/steady.h5"];
    assert_eq!(steady(path, 1, &on), whole);
    let again = std::fs::read_to_string(path.join("half/steady/convergence.csv")).expect("a table");
    let numbers = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(numbers(&again), numbers(&table));

    let log = run_case(
        path,
        1,
        &["initial={file: results/steady/steady.h5}", "output.directory=les"],
        0,
    );
    assert!(log.contains("initial state from the checkpoint"), "{log}");
    let with = "initial={file: results/steady/steady.h5, fluctuations: {seed: 1}}";
    let log = run_case(path, 1, &[with, "output.directory=les"], 2);
    assert!(log.contains("it is laminar: all its Reynolds stresses are 0"), "{log}");
}

#[test]
fn a_new_solution_keeps_the_files_of_an_earlier_one_and_other_runs_out() {
    let directory = with_case(CASE);
    let (path, few) = (directory.path(), ["steady.iterations=20"]);
    let folder = path.join("results/steady");
    steady(path, 1, &few);
    let first = std::fs::read(folder.join("steady.h5")).expect("a checkpoint");
    steady(path, 1, &few);
    assert_eq!(std::fs::read(folder.join("previous-1/steady.h5")).expect("kept"), first);
    assert_eq!(names(&folder.join("previous-1")), FILES);
    let held = DirectoryLock::take(&path.join("results")).expect("a lock");
    let log = output(case_command(path, 1, &few).arg("--steady"), 2);
    drop(held);
    assert!(log.contains("output.directory"), "{log}");
    assert!(!folder.join("previous-2").exists());
}

#[test]
fn a_start_that_is_refused_leaves_the_files_of_an_earlier_solution() {
    let directory = with_case(CASE);
    let (path, few) = (directory.path(), "steady.iterations=20");
    let folder = path.join("results/steady");
    let log = output(case_command(path, 1, &[few, "restart=latest"]).arg("--steady"), 0);
    assert!(
        log.contains("restart: latest finds no results/steady/steady.h5"),
        "{log}"
    );
    let first = std::fs::read(folder.join("steady.h5")).expect("a checkpoint");
    let far = "mesh.box={cells: [2, 4, 2], lower: [9, 0, 0], upper: [10, 1, 1], periodic: [x, z], elements: prism}";
    let from = "initial={file: results/steady/steady.vtkhdf}";
    std::fs::write(path.join("wrong.dat"), b"no solution").expect("a file");
    for set in [
        &[few, "restart=wrong.dat"][..],
        &[few, far, from],
        &[few, "restart=absent.dat"],
    ] {
        let log = output(case_command(path, 1, set).arg("--steady"), 2);
        assert_eq!(names(&folder), FILES, "{log}");
        assert_eq!(std::fs::read(folder.join("steady.h5")).expect("kept"), first);
    }
    // A solution may begin with the fields of the one that it replaces.
    let log = output(case_command(path, 2, &[few, from]).arg("--steady"), 0);
    assert!(log.contains("they were moved to"), "{log}");
    assert_eq!(std::fs::read(folder.join("previous-1/steady.h5")).expect("kept"), first);
    assert!(!folder.join("previous-2").exists());
}

#[test]
fn models_of_k_and_omega_continue_to_the_bit_and_begin_a_run() {
    let directory = with_case(&CASE.replace("constant: 0.1", "constant: 1e-4"));
    let path = directory.path();
    for (model, driver) in [("sst", "explicit"), ("k-omega", "implicit")] {
        let of = |iterations: usize| {
            format!(
                "steady={{turbulence: {model}, intensity: 0.05, viscosity-ratio: 20, driver: {driver}, \
                 iterations: {iterations}, profiles: {{middle: {{x: 0.5, along: y}}}}}}"
            )
        };
        let directories = ["whole", "three", "half"].map(|part| format!("output.directory={model}-{part}"));
        let whole = steady(path, 1, &[&of(40), &directories[0]]);
        assert_eq!(steady(path, 3, &[&of(40), &directories[1]]), whole);
        steady(path, 2, &[&of(20), &directories[2]]);
        let on = format!("restart={model}-half/steady/steady.h5");
        assert_eq!(steady(path, 1, &[&of(40), &directories[2], &on]), whole);
        let table = |part: &str| {
            let file = path.join(format!("{model}-{part}/steady/convergence.csv"));
            fr_les::io::read_series(&file).unwrap_or_else(|error| panic!("{error}"))
        };
        let [all, parts] = ["whole", "half"].map(table);
        assert_eq!(all.columns, parts.columns);
        for name in ["k", "omega"] {
            let norms = all
                .column(name)
                .unwrap_or_else(|| panic!("no {name} in {:?}", all.names));
            assert!(
                norms.iter().all(|norm| *norm > 0.0 && norm.is_finite()),
                "{name}: {norms:?}"
            );
        }
        assert!(all.column("nu-tilde").is_none());
        // The profile has k and its rate of dissipation, and the checkpoint begins a run with its stresses.
        let file = path.join(format!("{model}-whole/steady/profile_middle.csv"));
        let profile = fr_les::io::read_series(&file).unwrap_or_else(|error| panic!("{error}"));
        let [k, epsilon] = ["k", "epsilon"].map(|name| profile.column(name).expect("a column"));
        let last = k.len() - 1;
        assert!(k[0] == 0.0 && epsilon[0] == 0.0 && k[last] == 0.0, "{k:?}");
        assert!((1..last).all(|i| k[i] > 0.0 && epsilon[i] > 0.0), "{k:?} {epsilon:?}");
        let set = [
            format!("initial={{file: {model}-whole/steady/steady.h5, fluctuations: {{seed: 1}}}}"),
            format!("output.directory={model}-les"),
        ];
        run_case(path, 1, &[&set[0], &set[1]], 0);
        // Another model cannot continue from it.
        let set = [&on[..], "steady.turbulence=sa-neg", "output.directory=other"];
        let log = output(case_command(path, 1, &set).arg("--steady"), 2);
        assert!(log.contains(&format!("its model of turbulence is {model}")), "{log}");
    }
    let inviscid = CASE
        .replace("gas: {viscosity: {constant: 0.1}}\n", "")
        .replace("no-slip-isothermal, temperature: 1, velocity: [0.3, 0, 0]", "slip")
        .replace("no-slip-isothermal, temperature: 1", "slip");
    let inviscid = with_case(&inviscid);
    let log = output(
        case_command(inviscid.path(), 1, &["steady.turbulence=sst"]).arg("--steady"),
        2,
    );
    assert!(log.contains("needs a viscosity"), "{log}");
}
