//! Moments of the forces on boundaries, and the sums of walls that are one body.

use crate::common::program::{refuses, run_case, with_case};
use fr_les::io::{Table, read_series};
use tempfile::TempDir;

/// Gas at rest between slip walls, whose pressure is not the same everywhere: its polynomial is that of the solution.
const AT_REST: &str = "\
title: moments
mesh: {box: {cells: [2, 3, 2], lower: [0, 0, 0], upper: [2, 3, 1]}}
order: 2
precision: double
initial: {u: 0, v: 0, w: 0, p: 1 + 0.1*x*z, rho: 1 + 0.1*x*z}
boundaries: {x-: {type: slip}, x+: {type: slip}, y-: {type: slip}, y+: {type: slip}, z-: {type: slip}, z+: {type: slip}}
device: cpu
time: {steps: 1, dt: 1e-4}
output:
  reference: {pressure: 0.9, density: 1, velocity: [2, 0, 0], area: 3, length: 0.5}
  boundaries: {every-steps: 1, moment-about: [0.3, 0.4, 0.5], bodies: {floor: [y-], corner: [y-, z-]}}
";

/// A flow that rubs along walls.
const RUBBING: &str = "\
title: moments
mesh: {box: {cells: [3, 3, 2], lower: [0, -1, 0], upper: [2, 1, 1], periodic: [x, z]}}
order: 2
gas: {viscosity: {constant: 1e-2}}
initial: {u: 0.5 - 0.4*y^2, v: 0.1*sin(pi*x)*(1 - y^2), w: 0.05*cos(2*pi*z), p: 1/1.4, rho: 1}
boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: no-slip-isothermal, temperature: 1/1.4}}
device: cpu
time: {steps: 20, cfl: 0.9}
output:
  reference: {pressure: 0.7, density: 1, velocity: [1, 0, 0], area: 2, length: 2}
  boundaries: {every-steps: 5, moment-about: [0, 0, 0], bodies: {both: [y-, y+]}}
";

