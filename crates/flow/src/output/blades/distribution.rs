//! Distributions along a wall from the means over time: pressures, Mach numbers and friction at the stations of each
//! side, the places of separation, and the force.

use super::curve::Curve;
use super::expansion::Expansion;
use super::loads::{ACROSS, ALONG, AT_STATION, DENSITY, FORCES, HEAT, PRESSURE, TEMPERATURE};
use super::sides::{Crossing, Side, crossings, leading_edge, sides};
use super::stations::Stations;
use crate::output::batch_means::BatchMeans;
use crate::output::estimate::Estimate;
use crate::physics::Gas;

/// Values at a station: names and units. The last [`OF_HEAT`] need the total temperature of the inlet.
pub const VALUES: [(&str, &str); 16] = [
    ("p", "Pa"),
    ("T", "K"),
    ("tau", "Pa"),
    ("M_is", "-"),
    ("C_p", "-"),
    ("C_p01", "-"),
    ("C_f", "-"),
    ("C_f_is", "-"),
    ("y_plus", "-"),
    ("dx_plus", "-"),
    ("dz_plus", "-"),
    ("heat_flux", "W/m^2"),
    ("h", "W/(m^2 K)"),
    ("Nu", "-"),
    ("St", "-"),
    ("recovery", "-"),
];
/// Number of the last values, which need the total temperature of the inlet.
pub const OF_HEAT: usize = 4;

/// A zero of the skin friction of a side, with the errors of its place.
#[derive(Debug, Clone, Copy)]
pub struct Zero {
    /// Whether the flow separates or reattaches there.
    pub separates: bool,
    /// Place over the length of the side.
    pub s: Estimate,
    /// Distance in x from the front of the wall, over its extent in x.
    pub x: Estimate,
}

/// The isentropic exit.
#[derive(Debug, Clone, Copy)]
pub struct Exit {
    /// Temperature.
    pub temperature: f64,
    /// Density.
    pub density: f64,
    /// Velocity.
    pub speed: f64,
}

/// The distributions along a wall.
pub struct Distribution<'a> {
    /// The stations.
    pub stations: &'a Stations,
    /// The means of their loads and of the force.
    pub means: &'a BatchMeans,
    /// The gas.
    pub gas: Gas,
    /// Total pressure of the inlet and pressure of the exit.
    pub expansion: Expansion,
    /// Total temperature of the inlet, if it is known.
    pub total_temperature: Option<f64>,
    /// The sides; one if the wall has two ends.
    pub sides: Vec<Side>,
    /// Least x of the stations.
    front: f64,
    /// Extent of the stations in x.
    pub chord: f64,
    /// Largest distance between two stations.
    pub largest_distance: f64,
}

impl<'a> Distribution<'a> {
    /// Divides the wall into its sides, at a given place or at the largest mean pressure.
    pub fn new(
        stations: &'a Stations,
        means: &'a BatchMeans,
        gas: Gas,
        expansion: Expansion,
        total_temperature: Option<f64>,
        leading: Option<[f64; 2]>,
    ) -> Self {
        let curve = &stations.curve;
        let all = means.means();
        let pressure = |i: usize| all[AT_STATION * i + PRESSURE];
        let [front, back] = extent(curve);
        let sides = sides(curve, leading_edge(curve, leading, pressure), pressure);
        Distribution {
            stations,
            means,
            gas,
            expansion,
            total_temperature,
            sides,
            front,
            chord: back - front,
            largest_distance: largest_distance(&curve.at),
        }
    }

    /// Returns the place of a station over the extent of the wall in x.
    pub fn x_over_chord(&self, station: usize) -> f64 {
        (self.stations.curve.at[station][0] - self.front) / self.chord
    }

    /// Returns the values at a station of a side, in the order of [`VALUES`].
    pub fn at(&self, side: &Side, station: usize) -> [Estimate; VALUES.len()] {
        let first = AT_STATION * station;
        let values = |m: &[f64]| self.of_means(side, station, m);
        self.means.estimate(first..first + AT_STATION, values)
    }

    /// Returns the values at a station of a side, in the order of [`VALUES`], from means of its loads.
    pub fn of_means(&self, side: &Side, station: usize, m: &[f64]) -> [f64; VALUES.len()] {
        let p = m[PRESSURE];
        let tau = side.sense * m[ALONG];
        let flow = &self.expansion;
        let mu = self.gas.mu(m[TEMPERATURE]);
        let sizes = &self.stations.sizes[station];
        let [h, nusselt, stanton, recovery] = self.of_heat(m);
        // The friction velocity over the kinematic viscosity, from the magnitude of the mean friction.
        let per_length = if mu > 0.0 {
            (m[DENSITY] * m[ALONG].hypot(m[ACROSS])).sqrt() / mu
        } else {
            0.0
        };
        [
            p,
            m[TEMPERATURE],
            tau,
            flow.mach(p),
            flow.pressure_coefficient(p),
            1.0 - flow.pressure_coefficient(p),
            tau / flow.drop(),
            tau / flow.dynamic_pressure(),
            sizes.off_wall * per_length,
            sizes.along * per_length,
            sizes.across * per_length,
            m[HEAT],
            h,
            nusselt,
            stanton,
            recovery,
        ]
    }

