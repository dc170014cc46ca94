//! Linear stability limits of flux reconstruction with RK4, from which a CFL number becomes a time step.
//!
//! A von Neumann analysis with the very operators that the kernels use: one cell, neighbours that differ by a phase,
//! upwind advection and BR1 diffusion. The largest stable step is found by bisection on whether powers of the
//! amplification matrix stay bounded. For hexahedra the analysis of one dimension runs at the start: operators of several
//! directions commute when they carry a scalar, so their rates add. Those of sound do not, since upwinding damps what runs along
//! one direction but not what turns across it, and steps at which every direction alone is stable amplify sound in cubes: by how much
//! less they must be is tabulated. So is the analysis of the other elements in space, which takes minutes. Tests keep the tables in
//! step with the operators.

use num_complex::Complex64;

use super::{ElementKind, LineElement};
use crate::element::Correction;

#[cfg(test)]
mod tiling;

/// Largest stable steps in the reference line [-1, 1], whose length is 2.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StabilityLimits {
    /// dt for a wave that crosses reference length 1 in unit time; a dt/h for cells of size h is half of it.
    pub advection: f64,
    /// dt for unit diffusivity; nu dt/h^2 is a quarter of it.
    pub diffusion: f64,
}

/// Limits (advection, diffusion) of the other elements by degree from 1, found by the analysis in `tiling`.
const PRISM_RADAU: [(f64, f64); 6] = [
    (0.6509, 0.2671),
    (0.3682, 0.0662),
    (0.2502, 0.02367),
    (0.1754, 0.01031),
    (0.1355, 0.005219),
    (0.1043, 0.002895),
];
const PRISM_LOBATTO: [(f64, f64); 6] = [
    (0.6509, 0.386),
    (0.3682, 0.0878),
    (0.2502, 0.03006),
    (0.1754, 0.01262),
    (0.1356, 0.006222),
    (0.1043, 0.003442),
];
const TET: [(f64, f64); 6] = [
    (0.5063, 0.1588),
    (0.3114, 0.04999),
    (0.2198, 0.01951),
    (0.1593, 0.009109),
    (0.1246, 0.004794),
    (0.0979, 0.002752),
];
const PYRAMID: [(f64, f64); 6] = [
    (0.3231, 0.07159),
    (0.1925, 0.02252),
    (0.1293, 0.009087),
    (0.09308, 0.004292),
    (0.07025, 0.002285),
    (0.055, 0.001321),
];

/// Share of the limit of advection up to which sound waves in gas at rest are stable in cubes, by degree from 1: acoustic equations in
/// three dimensions with the upwind flux of Roe. The worst wave is as long as the mesh for odd degrees, and two cells for even ones.
const SOUND_RADAU: [f64; 8] = [1.0, 0.991, 0.972, 0.951, 0.932, 0.913, 0.897, 0.881];
const SOUND_LOBATTO: [f64; 8] = [1.0, 0.936, 0.863, 0.806, 0.761, 0.723, 0.692, 0.665];

type Matrix = Vec<Complex64>;

/// Limits of classical RK4 on this element. At a face each side's viscous flux takes `penalty` times the gradient that
/// its own jump causes in addition to BR1: 0 is BR1, 1 is what elements other than hexahedra need.
pub fn stability_limits(line: &LineElement, penalty: f64) -> StabilityLimits {
    let phases: Vec<f64> = (0..=24).map(|k| std::f64::consts::PI * k as f64 / 24.0).collect();
    let advection: Vec<Matrix> = phases.iter().map(|&phase| advection_operator(line, phase)).collect();
    let diffusion: Vec<Matrix> = phases
        .iter()
        .map(|&phase| diffusion_operator(line, phase, penalty))
        .collect();
    StabilityLimits {
        advection: largest_stable_step(&advection, line.len()),
        diffusion: largest_stable_step(&diffusion, line.len()),
    }
}

/// Limits of classical RK4 on an element, with the penalty that mixed meshes have: the largest dt times the advection
/// rate, half the sum over faces of (|v . A| + c |A|)/J, and the largest dt times the diffusion rate, nu times half the
/// sum of |A|^2/J^2.
pub fn element_limits(kind: ElementKind, order: usize, correction: Correction) -> StabilityLimits {
    let (advection, diffusion) = match (kind, correction) {
        (ElementKind::Hex, _) => {
            let line = stability_limits(&LineElement::new(order, correction), 1.0);
            let sound = match correction {
                Correction::Radau => SOUND_RADAU,
                Correction::Lobatto => SOUND_LOBATTO,
            };
            (sound[order - 1] * line.advection, line.diffusion)
        }
        (ElementKind::Prism, Correction::Radau) => PRISM_RADAU[order - 1],
        (ElementKind::Prism, Correction::Lobatto) => PRISM_LOBATTO[order - 1],
        (ElementKind::Tet, _) => TET[order - 1],
        (ElementKind::Pyramid, _) => PYRAMID[order - 1],
    };
    StabilityLimits { advection, diffusion }
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

/// d^2/dxi^2 by BR1, the common flux taking `penalty` times the gradients of both sides' own jumps in addition.
fn diffusion_operator(line: &LineElement, phase: f64, penalty: f64) -> Matrix {
    let n = line.len();
    let g = central_gradient(line, phase);
    let mut a = product(&g, &g, n);
    let own = -0.5 * penalty * line.correction[0];
    let (left, right) = (Complex64::from_polar(own, -phase), Complex64::from_polar(own, phase));
    for i in 0..n {
        let (lo, hi) = (line.correction[i], -line.correction[n - 1 - i]);
        a[i * n] += lo * own + hi * right;
        a[i * n + n - 1] -= lo * left + hi * own;
    }
    a
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

/// Whether RK4 with step `dt` keeps every operator's powers bounded: 2^14 steps must not grow beyond what a non-normal
/// but stable matrix shows.
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

    #[test]
    fn advection_limits_agree_with_published_linear_theory() {
        // a dt/h of RK44 for g_DG and g_2, p = 1..5.
        let radau = [0.4642, 0.2352, 0.1454, 0.1000, 0.0736];
        let lobatto = [1.2344, 0.5139, 0.2887, 0.1891, 0.1352];
        for p in 1..=5 {
            for (c, expected) in [(Correction::Radau, radau[p - 1]), (Correction::Lobatto, lobatto[p - 1])] {
                let limit = stability_limits(&LineElement::new(p, c), 0.0).advection / 2.0;
                assert!(
                    (limit / expected - 1.0).abs() < 0.005,
                    "p {p} {c:?}: {limit} against {expected}"
                );
            }
        }
    }
}
