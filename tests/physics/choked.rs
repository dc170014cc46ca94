//! Outlets that the flow has reached the speed of sound at, and means that are held at a high rate.

use crate::common::program::{output, program, with_case};
use fr_les::io::read_series;

/// A duct with a total inlet and the given outlet. Air at 300 K, p 1e5 and 100 m/s at the start.
fn duct(total_pressure: &str, outlet: &str) -> String {
    format!(
        "mesh: {{box: {{cells: [6, 1, 1], lower: [0, 0, 0], upper: [0.3, 0.05, 0.05], periodic: [y, z]}}}}\norder: 2\n\
         gas: {{gas-constant: 287, viscosity: {{constant: 1e-3}}}}\n\
         initial: {{u: 100, v: 0, w: 0, p: 1e5, temperature: 300}}\ndevice: cpu\nboundaries:\n  \
         x-: {{type: total-inlet, total-pressure: {total_pressure}, total-temperature: 300}}\n  x+: {{{outlet}}}\n\
         time: {{end: 0.1, cfl: 0.9}}\noutput: {{directory: results, boundaries: {{every-steps: 20}}}}\n"
    )
}

/// Runs the duct; returns mass flux and mean pressure at the outlet at the end, and what the program said.
fn ends(total_pressure: &str, outlet: &str) -> (f64, f64, String) {
    let directory = with_case(&duct(total_pressure, outlet));
    let said = output(program(directory.path()).args(["run", "run.yaml"]), 0);
    let table = read_series(&directory.path().join("results/boundaries.csv")).expect("is written");
    let last = |name: &str| *table.column(name).expect("a column").last().expect("a row");
    (last("x+_mass_flux"), last("x+_pressure"), said)
}

/// Mass flux of an isentropic flow from this total pressure at 300 K to a static pressure, through 0.0025 m^2.
fn isentropic(total: f64, p: f64) -> f64 {
    let mach2 = 5.0 * ((total / p).powf(0.4 / 1.4) - 1.0);
    let t = 300.0 / (1.0 + 0.2 * mach2);
    p / (287.0 * t) * (mach2 * 1.4 * 287.0 * t).sqrt() * 0.0025
}

/// Tests that take longer than those of `make test`.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes half a minute"]
    fn a_mass_flux_is_held_after_the_flow_was_choked_and_one_out_of_reach_is_reported() {
        let held =
            |target: &str| format!("type: relaxed-outlet, p: 1e5, relaxation: 2, hold: mass-flow, mass-flow: {target}");
        // 0.875 leaves at 1.8e5; the start passes the speed of sound.
        let (mass, _, said) = ends("2.1e5", &held("0.875"));
        println!("{mass} kg/s");
        assert!(
            (mass / 0.875 - 1.0).abs() < 0.01 && !said.contains("holds the mass flux"),
            "{mass}: {said}"
        );
        let (mass, _, said) = ends("1.1e5", &held("1.25"));
        println!("{mass} kg/s out of reach");
        let choked = isentropic(1.1e5, 1.1e5 / 1.2f64.powf(3.5));
        assert!(mass < 1.01 * choked, "{mass} above {choked}");
        assert!(said.contains("boundaries.x+ holds the mass flux 1.25"), "{said}");
    }

    #[test]
    #[ignore = "takes half a minute"]
    fn an_outlet_that_was_choked_takes_a_higher_pressure() {
        // The flow is choked at 0.9e5 and subsonic at 1.8e5, which is given from t = 0.02 on.
        let expected = isentropic(2.1e5, 1.8e5);
        for outlet in ["type: pressure-outlet", "type: relaxed-outlet, relaxation: 2"] {
            let (mass, p, _) = ends("2.1e5", &format!("{outlet}, p: 0.9e5+0.9e5*step(t-0.02)"));
            println!("{outlet}: {mass} kg/s, {p} Pa");
            assert!((p / 1.8e5 - 1.0).abs() < 1e-3, "{outlet}: {p}");
            assert!(
                (mass / expected - 1.0).abs() < 0.01,
                "{outlet}: {mass} in place of {expected}"
            );
        }
    }

    #[test]
    #[ignore = "takes half a minute"]
    fn a_mean_is_held_at_any_rate() {
        for relaxation in ["2, length: 0.001", "2, length: 0.01", "1e9"] {
            let (mass, p, _) = ends(
                "1.1e5",
                &format!("type: relaxed-outlet, p: 1e5, relaxation: {relaxation}"),
            );
            println!("{relaxation}: {mass} kg/s, {p} Pa");
            assert!((p / 1e5 - 1.0).abs() < 1e-6, "{relaxation}: {p}");
            assert!(
                (mass / isentropic(1.1e5, 1e5) - 1.0).abs() < 0.01,
                "{relaxation}: {mass}"
            );
        }
    }
}