    /// Returns the heat-transfer coefficient, Nusselt and Stanton number, and the recovery factor from means of the
    /// loads at a station; not numbers without a total temperature.
    fn of_heat(&self, m: &[f64]) -> [f64; OF_HEAT] {
        let Some(total) = self.total_temperature else {
            return [f64::NAN; OF_HEAT];
        };
        let gas = &self.gas;
        let t = m[TEMPERATURE];
        let h = m[HEAT] / (total - t);
        let conductivity = gas.mu(t) * gas.heat_capacity() / gas.prandtl;
        let exit = self.isentropic_exit(total);
        let outer = self.expansion.temperature(m[PRESSURE], total);
        [
            h,
            h * self.largest_distance / conductivity,
            h / (exit.density * exit.speed * gas.heat_capacity()),
            (t - outer) / (total - outer),
        ]
    }

    /// Returns the state of the isentropic exit for a total temperature of the inlet.
    pub fn isentropic_exit(&self, total: f64) -> Exit {
        let flow = &self.expansion;
        let temperature = flow.temperature(flow.pressure, total);
        Exit {
            temperature,
            density: flow.pressure / (self.gas.gas_constant * temperature),
            speed: flow.mach(flow.pressure) * self.gas.sound_speed_at(temperature),
        }
    }

    /// Returns the zeros of the mean skin friction of a side, from its beginning on.
    pub fn zeros(&self, side: &Side) -> Vec<Zero> {
        let all = 0..AT_STATION * self.stations.curve.len();
        let length = side.s[side.s.len() - 1];
        let s: Vec<f64> = side.s.iter().map(|s| s / length).collect();
        let x: Vec<f64> = side.stations.iter().map(|&i| self.x_over_chord(i)).collect();
        // At the trailing edge of a closed wall, where its sides meet, no direction is downstream.
        let within = side.stations.len() - usize::from(self.stations.curve.closed);
        let found = |means: &[f64]| {
            let friction = |&i: &usize| side.sense * means[AT_STATION * i + ALONG];
            crossings(&side.stations[..within].iter().map(friction).collect::<Vec<f64>>())
        };
        let zero = |here: Crossing| {
            let place = here.value(&s);
            // Part of the samples may have more zeros than all of them: the nearest one is the same.
            let same = |means: &[f64]| {
                let others = found(means).into_iter().filter(|c| c.separates == here.separates);
                let away = |c: &Crossing| (c.value(&s) - place).abs();
                let nearest = others.min_by(|a, b| away(a).total_cmp(&away(b)));
                nearest.map_or([f64::NAN; 2], |c| [c.value(&s), c.value(&x)])
            };
            let [s, x] = self.means.estimate(all.clone(), same);
            Zero {
                separates: here.separates,
                s,
                x,
            }
        };
        found(&self.means.means()).into_iter().map(zero).collect()
    }

    /// Returns the number of stations whose mean pressure is not below the total pressure of the inlet.
    pub fn above_total_pressure(&self) -> usize {
        let means = self.means.means();
        let pressures = (0..self.stations.curve.len()).map(|i| means[AT_STATION * i + PRESSURE]);
        pressures.filter(|&p| p >= self.expansion.total_pressure).count()
    }

    /// Returns the force on the wall in x and y, with the pressure relative to p2, and the part of friction in it; that
    /// of a section per length of span, along both of its coordinates.
    pub fn force(&self) -> [Estimate; 4] {
        self.force_of(self.means)
    }

    /// Returns the same of some of the samples.
    fn force_of(&self, means: &BatchMeans) -> [Estimate; 4] {
        let curve = &self.stations.curve;
        let first = curve.at[0];
        let last = curve.at[curve.len() - 1];
        // The pressure p2 alone would exert a force on a wall with two ends.
        let open = |d: usize| if curve.closed { 0.0 } else { last[d] - first[d] };
        let area = [-open(1), open(0)].map(|a| a * self.stations.extent.span());
        let begin = AT_STATION * curve.len();
        means.estimate(begin..begin + FORCES, |m| {
            let pressure = |d: usize| m[d] - self.expansion.pressure * area[d];
            [pressure(0) + m[2], pressure(1) + m[3], m[2], m[3]]
        })
    }

    /// Returns the coefficients of these forces: divided by p01 - p2, the extent in x and the span.
    pub fn force_coefficients(&self) -> [Estimate; 4] {
        self.force_coefficients_of(self.means)
    }

    /// Returns the same of some of the samples.
    pub fn force_coefficients_of(&self, means: &BatchMeans) -> [Estimate; 4] {
        let unit = self.expansion.drop() * self.chord * self.stations.extent.span();
        self.force_of(means).map(|force| force.over(unit))
    }
}

/// Returns the largest distance between two places.
fn largest_distance(at: &[[f64; 2]]) -> f64 {
    let pairs = at
        .iter()
        .enumerate()
        .flat_map(|(i, a)| at[..i].iter().map(move |b| (a, b)));
    pairs.map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max)
}

/// Returns least and largest x of the stations.
fn extent(curve: &Curve) -> [f64; 2] {
    let x = || curve.at.iter().map(|x| x[0]);
    [x().fold(f64::INFINITY, f64::min), x().fold(f64::NEG_INFINITY, f64::max)]
}
