//! Ranges of the initial state, which reveal wrong units before a run.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::device::DeviceError;
use crate::format::short;
use crate::io::Interval;
use crate::physics::Gas;
use crate::solver::Solver;

/// Names and units of the quantities in the order in which [`at_point`] returns them.
const NAMES: [(&str, &str); 8] = [
    ("|u|", "m/s"),
    (TEMPERATURE, "K"),
    (DENSITY, "kg/m^3"),
    (PRESSURE, "Pa"),
    (SOUND, "m/s"),
    (MACH, "-"),
    ("viscosity", "Pa s"),
    (REYNOLDS, "1/m"),
];
/// Names of some of them.
pub(super) const MACH: &str = "Mach number";
const SOUND: &str = "speed of sound";
pub(super) const TEMPERATURE: &str = "temperature";
pub(super) const DENSITY: &str = "density";
pub(super) const PRESSURE: &str = "pressure";
pub(super) const REYNOLDS: &str = "Reynolds number per length";
/// Number of quantities without the last two, which an inviscid gas does not have.
const INVISCID: usize = 6;

/// The minimum and the maximum of each quantity over all solution points.
#[derive(Debug)]
pub(super) struct Flow(BTreeMap<&'static str, Interval>);

impl Serialize for Flow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let key = |name: &str| match name {
            "|u|" => "speed".to_owned(),
            name => name.to_lowercase().replace(' ', "-"),
        };
        serializer.collect_map(self.0.iter().map(|(name, ends)| (key(name), ends)))
    }
}

impl Flow {
    /// Computes the ranges. Collective.
    pub fn of(solver: &Solver) -> Result<Self, DeviceError> {
        let count = if solver.gas.viscosity.is_some() {
            NAMES.len()
        } else {
            INVISCID
        };
        let named = NAMES.into_iter().zip(ranges(solver)?).take(count);
        let ranges = named.map(|((name, unit), ends)| (name, Interval::new(ends, unit)));
        Ok(Flow(ranges.collect()))
    }

    /// Logs the ranges.
    pub fn log(&self) {
        let known = NAMES.iter().filter_map(|(name, _)| Some((name, self.0.get(name)?)));
        let lines: Vec<String> = known.map(|(name, ends)| format!("{name} {}", range(*ends))).collect();
        tracing::info!("flow    at the start: {}", lines[..4].join(", "));
        let inviscid = if lines.len() == INVISCID { ", inviscid gas" } else { "" };
        tracing::info!("        {}{inviscid}", lines[4..].join(", "));
    }

    /// Returns the range of the Mach number in words.
    pub fn mach_numbers(&self) -> String {
        self.0.get(MACH).map_or(String::new(), |ends| range(*ends))
    }

    /// Returns whether the gas is viscous.
    pub fn is_viscous(&self) -> bool {
        self.0.contains_key(REYNOLDS)
    }

    /// Returns the largest value of a quantity; 0 of one that an inviscid gas does not have.
    pub fn largest(&self, name: &str) -> f64 {
        self.0.get(name).map_or(0.0, |ends| ends.largest)
    }

    /// Returns the smallest speed of sound.
    pub fn slowest_sound(&self) -> f64 {
        self.0.get(SOUND).map_or(f64::INFINITY, |ends| ends.least)
    }
}

/// Returns the minimum and the maximum of each quantity. Collective.
fn ranges(solver: &Solver) -> Result<[[f64; 2]; NAMES.len()], DeviceError> {
    let state = solver.device.state()?;
    // Minima with their sign changed, so that all are maxima.
    let mut ends = [f64::NEG_INFINITY; 2 * NAMES.len()];
    for cell in 0..solver.mesh.len() {
        let (first, points) = (solver.geometry.first_point[cell], solver.geometry.cell_points(cell));
        let u = &state[5 * first..5 * (first + points)];
        for point in 0..points {
            let conserved = std::array::from_fn(|variable| u[variable * points + point]);
            for (index, value) in at_point(conserved, &solver.gas).into_iter().enumerate() {
                ends[2 * index] = ends[2 * index].max(-value);
                ends[2 * index + 1] = ends[2 * index + 1].max(value);
            }
        }
    }
    solver.ranks.allreduce_max(&mut ends);
    Ok(std::array::from_fn(|index| [-ends[2 * index], ends[2 * index + 1]]))
}

/// Returns the quantities at a point of conserved variables.
fn at_point(conserved: [f64; 5], gas: &Gas) -> [f64; NAMES.len()] {
    let [rho, u, v, w, p, temperature] = gas.primitive(conserved);
    let speed = (u * u + v * v + w * w).sqrt();
    let sound = gas.sound_speed(rho, p);
    let mu = gas.mu(temperature);
    [speed, temperature, rho, p, sound, speed / sound, mu, rho * speed / mu]
}

/// Returns a range in words: one number if both ends agree to four digits.
fn range(ends: Interval) -> String {
    let (low, high) = (short(ends.least), short(ends.largest));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_one_value_are_numbers() {
        let of = |ends| range(Interval::new(ends, "m"));
        assert_eq!(of([1.0, 1.000_01]), "1");
        assert_eq!(of([0.0, 0.5]), "0 to 0.5");
    }
}
