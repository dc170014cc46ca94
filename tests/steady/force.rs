//! Volume forces in steady solutions: flow between plates, driven by a given force and by one that holds the mass flow.

use crate::common::program::{case_command, hash, output, run_case, with_case};
use std::path::Path;

/// Viscosity of the gas; the plates are 1 apart.
const VISCOSITY: f64 = 0.1;
/// Bulk velocity that is held.
const BULK: f64 = 0.1;

/// Laminar flow between two plates at a Mach number of 0.08; the initial state is neither developed nor of the right
/// bulk velocity.
const CASE: &str = "\
mesh: {box: {cells: [2, 4, 2], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}
order: 2
gas: {viscosity: {constant: 0.1}}
boundaries:
  y-: {type: no-slip-isothermal, temperature: 1}
  y+: {type: no-slip-isothermal, temperature: 1}
initial: {u: 0.03, v: 0, w: 0, p: 1, temperature: 1}
forcing: {mass-flow: {direction: x, bulk-velocity: 0.1}}
device: cpu
steady:
  {turbulence: none, driver: implicit, implicit: {cfl: [5, 1000]}, iterations: 600, residual: 1e-9, cfl: 2,
   profiles: {middle: {x: 0.5, along: y}}}
time: {steps: 2}
output: {directory: results}
";

fn steady(directory: &Path, ranks: usize, set: &[&str]) -> String {
    hash(&output(case_command(directory, ranks, set).arg("--steady"), 0))
}

/// Returns the last value of a column of a table of the solution.
fn last(file: &Path, name: &str) -> f64 {
    column(file, name).pop().expect("a row")
}

fn column(file: &Path, name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(file).expect("a table");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = lines.next().expect("names").split(',').map(str::trim).collect();
    let at = names.iter().position(|other| *other == name).expect("the column");
    let number = |line: &str| line.split(',').nth(at)?.trim().parse().ok();
    lines.filter_map(number).collect()
}

/// The bulk velocity of a parabola between walls on points that are `h` apart, over its mean: the sum over dual cells
/// is the trapezoidal rule.
fn trapezoidal(h: f64) -> f64 {
    1.0 - h * h
}

#[test]
fn the_force_that_holds_the_mass_flow_between_plates_is_that_of_the_exact_solution() {
    // A parabola is exact on equidistant points. Heating by friction, of the order of M^2, changes the density.
    let tolerance = 1e-3;
    for driver in ["implicit", "explicit"] {
        let directory = with_case(CASE);
        let driver_key = format!("steady.driver={driver}");
        let outputs = "output={directory: results, forcing: {every-steps: 1}}";
        steady(directory.path(), 1, &[&driver_key, "steady.iterations=4000", outputs]);
        let folder = directory.path().join("results/steady");
        let mean = BULK / trapezoidal(1.0 / 8.0);
        // f = 12 mu U/h^2, and the force on the gas in the volume of 1 is that on the walls.
        let friction = last(&folder.join("convergence.csv"), "friction_x");
        let exact = 12.0 * VISCOSITY * mean;
        assert!(
            (friction / exact - 1.0).abs() < tolerance,
            "{driver}: {friction} {exact}"
        );
        let force = last(&folder.join("forcing.csv"), "force");
        assert!((force / friction - 1.0).abs() < 1e-6, "{driver}: {force} {friction}");
        let u = column(&folder.join("profile_middle.csv"), "u");
        let y = column(&folder.join("profile_middle.csv"), "y");
        // Both walls have a layer.
        let text = std::fs::read_to_string(folder.join("profile_middle.csv")).expect("a table");
        let layers: Vec<&str> = text.lines().filter(|line| line.contains("boundary layer at")).collect();
        assert!(layers.len() == 2 && layers[0].contains("Re_theta = "), "{text}");
        for (u, y) in u.iter().zip(y) {
            let exact = 6.0 * mean * y * (1.0 - y);
            assert!((u - exact).abs() < tolerance * BULK, "{driver}, {y}: {u} {exact}");
        }
        // The domain is closed, so that the mean density is that of the start.
        let density = column(&folder.join("profile_middle.csv"), "rho");
        let mean_density = (density.iter().sum::<f64>() - 0.5 * (density[0] + density[8])) / 8.0;
        assert!((mean_density - 1.0).abs() < 1e-9, "{driver}: {mean_density}");
        // The quadrature of the run in time is exact for a parabola.
        let les = [
            "initial={file: results/steady/steady.h5}",
            "output={directory: les, forcing: {every-steps: 1}}",
        ];
        run_case(directory.path(), 1, &les, 0);
        let bulk = column(&directory.path().join("les/forcing.csv"), "bulk_velocity")[0];
        assert!((bulk / mean - 1.0).abs() < tolerance, "{driver}: {bulk} {mean}");
    }
}

#[test]
fn a_given_force_drives_the_flow_of_the_exact_solution() {
    let directory = with_case(&CASE.replace("mass-flow: {direction: x, bulk-velocity: 0.1}", "force: [0.12, 0, 0]"));
    steady(directory.path(), 1, &[]);
    let folder = directory.path().join("results/steady");
    let friction = last(&folder.join("convergence.csv"), "friction_x");
    assert!((friction / 0.12 - 1.0).abs() < 1e-5, "{friction}");
    let u = column(&folder.join("profile_middle.csv"), "u");
    // f h^2/(8 mu) in the middle.
    assert!((u[4] / 0.15 - 1.0).abs() < 1e-3, "{u:?}");
}

#[test]
fn a_forced_solution_continues_to_the_bit_on_any_number_of_ranks() {
    let directory = with_case(CASE);
    let path = directory.path();
    let few = "steady.iterations=60";
    let whole = steady(path, 1, &[few]);
    assert_eq!(steady(path, 3, &[few, "output.directory=three"]), whole);
    steady(path, 2, &["output.directory=half", "steady.iterations=30"]);
    let on = ["output.directory=half", "restart=half/steady/steady.h5", few];
    assert_eq!(steady(path, 1, &on), whole);
}

#[test]
fn a_force_that_changes_in_time_is_refused() {
    let directory = with_case(CASE);
    let set = "forcing={force: [\"0.1*t\", 0, 0]}";
    let log = output(case_command(directory.path(), 1, &[set]).arg("--steady"), 2);
    assert!(log.contains("no force that changes in time"), "{log}");
}
