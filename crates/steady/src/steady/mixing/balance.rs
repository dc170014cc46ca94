//! The state that balances the fluxes of two sides of a mixing plane in one band.
//!
//! The side upstream has the static pressure p of this state at all its points, and the one downstream sees the state
//! as its far field. What leaves upstream is a function of p, and what enters downstream is one of all five values of
//! the state. They are found so that both are the same in the mean: mass, momentum and energy, seen from one frame. In
//! the mean flow this is one wave that goes upstream and four that go downstream. Deviations from the mean leave
//! downstream as waves leave a far field, and mix upstream at constant pressure.
//!
//! Around an axis the components of vectors are those along the axis, the radius and the circumference at each point.
//! Of the momentum along the circumference its moment about the axis is balanced.
//!
//! The fluxes are those of the kernel `boundary_convection` with the far field of ptx/physics/boundary.h, so that the
//! balance holds to rounding at every step.

use crate::physics::Gas;
use crate::vector::{Vector, dot};

/// Newton steps at most.
const STEPS: usize = 30;
/// Difference of the fluxes, relative to those of the mean flow, at which no further step is taken.
const ENOUGH: f64 = 1e-13;
/// Change of an unknown from which derivatives are taken.
const STEP: f64 = 1e-6;
/// The largest difference with which the fluxes are said to agree.
pub const AGREES: f64 = 1e-9;

/// Gas at a point: density, velocity and pressure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    pub rho: f64,
    pub v: Vector,
    pub p: f64,
}

/// A point of one side in a band.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Outward area vector.
    pub area: Vector,
    /// Its direction.
    pub normal: Vector,
    /// The gas at the vertex.
    pub own: Flow,
    /// Factors of the components of its momentum in the sums: 1, or the arm over that of the band.
    pub arms: Vector,
}

/// The points of both sides in a band, all of them seen from one frame.
#[derive(Debug, Clone, Copy)]
pub struct Band<'a> {
    pub gas: &'a Gas,
    /// Points of the side that the gas leaves.
    pub up: &'a [Point],
    /// Points of the side that it enters.
    pub down: &'a [Point],
    /// Areas of the band on both sides.
    pub areas: [f64; 2],
}

/// The state of a band, in the frame of its points.
#[derive(Debug, Clone, Copy)]
pub struct Balanced {
    pub state: Flow,
    /// The largest difference of the mean fluxes of both sides, relative to those of the mean flow.
    pub difference: f64,
}

/// Fluxes of mass, momentum and energy.
pub type Fluxes = [f64; 5];

/// Returns the fluxes of gas through an area.
pub fn fluxes(gas: &Gas, q: &Flow, area: Vector) -> Fluxes {
    let mass = q.rho * dot(q.v, area);
    let h = gas.gamma / (gas.gamma - 1.0) * q.p / q.rho + 0.5 * dot(q.v, q.v);
    let momentum = |d: usize| mass * q.v[d] + q.p * area[d];
    [mass, momentum(0), momentum(1), momentum(2), mass * h]
}

/// `mean_impedance` of ptx/physics/boundary.h.
fn mean_impedance(gas: &Gas, q: &Flow, mean: f64) -> f64 {
    (gas.gamma * mean * q.rho * (1.0 + (mean - q.p) / (gas.gamma * q.p))).sqrt()
}

/// `isentropic_change` of ptx/physics/boundary.h.
fn isentropic_change(gas: &Gas, q: &Flow, n: Vector, p: f64, vn: f64) -> Flow {
    let dv = vn - dot(q.v, n);
    Flow {
        rho: q.rho * (1.0 + (p - q.p) / (gas.gamma * q.p)),
        v: std::array::from_fn(|d| q.v[d] + dv * n[d]),
        p,
    }
}

