//! Linear stability limits of flux reconstruction with each time scheme, which convert a CFL number to a time step.
//!
//! The limits come from a von Neumann analysis with the operators of the kernels: one cell, neighbours that differ by a
//! phase, upwind advection and BR1 diffusion. Bisection finds the largest step for which powers of the amplification
//! matrix stay bounded.
//!
//! For hexahedra a one-dimensional analysis runs at the start. The operators of different directions commute for a
//! scalar, so that their rates add. They do not commute for sound: upwinding damps waves along a direction, but not the
//! transverse velocity. Steps for which each direction alone is stable therefore amplify sound in cubes; the reduction
//! is tabulated. The limits of the other elements are tabulated too, since their analysis in space takes minutes. Tests
//! compare the tables with the operators.
//!
//! The tables are those of RK4. Other schemes reach their limits of diffusion, and of sound in cubes, on the real axis
//! as RK4 does, so that the ratio of these limits to those of RK4 is the ratio of the limits of damping. Plane waves
//! have limits of their own.

use num_complex::Complex64;

use super::{ElementKind, LineElement};
use crate::element::Correction;
use crate::runge_kutta::TimeScheme;
use crate::runge_kutta::paired::MEMBERS;

#[cfg(test)]
mod tiling;

/// The largest stable steps in the reference line [-1, 1], whose length is 2.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StabilityLimits {
    /// Largest dt for a wave that crosses reference length 1 in unit time. It is twice the limit of a dt/h for cells of
    /// size h.
    pub advection: f64,
    /// Largest dt for unit diffusivity. It is four times the limit of nu dt/h^2.
    pub diffusion: f64,
}

/// Limits (advection, diffusion) of the other elements with RK4 by degree from 1, found by the analysis in `tiling`.
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

/// Ratio of the limit of advection with LSRK5, LSRK10, and LSRK14, to that with RK4 by degree from 1, found by the
/// analysis in `tiling`.
const PRISM_LOW_STORAGE: [[f64; 6]; 3] = [
    [1.421, 1.454, 1.446, 1.499, 1.489, 1.521],
    [3.500, 3.589, 3.460, 3.644, 3.620, 3.660],
    [5.359, 4.862, 4.591, 4.784, 4.882, 5.056],
];
const TET_LOW_STORAGE: [[f64; 6]; 3] = [
    [1.446, 1.443, 1.417, 1.467, 1.471, 1.506],
    [3.525, 3.465, 3.437, 3.527, 3.526, 3.612],
    [5.421, 4.863, 4.523, 4.716, 4.636, 4.886],
];
const PYRAMID_LOW_STORAGE: [[f64; 6]; 3] = [
    [1.561, 1.572, 1.583, 1.592, 1.595, 1.598],
    [3.657, 3.668, 3.686, 3.703, 3.711, 3.716],
    [6.213, 5.609, 5.860, 5.772, 5.940, 6.288],
];

/// Share of the ratios with LSRK10 and with LSRK14 that is taken as stable. The analysis has few phases: on a line the
/// same phases find up to 7 and 13 % more than many phases do. With the other schemes they find the same.
const LSRK10_SHARE: f64 = 0.94;
const LSRK14_SHARE: f64 = 0.9;

/// Share of the reach of the members of the paired scheme that is taken as stable. Linear theory allows 1; the rest is
/// for flow that is not linear, as in abrupt starts (docs/explanation/numerics.md).
const PAIRED_SHARE: f64 = 0.86;

/// Ratio with RK4 of the limit for sound waves in gas at rest in cubes to the limit of advection, by degree from 1, for
/// the acoustic equations in three dimensions with Roe's upwind flux. The most restrictive wave is as long as the mesh
/// for odd degrees and two cells long for even ones.
const SOUND_RADAU: [f64; 8] = [1.0, 0.991, 0.972, 0.951, 0.932, 0.913, 0.897, 0.881];
const SOUND_LOBATTO: [f64; 8] = [1.0, 0.936, 0.863, 0.806, 0.761, 0.723, 0.692, 0.665];

type Matrix = Vec<Complex64>;

