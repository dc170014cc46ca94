//! Means of the passive scalars on the planes of a traverse: at the points of the pitch line, and over each plane,
//! weighted with the mass flux. The latter times the mass flux is how much of a tracer or of a coolant passes.

use std::collections::HashSet;

use crate::device::contract::SCALARS;
use crate::io::CheckpointSection;
use crate::output::batch_means::BatchMeans;
use crate::output::estimate::Estimate;
use crate::output::fields::Primitives;

/// What the names of results begin with on each plane: the one behind, and the inlet.
const PLANES: [&str; 2] = ["", "inlet_"];

/// The means of the scalars of a case, on rank 0.
pub struct ScalarMeans {
    names: Vec<String>,
    planes: usize,
    /// `[plane][point][quantity]`: the mass flux, and of each scalar its value and its flux.
    means: BatchMeans,
}

impl ScalarMeans {
    /// Returns means that begin at a time, `None` for a case without scalars. `points` is the number of points of a
    /// pitch line.
    pub fn new(names: Vec<String>, planes: usize, points: usize, from: f64) -> Option<Self> {
        if names.is_empty() {
            return None;
        }
        let quantities = 1 + 2 * names.len();
        Some(ScalarMeans {
            planes,
            means: BatchMeans::new(planes * points * quantities, from),
            names,
        })
    }

    /// Returns the names of the scalars, which are those of the columns of the tables.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of quantities at a point.
    fn quantities(&self) -> usize {
        1 + 2 * self.names.len()
    }

    /// Returns names and units of the results, those of the plane behind first.
    pub fn results(&self) -> Vec<(String, &'static str)> {
        let planes = PLANES.iter().take(self.planes);
        let of_plane = |plane| self.names.iter().map(move |name| (format!("{plane}{name}_mass"), "-"));
        planes.flat_map(of_plane).collect()
    }

    /// Adds a sample: the states and scalars `[plane][point][line]`, whose means are taken over the lines of a point.
    pub fn add(&mut self, time: f64, states: &[Primitives], scalars: &[[f64; SCALARS]], lines: usize) {
        let mut row = Vec::with_capacity(states.len() / lines * self.quantities());
        for (states, scalars) in states.chunks(lines).zip(scalars.chunks(lines)) {
            let mean = |of: &dyn Fn(&Primitives, &[f64; SCALARS]) -> f64| {
                states.iter().zip(scalars).map(|(state, c)| of(state, c)).sum::<f64>() / lines as f64
            };
            row.push(mean(&|[rho, u, ..], _| rho * u));
            for number in 0..self.names.len() {
                row.push(mean(&|_, c| c[number]));
                row.push(mean(&|[rho, u, ..], c| rho * u * c[number]));
            }
        }
        self.means.add(time, &row);
    }

    /// Returns the estimates of the results.
    pub fn estimates(&self) -> Vec<Estimate> {
        self.estimates_of(&self.means)
    }

    /// Returns the estimates of the results if they may end a run.
    pub fn reliable(&self) -> Option<Vec<Estimate>> {
        self.means.reliable(|means| self.estimates_of(means))
    }

    fn estimates_of(&self, means: &BatchMeans) -> Vec<Estimate> {
        means.estimates(|means| {
            let planes = means.chunks(means.len() / self.planes);
            let of_plane = |plane: &[f64]| -> Vec<f64> {
                let sum = |quantity: usize| -> f64 { plane.iter().skip(quantity).step_by(self.quantities()).sum() };
                let mass = sum(0);
                (0..self.names.len()).map(|number| sum(2 + 2 * number) / mass).collect()
            };
            planes.flat_map(of_plane).collect()
        })
    }

    /// Returns the estimates of the means at the points of a plane, `[point][scalar]`.
    pub fn columns(&self, plane: usize) -> Vec<Estimate> {
        self.means.estimates(|means| {
            let points = means.chunks(means.len() / self.planes).nth(plane).unwrap_or_default();
            let values = |point: &[f64]| -> Vec<f64> { point.iter().skip(1).step_by(2).copied().collect() };
            points.chunks(self.quantities()).flat_map(values).collect()
        })
    }

    /// Stores the sums under the name of the traverse.
    pub fn save(&self, traverse: &str, section: &mut CheckpointSection) {
        self.means.save(&entry(traverse), section);
    }

    /// Continues stored sums; returns whether they are there and fit.
    pub fn restore(&mut self, traverse: &str, section: &CheckpointSection) -> bool {
        self.means.restore(&entry(traverse), section)
    }
}

/// Returns the name of the entries in checkpoints.
fn entry(traverse: &str) -> String {
    format!("{traverse}.scalars")
}

/// Returns the first name that stands twice in a list.
pub fn twice(names: impl IntoIterator<Item = String>) -> Option<String> {
    let mut known = HashSet::new();
    names.into_iter().find(|name| !known.insert(name.clone()))
}
