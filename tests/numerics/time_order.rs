//! Observed order of the time integration on fixed meshes, with boundary data and sources that vary in time. The
//! differences between runs with n, 2n and 4n steps fall by 2^4 if every stage evaluates its data at its own time. The
//! central flux is used, because the kinks of upwind fluxes would hide the order.

use crate::common::cases::{advance, solver, taylor_green};
use fr_les::solver::{Solver, Source};

/// The state at t = 1 after `steps` steps.
fn state(mut s: Solver, steps: usize) -> Vec<f64> {
    advance(&mut s, steps, 1.0 / steps as f64);
    s.device.state().unwrap()
}

/// Asserts order 4 for the state of the solvers that `make` returns of a time scheme.
fn check(name: &str, steps: usize, make: impl Fn(&str) -> Solver) {
    check_of(name, steps, make, state);
}

/// Asserts order 4 for the numbers that `after` returns of a solver and a number of steps.
fn check_of(name: &str, steps: usize, make: impl Fn(&str) -> Solver, after: impl Fn(Solver, usize) -> Vec<f64>) {
    for (scheme, share) in SCHEMES {
        let steps = (share * steps as f64) as usize;
        let states = [1, 2, 4].map(|factor| after(make(scheme), factor * steps));
        let difference = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let (coarse, fine) = (difference(&states[0], &states[1]), difference(&states[1], &states[2]));
        let order = (coarse / fine).log2();
        println!("{name}, {scheme}: differences {coarse:.2e} {fine:.2e}, order {order:.3}");
        assert!(fine > 1e-12, "{name}, {scheme}: {fine:e} is round-off");
        assert!(order > 3.8, "{name}, {scheme}: order {order:.3}");
    }
}

/// Makes a solver of a case with a time scheme.
fn with(scheme: &str, text: &str) -> Solver {
    solver(&text.replace("time: {steps: 1}", &format!("time: {{steps: 1, scheme: {scheme}}}")))
}

/// The time schemes, and the share of the steps that each is given: a scheme with more stages takes longer ones.
const SCHEMES: [(&str, f64); 4] = [("rk4", 1.0), ("lsrk5", 1.0), ("lsrk10", 0.5), ("lsrk14", 0.5)];

/// A case with a box of two cells along `d`, periodic in the other directions, and `more` lines.
fn case(d: usize, more: &str) -> String {
    let cells = [0, 1, 2].map(|e| if e == d { 2 } else { 1 });
    let periodic: Vec<&str> = (0..3).filter(|&e| e != d).map(|e| ["x", "y", "z"][e]).collect();
    format!(
        "mesh: {{box: {{cells: {cells:?}, lower: [0, 0, 0], upper: [2, 2, 2], periodic: [{}]}}}}\norder: 2\n\
         scheme: {{riemann: central}}\ngas: {{prandtl: 0.7, viscosity: {{constant: 0.05}}}}\ntime: {{steps: 1}}\n\
         {more}",
        periodic.join(", ")
    )
}

#[test]
fn order_is_4_with_fixed_boundaries() {
    let text = case(
        1,
        "initial: {u: y, v: 0.1*sin(y), w: 0.2*cos(y), p: 1 + 0.1*cos(y), temperature: 1 + 0.1*sin(y)}\n\
         boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: slip}}\n",
    );
    check("walls at rest", 12, |scheme| with(scheme, &text));
}

#[test]
fn order_is_4_with_walls_whose_velocity_and_temperature_vary() {
    let text = case(
        1,
        "initial: {u: 0, v: 0, w: 0, p: 1, temperature: 1}\nboundaries:\n  \
         y-: {type: no-slip-isothermal, temperature: 1 + 0.2*sin(3*t), velocity: [0.4*sin(4*t), 0, 0.3*t]}\n  \
         y+: {type: no-slip-adiabatic, velocity: [0, 0, 0.5*sin(5*t)]}\n",
    );
    check("moving walls", 12, |scheme| with(scheme, &text));
}

