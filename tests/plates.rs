//! Flows between plates with exact solutions: Couette flow between plates of different temperatures, and Poiseuille flow driven by
//! a force. Velocity and temperature are polynomials of y; density is not, and is what limits the accuracy.

mod common;

use common::{advance_to, l2_error, observed_order, solver};

const MU: f64 = 0.05;
const PRANDTL: f64 = 0.72;
const CP: f64 = 3.5;

/// n cubes between plates at y = 0 and 1, 2 n along x.
fn between_plates(kind: &str, order: usize, n: usize, initial: &str, upper: &str, force: f64) -> String {
    format!(
        "mesh: {{box: {{cells: [{}, {n}, {n}], lower: [0, 0, 0], upper: [2, 1, 1], periodic: [x, z], elements: {kind}}}}}\norder: {order}\n\
         gas: {{prandtl: {PRANDTL}, viscosity: {{constant: {MU}}}}}\ninitial: {{{initial}, v: 0, w: 0, p: 1}}\nboundaries:\n  \
         y-: {{type: no-slip-isothermal, temperature: 1}}\n  y+: {{type: no-slip-isothermal, {upper}}}\n\
         forcing: {{force: [{force}, 0, 0]}}\ntime: {{steps: 1}}\n",
        2 * n
    )
}

fn state(rho: f64, u: f64) -> [f64; 5] {
    [rho, rho * u, 0.0, 0.0, 2.5 + 0.5 * rho * u * u]
}

/// u = y/2, T = 1 + 0.2 y + Pr U^2/(2 cp) y (1 - y) with U = 1/2.
fn couette(kind: &str, order: usize, n: usize) -> (f64, [f64; 5]) {
    let k = PRANDTL * 0.25 / (2.0 * CP);
    let initial = format!("u: 0.5*y, temperature: 1 + 0.2*y + {k}*y*(1 - y)");
    let upper = "temperature: 1.2, velocity: [0.5, 0, 0]";
    let mut s = solver(&between_plates(kind, order, n, &initial, upper, 0.0));
    advance_to(&mut s, 2.0, 0.8);
    let error = l2_error(&s, |x| {
        let y = x[1];
        state(1.0 / (1.0 + 0.2 * y + k * y * (1.0 - y)), 0.5 * y)
    });
    (1.0 / n as f64, error)
}

/// With eta = 2 y - 1 and half the distance h = 1/2: u = U (1 - eta^2), T = 1 + mu U^2/(3 k) (1 - eta^4), U = f h^2/(2 mu) = 1/2.
fn poiseuille(kind: &str, order: usize, n: usize) -> (f64, [f64; 5]) {
    let (top, half) = (0.5, 0.5);
    let force = top * 2.0 * MU / (half * half);
    let k = top * top * PRANDTL / (3.0 * CP);
    let initial = format!("u: {top}*(1 - (2*y - 1)^2), temperature: 1 + {k}*(1 - (2*y - 1)^4)");
    let mut s = solver(&between_plates(kind, order, n, &initial, "temperature: 1", force));
    advance_to(&mut s, 2.0, 0.8);
    let error = l2_error(&s, |x| {
        let eta = 2.0 * x[1] - 1.0;
        state(1.0 / (1.0 + k * (1.0 - eta.powi(4))), top * (1.0 - eta * eta))
    });
    (1.0 / n as f64, error)
}

/// Kind of cell, degree, cubes between the plates.
type Series = (&'static str, usize, &'static [usize]);

/// Checks the order in density, x-momentum and energy; the other components are zero.
fn check(name: &str, flow: fn(&str, usize, usize) -> (f64, [f64; 5]), series: &[Series]) {
    let mut short = Vec::new();
    for &(kind, order, meshes) in series {
        let errors: Vec<_> = meshes.iter().map(|&n| flow(kind, order, n)).collect();
        let observed = observed_order(&format!("{name}, {kind} p {order}"), &errors, &[0, 1, 4]);
        if observed < order as f64 + 0.8 {
            short.push(format!("{kind} p {order}: {observed:.2}"));
        }
    }
    assert!(short.is_empty(), "{name}, order below p + 0.8: {}", short.join(", "));
}

/// A GPU has time for all kinds and degrees.
fn series() -> Vec<Series> {
    if std::env::var("FR_LES_TEST_DEVICE").is_err() {
        return vec![
            ("hex", 2, &[2, 4]),
            ("prism", 2, &[2, 4]),
            ("tet", 2, &[2, 4]),
            ("pyramid", 2, &[2, 4]),
        ];
    }
    ["hex", "prism", "tet", "pyramid", "mixed"]
        .into_iter()
        .flat_map(|kind| [(kind, 2, &[4, 6, 8][..]), (kind, 3, &[4, 6, 8]), (kind, 4, &[2, 4, 6])])
        .collect()
}

#[test]
fn couette_flow_between_plates_of_different_temperatures_converges_with_order_p_plus_1() {
    check("Couette", couette, &series());
}

#[test]
fn poiseuille_flow_converges_with_order_p_plus_1() {
    check("Poiseuille", poiseuille, &series());
}
