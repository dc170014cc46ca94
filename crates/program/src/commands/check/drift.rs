//! The time in which the flow of a duct settles between an inlet and an outlet, of which at least one is relaxed.
//!
//! A disturbance exp(lambda t) of the plane flow in a duct is sound that runs from one end to the other and back within
//! the time tau = L/(c + u) + L/(c - u), and is reflected at both ends:
//!
//! ```text
//! R_in(lambda) R_out(lambda) = exp(lambda tau),     R(lambda) = R_hard kappa/(kappa + lambda)
//! ```
//!
//! R_hard is the reflection of the condition without relaxation: -1 at a given pressure, +1 at a given velocity, and
//! -(1 - m)/(1 + m) at a given total state, where m is the Mach number over the cosine of the angle between the flow
//! and the normal. A condition that does not relax has R = R_hard. The mode of the largest real part is the slowest.

use num_complex::Complex64;
use serde::Serialize;

use super::boundaries::Row;
use crate::format::short;
use crate::io::Quantity;
use crate::physics::{BoundaryKind, Hold};
use crate::solver::Solver;
use crate::vector::{length, minus};

/// Largest decay rate and frequency at which modes are sought, over 1/tau, and the number of starting points.
const RANGE: [(f64, usize); 2] = [(20.0, 80), (15.0, 45)];
/// Steps of Newton's method from each starting point.
const NEWTON_STEPS: usize = 40;

/// One end of a duct.
#[derive(Debug, Clone, Copy)]
struct End {
    /// Reflection of the condition without relaxation.
    hard: f64,
    /// Rate of the relaxation; `None` of a condition without.
    rate: Option<f64>,
}

/// The time in which the mean flow between an inlet and an outlet settles to 1/e.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Settling {
    inlet: String,
    outlet: String,
    time: Quantity,
    /// The time in passages of the flow, if it flows.
    flow_through_times: Option<f64>,
}

impl Settling {
    /// Logs the time.
    pub fn log(&self) {
        let passages = self.flow_through_times;
        let passages = passages.map_or_else(String::new, |n| format!(", {} flow-through times", short(n)));
        tracing::info!(
            "the mean flow between {} and {} settles to 1/e within a time of {}{passages}",
            self.inlet,
            self.outlet,
            short(self.time.value)
        );
    }
}

/// Returns the time in which the flow settles, if the case has one inlet and one outlet, and one of them relaxes.
pub(super) fn settling(solver: &Solver, rows: &[Row]) -> Option<Settling> {
    let of = |wanted: fn(BoundaryKind) -> bool| {
        let mut found = (0..rows.len()).filter(|&b| wanted(solver.boundaries[b].kind()));
        found.next().filter(|_| found.next().is_none())
    };
    let (inlet, outlet) = (of(BoundaryKind::is_inlet)?, of(BoundaryKind::is_outlet)?);
    let holds_mass_flow = matches!(solver.boundaries[outlet].hold(), Some(Hold::MassFlow { .. }));
    let (first, last) = (&rows[inlet], &rows[outlet]);
    if holds_mass_flow || first.rate + last.rate == 0.0 {
        return None;
    }
    let (sound, mach) = (0.5 * (first.sound + last.sound), 0.5 * (last.mach - first.mach));
    let size = length(minus(last.centre, first.centre));
    let normal = (-first.mach * first.sound).max(0.0);
    let m = if normal > 0.0 {
        first.speed * first.speed / (first.sound * normal)
    } else {
        0.0
    };
    let [hard_inlet, hard_outlet] = [inlet, outlet].map(|end| solver.boundaries[end].kind().reflection(m));
    let (hard_inlet, hard_outlet) = (hard_inlet?, hard_outlet?);
    if mach.abs() >= 1.0 {
        return None;
    }
    let end = |hard, rate: f64| End {
        hard,
        rate: (rate > 0.0).then_some(rate),
    };
    let ends = [end(hard_inlet, first.rate), end(hard_outlet, last.rate)];
    let there_and_back = size / sound * (1.0 / (1.0 + mach) + 1.0 / (1.0 - mach));
    let slowest = slowest(ends, there_and_back).filter(|mode| mode.re < 0.0)?;
    let time = -1.0 / slowest.re;
    Some(Settling {
        inlet: first.name.clone(),
        outlet: last.name.clone(),
        time: Quantity::new(time, "s"),
        flow_through_times: (mach > 1e-6).then(|| time * sound * mach / size),
    })
}

