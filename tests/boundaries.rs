//! Each boundary condition does what it says.

mod common;

use common::{advance, advance_to, l2_error, solver};
use fr_les::monitor::Integrals;
use fr_les::solver::Solver;

fn integrals(solver: &mut Solver) -> Integrals {
    solver.evaluate_rhs(0.0).unwrap();
    Integrals::take(solver.device.as_mut(), solver.geometry.volume).unwrap()
}

#[test]
fn adiabatic_walls_at_rest_keep_mass_and_energy_to_round_off() {
    for (warp, correction) in [(0.0, "radau"), (0.3, "radau"), (0.3, "lobatto")] {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [4, 4, 3], lower: [0, 0, 0], upper: [1, 1, 1], warp: {warp}}}}}\norder: 3\n\
             scheme: {{correction: {correction}}}\ngas: {{viscosity: {{constant: 0.02}}}}\n\
             initial: {{u: 0.3*sin(pi*x)*cos(pi*y), v: -0.3*cos(pi*x)*sin(pi*y), w: 0.1*sin(pi*z), p: 1 + 0.1*x, rho: 1 + 0.2*y}}\n\
             boundaries:\n  x-: {{type: slip}}\n  x+: {{type: no-slip-adiabatic}}\n  y-: {{type: no-slip-adiabatic}}\n  \
             y+: {{type: symmetry}}\n  z-: {{type: slip}}\n  z+: {{type: no-slip-adiabatic}}\ntime: {{steps: 1}}\n"
        ));
        let before = integrals(&mut s);
        advance_to(&mut s, 0.5, 0.5);
        let after = integrals(&mut s);
        for v in [0, 4] {
            let drift = (after.conserved[v] / before.conserved[v] - 1.0).abs();
            assert!(drift < 1e-13, "warp {warp} {correction} variable {v}: {drift:e}");
        }
        assert!(
            after.kinetic_energy < 0.9 * before.kinetic_energy,
            "the flow must have moved for this to mean anything"
        );
    }
}

/// Couette flow between isothermal walls, the upper one moving at 1: u = y, T = 1 + Pr/(2 cp) y (1 - y), p = 1.
fn couette_error(order: usize, cells: usize) -> [f64; 5] {
    let mut s = solver(&format!(
        "mesh: {{box: {{cells: [1, {cells}, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}}}\norder: {order}\n\
         gas: {{prandtl: 0.72, viscosity: {{constant: 0.05}}}}\nconstants: {{k: 0.72/7}}\n\
         initial: {{u: y, v: 0, w: 0, p: 1, temperature: 1 + k*y*(1 - y)}}\nboundaries:\n  \
         y-: {{type: no-slip-isothermal, temperature: 1}}\n  y+: {{type: no-slip-isothermal, temperature: 1, velocity: [1, 0, 0]}}\n\
         time: {{steps: 1}}\n"
    ));
    advance_to(&mut s, 2.0, 0.7);
    let exact = |x: [f64; 3]| {
        let y = x[1];
        let rho = 1.0 / (1.0 + 0.72 / 7.0 * y * (1.0 - y));
        [rho, rho * y, 0.0, 0.0, 2.5 + 0.5 * rho * y * y]
    };
    l2_error(&s, exact)
}

#[test]
fn couette_flow_between_isothermal_walls_is_held_to_round_off() {
    // u and T are polynomials of degree 1 and 2, and primitives are what the scheme differentiates: nothing is left to err.
    for (order, cells) in [(2, 4), (3, 3), (4, 2)] {
        let errors = couette_error(order, cells);
        for v in [0, 1, 4] {
            assert!(errors[v] < 1e-13, "p {order}: {errors:?}");
        }
    }
}

