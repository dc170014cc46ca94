//! Efficient global optimisation (D. R. Jones, M. Schonlau and W. J. Welch, Journal of Global Optimization 13 (1998)
//! 455): the next design is the one from which the models of objective and constraints expect the largest improvement.
//!
//! It is told what is known and asked for one more point of the unit cube. The answer is a function of what was told
//! and of the seed alone, so that a study that goes on needs nothing but its designs.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use super::kriging::Model;
use super::limits::Limits;
use super::search::{Effort, lowest};

/// Distance along every coordinate, as a share of its range, below which a point is a near-copy of a design: a run of
/// it would tell nothing that is not known.
const SAME: f64 = 1e-3;

/// What is known of a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// The point.
    pub point: Vec<f64>,
    /// The objective, of which less is better, and the constraints; none if the design has failed.
    pub values: Option<Vec<f64>>,
}

/// A point that is suggested.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// The point.
    pub point: Vec<f64>,
    /// What the models expect there: objective and constraints; nothing without models.
    pub expected: Vec<f64>,
}

/// Returns the point that promises most. `pending` are points whose values are not known yet; the models believe their
/// own predictions there (the Kriging believer of D. Ginsbourger, R. Le Riche and L. Carraro, in Computational
/// Intelligence in Expensive Optimization Problems, 2010). A failed point has the worst objective that is known plus
/// the spread of all, and no constraints. `snap` moves a point to the nearest one that is a design. Returns `None` if
/// no new design is found.
pub fn suggest(
    limits: &[Limits],
    known: &[Known],
    pending: &[Vec<f64>],
    snap: impl Fn(&[f64]) -> Vec<f64>,
    seed: u64,
) -> Option<Suggestion> {
    let taken: Vec<&[f64]> = known
        .iter()
        .map(|k| &k.point[..])
        .chain(pending.iter().map(|p| &p[..]))
        .collect();
    let dimensions = taken.first()?.len();
    let seed = seed.wrapping_mul(1_000_003).wrapping_add(taken.len() as u64);
    let mut models = Models::new(limits, known, seed);
    for point in pending {
        models = models.map(|models| models.believe(point));
    }
    let distance = |point: &[f64], other: &[f64]| {
        let along = point.iter().zip(other).map(|(a, b)| (a - b).abs());
        along.fold(0.0, f64::max)
    };
    let dullness = |place: &[f64]| {
        let point = snap(place);
        let nearest = taken
            .iter()
            .map(|other| distance(&point, other))
            .fold(f64::INFINITY, f64::min);
        match &models {
            _ if nearest < SAME => f64::INFINITY,
            Some(models) => -models.promise(&point),
            // Too little is known for models: the emptiest place.
            None => -nearest,
        }
    };
    let effort = Effort {
        candidates: 200 * dimensions,
        starts: 4 + dimensions,
        evaluations: 60 * dimensions,
    };
    let near: Vec<Vec<f64>> = models.as_ref().map_or_else(Vec::new, Models::beside_the_best);
    let (place, dullness) = lowest(dullness, dimensions, effort, seed, &near);
    (dullness < f64::INFINITY).then(|| {
        let point = snap(&place);
        let expected = models.map_or_else(Vec::new, |models| models.means(&point));
        Suggestion { point, expected }
    })
}

/// The models of the objective and of the constraints.
struct Models<'a> {
    limits: &'a [Limits],
    objective: Model,
    constraints: Vec<Model>,
    /// Points that keep all limits, as far as is known or believed; the one with the least expected objective first.
    feasible: Vec<Vec<f64>>,
    /// Smallest objective that the model has at one of these.
    best: Option<f64>,
}

