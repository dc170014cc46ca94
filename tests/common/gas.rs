//! The state of the gas point by point, for tests of boundary conditions.

use fr_les::output::Integrals;
use fr_les::solver::Solver;

use super::cases::{each_point, solver};

/// Integrals at t = 0.
pub fn integrals(solver: &mut Solver) -> Integrals {
    solver.evaluate_rhs(0.0).unwrap();
    Integrals::of(solver).unwrap()
}

/// Formats errors in one line.
pub fn shown(errors: &[f64]) -> String {
    errors.iter().map(|e| format!("{e:.1e} ")).collect()
}

/// The gas at a solution point: position, density, velocity, pressure and temperature (R = 1).
pub struct Point {
    pub x: [f64; 3],
    pub rho: f64,
    pub v: [f64; 3],
    pub p: f64,
    pub t: f64,
}

/// Returns the gas at all solution points.
pub fn points(s: &Solver) -> Vec<Point> {
    let state = s.device.state().unwrap();
    let mut points = Vec::new();
    each_point(s, &state, |x, u| {
        let v = [u[1], u[2], u[3]].map(|m| m / u[0]);
        let p = 0.4 * (u[4] - 0.5 * (u[1] * v[0] + u[2] * v[1] + u[3] * v[2]));
        points.push(Point {
            x,
            rho: u[0],
            v,
            p,
            t: p / u[0],
        });
    });
    points
}

/// A duct along x from `ends.0` to `ends.1`, periodic in y and z, of order 3. The gas has gamma = 1.4 and R = 1. Most
/// tests use density 1 and pressure 1/1.4, for which the speed of sound is 1.
pub fn duct(cells: usize, ends: (f64, f64), more: &str, initial: &str, left: &str, right: &str) -> Solver {
    let h = (ends.1 - ends.0) / cells as f64;
    solver(&format!(
        "mesh: {{box: {{cells: [{cells}, 1, 1], lower: [{}, 0, 0], upper: [{}, {h}, {h}], periodic: [y, z]}}}}\n\
         order: 3\n{more}\
         initial: {{{initial}}}\nboundaries: {{x-: {{{left}}}, x+: {{{right}}}}}\ntime: {{steps: 1}}\n",
        ends.0, ends.1
    ))
}

/// Returns the largest deviation of a quantity from its expected value.
pub fn worst(s: &Solver, what: impl Fn(&Point) -> f64, expected: f64) -> f64 {
    points(s).iter().map(|q| (what(q) - expected).abs()).fold(0.0, f64::max)
}

/// Returns the gain of the conserved variable `v` in the whole domain in unit time.
pub fn gain(s: &mut Solver, v: usize) -> f64 {
    let rhs = s.rhs(0.0).unwrap();
    let mut sum = 0.0;
    for (cell, &kind) in s.geometry.kinds.iter().enumerate() {
        let (first, weights) = (s.geometry.first_point[cell], s.elements.weights(kind));
        for (p, w) in weights.iter().enumerate() {
            sum += w * s.geometry.metrics[cell].jacobian(p) * rhs[5 * first + v * weights.len() + p];
        }
    }
    sum
}

/// Returns the largest |dU/dt|.
pub fn largest_rate(s: &mut Solver, time: f64) -> f64 {
    s.rhs(time).unwrap().iter().fold(0.0, |a, r| a.max(r.abs()))
}