#[test]
fn couette_flow_develops_from_rest_with_interfaces_that_damp_every_jump() {
    let mut s = solver(
        "mesh: {box: {cells: [1, 4, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}\norder: 3\nscheme: {riemann: rusanov}\n\
         gas: {prandtl: 0.72, viscosity: {constant: 0.3}}\ninitial: {u: 0, v: 0, w: 0, p: 1, temperature: 1}\nboundaries:\n  \
         y-: {type: no-slip-isothermal, temperature: 1}\n  y+: {type: no-slip-isothermal, temperature: 1, velocity: [1, 0, 0]}\n\
         time: {steps: 1}\n",
    );
    advance_to(&mut s, 30.0, 0.7);
    let np = s.geometry.n.pow(3);
    let state = s.device.state().unwrap();
    for (i, x) in s.geometry.points.iter().enumerate() {
        let (cell, p) = (i / np * 5, i % np);
        let u = state[(cell + 1) * np + p] / state[cell * np + p];
        assert!((u - x[1]).abs() < 1e-9, "u = {u} at y = {}", x[1]);
    }
}

#[test]
fn isothermal_walls_heat_the_gas_and_adiabatic_walls_do_not() {
    let energy_gain = |wall: &str| {
        let mut s = solver(&format!(
            "mesh: {{box: {{cells: [1, 4, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}}}\norder: 3\n\
             gas: {{viscosity: {{constant: 0.02}}}}\ninitial: {{u: 0, v: 0, w: 0, p: 1, temperature: 1}}\n\
             boundaries: {{y-: {wall}, y+: {wall}}}\ntime: {{steps: 1}}\n"
        ));
        let before = integrals(&mut s).conserved[4];
        advance_to(&mut s, 0.5, 0.5);
        integrals(&mut s).conserved[4] - before
    };
    assert!(energy_gain("{type: no-slip-isothermal, temperature: 1.2}") > 1e-2);
    assert!(energy_gain("{type: no-slip-adiabatic}").abs() < 1e-14);
}

#[test]
fn sound_leaves_through_a_far_field() {
    let mut s = solver(
        "mesh: {box: {cells: [20, 1, 1], lower: [-1, 0, 0], upper: [1, 0.1, 0.1], periodic: [y, z]}}\norder: 4\n\
         constants: {e: 1e-3}\ninitial: {u: 0, v: 0, w: 0, p: (1 + e*exp(-50*x^2))/1.4, rho: (1 + e*exp(-50*x^2))^(1/1.4)}\n\
         boundaries:\n  x-: {type: far-field, u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}\n  \
         x+: {type: far-field, u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}\ntime: {steps: 1}\n",
    );
    advance_to(&mut s, 2.5, 0.8);
    let after = integrals(&mut s);
    // What is left of the pulse after its halves have passed the ends, as a share of its amplitude.
    let reflected = (after.extremes[3] - after.extremes[2]) * 1.4 / 1e-3;
    println!("reflected: {reflected:.1e}");
    assert!(reflected < 2e-3, "{reflected}");
}

#[test]
fn boundary_values_follow_their_expressions_in_time() {
    let mut s = solver(
        "mesh: {box: {cells: [1, 4, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, z]}}\norder: 3\n\
         gas: {viscosity: {constant: 0.5}}\ninitial: {u: 0, v: 0, w: 0, p: 1, rho: 1}\n\
         boundaries: {y-: {type: no-slip-adiabatic, velocity: [t, 0, 0]}, y+: {type: no-slip-adiabatic, velocity: [t, 0, 0]}}\n\
         time: {steps: 1}\n",
    );
    let dt = 0.3 * {
        let rates = s.device.rates().unwrap();
        s.stable_step(&rates)
    };
    let steps = (1.0 / dt).ceil() as usize;
    advance(&mut s, steps, 1.0 / steps as f64);
    // Long after the start the gas follows the walls: u = t - (rho/mu) y (1 - y)/2, whose mean is t - rho/(12 mu).
    let mean = integrals(&mut s).conserved[1];
    assert!((mean - (1.0 - 1.0 / 6.0)).abs() < 0.02, "{mean}");
}