impl<'a> Models<'a> {
    /// Returns `None` if fewer than two designs have values.
    fn new(limits: &'a [Limits], known: &[Known], seed: u64) -> Option<Self> {
        let done = || known.iter().filter_map(|k| Some((&k.point, k.values.as_ref()?)));
        let (points, values): (Vec<Vec<f64>>, Vec<&Vec<f64>>) = done().map(|(p, v)| (p.clone(), v)).unzip();
        if points.len() < 2 {
            return None;
        }
        let objectives = || values.iter().map(|v| v[0]);
        let (least, most) = objectives().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), y| (l.min(y), m.max(y)));
        let penalty = most + (most - least);
        let all: Vec<Vec<f64>> = known.iter().map(|k| k.point.clone()).collect();
        let objective: Vec<f64> = known
            .iter()
            .map(|k| k.values.as_ref().map_or(penalty, |v| v[0]))
            .collect();
        let constraint = |i: usize| {
            let column: Vec<f64> = values.iter().map(|v| v[i + 1]).collect();
            Model::new(&points, &column, seed)
        };
        let keeps = |v: &Vec<f64>| limits.iter().zip(&v[1..]).all(|(limits, value)| limits.keeps(*value));
        let mut models = Models {
            objective: Model::new(&all, &objective, seed),
            constraints: (0..limits.len()).map(constraint).collect(),
            limits,
            feasible: done().filter(|(_, v)| keeps(v)).map(|(p, _)| p.clone()).collect(),
            best: None,
        };
        models.rank();
        Some(models)
    }

    /// Puts the feasible points in order.
    fn rank(&mut self) {
        let expected = |point: &Vec<f64>| self.objective.predict(point)[0];
        self.feasible.sort_by(|a, b| expected(a).total_cmp(&expected(b)));
        self.best = self.feasible.first().map(expected);
    }

    /// Returns the models with their own predictions at a point as values.
    fn believe(mut self, point: &[f64]) -> Self {
        let means = self.means(point);
        self.objective = self.objective.and(point, means[0]);
        let constraints = self.constraints.iter().zip(&means[1..]);
        self.constraints = constraints.map(|(model, mean)| model.and(point, *mean)).collect();
        if self
            .limits
            .iter()
            .zip(&means[1..])
            .all(|(limits, mean)| limits.keeps(*mean))
        {
            self.feasible.push(point.to_vec());
        }
        self.rank();
        self
    }

    fn means(&self, point: &[f64]) -> Vec<f64> {
        let models = [&self.objective].into_iter().chain(&self.constraints);
        models.map(|model| model.predict(point)[0]).collect()
    }

    /// Returns the logarithm of the expected improvement times the probability that all limits are kept (M. Schonlau,
    /// PhD thesis, University of Waterloo, 1997); the logarithm alone distinguishes poor points (S. Ament et al.,
    /// NeurIPS 2023). Before a design has kept all limits the probability alone counts.
    fn promise(&self, point: &[f64]) -> f64 {
        let constraints = self.limits.iter().zip(&self.constraints);
        let kept: f64 = constraints
            .map(|(l, model)| log_probability(l, model.predict(point)))
            .sum();
        let Some(best) = self.best else { return kept };
        let [mean, deviation] = self.objective.predict(point);
        if deviation > 0.0 {
            kept + deviation.ln() + log_improvement((best - mean) / deviation)
        } else {
            f64::NEG_INFINITY
        }
    }

    /// Returns points on both sides of the best one, at several distances along each coordinate.
    fn beside_the_best(&self) -> Vec<Vec<f64>> {
        let Some(best) = self.feasible.first() else {
            return Vec::new();
        };
        let beside = |(d, step): (usize, f64)| {
            let mut point = best.clone();
            point[d] = (point[d] + step).clamp(0.0, 1.0);
            point
        };
        let steps = [-0.1, -0.01, -0.002, 0.002, 0.01, 0.1];
        let along = |d: usize| steps.map(|step| beside((d, step)));
        (0..best.len()).flat_map(along).collect()
    }
}

/// Returns the logarithm of the probability that a value of this mean and deviation keeps the limits.
fn log_probability(limits: &Limits, [mean, deviation]: [f64; 2]) -> f64 {
    let deviation = deviation.max(f64::MIN_POSITIVE);
    let below = |most: f64| log_normal_probability((most - mean) / deviation);
    let above = |least: f64| log_normal_probability((mean - least) / deviation);
    limits.at_most.map_or(0.0, below) + limits.at_least.map_or(0.0, above)
}

/// From here on down the asymptotic series of the normal distribution are exact to 1e-5.
const FAR: f64 = -30.0;

fn log_normal_density(z: f64) -> f64 {
    -0.5 * (z * z + (2.0 * PI).ln())
}

/// Returns the logarithm of the probability that a standard normal number is below z.
fn log_normal_probability(z: f64) -> f64 {
    if z > FAR {
        (0.5 * libm::erfc(-z * FRAC_1_SQRT_2)).ln()
    } else {
        log_normal_density(z) - (-z).ln() + (-1.0 / (z * z)).ln_1p()
    }
}

/// Returns the logarithm of the mean of max(z - u, 0) over standard normal u.
fn log_improvement(z: f64) -> f64 {
    if z > FAR {
        (log_normal_density(z).exp() + z * 0.5 * libm::erfc(-z * FRAC_1_SQRT_2)).ln()
    } else {
        log_normal_density(z) - 2.0 * (-z).ln() + (-3.0 / (z * z)).ln_1p()
    }
}

#[cfg(test)]
#[path = "ego_tests.rs"]
mod tests;
