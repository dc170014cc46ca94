//! What follows from the means along a normal: the profile, its edge, and the integral thicknesses.
//!
//! With the distance n from the wall and the velocities u_s along the wall and u_n away from it, the pseudo-velocity is
//! the integral of the mean vorticity,
//!
//! ```text
//! U(n) = u_s(n) - integral from 0 to n of du_n/ds
//! ```
//!
//! (P. R. Spalart, M. Kh. Strelets, J. Fluid Mech. 403, 2000, 329-349, 10.1017/S0022112099007077). Outside of the layer
//! it is constant, also where u_s changes because the wall is curved. The other choice is the velocity of gas that goes
//! from mean total pressure and temperature to the pressure at the wall without loss. With U_o and rho_o at the end of
//! the normal, delta99 is where U first is 0.99 U_o, and
//!
//! ```text
//! displacement = integral of 1 - rho U/(rho_o U_o)
//! momentum     = integral of rho U/(rho_o U_o) (1 - U/U_o)
//! ```
//!
//! Integrals are those over t with n = height t^2 by Simpson's rule.

use super::keys::Edge;
use super::lines::{BESIDE, Normal};
use crate::output::fields::Primitives;
use crate::physics::Gas;

/// Number of quantities of a point whose means are taken: rho, u, v, w, p, T, p0, T0, uu, vv, ww, uv, and u and v at
/// the places beside it.
pub const QUANTITIES: usize = 16;
const RHO: usize = 0;
const U: usize = 1;
const V: usize = 2;
const W: usize = 3;
const P: usize = 4;
const T: usize = 5;
const P0: usize = 6;
const T0: usize = 7;
const UU: usize = 8;
const VV: usize = 9;
const WW: usize = 10;
const UV: usize = 11;
const BEFORE: usize = 12;
const BEHIND: usize = 14;

/// Columns of a profile: velocities along the wall, away from it and along z, the state, the velocity that tells the
/// edge, and stresses in the directions of the wall.
pub const COLUMNS: [(&str, &str); 12] = [
    ("u_s", "m/s"),
    ("u_n", "m/s"),
    ("w", "m/s"),
    ("rho", "kg/m^3"),
    ("p", "Pa"),
    ("T", "K"),
    ("p0", "Pa"),
    ("u_edge", "m/s"),
    ("ss", "m^2/s^2"),
    ("nn", "m^2/s^2"),
    ("ww", "m^2/s^2"),
    ("sn", "m^2/s^2"),
];

/// Results at a station.
pub const RESULTS: [(&str, &str); 6] = [
    ("delta99", "m"),
    ("displacement_thickness", "m"),
    ("momentum_thickness", "m"),
    ("shape_factor", "-"),
    ("re_theta", "-"),
    ("outer_velocity", "m/s"),
];

/// Share of the outer velocity at the edge.
const SHARE: f64 = 0.99;

/// Returns the quantities of a point from the states on its lines: on the normal, and at both places beside it.
pub fn sums_of<'a>(mut places: impl Iterator<Item = &'a [Primitives]>, gas: &Gas) -> [f64; QUANTITIES] {
    let mut row = [0.0; QUANTITIES];
    let mean =
        |line: &[Primitives], f: &dyn Fn(&Primitives) -> f64| line.iter().map(f).sum::<f64>() / line.len() as f64;
    if let Some(line) = places.next() {
        let of_state: [fn(&Primitives) -> f64; 6] = [|q| q[0], |q| q[1], |q| q[2], |q| q[3], |q| q[4], |q| q[5]];
        for (i, f) in of_state.iter().enumerate() {
            row[i] = mean(line, f);
        }
        row[P0] = mean(line, &|q| gas.total_pressure(q[0], [q[1], q[2], q[3]], q[4]));
        row[T0] = mean(line, &|q| {
            q[5] + 0.5 * (q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) / gas.heat_capacity()
        });
        for (i, [a, b]) in [(UU, [1, 1]), (VV, [2, 2]), (WW, [3, 3]), (UV, [1, 2])] {
            row[i] = mean(line, &|q| q[a] * q[b]);
        }
    }
    for (first, line) in [BEFORE, BEHIND].into_iter().zip(places) {
        row[first] = mean(line, &|q| q[1]);
        row[first + 1] = mean(line, &|q| q[2]);
    }
    row
}

/// What follows from the means along a normal.
pub struct Analysis<'a> {
    pub normal: &'a Normal,
    pub edge: Edge,
    pub gas: &'a Gas,
}