#[test]
fn order_is_4_with_inlets_and_outlets_that_vary() {
    for (inlet, outlet) in [
        (
            "type: velocity-inlet, u: 0.3 + 0.1*sin(4*t), v: 0.1*t, w: 0, temperature: 1 + 0.1*sin(3*t)",
            "type: pressure-outlet, p: 1 + 0.05*sin(5*t)",
        ),
        (
            "type: total-inlet, total-pressure: 1.06 + 0.02*sin(4*t), total-temperature: 1.02 + 0.05*sin(3*t)",
            "type: far-field, u: 0.3 + 0.05*sin(5*t), v: 0, w: 0, p: 1 + 0.02*sin(3*t), temperature: 1",
        ),
        (
            "type: supersonic-inlet, u: 2 + 0.1*sin(4*t), v: 0.1*t, w: 0, p: 1 + 0.05*sin(3*t), temperature: 1",
            "type: supersonic-outlet",
        ),
    ] {
        let u = if inlet.contains("supersonic") { 2.0 } else { 0.3 };
        let text = case(
            0,
            &format!(
                "initial: {{u: {u}, v: 0, w: 0, p: 1, temperature: 1}}\n\
                 boundaries: {{x-: {{{inlet}}}, x+: {{{outlet}}}}}\n"
            ),
        );
        check(inlet.split(',').next().expect("a type"), 16, |scheme| {
            with(scheme, &text)
        });
    }
}

#[test]
fn order_is_4_with_relaxed_ends_and_their_values() {
    for (inlet, outlet) in [
        (
            "type: relaxed-velocity-inlet, u: 0.3 + 0.1*sin(4*t), v: 0.1*t, w: 0, temperature: 1 + 0.1*sin(3*t), \
             relaxation: 4",
            "type: relaxed-outlet, p: 1 + 0.05*sin(5*t), relaxation: 8, transverse: convective",
        ),
        (
            "type: relaxed-total-inlet, total-pressure: 1.06 + 0.02*sin(4*t), \
             total-temperature: 1.02 + 0.05*sin(3*t), relaxation: 4",
            "type: relaxed-outlet, p: 1, relaxation: 8, hold: local, transverse: lodato",
        ),
    ] {
        // Shear along the outlet, so that its terms along the face matter.
        let text = case(
            0,
            &format!(
                "initial: {{u: 0.3, v: 0.1 + 0.05*cos(pi*y), w: 0.05*cos(pi*z), p: 1, temperature: 1}}\n\
                 boundaries: {{x-: {{{inlet}}}, x+: {{{outlet}}}}}\n"
            ),
        );
        let name = inlet.split(',').next().expect("a type");
        check(name, 16, |scheme| with(scheme, &text));
        let values = |mut s: Solver, steps: usize| {
            let before = s.device.relaxed().unwrap();
            advance(&mut s, steps, 1.0 / steps as f64);
            let after = s.device.relaxed().unwrap();
            assert!(
                before.iter().zip(&after).any(|(a, b)| (a - b).abs() > 0.01),
                "they move"
            );
            after
        };
        check_of(&format!("values of {name}"), 16, |scheme| with(scheme, &text), values);
    }
}

#[test]
fn order_is_4_with_a_source_that_varies() {
    let text = case(
        2,
        "initial: {u: 0.1*sin(z), v: 0, w: 0.2, p: 1, temperature: 1}\n\
         boundaries: {z-: {type: slip}, z+: {type: no-slip-adiabatic}}\n",
    );
    check("source", 16, |scheme| {
        let mut s = with(scheme, &text);
        s.set_source(Source {
            value: Box::new(|x, t| {
                [
                    0.1 * (3.0 * t).sin(),
                    0.5 * (4.0 * t).sin(),
                    0.0,
                    0.2 * x[2] * t,
                    (5.0 * t).sin(),
                ]
            }),
            varies: true,
        })
        .unwrap();
        s
    });
}

#[test]
fn order_is_4_of_the_vortex_on_a_fixed_mesh() {
    let text = taylor_green(3, 2, "", "scheme: {riemann: central, split: none}\n").replace(", cfl: 0.9", "");
    check("Taylor-Green", 80, |scheme| with(scheme, &text));
}

#[test]
fn order_is_4_with_a_turbulent_inlet() {
    let text = "mesh: {box: {cells: [2, 3, 3], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [y, z]}}\norder: 2\n\
                scheme: {riemann: central}\ngas: {viscosity: {constant: 1e-3}}\n\
                initial: {u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1}\n\
                boundaries: {x-: {type: velocity-inlet, u: 0.3, v: 0.02, w: 0, rho: 1, turbulence: {intensity: 0.1, \
                length: 0.35, shells: 50}}, x+: {type: pressure-outlet, p: 1/1.4}}\ntime: {steps: 1}\n";
    check("turbulent inlet", 60, |scheme| with(scheme, text));
}