/// Returns the mode of the largest real part, if one is found. `there_and_back` is the time tau.
fn slowest(ends: [End; 2], there_and_back: f64) -> Option<Complex64> {
    let tau = there_and_back;
    let product: f64 = ends.iter().map(|end| end.hard * end.rate.unwrap_or(1.0)).product();
    // (kappa_1 + lambda) (kappa_2 + lambda) exp(lambda tau) - R_1 kappa_1 R_2 kappa_2, and its derivative.
    let rates: Vec<f64> = ends.iter().filter_map(|end| end.rate).collect();
    let function = |lambda: Complex64| {
        let (value, slope) = rates
            .iter()
            .fold((Complex64::from(1.0), Complex64::from(0.0)), |(value, slope), rate| {
                (value * (lambda + rate), slope * (lambda + rate) + value)
            });
        let growth = (lambda * tau).exp();
        (value * growth - product, (slope + value * tau) * growth)
    };
    let converged = |mut lambda: Complex64| {
        for _ in 0..NEWTON_STEPS {
            let (value, slope) = function(lambda);
            lambda -= value / slope;
        }
        let (value, slope) = function(lambda);
        // Far away the function overflows, and a quotient of two such values can be 0.
        let near = (-2.0 * RANGE[0].0..1.0).contains(&(lambda.re * tau));
        let good = near && (value / slope).norm() < 1e-9 / tau;
        good.then_some(lambda)
    };
    let [(decay, decays), (frequency, frequencies)] = RANGE;
    let starts = (0..decays).flat_map(|i| (0..frequencies).map(move |j| (i, j)));
    let starts = starts.map(|(i, j)| {
        let part = |number: usize, count: usize, range: f64| range * number as f64 / count as f64 / tau;
        Complex64::new(-part(i, decays, decay), part(j, frequencies, frequency))
    });
    starts.filter_map(converged).max_by(|a, b| a.re.total_cmp(&b.re))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mach number 0.3 and sigma 0.25; lengths in L, times in L/c.
    const TAU: f64 = 1.0 / 1.3 + 1.0 / 0.7;
    const OUTLET: End = End {
        hard: -1.0,
        rate: Some(0.25 * (1.0 - 0.09) / 2.0),
    };

    #[test]
    fn the_slowest_mode_of_a_duct_with_a_total_inlet_is_the_real_root() {
        let hard = -(1.0 - 0.3) / (1.0 + 0.3);
        for (rate, expected) in [(Some(0.25), -0.0362), (None, -0.0460)] {
            let found = slowest([End { hard, rate }, OUTLET], TAU).expect("a mode");
            // Between -kappa of the outlet and 0 the product of the reflections falls, and exp(lambda tau) rises.
            let gap = |lambda: f64| {
                let of = |end: End| end.hard * end.rate.map_or(1.0, |kappa| kappa / (kappa + lambda));
                of(End { hard, rate }) * of(OUTLET) - (lambda * TAU).exp()
            };
            let (mut low, mut high) = (-0.113, 0.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                *if gap(middle) > 0.0 { &mut low } else { &mut high } = middle;
            }
            println!("{rate:?}: {found}, by bisection {low}");
            assert!((found.re - low).abs() < 1e-12 && found.im.abs() < 1e-9, "{found} {low}");
            assert!((low - expected).abs() < 5e-5, "{low}");
        }
    }

    #[test]
    fn no_mode_is_slower_than_the_one_that_is_found() {
        // The winding of the function along the right half of a rectangle that ends just beside the root counts the
        // modes there: none.
        for (hard, rate) in [(1.0, None), (1.0, Some(0.25)), (-0.5, Some(2.0)), (1.0, Some(3.0))] {
            let ends = [End { hard, rate }, OUTLET];
            let mode = slowest(ends, TAU).expect("a mode");
            assert!(mode.re < 0.0, "{mode}");
            let value = |lambda: Complex64| {
                let of = |end: &End| {
                    end.rate
                        .map_or(Complex64::from(end.hard), |k| end.hard * k / (k + lambda))
                };
                (-lambda * TAU).exp() * of(&ends[0]) * of(&ends[1]) - 1.0
            };
            let left = mode.re + 1e-3;
            let right = 3.0;
            let top = 40.0;
            let corners = [(left, -top), (right, -top), (right, top), (left, top), (left, -top)];
            let (mut turns, parts) = (0.0, 100_000);
            for side in corners.windows(2) {
                let [a, b] = [side[0], side[1]].map(|(re, im)| Complex64::new(re, im));
                let at = |k: usize| value(a + (b - a) * (k as f64 / parts as f64));
                turns += (0..parts).map(|k| (at(k + 1) / at(k)).arg()).sum::<f64>();
            }
            // The function has poles at -kappa, which the rectangle contains if they lie right of the mode.
            let poles = ends.iter().filter(|end| end.rate.is_some_and(|k| -k > left)).count();
            let modes = turns / std::f64::consts::TAU + poles as f64;
            println!("{hard} {rate:?}: {mode}, {modes} modes beside");
            assert!(modes.abs() < 1e-6, "{hard} {rate:?}: {modes}");
        }
    }
}
