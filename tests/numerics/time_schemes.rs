//! Steps of the time schemes beside their formulas evaluated on the host, the compensation of their updates, and the
//! largest step at which each is stable.

use crate::common::cases::{advance, solver, taylor_green};
use fr_les::runge_kutta::{LowStorage, TimeScheme};
use fr_les::solver::Solver;

/// Names of the schemes in a case.
const NAMES: [(&str, TimeScheme); 4] = [
    ("rk4", TimeScheme::Rk4),
    ("lsrk5", TimeScheme::Lsrk5),
    ("lsrk10", TimeScheme::Lsrk10),
    ("lsrk14", TimeScheme::Lsrk14),
];

fn with(text: &str, keys: &str) -> Solver {
    solver(&text.replace("time: {steps: 1, cfl: 0.9}", &format!("time: {{steps: 1, {keys}}}")))
}

/// One step from the state on the device, by right-hand sides that the device computes one by one.
fn by_formula(s: &mut Solver, scheme: LowStorage, time: f64, dt: f64) -> Vec<f64> {
    let mut u = s.device.state().unwrap();
    let mut register = vec![0.0; u.len()];
    for ((a, b), c) in scheme.a.iter().zip(scheme.b).zip(s.time_scheme.stage_times()) {
        s.device.set_state(&u).unwrap();
        let rate = s.rhs(time + c * dt).unwrap();
        for ((u, register), rate) in u.iter_mut().zip(&mut register).zip(rate) {
            *register = a * *register + dt * rate;
            *u += b * *register;
        }
    }
    u
}

#[test]
fn steps_in_2n_form_are_those_of_the_formula() {
    let walls = "boundaries:\n  y-: {type: no-slip-isothermal, temperature: p0*(1 + 0.1*t), \
                 velocity: [sin(t), 0, 0]}\n  y+: {type: slip}\n";
    for (name, scheme) in NAMES {
        let Some(coefficients) = scheme.low_storage() else {
            continue;
        };
        for (more, kahan) in [("", true), ("", false), (walls, true)] {
            let mut text = taylor_green(2, 3, "{constant: 1/50}", more);
            if !more.is_empty() {
                text = text.replace("periodic: [x, y, z]", "periodic: [x, z]");
            }
            let keys = format!("scheme: {name}, kahan: {kahan}");
            let (mut s, mut reference) = (with(&text, &keys), with(&text, &keys));
            let dt = 0.02;
            // Two steps: the second begins where the first has left its state.
            let mut expected = by_formula(&mut reference, coefficients, 0.0, dt);
            reference.device.set_state(&expected).unwrap();
            expected = by_formula(&mut reference, coefficients, dt, dt);
            let before = s.device.state().unwrap();
            advance(&mut s, 2, dt);
            let found = s.device.state().unwrap();
            let most = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let (changed, off) = (most(&before, &found), most(&expected, &found));
            println!("{name} {kahan}: off by {off:e} of {changed:e}");
            assert!(changed > 1e-2 && off < 2e-13 * 180.0, "{name}: {off:e} of {changed:e}");
        }
    }
}

/// A force of 1e-3 on gas at rest: in single precision an increment of 1e-6 a step beside a momentum of 1.
#[test]
fn the_compensation_keeps_what_single_precision_loses() {
    let text = "mesh: {box: {cells: [1, 1, 1], lower: [0, 0, 0], upper: [1, 1, 1], periodic: [x, y, z]}}\norder: 2\n\
                precision: single\ninitial: {u: 1, v: 0, w: 0, p: 1, rho: 1}\nforcing: {force: [1e-3, 0, 0]}\n\
                time: {steps: 1, cfl: 0.9}\n";
    for (name, _) in NAMES {
        let error = |kahan: bool| {
            let mut s = with(text, &format!("scheme: {name}, kahan: {kahan}"));
            advance(&mut s, 2000, 1e-3);
            let u = s.device.state().unwrap();
            (27..54).map(|i| (u[i] - 1.002).abs()).fold(0.0, f64::max)
        };
        let (with, without) = (error(true), error(false));
        println!("{name}: {with:e} with, {without:e} without compensation");
        assert!(with < 5e-7, "{name}: {with:e}");
        assert!(without > 5.0 * with, "{name}: {without:e} without, {with:e} with");
    }
}

/// Sound that runs with the flow along thin cells, the wave by which the step is limited.
#[test]
fn a_step_at_the_limit_is_stable_and_one_above_it_is_not() {
    let waves: Vec<String> = (1..=24).map(|k| format!("sin({k}*x + {k}^2)")).collect();
    for (name, _) in NAMES {
        for (order, correction) in [(2usize, "radau"), (3, "radau"), (3, "lobatto")] {
            let text = format!(
                "mesh: {{box: {{cells: [8, 1, 1], lower: [0, 0, 0], upper: [2*pi, 1e4, 1e4], periodic: [x, y, z]}}}}\n\
                 order: {order}\nscheme: {{correction: {correction}}}\n\
                 initial: {{u: 0.5, v: 0, w: 0, p: 1/1.4*(1 + 1e-6*({})), rho: 1}}\ntime: {{steps: 1, cfl: 0.9}}\n",
                waves.join(" + ")
            );
            let growth = |cfl: f64| {
                let mut s = with(&text, &format!("scheme: {name}"));
                let bounds = s.device.time_step_bounds().unwrap();
                let dt = cfl * s.stable_step(&bounds);
                advance(&mut s, 600, dt);
                let u = s.device.state().unwrap();
                let points: usize = order + 1;
                let deviation = u.chunks(5 * points.pow(3)).flat_map(|cell| &cell[..points.pow(3)]);
                deviation
                    .map(|rho| (rho - 1.0).abs())
                    .fold(0.0, |a: f64, b| if b.is_nan() { b } else { b.max(a) })
            };
            let (at, above) = (growth(1.0), growth(1.25));
            println!("{name} p {order} {correction}: {at:e} at the limit, {above:e} above");
            assert!(at < 1e-4, "{name} p {order} {correction}: {at:e} at the limit");
            assert!(
                above.is_nan() || above > 1e-2,
                "{name} p {order} {correction}: {above:e} above the limit"
            );
        }
    }
}
