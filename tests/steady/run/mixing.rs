//! Steady solutions with a mixing plane by the program: ranks and restarts to the bit, outputs, the start of a
//! large-eddy simulation, and sides that do not go together.

use std::path::Path;

use super::{hash, steady};
use crate::common::program::{case_command, ended, names, output, run, run_case, with_case};

/// A wake before a block that moves.
const CASE: &str = "\
mesh: {file: both.h5}
order: 2
gas: {viscosity: {constant: 1e-3}}
boundaries:
  a-x-: {type: total-inlet, total-pressure: 1.1 - 0.02*cos(2*pi*y), total-temperature: 1, direction: [1, 0, 0]}
  a-x+: {type: interface, with: b-x-}
  b-x-: {type: interface, with: a-x+, speed: 0.2}
  b-x+: {type: pressure-outlet, p: 1}
initial: {u: 0.35, v: 0, w: 0, p: 1, temperature: 1}
device: cpu
steady: {turbulence: sa-neg, iterations: 40}
output: {boundaries: {every-steps: 1}, surfaces: {boundaries: [b-x-], every: 1}}
time: {steps: 2}
";

/// Makes the mesh of two boxes; the second one begins at `x`, is so wide in y and has so many cells in z.
fn make_mesh(directory: &Path, x: f64, width: f64, layers: usize) {
    let second = [
        "b.h5",
        &format!("2,3,{layers}"),
        &format!("{x},0,0"),
        &format!("1,{width},0.5"),
    ]
    .map(str::to_owned);
    let first = ["a.h5", "3,4,1", "-1,0,0", "0,1,0.5"].map(str::to_owned);
    for [file, cells, lower, upper] in [first, second] {
        let sizes = [
            "--cells",
            &cells,
            "--lower",
            &lower,
            "--upper",
            &upper,
            "--periodic",
            "y,z",
        ];
        let arguments = [&["mesh", "generate", "box", &file][..], &sizes].concat();
        ended(&run(directory, &arguments), 0);
    }
    let join = ["mesh", "join", "a.h5", "b.h5", "both.h5", "--prefix", "a-,b-"];
    ended(&run(directory, &join), 0);
}

#[test]
fn a_mixing_plane_continues_to_the_bit_on_any_number_of_ranks() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, 0.0, 1.3, 1);
    let log = ended(&run(path, &["check", "run.yaml", "--steady", "--long"]), 0);
    let sides = log.lines().filter(|line| line.contains("  interface  ")).count();
    assert!(sides == 2 && !log.contains("supersonic-outlet"), "{log}");
    for driver in ["explicit", "implicit"] {
        let driver = format!("steady.driver={driver}");
        let of = |part: &'static str| ["output.directory", part].join("=");
        let log = output(case_command(path, 1, &[&driver, &of("whole")]).arg("--steady"), 0);
        let said = "a-x+ to b-x-: means over 2 bands along z, pitches 1 and 1.3, b-x- moves at 0.2 along y";
        assert!(log.contains(said), "{log}");
        assert!(log.contains("means of the fluxes of both sides within"), "{log}");
        assert!(
            names(&path.join("whole/steady")).contains(&"boundaries.csv".to_owned()),
            "{log}"
        );
        let whole = hash(&log);
        assert_eq!(steady(path, 3, &[&driver, &of("three")]), whole);
        steady(path, 2, &[&driver, &of("half"), "steady.iterations=20"]);
        assert_eq!(
            steady(path, 1, &[&driver, &of("half"), "restart=half/steady/steady.h5"]),
            whole
        );
        for part in ["whole", "three", "half"] {
            std::fs::remove_dir_all(path.join(part)).expect("a folder");
        }
    }
}

#[test]
fn a_solution_with_a_mixing_plane_begins_a_run_whose_sides_slide() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, 0.0, 1.0, 1);
    steady(path, 1, &[]);
    let log = run_case(
        path,
        1,
        &["initial={file: results/steady/steady.h5}", "output.directory=les"],
        0,
    );
    assert!(log.contains("initial state from the checkpoint"), "{log}");
    assert!(log.contains("interface a-x+ to b-x-: rows of length 1"), "{log}");
    let log = ended(&run(path, &["check", "run.yaml", "--steady"]), 0);
    assert!(log.contains("mixing plane a-x+ to b-x-"), "{log}");
}

#[test]
fn sides_that_do_not_go_together_are_refused() {
    let directory = with_case(CASE);
    let path = directory.path();
    let refused = |part: &str| {
        let log = output(case_command(path, 1, &["output={}"]).arg("--steady"), 2);
        assert!(
            log.contains("boundaries.b-x-") || log.contains("boundaries.a-x+"),
            "{log}"
        );
        assert!(log.contains(part), "{log}");
    };
    make_mesh(path, 0.125, 1.0, 1);
    refused("must lie in one plane normal to an axis");
    make_mesh(path, 0.0, 1.0, 2);
    refused("give both blocks the same layers of cells");
    make_mesh(path, 0.0, 1.0, 1);
    let log = output(
        case_command(path, 1, &["output={}", "boundaries.a-x+.with=b-x+"]).arg("--steady"),
        2,
    );
    assert!(log.contains("`b-x+` is no interface"), "{log}");
    let frame = "rotating-frame={angular-velocity: [0, 0, 0.1], forces: coriolis}";
    let log = output(case_command(path, 1, &["output={}", frame]).arg("--steady"), 2);
    assert!(log.contains("beside a mixing plane, as a-x+ to b-x-"), "{log}");
}
