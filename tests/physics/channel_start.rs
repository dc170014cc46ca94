//! The start of a turbulent channel (`initial.channel`): its velocities against the mean profile and the derivatives of
//! the stream function, in a channel that lies across the axes, and the same bits on any number of ranks.

use crate::common::cases::{each_point, solver};
use crate::common::program::{hash, run_case, with_case};
use std::f64::consts::TAU;

const RE: f64 = 550.0;
const FRICTION: f64 = 0.11;
const BULK: f64 = 2.0;
/// Half height, and the middle of the channel.
const HALF: f64 = 0.5;
const MIDDLE: f64 = 0.3;
/// Periods along the flow and across it.
const PERIODS: [f64; 2] = [3.0, 1.2];

/// The mean velocity at a distance y from the middle.
fn mean(y: f64) -> f64 {
    let y = RE * (1.0 - (y / HALF).abs());
    let buffer = 1.0 - (-y / 11.0).exp() - y / 11.0 * (-y / 3.0).exp();
    FRICTION * (2.5 * (1.0 + 0.4 * y).ln() + 7.8 * buffer)
}

/// The stream function of the vortices: v = dpsi/dz, w = -dpsi/dy.
fn psi([x, y, z]: [f64; 3]) -> f64 {
    let kx = TAU / PERIODS[0];
    let kz = TAU / PERIODS[1];
    let eta = y / HALF;
    let sum = (2.0 * kz * z).cos() * (1.0 + 0.5 * (kx * x).cos())
        + eta * (3.0 * kz * z + 1.0).cos() * (1.0 + 0.5 * (kx * x + 2.0).sin())
        + (4.0 * kz * z + 2.0).cos() * (1.0 + 0.5 * (2.0 * kx * x + 1.0).cos());
    0.06 * BULK / kz * (1.0 - eta * eta).powi(2) * sum
}

/// The stream function of the waves: u = dpsi/dy, v = -dpsi/dx.
fn waves([x, y, z]: [f64; 3]) -> f64 {
    let kx = TAU / PERIODS[0];
    let kz = TAU / PERIODS[1];
    let eta = y / HALF;
    let sum = (2.0 * kx * x).sin() * (2.0 * kz * z).cos()
        + (3.0 * kx * x + 1.0).sin() * (3.0 * kz * z + 2.0).cos()
        + (4.0 * kx * x + 2.0).sin() * (5.0 * kz * z + 1.0).cos();
    0.02 * BULK * HALF * (1.0 - eta * eta).powi(2) * sum
}

/// The derivative of a function along a direction, by differences of sixth order.
fn slope(of: fn([f64; 3]) -> f64, at: [f64; 3], axis: usize) -> f64 {
    let step = 1e-3;
    let moved = |n: f64| {
        let mut to = at;
        to[axis] += n * step;
        of(to)
    };
    [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)]
        .map(|(n, weight)| weight * (moved(n) - moved(-n)) / (60.0 * step))
        .iter()
        .sum()
}

#[test]
fn velocities_are_those_of_the_profile_and_of_stream_functions() {
    // The flow is along z, and the walls lie across x.
    let s = solver(&format!(
        "mesh: {{box: {{cells: [4, 3, 3], lower: [{}, 0, -1], upper: [{}, {}, {}], periodic: [y, z]}}}}\norder: 3\n\
         gas: {{viscosity: {{constant: 1e-4}}}}\n\
         initial: {{channel: {{re-tau: {RE}, friction-velocity: {FRICTION}, bulk-velocity: {BULK}, \
         flow: z, normal: x}}, p: 100, temperature: 100}}\n\
         boundaries: {{x-: {{type: no-slip-adiabatic}}, x+: {{type: no-slip-adiabatic}}}}\ntime: {{steps: 1}}\n",
        MIDDLE - HALF,
        MIDDLE + HALF,
        PERIODS[1],
        PERIODS[0] - 1.0,
    ));
    let state = s.device.state().expect("a state");
    let mut worst = 0.0f64;
    let mut largest = 0.0f64;
    let mut at_walls = 0.0f64;
    each_point(&s, &state, |[x, y, z], u| {
        let at = [z, x - MIDDLE, y];
        let along = mean(at[1]) + slope(waves, at, 1);
        let normal = slope(psi, at, 2) - slope(waves, at, 0);
        let across = -slope(psi, at, 1);
        for (found, wanted) in [(u[3], along), (u[1], normal), (u[2], across)] {
            worst = worst.max((found / u[0] - wanted).abs());
        }
        largest = largest.max((u[1] / u[0]).abs());
        if at[1].abs() > HALF - 1e-9 {
            at_walls = (1..4).map(|m| (u[m] / u[0]).abs()).fold(at_walls, f64::max);
        }
    });
    println!("off by {worst:.1e}, at the walls {at_walls:.1e}, largest normal velocity {largest:.3}");
    assert!(
        worst < 1e-8 && at_walls < 1e-12 && largest > 0.05 * BULK,
        "{worst:e} {at_walls:e} {largest}"
    );
}

#[test]
fn a_channel_starts_with_the_same_bits_on_any_number_of_ranks() {
    let case = with_case(
        "mesh: {box: {cells: [4, 4, 4], lower: [0, -1, 0], upper: [4, 1, 2], periodic: [x, z]}}\norder: 2\n\
         gas: {viscosity: {constant: 0.0638/180}}\n\
         initial: {channel: {re-tau: 180, friction-velocity: 0.0638, bulk-velocity: 1}, p: 20, temperature: 20}\n\
         boundaries: {y-: {type: no-slip-adiabatic}, y+: {type: no-slip-adiabatic}}\ntime: {steps: 3, cfl: 0.9}\n",
    );
    let one = hash(&run_case(case.path(), 1, &[], 0));
    for ranks in [2, 3] {
        assert_eq!(hash(&run_case(case.path(), ranks, &[], 0)), one, "{ranks} ranks");
    }
}
