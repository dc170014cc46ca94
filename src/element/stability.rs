//! Linear stability limits of flux reconstruction with RK4, from which a CFL number becomes a time step.
//!
//! A von Neumann analysis in one dimension with the very operators that the kernels use: one cell, neighbours that differ
//! by a phase, upwind advection and BR1 diffusion. The largest stable step is found by bisection on whether powers of the
//! amplification matrix stay bounded, so there is no table to keep in step with the operators.

use num_complex::Complex64;

use super::LineElement;

/// Largest stable steps in the reference line [-1, 1], whose length is 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StabilityLimits {
    /// dt for a wave that crosses reference length 1 in unit time; a dt/h for cells of size h is half of it.
    pub advection: f64,
    /// dt for unit diffusivity; nu dt/h^2 is a quarter of it.
    pub diffusion: f64,
}

type Matrix = Vec<Complex64>;

/// Limits of classical RK4 on this element.
pub fn stability_limits(line: &LineElement) -> StabilityLimits {
    let phases: Vec<f64> = (0..=24).map(|k| std::f64::consts::PI * k as f64 / 24.0).collect();
    let advection: Vec<Matrix> = phases.iter().map(|&phase| advection_operator(line, phase)).collect();
    let diffusion: Vec<Matrix> = phases
        .iter()
        .map(|&phase| {
            let g = central_gradient(line, phase);
            product(&g, &g, line.len())
        })
        .collect();
    StabilityLimits {
        advection: largest_stable_step(&advection, line.len()),
        diffusion: largest_stable_step(&diffusion, line.len()),
    }
}

/// -d/dxi with the upwind common value; `phase` is that of the next cell against this one.
fn advection_operator(line: &LineElement, phase: f64) -> Matrix {
    let n = line.len();
    let left = Complex64::from_polar(1.0, -phase);
    let mut a: Matrix = line.diff.iter().map(|&d| Complex64::from(-d)).collect();
    for i in 0..n {
        a[i * n + n - 1] -= line.correction[i] * left;
        a[i * n] += line.correction[i];
    }
    a
}

/// d/dxi with the mean of both sides as common value.
fn central_gradient(line: &LineElement, phase: f64) -> Matrix {
    let n = line.len();
    let (left, right) = (Complex64::from_polar(0.5, -phase), Complex64::from_polar(0.5, phase));
    let mut g: Matrix = line.diff.iter().map(|&d| Complex64::from(d)).collect();
    for i in 0..n {
        let (lo, hi) = (line.correction[i], -line.correction[n - 1 - i]);
        g[i * n + n - 1] += lo * left - 0.5 * hi;
        g[i * n] += hi * right - 0.5 * lo;
    }
    g
}

fn product(a: &Matrix, b: &Matrix, n: usize) -> Matrix {
    let mut c = vec![Complex64::from(0.0); n * n];
    for i in 0..n {
        for k in 0..n {
            for j in 0..n {
                c[i * n + j] += a[i * n + k] * b[k * n + j];
            }
        }
    }
    c
}

/// Whether RK4 with step `dt` keeps every operator's powers bounded: 2^14 steps must not grow beyond what a non-normal but
/// stable matrix shows.
fn stable(operators: &[Matrix], n: usize, dt: f64) -> bool {
    operators.iter().all(|a| {
        let identity: Matrix = (0..n * n)
            .map(|i| Complex64::from(if i % (n + 1) == 0 { 1.0 } else { 0.0 }))
            .collect();
        // 1 + z (1 + z/2 (1 + z/3 (1 + z/4)))
        let mut g = identity.clone();
        for divisor in [4.0, 3.0, 2.0, 1.0] {
            g = product(a, &g, n);
            for (g, one) in g.iter_mut().zip(&identity) {
                *g = one + *g * (dt / divisor);
            }
        }
        for _ in 0..14 {
            g = product(&g, &g, n);
            let largest = g.iter().map(|g| g.norm()).fold(0.0, f64::max);
            if largest.is_nan() || largest > 1e3 {
                return false;
            }
        }
        true
    })
}

fn largest_stable_step(operators: &[Matrix], n: usize) -> f64 {
    let (mut low, mut high) = (0.0, 4.0);
    for _ in 0..24 {
        let middle = 0.5 * (low + high);
        if stable(operators, n, middle) {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Correction;

    #[test]
    fn advection_limits_agree_with_published_linear_theory() {
        // a dt/h of RK44 for g_DG and g_2, p = 1..5.
        let radau = [0.4642, 0.2352, 0.1454, 0.1000, 0.0736];
        let lobatto = [1.2344, 0.5139, 0.2887, 0.1891, 0.1352];
        for p in 1..=5 {
            for (c, expected) in [(Correction::Radau, radau[p - 1]), (Correction::Lobatto, lobatto[p - 1])] {
                let limit = stability_limits(&LineElement::new(p, c)).advection / 2.0;
                assert!(
                    (limit / expected - 1.0).abs() < 0.005,
                    "p {p} {c:?}: {limit} against {expected}"
                );
            }
        }
    }
}
