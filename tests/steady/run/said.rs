//! What the program says of steady solutions that it refuses, that diverge, or that take no step, and of boundaries
//! that do not fit the initial state.

use super::CASE;
use crate::common::program::{case_command, output, program, with_case};

/// Flow along a plate, from a total pressure to a pressure.
pub(super) const PLATE: &str = "\
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

/// Steps into nearly no pressure would take more than the heat of the gas, if they were not shortened.
#[test]
fn steps_into_nearly_no_pressure_leave_a_temperature() {
    let directory = with_case(PLATE);
    let set = ["boundaries.x+.p=0.0179", "output={boundaries: {every-steps: 1}}"];
    let log = output(case_command(directory.path(), 1, &set).arg("--steady"), 0);
    assert!(
        !log.contains("is not positive") && !log.contains("is not finite"),
        "{log}"
    );
    assert!(
        log.contains("steady.iterations is reached before the residual has fallen"),
        "{log}"
    );
}

#[test]
fn a_flow_that_no_number_can_hold_is_taken_back_and_given_up() {
    let directory = with_case(PLATE);
    let error = |ranks: usize| {
        let set = ["boundaries.x+.p=1e200", "output={boundaries: {every-steps: 1}}"];
        let log = output(case_command(directory.path(), ranks, &set).arg("--steady"), 3);
        assert!(log.contains("a residual is not finite; back to 0"), "{log}");
        // Several ranks say which of them it is.
        let said = log
            .lines()
            .find_map(|line| line.split_once("error: the steady solution diverges"));
        said.expect("an error").1.to_owned()
    };
    let alone = error(1);
    assert!(alone.contains("its steps were taken back 11 times"), "{alone}");
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