fn table(directory: &TempDir, name: &str) -> Table {
    read_series(&directory.path().join("results").join(name)).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the components of a vector in the row of a table.
fn vector(table: &Table, name: &str, row: usize) -> [f64; 3] {
    ["x", "y", "z"].map(|d| {
        let name = format!("{name}_{d}");
        table
            .column(&name)
            .unwrap_or_else(|| panic!("no {name}: {:?}", table.names))[row]
    })
}

fn assert_near(found: [f64; 3], exact: [f64; 3], tolerance: f64, what: &str) {
    let near = found
        .iter()
        .zip(exact)
        .all(|(found, exact)| (found - exact).abs() < tolerance);
    assert!(near, "{what}: {found:?} {exact:?}");
}

#[test]
fn the_moment_of_a_known_pressure_is_its_integral() {
    let directory = with_case(AT_REST);
    run_case(directory.path(), 1, &[], 0);
    let boundaries = table(&directory, "boundaries.csv");
    // On the floor, whose normal is -y, r x n is (z - z0, 0, -(x - x0)). With the integrals over x from 0 to 2 and z
    // from 0 to 1 of 1, x, z and x z, which are 2, 2, 1 and 1, and of x^2 z and x z^2, which are 4/3 and 2/3:
    let [x0, y0, z0] = [0.3, 0.4, 0.5];
    let of_p = 2.0 + 0.1;
    let of_px = 2.0 + 0.1 * 4.0 / 3.0;
    let of_pz = 1.0 + 0.1 * 2.0 / 3.0;
    let floor = [of_pz - z0 * of_p, 0.0, -(of_px - x0 * of_p)];
    assert_near(vector(&boundaries, "y-_moment", 0), floor, 1e-12, "y-");
    assert_near(vector(&boundaries, "y-_force", 0), [0.0, -of_p, 0.0], 1e-12, "force");
    // On the side z = 0, whose normal is -z and where p is 1, r x n is (-(y - y0), x - x0, 0).
    let side = [-(2.0 * 4.5 - y0 * 6.0), 3.0 * 2.0 - x0 * 6.0, 0.0];
    assert_near(vector(&boundaries, "z-_moment", 0), side, 1e-12, "z-");
    let corner = [0, 1, 2].map(|d| floor[d] + side[d]);
    assert_near(vector(&boundaries, "corner_moment", 0), corner, 1e-12, "corner");
    assert_near(
        vector(&boundaries, "corner_force", 0),
        [0.0, -of_p, -6.0],
        1e-12,
        "corner",
    );
    for name in ["force", "viscous", "moment"] {
        let of = |body: &str| vector(&boundaries, &format!("{body}_{name}"), 0);
        assert_eq!(of("floor"), of("y-"), "a body of one wall");
    }
    assert!(boundaries.column("corner_mass_flux").is_none());
    // Coefficients: of the pressure less 0.9, over 1/2 rho U^2 A L = 3, and for forces over 6.
    let coefficients = table(&directory, "coefficients.csv");
    let of_one = [1.0 - z0 * 2.0, 0.0, -(2.0 - x0 * 2.0)];
    let exact = [0, 1, 2].map(|d| (floor[d] - 0.9 * of_one[d]) / 3.0);
    assert_near(vector(&coefficients, "y-_moment", 0), exact, 1e-12, "coefficient");
    let lift = coefficients.column("corner_lift").expect("a column")[0];
    assert!((lift + (of_p - 0.9 * 2.0) / 6.0).abs() < 1e-12, "{lift}");
}

#[test]
fn moments_about_two_points_differ_by_that_of_the_force() {
    let about = [[0.0, 0.0, 0.0], [30.0, -20.0, 10.0]];
    let tables = about.map(|[x, y, z]| {
        let directory = with_case(RUBBING);
        run_case(
            directory.path(),
            1,
            &[&format!("output.boundaries.moment-about=[{x}, {y}, {z}]")],
            0,
        );
        table(&directory, "boundaries.csv")
    });
    let rows = tables[0].columns[0].len();
    assert!(rows > 3);
    for wall in ["y-", "y+", "both"] {
        let [here, there] = tables
            .each_ref()
            .map(|table| vector(table, &format!("{wall}_moment"), rows - 1));
        let [fx, fy, fz] = vector(&tables[0], &format!("{wall}_force"), rows - 1);
        let [x, y, z] = about[1];
        let arm = [y * fz - z * fy, z * fx - x * fz, x * fy - y * fx];
        assert!(fx != 0.0 && fy != 0.0);
        assert_near([0, 1, 2].map(|d| here[d] - there[d]), arm, 1e-12, wall);
    }
}

#[test]
fn moments_and_bodies_are_the_same_on_any_number_of_ranks_and_after_a_restart() {
    let files = |pieces: &[(usize, u32)]| {
        let directory = with_case(RUBBING);
        for (ranks, steps) in pieces {
            let steps = format!("time.steps={steps}");
            run_case(
                directory.path(),
                *ranks,
                &[&steps, "restart=latest", "output.checkpoint={every-steps: 10}"],
                0,
            );
        }
        ["boundaries.csv", "coefficients.csv"]
            .map(|name| std::fs::read(directory.path().join("results").join(name)).unwrap_or_else(|e| panic!("{e}")))
    };
    let alone = files(&[(1, 20)]);
    assert!(files(&[(3, 20)]) == alone);
    assert!(files(&[(2, 10), (1, 20)]) == alone);
}

#[test]
fn bodies_that_cannot_be_are_refused_with_their_key() {
    for (set, parts) in [
        (
            "{wing: [y-, y0]}",
            ["there is no boundary `y0`", "(output.boundaries.bodies.wing[1])"],
        ),
        (
            "{wing: []}",
            ["the body `wing` has no walls", "(output.boundaries.bodies.wing)"],
        ),
        (
            "{wing: [y-, y-]}",
            ["`y-` is named twice", "(output.boundaries.bodies.wing[1])"],
        ),
        (
            "{y-: [y+]}",
            ["a boundary has the name `y-`", "give the body another name"],
        ),
    ] {
        let directory = with_case(RUBBING);
        let set = format!("output.boundaries.bodies={set}");
        refuses(&directory, &["check", "run.yaml", "--set", &set], &parts);
    }
    let directory = with_case(AT_REST);
    let set = [
        "boundaries.x-={type: supersonic-outlet}",
        "output.boundaries.bodies={wing: [x-]}",
    ];
    let arguments = ["check", "run.yaml", "--set", set[0], "--set", set[1]];
    refuses(&directory, &arguments, &["the boundary `x-` is no wall"]);
}