/// Limits of a scheme on a line. At a face the viscous flux of each side has, in addition to BR1, `penalty` times
/// the gradient that the side's own jump causes: 0 is BR1, and elements other than hexahedra need 1.
pub fn stability_limits(line: &LineElement, penalty: f64, scheme: TimeScheme) -> StabilityLimits {
    let phases: Vec<f64> = (0..=24).map(|k| std::f64::consts::PI * k as f64 / 24.0).collect();
    let advection: Vec<Matrix> = phases.iter().map(|&phase| advection_operator(line, phase)).collect();
    let diffusion: Vec<Matrix> = phases
        .iter()
        .map(|&phase| diffusion_operator(line, phase, penalty))
        .collect();
    StabilityLimits {
        advection: largest_stable_step(scheme, &advection, line.len()),
        diffusion: largest_stable_step(scheme, &diffusion, line.len()),
    }
}

/// Limits of a scheme on an element with the penalty of mixed meshes. They are the largest dt times the advection rate,
/// half the sum over faces of (|v . A| + c |A|)/J, and the largest dt times the diffusion rate, nu times half the sum
/// over faces of |A|^2/J^2. Of the paired scheme they are those of the member with all evaluations.
pub fn element_limits(kind: ElementKind, order: usize, correction: Correction, scheme: TimeScheme) -> StabilityLimits {
    let damping = match scheme {
        TimeScheme::Paired => PAIRED_SHARE * MEMBERS[0].reach,
        _ => scheme.damping_limit() / TimeScheme::Rk4.damping_limit(),
    };
    if kind == ElementKind::Hex {
        let of_line = |scheme| stability_limits(&LineElement::new(order, correction), 1.0, scheme);
        let rk4 = of_line(TimeScheme::Rk4);
        let line = match scheme {
            TimeScheme::Paired => StabilityLimits {
                advection: damping * rk4.advection,
                diffusion: damping * rk4.diffusion,
            },
            _ => of_line(scheme),
        };
        let sound = match correction {
            Correction::Radau => SOUND_RADAU,
            Correction::Lobatto => SOUND_LOBATTO,
        };
        return StabilityLimits {
            advection: (sound[order - 1] * rk4.advection * damping).min(line.advection),
            diffusion: line.diffusion,
        };
    }
    let ((advection, diffusion), low_storage) = match (kind, correction) {
        (ElementKind::Prism, Correction::Radau) => (PRISM_RADAU[order - 1], PRISM_LOW_STORAGE),
        (ElementKind::Prism, Correction::Lobatto) => (PRISM_LOBATTO[order - 1], PRISM_LOW_STORAGE),
        (ElementKind::Tet, _) => (TET[order - 1], TET_LOW_STORAGE),
        _ => (PYRAMID[order - 1], PYRAMID_LOW_STORAGE),
    };
    let waves = match scheme {
        TimeScheme::Rk4 => 1.0,
        TimeScheme::Lsrk5 => low_storage[0][order - 1],
        TimeScheme::Lsrk10 => LSRK10_SHARE * low_storage[1][order - 1],
        TimeScheme::Lsrk14 => LSRK14_SHARE * low_storage[2][order - 1],
        TimeScheme::Paired => PAIRED_SHARE * MEMBERS[0].reach,
    };
    StabilityLimits {
        advection: waves * advection,
        diffusion: damping * diffusion,
    }
}

/// Operator -d/dxi with the upwind common value; `phase` is the phase of the next cell relative to this one.
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

/// Operator d/dxi with the mean of both sides as common value.
fn central_gradient(line: &LineElement, phase: f64) -> Matrix {
    let n = line.len();
    let (left, right) = (Complex64::from_polar(0.5, -phase), Complex64::from_polar(0.5, phase));
    let mut g: Matrix = line.diff.iter().map(|&d| Complex64::from(d)).collect();
    for i in 0..n {
        let lo = line.correction[i];
        let hi = -line.correction[n - 1 - i];
        g[i * n + n - 1] += lo * left - 0.5 * hi;
        g[i * n] += hi * right - 0.5 * lo;
    }
    g
}