/// `far_field` of ptx/physics/boundary.h: the state at the boundary, with the state `o` outside.
fn far_field(gas: &Gas, q: &Flow, n: Vector, o: &Flow) -> Flow {
    let (vq, vo) = (dot(q.v, n), dot(o.v, n));
    if vq >= gas.sound_speed(q.rho, q.p) {
        return *q;
    }
    if -vo >= gas.sound_speed(o.rho, o.p) {
        return *o;
    }
    let mean = 0.5 * (q.p + o.p);
    let z = mean_impedance(gas, q, mean);
    let p = (mean + 0.5 * (z * (vq - vo))).max(0.1 * q.p.min(o.p));
    let vn = vo + (p - o.p) / z;
    isentropic_change(gas, if vn >= 0.0 { q } else { o }, n, p, vn)
}

/// Returns the state outside of a point upstream with which the state at the boundary has the pressure of the band: the
/// wave that leaves keeps p + z v.n. Gas that comes back has the density and the velocity along the plane of the band.
pub fn outside_upstream(gas: &Gas, point: &Point, band: &Flow) -> Flow {
    let (q, n) = (&point.own, point.normal);
    let z = mean_impedance(gas, q, 0.5 * (q.p + band.p));
    let vn = dot(q.v, n) + (q.p - band.p) / z;
    if vn >= 0.0 {
        isentropic_change(gas, q, n, band.p, vn)
    } else {
        isentropic_change(gas, band, n, band.p, vn)
    }
}

impl Band<'_> {
    /// Returns the fluxes that leave upstream with this state in the band, per area of the band.
    pub fn leaving(&self, state: &Flow) -> Fluxes {
        self.mean(self.up, 1.0 / self.areas[0], |point| {
            far_field(
                self.gas,
                &point.own,
                point.normal,
                &outside_upstream(self.gas, point, state),
            )
        })
    }

    /// Returns the fluxes that enter downstream with this state in the band, per area of the band.
    pub fn entering(&self, state: &Flow) -> Fluxes {
        self.mean(self.down, -1.0 / self.areas[1], |point| {
            far_field(self.gas, &point.own, point.normal, state)
        })
    }

    /// Returns the sum of the fluxes of the states at the boundary times a factor.
    fn mean(&self, points: &[Point], factor: f64, at_boundary: impl Fn(&Point) -> Flow) -> Fluxes {
        let mut sum = [0.0; 5];
        for point in points {
            let [mass, x, y, z, energy] = fluxes(self.gas, &at_boundary(point), point.area);
            let [a, b, c] = point.arms;
            let of_point = [mass, a * x, b * y, c * z, energy];
            (0..5).for_each(|i| sum[i] += of_point[i]);
        }
        sum.map(|x| x * factor)
    }

    /// Returns the mean state of points, by their areas.
    fn mean_state(points: &[Point]) -> Flow {
        let (mut sum, mut total) = ([0.0; 5], 0.0);
        for point in points {
            let size = dot(point.area, point.normal);
            let Flow { rho, v, p } = point.own;
            let values = [rho, rho * v[0], rho * v[1], rho * v[2], p];
            (0..5).for_each(|i| sum[i] += size * values[i]);
            total += size;
        }
        let [rho, x, y, z, p] = sum;
        Flow {
            rho: rho / total,
            v: [x, y, z].map(|m| m / rho),
            p: p / total,
        }
    }

    /// Returns the state between the mean states of both sides, as two waves leave it: the beginning of the iteration.
    fn between(&self) -> Flow {
        let n = self.up[0].normal;
        let [up, down] = [self.up, self.down].map(Band::mean_state);
        let z = (0.25 * self.gas.gamma * (up.p + down.p) * (up.rho + down.rho)).sqrt();
        let p = (0.5 * (up.p + down.p) + 0.5 * z * (dot(up.v, n) - dot(down.v, n))).max(0.1 * up.p.min(down.p));
        let change = (up.p - p) / z;
        Flow {
            rho: up.rho * (p / up.p).max(0.1),
            v: std::array::from_fn(|d| up.v[d] + change * n[d]),
            p,
        }
    }

    /// Finds the state with which the mean fluxes of both sides agree. It is a function of the states at the points
    /// alone.
    pub fn balance(&self) -> Balanced {
        let start = self.between();
        let c = self.gas.sound_speed(start.rho, start.p);
        // The unknowns are the changes of density, velocity and pressure in these units.
        let units = [start.rho, c, c, c, start.p];
        let speed = c + dot(start.v, start.v).sqrt();
        let sizes = [
            start.rho * speed,
            start.rho * speed * speed,
            start.rho * speed * speed,
            start.rho * speed * speed,
            start.rho * speed * speed * speed,
        ];
        let difference = |state: &Flow| {
            let [out, into] = [self.leaving(state), self.entering(state)];
            std::array::from_fn(|i| (out[i] - into[i]) / sizes[i])
        };
        let derivatives = |state: &Flow, gap: &Fluxes| {
            let column = |j: usize| {
                let mut change = [0.0; 5];
                change[j] = STEP;
                let there = difference(&changed(state, &units, &change));
                std::array::from_fn(|i| (there[i] - gap[i]) / STEP)
            };
            [0, 1, 2, 3, 4].map(column)
        };
        let mut state = start;
        let mut gap = difference(&state);
        let mut columns = derivatives(&state, &gap);
        // Steps that were taken with these derivatives.
        let mut taken = 0;
        for _ in 0..STEPS {
            if size(&gap) <= ENOUGH {
                break;
            }
            let step = solve(columns, gap);
            let shorter = [1.0, 0.5, 0.25].map(|part| changed(&state, &units, &step.map(|x| -part * x)));
            let nearer = shorter.into_iter().find_map(|next| {
                let of_next = difference(&next);
                (next.is_gas() && size(&of_next) < size(&gap)).then_some((next, of_next))
            });
            let serves = match nearer {
                Some((next, of_next)) => {
                    let fast = size(&of_next) <= 0.1 * size(&gap);
                    (state, gap) = (next, of_next);
                    taken += 1;
                    fast
                }
                // Only rounding is left, or the fluxes of these sides cannot agree.
                None if taken == 0 => break,
                None => false,
            };
            if !serves {
                columns = derivatives(&state, &gap);
                taken = 0;
            }
        }
        Balanced {
            state,
            difference: size(&gap),
        }
    }
}