impl Analysis<'_> {
    /// Returns the columns of the profile, `[point][column]`, from the means of the quantities, `[point][quantity]`.
    pub fn profile(&self, means: &[f64]) -> Vec<f64> {
        let rows = means.as_chunks::<QUANTITIES>().0;
        let (t, n) = (self.along(rows), self.normal.normal);
        let edge = self.edge_velocity(rows);
        let of_point = |(row, edge): (&[f64; QUANTITIES], &f64)| {
            let dot = |a: [f64; 2]| a[0] * row[U] + a[1] * row[V];
            let [uu, vv, uv] = [
                row[UU] - row[U] * row[U],
                row[VV] - row[V] * row[V],
                row[UV] - row[U] * row[V],
            ];
            let stress =
                |a: [f64; 2], b: [f64; 2]| a[0] * b[0] * uu + a[1] * b[1] * vv + (a[0] * b[1] + a[1] * b[0]) * uv;
            [
                dot(t),
                dot(n),
                row[W],
                row[RHO],
                row[P],
                row[T],
                row[P0],
                *edge,
                stress(t, t),
                stress(n, n),
                row[WW] - row[W] * row[W],
                stress(t, n),
            ]
        };
        rows.iter().zip(&edge).flat_map(of_point).collect()
    }

    /// Returns the results from the means of the quantities, `[point][quantity]`.
    pub fn results(&self, means: &[f64]) -> Vec<f64> {
        let rows = means.as_chunks::<QUANTITIES>().0;
        let velocity = self.edge_velocity(rows);
        let last = rows.len() - 1;
        let outer = velocity[last];
        let rho = rows[last][RHO];
        let t = rows[last][T];
        let share = |k: usize| velocity[k] / outer;
        let flux = |k: usize| rows[k][RHO] / rho * share(k);
        let displacement = self.integral(|k| 1.0 - flux(k));
        let momentum = self.integral(|k| flux(k) * (1.0 - share(k)));
        vec![
            self.height_of(&velocity, SHARE * outer),
            displacement,
            momentum,
            displacement / momentum,
            rho * outer * momentum / self.gas.mu(t),
            outer,
        ]
    }

    /// Returns the direction along the wall into which the flow at the end of the normal goes.
    fn along(&self, rows: &[[f64; QUANTITIES]]) -> [f64; 2] {
        let t = self.normal.tangent();
        let last = &rows[rows.len() - 1];
        let forward = t[0] * last[U] + t[1] * last[V] >= 0.0;
        if forward { t } else { t.map(|x| -x) }
    }

    /// Returns the velocity that tells the edge at each point.
    fn edge_velocity(&self, rows: &[[f64; QUANTITIES]]) -> Vec<f64> {
        match self.edge {
            Edge::PseudoVelocity => self.pseudo_velocity(rows),
            Edge::TotalPressure => {
                let gas = self.gas;
                let wall = rows[0][P];
                let of = |row: &[f64; QUANTITIES]| {
                    let ratio = (wall / row[P0]).min(1.0).powf((gas.gamma - 1.0) / gas.gamma);
                    (2.0 * gas.heat_capacity() * row[T0] * (1.0 - ratio)).sqrt()
                };
                rows.iter().map(of).collect()
            }
        }
    }

    /// Returns the pseudo-velocity at each point.
    fn pseudo_velocity(&self, rows: &[[f64; QUANTITIES]]) -> Vec<f64> {
        let along = self.along(rows);
        let (t, n) = (self.normal.tangent(), self.normal.normal);
        let sign = t[0] * along[0] + t[1] * along[1];
        let last = rows.len() - 1;
        // du_n/ds dn/dt. At the wall, where dn/dt is 0, the places beside the normal coincide.
        let slope = |k: usize| {
            let row = &rows[k];
            let change = n[0] * (row[BEHIND] - row[BEFORE]) + n[1] * (row[BEHIND + 1] - row[BEFORE + 1]);
            let distance = self.normal.distances[k];
            if k == 0 {
                0.0
            } else {
                sign * change / (2.0 * BESIDE * distance) * self.stretch(k)
            }
        };
        let f: Vec<f64> = (0..=last).map(slope).collect();
        let step = 1.0 / last as f64;
        let mut integral = 0.0;
        let of_point = |k: usize| {
            // Over an interval the integral of the parabola through its ends and a neighbour.
            if k > 0 {
                let third = if k < last { k + 1 } else { k - 2 };
                let (near, far) = if k < last { (k, k - 1) } else { (k - 1, k) };
                integral += step / 12.0 * (5.0 * f[far] + 8.0 * f[near] - f[third]);
            }
            along[0] * rows[k][U] + along[1] * rows[k][V] - integral
        };
        (0..=last).map(of_point).collect()
    }

    /// Returns dn/dt at a point.
    fn stretch(&self, k: usize) -> f64 {
        let last = self.normal.distances.len() - 1;
        2.0 * self.normal.distances[last] * k as f64 / last as f64
    }

    /// Returns the integral along the normal of a function of the number of a point.
    fn integral(&self, f: impl Fn(usize) -> f64) -> f64 {
        let last = self.normal.distances.len() - 1;
        let weight = |k: usize| match k {
            0 => 1.0,
            k if k == last => 1.0,
            k => 2.0 + 2.0 * (k % 2) as f64,
        };
        let sum: f64 = (0..=last).map(|k| weight(k) * f(k) * self.stretch(k)).sum();
        sum / (3 * last) as f64
    }

    /// Returns the distance from the wall at which values first reach one, on the cubic of t through four points; not a
    /// number if they do not.
    fn height_of(&self, values: &[f64], target: f64) -> f64 {
        let last = values.len() - 1;
        let Some(above) = (1..=last).find(|&k| values[k] >= target) else {
            return f64::NAN;
        };
        let first = above.saturating_sub(2).min(last - 3);
        let cubic = |k: f64| -> f64 {
            let term = |i: usize| {
                let others = (first..first + 4).filter(|&j| j != i);
                let factors = others.map(|j| (k - j as f64) / (i as f64 - j as f64));
                values[i] * factors.product::<f64>()
            };
            (first..first + 4).map(term).sum()
        };
        let (mut low, mut high) = ((above - 1) as f64, above as f64);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if cubic(middle) < target {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.normal.distances[last] * (0.5 * (low + high) / last as f64).powi(2)
    }
}

#[cfg(test)]
#[path = "analysis_tests.rs"]
mod tests;