/// Operator d^2/dxi^2 by BR1; the common flux has, in addition, `penalty` times the gradients of both sides' own jumps.
fn diffusion_operator(line: &LineElement, phase: f64, penalty: f64) -> Matrix {
    let n = line.len();
    let g = central_gradient(line, phase);
    let mut a = product(&g, &g, n);
    let own = -0.5 * penalty * line.correction[0];
    let (left, right) = (Complex64::from_polar(own, -phase), Complex64::from_polar(own, phase));
    for i in 0..n {
        let lo = line.correction[i];
        let hi = -line.correction[n - 1 - i];
        a[i * n] += lo * own + hi * right;
        a[i * n + n - 1] -= lo * left + hi * own;
    }
    a
}

fn product(a: &[Complex64], b: &[Complex64], n: usize) -> Matrix {
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

/// Returns true if the scheme with step `dt` keeps powers of all operators bounded: 2^14 steps must not grow beyond the
/// transient growth of a stable non-normal matrix.
fn stable(scheme: TimeScheme, operators: &[Matrix], n: usize, dt: f64) -> bool {
    operators.iter().all(|a| {
        let identity: Matrix = (0..n * n)
            .map(|i| Complex64::from(if i % (n + 1) == 0 { 1.0 } else { 0.0 }))
            .collect();
        bounded(scheme.amplify(&identity, dt, |g| product(a, g, n)), n)
    })
}

/// Returns whether powers of the matrix of a step stay bounded.
fn bounded(mut g: Matrix, n: usize) -> bool {
    for _ in 0..14 {
        g = product(&g, &g, n);
        let largest = g.iter().map(|g| g.norm()).fold(0.0, f64::max);
        if largest.is_nan() || largest > 1e3 {
            return false;
        }
    }
    true
}

fn largest_stable_step(scheme: TimeScheme, operators: &[Matrix], n: usize) -> f64 {
    let (mut low, mut high) = (0.0, 16.0);
    for _ in 0..26 {
        let middle = 0.5 * (low + high);
        if stable(scheme, operators, n, middle) {
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
    fn members_of_the_paired_scheme_are_stable_on_lines_as_far_as_they_reach() {
        let phases = || (0..=24).map(|k| std::f64::consts::PI * f64::from(k) / 24.0);
        for p in 1..=8 {
            for correction in [Correction::Radau, Correction::Lobatto] {
                let line = LineElement::new(p, correction);
                let rk4 = stability_limits(&line, 1.0, TimeScheme::Rk4);
                let n = line.len();
                let identity: Matrix = (0..n * n)
                    .map(|i| Complex64::from(f64::from(i % (n + 1) == 0)))
                    .collect();
                for (member, phase) in MEMBERS
                    .iter()
                    .flat_map(|member| phases().map(move |phase| (member, phase)))
                {
                    let operators = [
                        (advection_operator(&line, phase), rk4.advection),
                        (diffusion_operator(&line, phase, 1.0), rk4.diffusion),
                    ];
                    for (a, limit) in operators {
                        let dt = PAIRED_SHARE * member.reach * limit;
                        let g = member.amplify(&identity, dt, |g| product(&a, g, n));
                        assert!(bounded(g, n), "{member:?} at p {p}, {correction:?}, phase {phase}");
                    }
                }
            }
        }
    }

    #[test]
    fn advection_limits_agree_with_published_linear_theory() {
        // a dt/h of RK44 for g_DG and g_2, p = 1..5.
        let radau = [0.4642, 0.2352, 0.1454, 0.1000, 0.0736];
        let lobatto = [1.2344, 0.5139, 0.2887, 0.1891, 0.1352];
        for p in 1..=5 {
            for (c, expected) in [(Correction::Radau, radau[p - 1]), (Correction::Lobatto, lobatto[p - 1])] {
                let limit = stability_limits(&LineElement::new(p, c), 0.0, TimeScheme::Rk4).advection / 2.0;
                assert!(
                    (limit / expected - 1.0).abs() < 0.005,
                    "p {p} {c:?}: {limit} against {expected}"
                );
            }
        }
    }
}
