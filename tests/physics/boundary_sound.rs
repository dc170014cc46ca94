//! Reflections at boundaries of sound and of disturbances of density and shear, and supersonic boundaries.

use crate::common::cases::{advance, advance_to, solver};
use crate::common::gas::{Point, duct, integrals, points};

#[test]
fn sound_leaves_through_a_far_field() {
    let mut s = solver(
        "mesh: {box: {cells: [20, 1, 1], lower: [-1, 0, 0], upper: [1, 0.1, 0.1], periodic: [y, z]}}\norder: 4\n\
         constants: {e: 1e-3}\ninitial: {u: 0, v: 0, w: 0, p: (1 + e*exp(-50*x^2))/1.4, \
         rho: (1 + e*exp(-50*x^2))^(1/1.4)}\n\
         boundaries:\n  x-: {type: far-field, u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}\n  \
         x+: {type: far-field, u: 0, v: 0, w: 0, p: 1/1.4, rho: 1}\ntime: {steps: 1}\n",
    );
    advance_to(&mut s, 2.5, 0.8);
    let after = integrals(&mut s);
    // The remaining amplitude after both halves of the pulse have passed the ends, relative to the initial one.
    let reflected = (after.extremes[3] - after.extremes[2]) * 1.4 / 1e-3;
    println!("reflected: {reflected:.1e}");
    assert!(reflected < 2e-3, "{reflected}");
}

/// Returns the fraction, with its sign, of a sound pulse that `condition` at x = 1 reflects, in gas that moves at `m`.
fn reflection(condition: &str, m: f64) -> f64 {
    let amplitude = 1e-4;
    let pulse = format!("(1 + {amplitude}*exp(-25*x^2))");
    let mut s = duct(
        24,
        (-1.0, 1.0),
        "",
        // The initial state is a simple wave: u - 2c/(gamma - 1) is uniform.
        &format!("u: {m} + 5*({pulse}^(1/7) - 1), v: 0, w: 0, p: {pulse}/1.4, rho: {pulse}^(1/1.4)"),
        &format!("type: far-field, u: {m}, v: 0, w: 0, p: 1/1.4, rho: 1"),
        condition,
    );
    advance_to(&mut s, 1.0 / (1.0 + m) + 1.0 / (1.0 - m), 0.5);
    let incoming = |q: &Point| ((q.p - 1.0 / 1.4) - (q.v[0] - m)) / 2.0 * 1.4 / amplitude;
    let share = points(&s)
        .iter()
        .map(incoming)
        .fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    println!("{condition}, u = {m}: {share:.2e} of a sound pulse come back");
    share
}

#[test]
fn sound_is_reflected_as_theory_predicts() {
    let far = |m: f64| format!("type: far-field, u: {m}, v: 0, w: 0, p: 1/1.4, rho: 1");
    for m in [0.0, 0.3, -0.3] {
        assert!(reflection(&far(m), m).abs() < 1e-6, "far field, {m}");
    }
    let near = |share: f64, expected: f64| assert!((share - expected).abs() < 0.01, "{share}, not {expected}");
    near(reflection("type: slip", 0.0), 1.0);
    near(reflection("type: pressure-outlet, p: 1/1.4", 0.3), -1.0);
    near(
        reflection("type: velocity-inlet, u: -0.3, v: 0, w: 0, rho: 1", -0.3),
        1.0,
    );
    // At a reservoir p' = M z u' holds for the gas that enters.
    let total = "type: total-inlet, total-pressure: 1.018^3.5/1.4, total-temperature: 1.018/1.4";
    near(reflection(total, -0.3), -(1.0 - 0.3) / (1.0 + 0.3));
}

/// Returns the largest |p/p0 - 1| while a region of density 1.1 in gas that moves at 0.3 leaves.
fn sound_of_a_spot(condition: &str) -> f64 {
    let mut s = duct(
        16,
        (-1.0, 1.0),
        "",
        "u: 0.3, v: 0.1*exp(-25*x^2), w: 0, p: 1/1.4, rho: 1 + 0.1*exp(-25*x^2)",
        "type: far-field, u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1",
        condition,
    );
    let mut loudest = 0.0f64;
    for _ in 0..32 {
        advance_to(&mut s, 0.25, 0.5);
        loudest = points(&s)
            .iter()
            .map(|q| (q.p * 1.4 - 1.0).abs())
            .fold(loudest, f64::max);
    }
    let left = points(&s)
        .iter()
        .map(|q| (q.rho - 1.0).abs() + q.v[1].abs())
        .fold(0.0, f64::max);
    println!("{condition}: a spot makes sound of {loudest:.1e}, {left:.1e} of it is left");
    loudest.max(left)
}

#[test]
fn disturbances_of_density_and_shear_leave_without_sound() {
    assert!(sound_of_a_spot("type: far-field, u: 0.3, v: 0, w: 0, p: 1/1.4, rho: 1") < 5e-5);
    assert!(sound_of_a_spot("type: pressure-outlet, p: 1/1.4") < 5e-5);
}

#[test]
fn nothing_goes_upstream_of_a_supersonic_outlet() {
    let inlet = "type: supersonic-inlet, u: 2, v: 0.3, w: 0, p: 1/1.4, rho: 1 + 0.1*sin(4*t)^2";
    let initial = "u: 2 + 0.1*sin(2*pi*x), v: 0.3, w: 0, p: (1 + 0.1*sin(pi*x)^2)/1.4, rho: 1 + 0.1*sin(pi*x)^2";
    let run = |cells: usize, length: f64, end: f64| {
        let mut s = duct(cells, (0.0, length), "", initial, inlet, "type: supersonic-outlet");
        let steps = (end / 2.5e-3_f64).ceil() as usize;
        advance(&mut s, steps, end / steps as f64);
        points(&s)
    };
    // The same cells, without and with as many more downstream.
    let (short, long) = (run(6, 1.0, 0.4), run(12, 2.0, 0.4));
    let difference = |(a, b): (&Point, &Point)| (a.rho - b.rho).abs() + (a.p - b.p).abs() + (a.v[0] - b.v[0]).abs();
    let largest = short.iter().zip(&long).map(difference).fold(0.0, f64::max);
    println!("a supersonic outlet changes what lies before it by {largest:.1e}");
    assert!(largest < 1e-13);
    // The disturbance of the inlet is carried along unchanged.
    let end = 2.0;
    let exact = |q: &Point| 1.0 + 0.1 * (4.0 * (end - 0.5 * q.x[0])).sin().powi(2);
    let last = run(6, 1.0, end);
    let error = last.iter().map(|q| (q.rho - exact(q)).abs()).fold(0.0, f64::max);
    let sound = last
        .iter()
        .map(|q| (q.p * 1.4 - 1.0).abs() + (q.v[1] - 0.3).abs())
        .fold(0.0, f64::max);
    println!("density that came in through a supersonic inlet: error {error:.1e}, sound {sound:.1e}");
    assert!(error < 2e-4 && sound < 1e-4);
}
