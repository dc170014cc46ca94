//! Ranges of the initial state and extents of the mesh, which reveal wrong units before a run.

use super::units::{Numbers, doubts};
use crate::device::DeviceError;
use crate::format::{location, short};
use crate::geometry::extent;
use crate::physics::Gas;
use crate::solver::Solver;

/// Names of the quantities in the order in which [`at_point`] returns them.
const NAMES: [&str; 8] = [
    "|u|",
    "temperature",
    "density",
    "pressure",
    "speed of sound",
    "Mach number",
    "viscosity",
    "Reynolds number per length",
];
/// Numbers of some of them.
const TEMPERATURE: usize = 1;
const DENSITY: usize = 2;
const PRESSURE: usize = 3;
const SOUND: usize = 4;
const REYNOLDS: usize = 7;
/// Number of quantities without the last two, which an inviscid gas does not have.
const INVISCID: usize = 6;

/// Logs the minimum and the maximum of each quantity over all solution points, the extents of the mesh and the Reynolds
/// numbers with them. Warns of numbers that seem to be in other units than the gas. Returns the smallest speed of
/// sound. Collective.
pub fn log(solver: &Solver) -> Result<f64, DeviceError> {
    let ranges = ranges(solver)?;
    let count = if solver.gas.viscosity.is_some() {
        NAMES.len()
    } else {
        INVISCID
    };
    let text = |index: usize| format!("{} {}", NAMES[index], range(ranges[index]));
    let lines: Vec<String> = (0..count).map(text).collect();
    tracing::info!("flow    at the start: {}", lines[..4].join(", "));
    let inviscid = if count == INVISCID { ", inviscid gas" } else { "" };
    tracing::info!("        {}{inviscid}", lines[4..].join(", "));
    let most = |quantity: usize| ranges[quantity][1];
    let [low, high] = extents(solver);
    let sides: [f64; 3] = std::array::from_fn(|d| high[d] - low[d]);
    let longest = sides.into_iter().fold(0.0, f64::max);
    let shortest = sides.into_iter().fold(f64::INFINITY, f64::min);
    tracing::info!(
        "extent  {} from {} to {}",
        sides.map(short).join(" x "),
        location(low),
        location(high)
    );
    let per_length = if count == INVISCID { 0.0 } else { most(REYNOLDS) };
    // Not a number without viscosity, infinite where it is 0.
    if per_length > 0.0 && per_length.is_finite() {
        tracing::info!(
            "        Reynolds number at most {} with the longest extent of the mesh ({}), {} with the shortest ({})",
            short(per_length * longest),
            short(longest),
            short(per_length * shortest),
            short(shortest)
        );
    }
    let numbers = Numbers {
        temperature: most(TEMPERATURE),
        pressure: most(PRESSURE),
        density: most(DENSITY),
        extent: longest,
        reynolds: per_length * longest,
    };
    for doubt in doubts(&solver.gas, &numbers) {
        tracing::warn!("{doubt}");
    }
    Ok(ranges[SOUND][0])
}

/// Returns the corners of the bounding box of the whole mesh. Collective.
fn extents(solver: &Solver) -> [[f64; 3]; 2] {
    let [mut low, mut high] = extent(&solver.mesh.nodes);
    solver.ranks.allreduce_min(&mut low);
    solver.ranks.allreduce_max(&mut high);
    [low, high]
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
fn range([low, high]: [f64; 2]) -> String {
    let (low, high) = (short(low), short(high));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_one_value_are_numbers() {
        assert_eq!(range([1.0, 1.000_01]), "1");
        assert_eq!(range([0.0, 0.5]), "0 to 0.5");
    }
}