impl Flow {
    /// Whether gas can have this state.
    fn is_gas(&self) -> bool {
        self.rho > 0.0 && self.p > 0.0
    }
}

/// Returns a state after a change of density, velocity and pressure in these units.
fn changed(state: &Flow, units: &Fluxes, change: &Fluxes) -> Flow {
    let by = |i: usize| change[i] * units[i];
    Flow {
        rho: state.rho + by(0),
        v: [0, 1, 2].map(|d| state.v[d] + by(1 + d)),
        p: state.p + by(4),
    }
}

/// Returns the largest modulus; infinite if a value is not finite.
fn size(values: &Fluxes) -> f64 {
    let modulus = |x: &f64| if x.is_finite() { x.abs() } else { f64::INFINITY };
    values.iter().map(modulus).fold(0.0, f64::max)
}

/// Solves the system with these columns by elimination with pivots. A singular one has a solution that is not finite.
fn solve(columns: [Fluxes; 5], mut right: Fluxes) -> Fluxes {
    let mut a: [Fluxes; 5] = std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]));
    for k in 0..5 {
        let pivot = (k..5).fold(
            k,
            |best, row| if a[row][k].abs() > a[best][k].abs() { row } else { best },
        );
        a.swap(k, pivot);
        right.swap(k, pivot);
        for row in k + 1..5 {
            let factor = a[row][k] / a[k][k];
            (k..5).for_each(|column| a[row][column] -= factor * a[k][column]);
            right[row] -= factor * right[k];
        }
    }
    for k in (0..5).rev() {
        let known: f64 = (k + 1..5).map(|column| a[k][column] * right[column]).sum();
        right[k] = (right[k] - known) / a[k][k];
    }
    right
}
