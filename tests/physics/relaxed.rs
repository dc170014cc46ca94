//! Relaxed inlets and outlets: reflections and slow modes as theory predicts, what they hold in the mean, and what the
//! program says of them.

mod vortices;

use crate::common::cases::{advance, advance_to, solver};
use crate::common::gas::{Point, duct, points};
use crate::common::program::{output, program, run_case, with_case};
use fr_les::solver::Solver;
use tempfile::TempDir;

/// Relative amplitude of a pulse of sound.
const AMPLITUDE: f64 = 1e-4;
/// Half width of the pulse.
const WIDTH: f64 = 0.1;

/// Takes steps as a run does, which adjusts what outlets hold every ten steps.
fn advance_holding(s: &mut Solver, time: &mut f64, steps: usize, dt: f64) {
    for step in 0..steps {
        if step % 10 == 0 {
            s.adjust_controls(*time).unwrap();
        }
        s.step(*time, dt).unwrap();
        *time += dt;
    }
}

/// The same for a duration, in steps of half the stable one.
fn advance_holding_for(s: &mut Solver, time: &mut f64, duration: f64) {
    let rates = s.device.time_step_bounds().unwrap();
    let steps = (duration / (0.5 * s.stable_step(&rates))).ceil() as usize;
    advance_holding(s, time, steps, duration / steps as f64);
}

/// Returns the largest part, with its sign, of a pulse of sound that `condition` at x = 1 returns, in gas that moves at
/// `m` there. The far end lets it pass.
fn returned(condition: &str, m: f64) -> f64 {
    let pulse = format!("(1 + {AMPLITUDE}*exp(-(x/{WIDTH})^2))");
    let mut s = duct(
        60,
        (-1.0, 1.0),
        "",
        &format!("u: {m} + 5*({pulse}^(1/7) - 1), v: 0, w: 0, p: {pulse}/1.4, rho: {pulse}^(1/1.4)"),
        &format!("type: far-field, u: {m}, v: 0, w: 0, p: 1/1.4, rho: 1"),
        condition,
    );
    let incoming = |q: &Point| ((q.p - 1.0 / 1.4) - (q.v[0] - m)) / 2.0 * 1.4 / AMPLITUDE;
    // The wave that returns carries its largest value unchanged once the pulse has been reflected. It is read at many
    // times, because the largest value lies between the points of the solution.
    let mut time = 0.0;
    advance_holding_for(&mut s, &mut time, 1.0 / (1.0 + m) + 0.5 / (1.0 - m));
    let largest = |a: f64, b: f64| if b.abs() > a.abs() { b } else { a };
    let mut found = 0.0;
    for _ in 0..20 {
        advance_holding_for(&mut s, &mut time, 2e-3 / (1.0 - m));
        found = points(&s).iter().map(incoming).fold(found, largest);
    }
    found
}

/// Theory: the largest value of the pulse g(t) = exp(-(t/width)^2), filtered by kappa exp(-kappa t).
fn filtered(kappa: f64, width: f64) -> f64 {
    let dt = width * 1e-4;
    let mut value = 0.0f64;
    let mut largest = 0.0f64;
    let g = |t: f64| (-(t / width).powi(2)).exp();
    for step in -60_000..300_000 {
        let t = f64::from(step) * dt;
        // An exact step of the filter for a pulse that is constant during the step.
        value = g(t + 0.5 * dt) + (value - g(t + 0.5 * dt)) * (-kappa * dt).exp();
        largest = largest.max(value);
    }
    largest
}

/// Returns the rate of decay of the pressure in a duct of length 1 at Mach 0.3 whose flow is a little too fast.
fn drift(inlet: &str, outlet: &str) -> f64 {
    let mut s = duct(
        4,
        (0.0, 1.0),
        "",
        "u: 0.3, v: 0, w: 0, p: 1.001/1.4, rho: 1.001^(1/1.4)",
        &format!("type: {inlet}"),
        &format!("type: {outlet}"),
    );
    let deviation = |s: &Solver| {
        let all = points(s);
        all.iter().map(|q| q.p * 1.4 - 1.0).sum::<f64>() / all.len() as f64
    };
    advance_to(&mut s, 40.0, 0.7);
    let before = deviation(&s);
    advance_to(&mut s, 20.0, 0.7);
    (deviation(&s) / before).ln() / 20.0
}

