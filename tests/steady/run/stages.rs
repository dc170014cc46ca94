//! Steady solutions with a mixing plane around an axis by the program: ranks and restarts to the bit, outputs, the
//! start of a large-eddy simulation, and sides that do not go together.

use std::path::Path;

use super::{hash, steady};
use crate::common::program::{case_command, ended, output, run, run_case, with_case};
use fr_les::io::read_series;

/// Gas with a swirl of a solid body before a row that turns. The hub turns with its row, and the casing is at rest.
const CASE: &str = "\
mesh: {file: both.h5}
order: 2
gas: {gas-constant: 1, viscosity: {constant: 1e-3}}
constants: {s: 0.2}
boundaries:
  a-inner: {type: no-slip-adiabatic}
  a-outer: {type: slip}
  a-z-: {type: far-field, u: -s*y, v: s*x, w: 0.3, p: 0.7 + 0.5*s^2*(x^2 + y^2), rho: 1}
  a-z+: {type: interface, with: b-z-, axis: z}
  b-z-: {type: interface, with: a-z+, axis: z, angular-speed: s}
  b-inner: {type: no-slip-adiabatic}
  b-outer: {type: no-slip-adiabatic, velocity: [s*y, -s*x, 0]}
  b-z+: {type: pressure-outlet, p: 0.7 + 0.5*s^2*(x^2 + y^2)}
initial: {u: -s*y, v: s*x, w: 0.3, p: 0.7 + 0.5*s^2*(x^2 + y^2), rho: 1}
device: cpu
steady: {turbulence: sa-neg, iterations: 40}
output:
  boundaries: {every-steps: 1}
  annuli:
    before: {axis: z, x: 0.5, radii: [1.2, 1.8], counts: [6, 3], every-steps: 1}
    behind: {axis: z, x: 1.5, radii: [1.2, 1.8], counts: [6, 3], every-steps: 1, frame: first}
time: {steps: 2}
";

/// Makes the mesh of two rows about the z axis; the second one has this angle in degrees and so many layers of cells
/// along the radius.
fn make_mesh(directory: &Path, angle: &str, layers: usize, by: &str) {
    let cells = format!("{layers},2,2");
    for (file, angle, cells) in [("a.h5", "45", "3,3,2"), ("b.h5", angle, &cells)] {
        let generate = ["mesh", "generate", "annulus", file, "--inner", "1", "--outer", "2"];
        let sizes = [
            "--length",
            "1",
            "--cells",
            cells,
            "--angle",
            angle,
            "--periodic",
            "theta",
        ];
        ended(&run(directory, &[&generate[..], &sizes].concat()), 0);
    }
    let join = [
        "mesh", "join", "a.h5", "b.h5", "both.h5", "--prefix", "a-,b-", "--move", by,
    ];
    ended(&run(directory, &join), 0);
}

#[test]
fn a_stage_continues_to_the_bit_on_any_number_of_ranks() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, "30", 3, "0,0,1");
    let check = ended(&run(path, &["check", "run.yaml", "--steady"]), 0);
    let said = "mixing plane a-z+ to b-z-: means over 5 bands along r, pitches 45 and 30 degrees, b-z- turns at 0.2 \
                about the z axis";
    assert!(check.contains(said), "{check}");
    for driver in ["explicit", "implicit"] {
        let driver = format!("steady.driver={driver}");
        let of = |part: &'static str| ["output.directory", part].join("=");
        let log = output(case_command(path, 1, &[&driver, &of("whole")]).arg("--steady"), 0);
        assert!(log.contains(said), "{log}");
        assert!(
            log.contains("on either side the whole circumference passes the mass"),
            "{log}"
        );
        let whole = hash(&log);
        assert_eq!(steady(path, 3, &[&driver, &of("three")]), whole);
        steady(path, 2, &[&driver, &of("half"), "steady.iterations=20"]);
        let continued = steady(path, 1, &[&driver, &of("half"), "restart=half/steady/steady.h5"]);
        assert_eq!(continued, whole);
        for file in ["annulus_before.csv", "annulus_behind.csv"] {
            let [one, three] = ["whole", "three"].map(|part| {
                let text = std::fs::read_to_string(path.join(part).join("steady").join(file)).expect("a distribution");
                let rows = text.lines().filter(|line| !line.starts_with('#'));
                rows.map(str::to_owned).collect::<Vec<String>>()
            });
            assert_eq!(one, three, "{file}");
        }
        // Six angles over the sector of the block in which the annulus lies.
        for (annulus, last) in [("before", 37.5), ("behind", 25.0)] {
            let map = path.join(format!("whole/steady/annulus_{annulus}.map.csv"));
            let map = read_series(&map).unwrap_or_else(|error| panic!("{error}"));
            let angles = map.column("theta").expect("angles");
            let largest = angles.iter().fold(0.0f64, |most, angle| most.max(*angle));
            assert!((largest - last).abs() < 1e-9, "{annulus}: {largest}");
        }
        for part in ["whole", "three", "half"] {
            std::fs::remove_dir_all(path.join(part)).expect("a folder");
        }
    }
}

#[test]
fn a_steady_stage_begins_a_run_whose_rows_turn() {
    let directory = with_case(CASE);
    let path = directory.path();
    make_mesh(path, "45", 3, "0,0,1");
    steady(path, 1, &[]);
    let begin = ["initial={file: results/steady/steady.h5}", "output.directory=les"];
    let log = run_case(path, 1, &begin, 0);
    assert!(log.contains("initial state from the checkpoint"), "{log}");
    assert!(log.contains("interface a-z+ to b-z-: rows of 45 degrees"), "{log}");
}

#[test]
fn sides_that_do_not_go_together_are_refused() {
    let directory = with_case(CASE);
    let path = directory.path();
    let refused = |set: &[&str], part: &str| {
        let log = output(
            case_command(path, 1, &[&["output={}"], set].concat()).arg("--steady"),
            2,
        );
        assert!(
            log.contains("boundaries.b-z-") || log.contains("boundaries.a-z+"),
            "{log}"
        );
        assert!(log.contains(part), "{part}: {log}");
    };
    make_mesh(path, "30", 3, "0,0,1.125");
    refused(&[], "must lie in one plane normal to an axis");
    make_mesh(path, "30", 2, "0,0,1");
    refused(&[], "both sides need points at the same places along r");
    make_mesh(path, "30", 3, "0,0,1");
    let both = |first: &str, second: &str| {
        [
            format!("boundaries.a-z+={{type: interface, with: b-z-, {first}}}"),
            format!("boundaries.b-z-={{type: interface, with: a-z+, {second}}}"),
        ]
    };
    let [first, second] = both("axis: x", "axis: x, angular-speed: s");
    refused(
        &[&first, &second],
        "the plane must be normal to the axis x: it is normal to z",
    );
    let [first, second] = both("axis: z, origin: [0.1, 0, 0]", "axis: z, origin: [0.1, 0, 0]");
    refused(
        &[&first, &second],
        "the mesh is periodic by a rotation about another axis",
    );
    let [first, second] = both("axis: z, angular-speed: s", "axis: z");
    refused(
        &[&first, &second],
        "`a-z+` comes first in the mesh, and its block turns at 0",
    );
    let [first, second] = both("along: x", "along: x");
    refused(&[&first, &second], "give both sides the `axis` of the rotation");
    let [first, second] = both("along: x", "axis: z, angular-speed: s");
    refused(
        &[&first, &second],
        "this side lies along x, and `b-z-` about the z axis",
    );
}
