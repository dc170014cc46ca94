//! Steady solutions by the program: files, restarts to the bit, ranks, the start of a large-eddy simulation, refusals.

use std::path::Path;

use crate::common::program::{case_command, hash, names, output, program, run_case, with_case};
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

/// Flow along a plate, from a total pressure to a pressure.
const PLATE: &str = "\
mesh: {box: {cells: [6, 4, 1], lower: [0, 0, 0], upper: [3, 1, 0.5], periodic: [z]}}
order: 2
gas: {gas-constant: 17.857142857142858, viscosity: {constant: 1e-3}}
boundaries:
  x-: {type: total-inlet, total-pressure: 18.4, total-temperature: 1.008, direction: [1, 0, 0]}
  x+: {type: pressure-outlet, p: 17.857}
  y-: {type: no-slip-adiabatic}
  y+: {type: slip}
initial: {u: 1, v: 0, w: 0, p: 17.857142857142858, temperature: 1}
device: cpu
steady: {turbulence: none, driver: implicit, iterations: 150}
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
fn steady(directory: &std::path::Path, ranks: usize, set: &[&str]) -> String {
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
fn a_state_that_no_gas_can_have_is_taken_back_and_named() {
    let directory = with_case(PLATE);
    let error = |ranks: usize| {
        let set = ["boundaries.x+.p=0.0179", "output={boundaries: {every-steps: 1}}"];
        let log = output(case_command(directory.path(), ranks, &set).arg("--steady"), 3);
        assert!(
            log.contains("a density or a temperature is not positive; back to"),
            "{log}"
        );
        // Several ranks say which of them it is.
        let said = log
            .lines()
            .find_map(|line| line.split_once("error: the steady solution diverges"));
        said.expect("an error").1.to_owned()
    };
    let alone = error(1);
    let values = |name: &str| -> Option<f64> {
        let (_, rest) = alone.split_once(&format!("the {name} "))?;
        rest.split([' ', ';', ':', ',']).next()?.parse().ok()
    };
    let [rho, temperature, pressure] = ["density", "temperature", "pressure"].map(|name| values(name).expect(name));
    assert!(rho <= 0.0 || temperature <= 0.0, "{alone}");
    let expected = 17.857142857142858 * rho * temperature;
    assert!((pressure - expected).abs() <= 1e-3 * expected.abs(), "{alone}");
    assert!(alone.contains("was not physical, first at ("), "{alone}");
    assert_eq!(error(3), alone);
}

#[test]
fn outputs_that_cannot_sample_the_solution_do_not_blame_a_key() {
    // A polynomial through four points is negative between those that have nearly no pressure.
    let directory = with_case(CASE);
    let set = [
        "steady.points=3",
        "steady.iterations=0",
        "initial.p=\"1e-3 + exp(-((x - 0.5)/0.02)^2)\"",
        "output={boundaries: {every-steps: 1}}",
    ];
    let log = output(case_command(directory.path(), 1, &set).arg("--steady"), 1);
    let said = "the outputs cannot sample the steady solution results/steady/steady.h5: it gives the ";
    assert!(log.contains(said) && !log.contains("initial.file"), "{log}");
}

#[test]
fn boundaries_are_compared_with_the_initial_state() {
    let directory = with_case(PLATE);
    let path = directory.path();
    let outputs = "output={boundaries: {every-steps: 1}}";
    let of = |set: &[&str]| output(case_command(path, 1, set).arg("--steady"), 0);
    let check = |set: &[&str]| {
        let mut command = program(path);
        command.args(["check", "run.yaml", "--steady"]);
        output(command.args(set.iter().flat_map(|set| ["--set", *set])), 0)
    };
    let few = "steady.iterations=10";
    let log = of(&[few, outputs]);
    assert!(!log.contains("same unit"), "{log}");
    assert!(!log.contains("initial state from the checkpoint"), "{log}");
    assert!(!check(&[few, outputs]).contains("same unit"));
    let file = "initial={file: results/steady/steady.vtkhdf}";
    let log = check(&[few, outputs, file]);
    assert!(!log.contains("same unit"), "{log}");
    let said = "boundaries.y- prescribes the temperature 3.0000e2 at";
    let warm = "boundaries.y-={type: no-slip-isothermal, temperature: 300}";
    for log in [of(&["steady.iterations=0", warm]), check(&[few, warm, outputs])] {
        assert!(log.matches(said).count() == 1 && log.contains("is 1.0000e0"), "{log}");
    }
}

#[test]
fn a_solution_that_takes_no_step_says_why() {
    let directory = with_case(CASE);
    let of = |set: &[&str]| {
        let few = [&["steady.residual=0.05"], set].concat();
        output(case_command(directory.path(), 1, &few).arg("--steady"), 0)
    };
    let reached = "before the residual has fallen";
    assert!(!of(&[]).contains(reached));
    let again = of(&["restart=latest", "steady.iterations=20"]);
    assert!(
        again.contains("is steady, and no step is taken") && !again.contains(reached),
        "{again}"
    );
    let changed = of(&["restart=latest", "steady.iterations=20", "gas.viscosity.constant=0.2"]);
    assert!(
        changed.contains("no step is taken: the checkpoint has") && changed.contains("which counts them too, is 20"),
        "{changed}"
    );
    let none = of(&["steady.iterations=0", "output.directory=none"]);
    assert!(!none.contains("no step is taken") && !none.contains(reached), "{none}");
    let mut watch = program(directory.path());
    let seen = output(watch.args(["watch", "none", "--once"]), 0);
    assert!(seen.contains("100.0 %") && !seen.contains("NaN %"), "{seen}");
}

#[test]
fn what_a_steady_solution_does_not_have_is_refused() {
    let directory = with_case(CASE);
    for (set, code, part) in [
        ("initial={file: a.vtkhdf}", 2, "a.vtkhdf"),
        ("steady.cfl=7", 2, "above 0 and at most 5"),
        ("steady.implicit={cfl: [0, 10]}", 2, "above 0 and at most 1e12"),
        (
            "steady.implicit={krylov: 300}",
            2,
            "300 is too large; it must be at most 200",
        ),
        (
            "steady.implicit={cfl: [1000, 5]}",
            2,
            "the CFL number of the first step, 1000, is above that up to which it grows, 5",
        ),
        (
            "steady={turbulence: sa-neg, ratios: {y-: 3}}",
            2,
            "no gas enters through the wall `y-`",
        ),
        ("steady.implicit={linear-stop: 1}", 2, "above 0 and below 1"),
        ("steady.implicit={refresh: {a: -1}}", 2, "at least 0"),
        (
            "steady.implicit={refresh: {period: 11}}",
            2,
            "11 is too large; it must be at most 10",
        ),
        (
            "steady.implicit={refresh: {period: 2, a: 1}}",
            2,
            "`period` and `a`, `b` exclude each other",
        ),
        ("steady.driver=newton", 2, "implicit"),
        ("steady.intensity=0.01", 2, "does not belong to the model none"),
        (
            "steady={turbulence: sst, ratio: 3}",
            2,
            "it takes `intensity`, and `viscosity-ratio` or `turbulence-length`",
        ),
        (
            "steady={turbulence: sa-neg, viscosity-ratio: 3}",
            2,
            "`sa-neg` takes `ratio` and `ratios`",
        ),
        ("steady={turbulence: sst, intensity: 0}", 2, "above 0"),
        (
            "steady={turbulence: k-omega, viscosity-ratio: 1, turbulence-length: 1}",
            2,
            "keep one",
        ),
        ("restart=absent.h5", 2, "absent.h5"),
        ("steady.residual=2", 2, "above 0 and below 1"),
        ("steady.force=0", 2, "above 0 and below 1"),
        ("steady.points=7", 2, "have a degree of at most 6"),
        ("steady.profiles={a: {along: y}}", 2, "exactly one of `x`, `y` and `z`"),
        (
            "steady.profiles={a: {x: 1, y: 2, along: z}}",
            2,
            "exactly one of `x`, `y` and `z`",
        ),
        ("steady.profiles={a: {y: 0.5, along: y}}", 2, "does not run along y"),
        (
            "steady.profiles={a b: {x: 0.5, along: y}}",
            2,
            "cannot be the name of a profile",
        ),
        (
            "steady.profiles={a: {x: 1.5, along: y}}",
            2,
            "x = 1.5 does not meet the mesh, which reaches from 0 to 1",
        ),
        (
            "output.probes={a: {points: [[0.5, 2, 0.5]], every-steps: 1}}",
            2,
            "output.probes.a",
        ),
        ("initial.u=1e200", 3, "the steady solution diverges at iteration"),
    ] {
        let mut command = case_command(directory.path(), 1, &[set]);
        let log = output(command.arg("--steady"), code);
        assert!(log.contains(part), "no '{part}' in\n{log}");
    }
    let without = with_case(&CASE.replace("steady: {turbulence: none, iterations: 400, residual: 1e-12}\n", ""));
    let log = output(case_command(without.path(), 1, &[]).arg("--steady"), 2);
    assert!(log.contains("needs the section `steady`"), "{log}");
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

/// The rows of the table of the convergence in an output directory, and the numbers of the last one.
fn last(path: &Path, output: &str) -> (Vec<String>, Vec<f64>) {
    let table = std::fs::read_to_string(path.join(output).join("steady/convergence.csv")).expect("a table");
    let row = table.lines().last().expect("rows").to_owned();
    let numbers: Vec<f64> = row.split(',').map(|x| x.trim().parse().expect("a number")).collect();
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    (rows.map(str::to_owned).collect(), numbers)
}

/// Solves with a preconditioner, which is given with a name and the cells over the height: the residual falls, and the
/// solution is the same on any number of ranks and through a restart.
fn solve_implicitly(name: &str, cells: usize, of: &str) {
    let directory = with_case(CASE);
    let path = directory.path();
    let last = |output: &str| last(path, output);
    let with = |output: &str, more: &[&str]| -> Vec<String> {
        let mut set = vec![
            format!("output.directory={output}"),
            "steady.driver=implicit".to_owned(),
            of.to_owned(),
            format!("mesh.box.cells=[2, {cells}, 2]"),
        ];
        set.extend(more.iter().map(|&x| x.to_owned()));
        set
    };
    let run = |output: &str, ranks: usize, more: &[&str]| {
        let set = with(output, more);
        steady(path, ranks, &set.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let [whole, three, half] = ["whole", "three", "half"].map(|part| format!("{name}-{part}"));
    let hash = run(&whole, 1, &["steady.iterations=40"]);
    let (table, numbers) = last(&whole);
    // The residual rises as the order becomes the second one after 10 steps, and then falls by a factor of 100 or
    // more in 10 steps, on a fine mesh by less; explicit ones need hundreds for this.
    let at_20: f64 = table[3].split(',').nth(2).expect("a norm").parse().expect("a number");
    let fall = if cells > 8 { 0.05 } else { 1e-3 };
    assert!(numbers[2] < fall * at_20, "{} {at_20}", numbers[2]);
    assert!(
        numbers[0] == 40.0 && numbers[12] >= 10.0 && (1.0..=10.0).contains(&numbers[13]),
        "{numbers:?}"
    );
    // In steps 0, 4 and 8 of 10.
    assert!(name != "kept" || numbers[13] == 3.0, "{numbers:?}");
    assert_eq!(run(&three, 3, &["steady.iterations=40"]), hash);
    assert_eq!(last(&three).0, table);
    run(&half, 2, &["steady.iterations=20"]);
    let on = format!("restart={half}/steady/steady.h5");
    assert_eq!(run(&half, 3, &["steady.iterations=40", &on]), hash);
    assert_eq!(last(&half).0, table);
}

#[test]
fn an_implicit_solution_needs_few_steps_and_continues_to_the_bit_on_any_number_of_ranks() {
    solve_implicitly("gauss-seidel", 4, "steady.implicit={cfl: [5, 1000], linear-stop: 0.01}");
    // With 8 cells over the height, lines cross from rank to rank unless they are kept whole.
    solve_implicitly(
        "lines",
        8,
        "steady.implicit={cfl: [5, 1000], preconditioner: lines, linear-stop: 0.01}",
    );
}

#[test]
fn a_solution_turns_implicit_and_continues_to_the_bit() {
    let directory = with_case(CASE);
    let path = directory.path();
    let last = |output: &str| last(path, output);
    // By the fall of the residual in 100 explicit steps the solution would take thousands.
    let auto = ["steady.driver=auto", "steady.iterations=240", "steady.residual=1e-90"];
    let log = output(
        case_command(path, 1, &[&auto[..], &["output.directory=auto"]].concat()).arg("--steady"),
        0,
    );
    assert!(log.contains("driver implicit from now on"), "{log}");
    let (table, numbers) = last("auto");
    assert!(
        numbers[0] == 240.0 && numbers[12] >= 10.0 && table.len() == 2 + 10 + 4,
        "{table:?}"
    );
    let on = ["restart=auto-half/steady/steady.h5", "output.directory=auto-half"];
    steady(
        path,
        2,
        &[&auto[..], &["output.directory=auto-half", "steady.iterations=220"]].concat(),
    );
    assert_eq!(steady(path, 1, &[&auto[..], &on].concat()), hash(&log));
    assert_eq!(last("auto-half").0, table);
}

/// The other preconditioners.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes two minutes"]
    fn an_implicit_solution_continues_to_the_bit_with_every_preconditioner() {
        // Agglomerates with members of other ranks.
        solve_implicitly(
            "multigrid",
            24,
            "steady.implicit={cfl: [5, 1000], preconditioner: multigrid, linear-stop: 0.01}",
        );
        solve_implicitly(
            "ilu",
            4,
            "steady.implicit={cfl: [5, 1000], preconditioner: ilu, linear-stop: 0.01, refresh: {a: 3, b: 0}}",
        );
        solve_implicitly(
            "kept",
            4,
            "steady.implicit={cfl: [5, 1000], preconditioner: ilu, linear-stop: 0.01, refresh: {period: 4}}",
        );
    }
}
