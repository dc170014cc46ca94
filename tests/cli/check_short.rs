//! What `fr-les check` says at first, and on request.

use crate::common::program::{CASE, outcome, succeeds, with_case};

/// A box of 2 x 1 x 0.5 in which gas enters and leaves, with what two warnings are about.
const DOUBTFUL: &str = "title: doubtful\n\
    mesh: {box: {cells: [2, 1, 1], lower: [0, 0, 0], upper: [2, 1, 0.5], periodic: [y, z]}}\norder: 2\n\
    gas: {viscosity: {constant: 0.001}}\ninitial: {u: 0.1, v: 0, w: 0, p: 1.2, temperature: 1}\nboundaries:\n  \
    x-: {type: total-inlet, total-pressure: 1.1, total-temperature: 288}\n  \
    x+: {type: pressure-outlet, p: 1.2}\ntime: {steps: 10, cfl: 1.5}\noutput: {solution: {every-steps: 5}}\n";

/// Most lines of the short text, for a case without warnings that has up to nine outputs.
const MOST_LINES: usize = 25;

#[test]
fn a_check_is_short_with_its_warnings_last() {
    let directory = with_case(DOUBTFUL);
    let shown = succeeds(&directory, &["check", "run.yaml"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines.len() <= MOST_LINES, "{shown}");
    // rho u/mu = 120 per length.
    for part in [
        " INFO doubtful",
        "domain  2 x 1 x 0.5 from (0, 0, 0) to (2, 1, 0.5)",
        "cells   2 hexahedra of order 2: 54 solution points",
        "x-: total-inlet; x+: pressure-outlet",
        "Mach number 0.08452 at the start, Reynolds number up to 240 with the longest side, 60 with the shortest",
        "10 steps; dt = 2.580e-1 at the start",
        " of memory, timed here: CPU",
        "files   in results, of which those that grow with the mesh take ",
        "        solutions every 5 steps",
    ] {
        assert!(shown.contains(part), "no '{part}' in\n{shown}");
    }
    for part in ["scheme", "limits", "reals a point", "hash"] {
        assert!(
            !lines.iter().any(|line| line.starts_with(&format!(" INFO {part}"))),
            "'{part}' in\n{shown}"
        );
    }
    let warned = |line: &&str| line.starts_with(" WARN ");
    let first = lines.iter().position(warned).expect("a warning");
    assert!(lines[first..lines.len() - 1].iter().all(warned), "{shown}");
    assert_eq!(lines[lines.len() - 1], " INFO ok");
    for part in ["cfl 1.5 is above 1", "boundaries.x- prescribes the temperature 2.88"] {
        assert_eq!(
            lines.iter().filter(|line| warned(line) && line.contains(part)).count(),
            1,
            "{shown}"
        );
    }
}

#[test]
fn the_mach_number_of_a_velocity_inlet_is_the_prescribed_one() {
    // The first moment compresses the gas at rest: the mass flux over the density inside would be twice as fast.
    let case = DOUBTFUL.replace("u: 0.1", "u: 0").replace(
        "total-inlet, total-pressure: 1.1, total-temperature: 288",
        "velocity-inlet, u: 0.7*sqrt(1.4), v: 0, w: 0, temperature: 1",
    );
    let shown = succeeds(&with_case(&case), &["check", "run.yaml", "--long"]);
    let row = shown
        .lines()
        .find(|line| line.contains("velocity-inlet "))
        .expect("the inlet");
    assert!(row.ends_with(" 0.7 in"), "{shown}");
}

#[test]
fn the_long_text_is_there_on_request() {
    let directory = with_case(CASE);
    let short = succeeds(&directory, &["check", "run.yaml"]);
    assert!(short.contains("with --long: scheme, memory"), "{short}");
    for request in ["--long", "--verbose"] {
        let long = succeeds(&directory, &["check", "run.yaml", request]);
        for part in ["scheme  p = 3", "limits  acoustic", "reals a point", "mesh    hash "] {
            assert!(
                long.contains(part) && !short.contains(part),
                "'{part}':\n{long}\n{short}"
            );
        }
    }
}

#[test]
fn warnings_that_were_held_back_are_shown_with_an_error() {
    let probe = "output: {probes: {a: {points: [[9, 0, 0]], every-steps: 1}}, ";
    let directory = with_case(&DOUBTFUL.replace("output: {", probe));
    let (code, shown, error) = outcome(&directory, &["check", "run.yaml"]);
    assert_eq!(code, Some(2), "{shown}{error}");
    assert!(error.contains("output.probes.a"), "{error}");
    assert!(
        shown.contains("WARN boundaries.x- prescribes the temperature 2.88"),
        "{shown}"
    );
}

#[test]
fn a_case_without_outputs_brings_a_warning() {
    let directory = with_case(CASE);
    for (outputs, warning) in [
        ("{integrals: {every-steps: 5}}", None),
        ("{}", Some("WARN output: the run writes nothing but checkpoints: ")),
        (
            "{checkpoint: {keep: 0}}",
            Some("WARN output: the run writes nothing at all: "),
        ),
    ] {
        let set = format!("output={outputs}");
        let shown = succeeds(&directory, &["check", "run.yaml", "--set", &set]);
        assert_eq!(shown.contains("WARN output: "), warning.is_some(), "{shown}");
        assert!(warning.is_none_or(|warning| shown.contains(warning)), "{shown}");
    }
}

#[test]
fn steps_that_outputs_shorten_are_counted_and_a_warning_says_where_they_are_most() {
    let directory = with_case(CASE);
    for (period, added) in [("0.001", 100), ("0.05", 2)] {
        let set = [
            "time={end: 0.1005, cfl: 0.9, scheme: rk4}",
            &format!("output={{integrals: {{every: {period}}}}}"),
        ]
        .map(str::to_owned);
        let set: Vec<&str> = set.iter().flat_map(|set| ["--set", set]).collect();
        let shown = succeeds(&directory, &[&["check", "run.yaml"][..], &set].concat());
        let (before, after) = shown.split_once(" steps of dt = ").expect(&shown);
        let count: u64 = before.rsplit(' ').next().and_then(|n| n.parse().ok()).expect(&shown);
        let more = format!(", and up to {added} more where outputs shorten one");
        assert!(after.lines().next().expect("a line").ends_with(&more), "{shown}");
        let warning =
            format!("WARN output: a step ends at each time of an output. `integrals` asks for one every {period}");
        assert_eq!(shown.contains(&warning), added > count, "{shown}");
        let long = succeeds(&directory, &[&["check", "run.yaml", "--long"][..], &set].concat());
        assert!(long.contains(&format!(" for {} steps of ", count + added)), "{long}");
        let log = succeeds(&directory, &[&["run", "run.yaml"][..], &set].concat());
        let (_, end) = log.split_once("finished at step ").expect(&log);
        let steps: u64 = end.split(',').next().and_then(|n| n.parse().ok()).expect(&log);
        assert!((count..=count + added).contains(&steps), "{count} + {added}: {log}");
    }
    // A run of so many steps ends earlier.
    let set = ["--set", "time.steps=7", "--set", "output={integrals: {every: 1e-4}}"];
    let long = succeeds(&directory, &[&["check", "run.yaml", "--long"][..], &set].concat());
    assert!(
        long.contains("steps   about 7 of dt = ") && !long.contains("more where"),
        "{long}"
    );
}

/// A boundary without a value brings 0, which nothing else tells.
#[test]
fn a_check_says_what_boundaries_bring_of_scalars() {
    let scalars = "scalars: {dye: {schmidt: 1, boundaries: {x-: 1}}, smoke: {schmidt: 1}}\ntime:";
    let directory = with_case(&DOUBTFUL.replace("time:", scalars));
    let shown = succeeds(&directory, &["check", "run.yaml"]);
    for line in [
        "scalar  dye: what enters has the values of x-; what enters has 0 at x+",
        "scalar  smoke: what enters has 0 at x-, x+",
    ] {
        assert!(shown.contains(line), "no '{line}' in\n{shown}");
    }
}