/// Root of R_in(l) R_out(l) = exp(l tau), for reflections R kappa/(kappa + l) of both ends (kappa infinite: R itself).
fn slow_mode(inlet: (f64, f64), outlet: (f64, f64), m: f64) -> f64 {
    let tau = 1.0 / (1.0 + m) + 1.0 / (1.0 - m);
    let one = |(r, kappa): (f64, f64), l: f64| if kappa.is_finite() { r * kappa / (kappa + l) } else { r };
    let f = |l: f64| one(inlet, l) * one(outlet, l) - (l * tau).exp();
    // The slowest mode lies between the pole of the slower end and 0.
    let pole = -inlet.1.min(outlet.1);
    let (mut low, mut high) = (0.999_999 * pole, 0.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

#[test]
fn the_mean_of_a_duct_decays_as_theory_predicts() {
    let m = 0.3;
    let total = "total-pressure: 1.018^3.5/1.4, total-temperature: 1.018/1.4";
    let r = -(1.0 - m) / (1.0 + m);
    let outlet = |sigma: f64| {
        (
            format!("relaxed-outlet, p: 1/1.4, relaxation: {sigma}, hold: local"),
            sigma * (1.0 - m * m) / 2.0,
        )
    };
    let hard = (format!("total-inlet, {total}"), f64::INFINITY);
    let relaxed = |sigma: f64| {
        (
            format!("relaxed-total-inlet, {total}, relaxation: {}", sigma / 1.018f64.sqrt()),
            sigma,
        )
    };
    for (inlet, (outlet, kappa), page) in [
        (hard, outlet(0.25), -0.0455),
        (relaxed(0.25), outlet(0.25), -0.0362),
        (relaxed(1.0), outlet(1.0), -0.1074),
    ] {
        let theory = slow_mode((r, inlet.1), (-1.0, kappa), m);
        let measured = drift(&inlet.0, &outlet);
        println!(
            "{}; {outlet}: {measured:.5}, theory {theory:.5}, published {page}",
            inlet.0
        );
        assert!((measured / theory - 1.0).abs() < 0.03);
    }
}

#[test]
fn a_mean_pressure_and_a_mass_flux_are_held() {
    // Two streams of different total pressure leave side by side.
    let case = |outlet: &str| {
        solver(&format!(
            "mesh: {{box: {{cells: [4, 4, 1], lower: [0, 0, 0], upper: [1, 1, 0.25], periodic: [z]}}}}\norder: 2\n\
             initial: {{u: 0.3, v: 0, w: 0, p: 1.01/1.4, rho: 1}}\n\
             boundaries:\n  x-: {{type: relaxed-total-inlet, total-pressure: (1.018 + 0.004*cos(pi*y))^3.5/1.4, \
             total-temperature: 1.018/1.4, relaxation: 1}}\n  x+: {{{outlet}}}\n  \
             y-: {{type: slip}}\n  y+: {{type: slip}}\ntime: {{steps: 1}}\n"
        ))
    };
    let flux = |s: &mut Solver| {
        s.evaluate_rhs(0.0).unwrap();
        let fluxes = s.boundary_fluxes();
        let x = fluxes.names().iter().position(|name| name == "x+").unwrap();
        fluxes.take(s.device.as_mut(), &s.domain.ranks).unwrap()[x]
    };
    let settle = |s: &mut Solver, end: f64| {
        let mut time = 0.0;
        while time < end {
            s.adjust_controls(time).unwrap();
            advance(s, 10, 0.01);
            time += 0.1;
        }
    };
    let mut s = case("type: relaxed-outlet, p: 1/1.4, relaxation: 2, hold: mean");
    settle(&mut s, 200.0);
    let (mean, reversed) = (flux(&mut s).pressure * 1.4 - 1.0, flux(&mut s).reversed);
    println!("hold: mean: the mean pressure is off by {mean:.1e}");
    assert!(mean.abs() < 2e-7 && reversed == 0.0);
    let mut s = case("type: relaxed-outlet, p: 1/1.4, relaxation: 2, hold: mass-flow, mass-flow: 0.07");
    settle(&mut s, 200.0);
    let mass = flux(&mut s).mass / 0.07 - 1.0;
    println!("hold: mass-flow: the mass flux is off by {mass:.1e}");
    assert!(mass.abs() < 1e-4);
}

#[test]
fn a_mean_pressure_is_held_while_gas_of_unequal_speed_and_temperature_leaves() {
    let mut s = solver(
        "mesh: {box: {cells: [8, 4, 1], lower: [0, 0, 0], upper: [8, 4, 1], periodic: [y, z]}}\norder: 2\n\
         initial: {u: 0.5, v: 0.3, w: 0, p: 1/1.4, rho: 1}\n\
         boundaries:\n  x-: {type: velocity-inlet, u: 0.5*(1 + 0.2*sin(2*pi*(y/4 - 0.2*t))), \
         v: 0.3 + 0.15*cos(2*pi*(y/4 + 0.13*t)), w: 0, temperature: (1 + 0.2*cos(2*pi*(y/2 - 0.31*t)))/1.4}\n  \
         x+: {type: relaxed-outlet, p: 1/1.4, relaxation: 1}\ntime: {steps: 1}\n",
    );
    let fluxes = s.boundary_fluxes();
    let outlet = fluxes.names().iter().position(|name| name == "x+").unwrap();
    let mut now = 0.0;
    let mut sum = 0.0;
    let mut samples = 0;
    while now < 120.0 {
        advance_holding(&mut s, &mut now, 10, 0.04);
        if now > 40.0 {
            s.evaluate_rhs(now).unwrap();
            sum += fluxes.take(s.device.as_mut(), &s.domain.ranks).unwrap()[outlet].pressure;
            samples += 1;
        }
    }
    let mean = sum / f64::from(samples) * 1.4 - 1.0;
    println!("the mean pressure is off by {mean:.1e}");
    // With impedances of the present, and means of fluxes in place of those noted, it rises without an end.
    assert!(mean.abs() < 1e-3, "{mean:e}");
}

/// A run of the program through a duct of length 2 with these ends; the velocity is `u` at the start.
fn program_with(u: f64, ends: &str, steps: u64) -> TempDir {
    with_case(&format!(
        "mesh: {{box: {{cells: [4, 1, 1], lower: [0, 0, 0], upper: [2, 0.5, 0.5], periodic: [y, z]}}}}\norder: 2\n\
         device: cpu\ninitial: {{u: {u}, v: 0, w: 0, p: 1/1.4, rho: 1}}\nboundaries: {{{ends}}}\n\
         time: {{steps: {steps}, cfl: 0.5}}\n"
    ))
}

#[test]
fn check_prints_the_time_in_which_the_mean_flow_settles() {
    let inlet = "x-: {type: TYPE, total-pressure: 1.018^3.5/1.4, total-temperature: 1.018/1.4}";
    let outlet = "x+: {type: relaxed-outlet, p: 1/1.4}";
    for (kind, time) in [("relaxed-total-inlet", 55.25), ("total-inlet", 43.49)] {
        let ends = format!("{}, {outlet}", inlet.replace("TYPE", kind));
        let directory = program_with(0.3, &ends, 1);
        let log = output(program(directory.path()).args(["check", "--long", "run.yaml"]), 0);
        // The roots of the equation of the duct are -0.0362 and -0.0460 c/L, with L = 2. The rate of the inlet is with
        // c at the total temperature, which is 0.9 % higher.
        let line = "the mean flow between x- and x+ settles to 1/e within a time of ";
        let (_, found) = log.split_once(line).unwrap_or_else(|| panic!("{kind}: {log}"));
        let (found, passages) = found.split_once(", ").expect("a time");
        let found: f64 = found.parse().expect("a time");
        assert!((found / time - 1.0).abs() < 5e-3, "{kind}: {found}");
        let passages = passages.split_once(" flow-through times").expect("a number").0;
        let passages: f64 = passages.parse().expect("a number");
        assert!((passages - 0.15 * found).abs() < 1e-2, "{kind}: {passages}");
    }
    // Sound leaves through a far field, and nothing is to settle.
    let directory = program_with(0.3, &format!("x-: {{type: far-field, {STATE}}}, {outlet}"), 1);
    let log = output(program(directory.path()).args(["check", "--long", "run.yaml"]), 0);
    assert!(!log.contains("settles"), "{log}");
}

/// The state of [`program_with`] at Mach 0.3.
const STATE: &str = "u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1";

#[test]
fn the_log_names_boundaries_with_back_flow_once() {
    let ends = "x-: {type: total-inlet, total-pressure: 1/1.4, total-temperature: 1/1.4}, \
                x+: {type: pressure-outlet, p: 1/1.4}";
    let directory = program_with(-0.1, ends, 45);
    let log = run_case(directory.path(), 1, &[], 0);
    let count = |text: &str| log.matches(text).count();
    assert_eq!(
        count("back-flow: gas enters through the outlet x+, over 100 % of its area"),
        1,
        "{log}"
    );
    assert_eq!(
        count("back-flow: gas leaves through the inlet x-, over 100 % of its area"),
        1,
        "{log}"
    );
    // Two ranks say the same, and a flow in the right sense says nothing.
    let log = run_case(directory.path(), 2, &[], 0);
    assert_eq!(log.matches("back-flow").count(), 2, "{log}");
    let log = run_case(program_with(0.1, ends, 45).path(), 1, &[], 0);
    assert!(!log.contains("back-flow"), "{log}");
}

#[test]
fn right_hand_sides_between_steps_do_not_move_the_values() {
    let run = |look: bool| {
        let mut s = duct(
            4,
            (0.0, 1.0),
            "",
            "u: 0.3 + 0.1*x, v: 0.05, w: 0, p: 1.01/1.4, rho: 1",
            "type: relaxed-velocity-inlet, u: 0.3, v: 0.05, w: 0, temperature: 1/1.4",
            "type: relaxed-outlet, p: 1/1.4",
        );
        let before = s.device.relaxed().unwrap();
        for step in 0..6 {
            let time = 0.01 * f64::from(step);
            if look {
                s.evaluate_rhs(time).unwrap();
            }
            s.step(time, 0.01).unwrap();
        }
        let after = s.device.relaxed().unwrap();
        assert!(before != after);
        (
            s.hash().unwrap(),
            after.into_iter().map(f64::to_bits).collect::<Vec<_>>(),
        )
    };
    assert_eq!(run(false), run(true));
}

/// Reflections by comparison with a filter.
mod long {
    use super::*;

    #[test]
    #[ignore = "takes half a minute"]
    fn sound_returns_from_relaxed_ends_as_from_a_filter() {
        let m = 0.3;
        for kappa in [1.0, 5.0, 20.0] {
            let sigma = kappa * 2.0 / (1.0 - m * m);
            // The pulse passes a point in its width over the speed c + u.
            let theory = -filtered(kappa, WIDTH / (1.0 + m));
            // The mean of the outlet is up to ten steps old, so that the error grows with kappa.
            for (hold, bound) in [("local", 5e-3), ("mean", 4e-3 * kappa.max(1.0))] {
                let outlet = format!("type: relaxed-outlet, p: 1/1.4, relaxation: {sigma}, length: 1, hold: {hold}");
                let share = returned(&outlet, m);
                println!("relaxed-outlet, hold: {hold}, kappa {kappa}: {share:.5}, theory {theory:.5}");
                assert!((share / theory - 1.0).abs() < bound);
            }
            let r = (1.0 - m) / (1.0 + m);
            let c0 = 1.018f64.sqrt();
            let inlet = format!(
                "type: relaxed-total-inlet, total-pressure: 1.018^3.5/1.4, total-temperature: 1.018/1.4, \
                 relaxation: {}, length: 1",
                kappa / c0
            );
            let (share, theory) = (returned(&inlet, -m), -r * filtered(kappa, WIDTH / (1.0 - m)));
            println!("relaxed-total-inlet, kappa {kappa}: {share:.5}, theory {theory:.5}");
            assert!((share / theory - 1.0).abs() < 5e-3);
            let inlet = format!(
                "type: relaxed-velocity-inlet, u: -{m}, v: 0, w: 0, temperature: 1/1.4, relaxation: {kappa}, length: 1"
            );
            let (share, theory) = (returned(&inlet, -m), filtered(kappa, WIDTH / (1.0 - m)));
            println!("relaxed-velocity-inlet, kappa {kappa}: {share:.5}, theory {theory:.5}");
            assert!((share / theory - 1.0).abs() < 5e-3);
        }
    }
}
