//! Sound in a lattice of cubes: the von Neumann analysis behind the shares of the limit of advection in the table of hexahedra.
//!
//! dp/dt = -div v, dv/dt = -grad p (gas at rest, scaled to a speed of sound of 1), with the upwind flux of each direction, which damps
//! pressure and normal velocity and leaves transverse velocities alone.

use num_complex::Complex64;

use super::{LineElement, Matrix, SOUND_LOBATTO, SOUND_RADAU, stability_limits, stable};
use crate::case::Correction;

/// Pressure and three velocities.
const M: usize = 4;

/// Adds the derivative along one line: waves that run to the right see the value of the left side at a face, those that run to the left
/// that of the right side.
fn add_direction(a: &mut Matrix, line: &LineElement, direction: usize, phase: f64) {
    let n = line.len();
    let points = n * n * n;
    let stride = n.pow(direction as u32);
    let velocity = 1 + direction;
    let (left, right) = (Complex64::from_polar(1.0, -phase), Complex64::from_polar(1.0, phase));
    let at = |start: usize, i: usize, variable: usize| (start + i * stride) * M + variable;
    for start in (0..points).filter(|p| (p / stride).is_multiple_of(n)) {
        for i in 0..n {
            // Of w = p +- v, which obeys dw/dt = -+dw/dx; p = (w+ + w-)/2, v = (w+ - w-)/2.
            let mut add = |sign: f64, k: usize, factor: Complex64| {
                for (row, of_row) in [(0, 0.5), (velocity, 0.5 * sign)] {
                    for (column, of_column) in [(0, 1.0), (velocity, sign)] {
                        let place = at(start, i, row) * points * M + at(start, k, column);
                        a[place] -= factor * (sign * of_row * of_column);
                    }
                }
            };
            for sign in [1.0, -1.0] {
                for k in 0..n {
                    add(sign, k, line.diff[i * n + k].into());
                }
            }
            let (lo, hi) = (line.correction[i], -line.correction[n - 1 - i]);
            add(1.0, n - 1, lo * left);
            add(1.0, 0, Complex64::from(-lo));
            add(-1.0, 0, hi * right);
            add(-1.0, n - 1, Complex64::from(-hi));
        }
    }
}

#[test]
fn sound_in_cubes_is_stable_up_to_the_share_in_the_table_and_not_beyond() {
    // The worst waves of odd and of even degrees; higher degrees take too long.
    for (order, phase) in [(1, 0.0), (2, std::f64::consts::PI), (3, 0.0)] {
        for (correction, share) in [(Correction::Radau, SOUND_RADAU), (Correction::Lobatto, SOUND_LOBATTO)] {
            let line = LineElement::new(order, correction);
            let size = M * line.len().pow(3);
            let mut a = vec![Complex64::from(0.0); size * size];
            for direction in 0..3 {
                add_direction(&mut a, &line, direction, phase);
            }
            // A wave of the same rate in all three directions.
            let limit = share[order - 1] * stability_limits(&line, 0.0).advection / 3.0;
            let operators = [a];
            assert!(stable(&operators, size, 0.99 * limit), "p {order} {correction:?}");
            // Of p = 1 the table holds what advection allows, which for `lobatto` is less.
            if share[order - 1] < 1.0 {
                assert!(!stable(&operators, size, 1.02 * limit), "p {order} {correction:?}");
            }
        }
    }
}
