//! Conservation, determinism and stability on prisms, tetrahedra, pyramids and mixed meshes.

use crate::common::cases::{advance, case, solver, taylor_green};
use fr_les::output::Integrals;
use fr_les::solver::Solver;

const KINDS: [&str; 4] = ["prism", "tet", "pyramid", "mixed"];

/// Taylor-Green vortex on 4^3 cubes that are divided into cells of a kind.
fn of_kind(kind: &str, order: usize, more: &str) -> String {
    taylor_green(4, order, "{constant: 1/100}", more).replace("    warp:", &format!("    elements: {kind}\n    warp:"))
}

fn integrals(solver: &mut Solver) -> Integrals {
    solver.evaluate_rhs(0.0).unwrap();
    Integrals::of(solver).unwrap()
}

#[test]
fn mass_momentum_and_energy_drift_by_round_off_only_on_every_kind_of_cell() {
    for kind in KINDS {
        for more in ["", "#warp\n", "#warp\nscheme: {split: none, riemann: hllc}\n"] {
            let mut s = solver(&of_kind(kind, 3, more));
            let before = integrals(&mut s);
            let dt = 0.5 * {
                let rates = s.device.time_step_bounds().unwrap();
                s.stable_step(&rates)
            };
            advance(&mut s, 60, dt);
            let after = integrals(&mut s);
            let momentum = s.geometry.volume * (2.0 * before.kinetic_energy).sqrt();
            let scale = [before.conserved[0], momentum, momentum, momentum, before.conserved[4]];
            for v in 0..5 {
                let drift = (after.conserved[v] - before.conserved[v]).abs() / scale[v];
                println!("{kind} '{}' variable {v}: {drift:.2e}", more.trim());
                assert!(drift <= 1e-13, "{kind} '{more}' variable {v}: {drift:e}");
            }
            assert!(after.kinetic_energy < before.kinetic_energy, "the flow must have moved");
        }
    }
}

#[test]
fn threads_give_the_same_bits_on_every_kind_of_cell() {
    for kind in KINDS {
        for precision in ["double", "single"] {
            let hash = |threads: usize| {
                let more = format!("#warp\nprecision: {precision}\nthreads: {threads}\n");
                let mut s = Solver::new(&case(&of_kind(kind, 2, &more)).solver).expect("valid");
                advance(&mut s, 20, 2e-3);
                s.hash().unwrap()
            };
            assert_eq!(hash(1), hash(2), "{kind} {precision}");
        }
    }
}

#[test]
fn runs_at_the_stability_limit_are_stable_on_every_kind_of_cell() {
    for kind in KINDS {
        // The step is limited by sound, by both sound and viscosity, and by viscosity.
        for viscosity in ["1/1000", "1/20", "1/2"] {
            let text = of_kind(kind, 3, "").replace("constant: 1/100", &format!("constant: {viscosity}"));
            let mut s = solver(&text);
            let rates = s.device.time_step_bounds().unwrap();
            let dt = 0.95 * s.stable_step(&rates);
            let before = integrals(&mut s).kinetic_energy;
            advance(&mut s, 150, dt);
            let after = integrals(&mut s).kinetic_energy;
            assert!(
                s.device.time_step_bounds().unwrap().unphysical.is_none(),
                "{kind}, viscosity {viscosity}"
            );
            assert!(
                after < 1.05 * before,
                "{kind}, viscosity {viscosity}: {before} to {after}"
            );
        }
    }
}
