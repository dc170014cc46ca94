//! Ordinary Kriging: a model of a function through its values at some points, with the error of the model anywhere.
//!
//! The values are those of a Gaussian process of unknown mean, whose correlation between two points of the unit cube is
//! exp(-sum_l theta_l (x_l - x'_l)^2), plus noise (J. Sacks et al., Statistical Science 4 (1989) 409; D. R. Jones,
//! Journal of Global Optimization 21 (2001) 345). The theta and the ratio of the variances of noise and process are
//! those of the largest likelihood, so that values with statistical errors are smoothed and exact ones interpolated.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::search::{Effort, lowest};

/// Decimal logarithms of the smallest and the largest theta.
const THETAS: [f64; 2] = [-3.0, 2.0];
/// Those of the ratio of noise.
const NOISES: [f64; 2] = [-9.0, 0.0];

/// A model of a function of the unit cube.
#[derive(Debug, Clone)]
pub struct Model {
    points: Vec<Vec<f64>>,
    values: Vec<f64>,
    /// Logarithms of the theta and of the ratio of noise.
    exponents: Vec<f64>,
    fit: Fit,
}

/// What follows from points, values and exponents.
#[derive(Debug, Clone)]
struct Fit {
    /// Factors of the correlations of the points, with noise.
    factors: Cholesky<f64, Dyn>,
    mean: f64,
    variance: f64,
    /// R^-1 (y - mean).
    weights: DVector<f64>,
    /// R^-1 1 and its sum.
    ones: (DVector<f64>, f64),
}

impl Model {
    /// Returns the most likely model of values at points, of which there are at least two.
    pub fn new(points: &[Vec<f64>], values: &[f64], seed: u64) -> Self {
        let dimensions = points[0].len();
        let exponents = |place: &[f64]| -> Vec<f64> {
            let range = |i: usize| if i < dimensions { THETAS } else { NOISES };
            let scaled = place.iter().enumerate();
            scaled
                .map(|(i, share)| range(i)[0] + share * (range(i)[1] - range(i)[0]))
                .collect()
        };
        let effort = Effort {
            candidates: 10 * (dimensions + 1),
            starts: 3,
            evaluations: 40 * (dimensions + 1),
        };
        let unlikely = |place: &[f64]| {
            let fit = Fit::new(points, values, &exponents(place));
            fit.map_or(f64::INFINITY, |fit| fit.unlikelihood())
        };
        let (place, _) = lowest(unlikely, dimensions + 1, effort, seed, &[]);
        let exponents = exponents(&place);
        Model::with(points, values, exponents)
    }

    /// Returns the model of these exponents, with more noise where the correlations are singular.
    fn with(points: &[Vec<f64>], values: &[f64], mut exponents: Vec<f64>) -> Self {
        loop {
            if let Some(fit) = Fit::new(points, values, &exponents) {
                return Model {
                    points: points.to_vec(),
                    values: values.to_vec(),
                    exponents,
                    fit,
                };
            }
            *exponents.last_mut().expect("there is the ratio of noise") += 1.0;
        }
    }

    /// Returns the model with one more value.
    pub fn and(&self, point: &[f64], value: f64) -> Self {
        let (mut points, mut values) = (self.points.clone(), self.values.clone());
        points.push(point.to_vec());
        values.push(value);
        Model::with(&points, &values, self.exponents.clone())
    }

    /// Returns the mean and the standard deviation at a point.
    pub fn predict(&self, point: &[f64]) -> [f64; 2] {
        let fit = &self.fit;
        let correlations = self
            .points
            .iter()
            .map(|known| correlation(known, point, &self.exponents));
        let correlations = DVector::from_iterator(self.points.len(), correlations);
        let half = fit
            .factors
            .l_dirty()
            .solve_lower_triangular(&correlations)
            .expect("the diagonal of a Cholesky factor is positive");
        let rest = 1.0 - correlations.dot(&fit.ones.0);
        let share = 1.0 - half.norm_squared() + rest * rest / fit.ones.1;
        let mean = fit.mean + correlations.dot(&fit.weights);
        [mean, (fit.variance * share.max(0.0)).sqrt()]
    }

    /// Returns what the model without each of its values in turn predicts there, at the same exponents. The mean is
    /// estimated anew as well (O. Dubrule, Mathematical Geology 15 (1983) 687).
    pub fn left_out(&self) -> Vec<f64> {
        let (ones, sum) = &self.fit.ones;
        let inverse = self.fit.factors.inverse() - ones * ones.transpose() / *sum;
        let residuals = &inverse * DVector::from_column_slice(&self.values);
        let values = self.values.iter().enumerate();
        values
            .map(|(i, value)| value - residuals[i] / inverse[(i, i)])
            .collect()
    }
}

impl Fit {
    /// Returns `None` where the correlations are singular.
    fn new(points: &[Vec<f64>], values: &[f64], exponents: &[f64]) -> Option<Self> {
        let n = points.len();
        let noise = 10f64.powf(*exponents.last()?);
        let mut matrix = DMatrix::identity(n, n) * (1.0 + noise);
        for i in 0..n {
            for j in 0..i {
                // The factorisation reads the lower triangle only.
                matrix[(i, j)] = correlation(&points[i], &points[j], exponents);
            }
        }
        let factors = matrix.cholesky()?;
        let ones = factors.solve(&DVector::repeat(n, 1.0));
        let sum = ones.sum();
        let values = DVector::from_column_slice(values);
        let mean = ones.dot(&values) / sum;
        let deviations = values.add_scalar(-mean);
        let weights = factors.solve(&deviations);
        let variance = (deviations.dot(&weights) / n as f64).max(f64::MIN_POSITIVE);
        (sum > 0.0 && variance.is_finite()).then_some(Fit {
            factors,
            mean,
            variance,
            weights,
            ones: (ones, sum),
        })
    }

    /// Returns n ln s^2 + ln |R|, which is smallest where the likelihood is largest.
    fn unlikelihood(&self) -> f64 {
        let diagonal = self.factors.l_dirty().diagonal();
        diagonal.len() as f64 * self.variance.ln() + 2.0 * diagonal.iter().map(|d| d.ln()).sum::<f64>()
    }
}

/// Returns the correlation of the process at two points.
fn correlation(a: &[f64], b: &[f64], exponents: &[f64]) -> f64 {
    let terms = a.iter().zip(b).zip(exponents);
    let sum: f64 = terms
        .map(|((a, b), exponent)| 10f64.powf(*exponent) * (a - b).powi(2))
        .sum();
    (-sum).exp()
}

/// Returns the share Q2 of the variance of values that predictions explain: 1 for all of it, 0 or less for none.
pub fn explained(values: &[f64], predictions: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let total: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    let missed: f64 = values.iter().zip(predictions).map(|(v, p)| (v - p).powi(2)).sum();
    1.0 - missed / total.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
mod tests {
    use super::super::experiment::latin_hypercube;
    use super::*;

    fn wave(p: &[f64]) -> f64 {
        (3.0 * p[0]).sin() + p[1] * p[1] - 0.5 * p[0] * p[1]
    }

    #[test]
    fn exact_values_are_interpolated_and_explained() {
        let points = latin_hypercube(2, 20, 3);
        let values: Vec<f64> = points.iter().map(|p| wave(p)).collect();
        let model = Model::new(&points, &values, 1);
        // The values are met within the noise of the model, which is small.
        let noise = (model.fit.variance * 10f64.powf(model.exponents[2])).sqrt();
        assert!(noise < 1e-3, "{noise}");
        for (point, value) in points.iter().zip(&values) {
            let [mean, deviation] = model.predict(point);
            assert!((mean - value).abs() < 3.0 * noise, "{mean} {value} {noise}");
            assert!(deviation <= noise, "{deviation} {noise}");
        }
        let others = latin_hypercube(2, 50, 4);
        for point in &others {
            let [mean, deviation] = model.predict(point);
            let error = (mean - wave(point)).abs();
            assert!(error < 0.02 && error < 6.0 * deviation + 1e-4, "{error} {deviation}");
        }
        assert!(explained(&values, &model.left_out()) > 0.99);
    }

    #[test]
    fn predictions_without_a_value_are_those_of_the_model_of_the_others() {
        let points = latin_hypercube(2, 8, 5);
        let values: Vec<f64> = points.iter().map(|p| wave(p)).collect();
        let model = Model::with(&points, &values, vec![0.3, 0.1, -4.0]);
        for (i, left_out) in model.left_out().iter().enumerate() {
            let without = |list: &[Vec<f64>]| [&list[..i], &list[i + 1..]].concat();
            let others = [&values[..i], &values[i + 1..]].concat();
            let [mean, _] = Model::with(&without(&points), &others, model.exponents.clone()).predict(&points[i]);
            assert!((mean - left_out).abs() < 1e-9, "{mean} {left_out}");
        }
    }

    #[test]
    fn noise_is_smoothed_and_not_explained() {
        let points = latin_hypercube(1, 40, 6);
        let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let noise: Vec<f64> = (0..40).map(sign).collect();
        let model = Model::new(&points, &noise, 1);
        assert!(explained(&noise, &model.left_out()) < 0.5);
        // A line with small errors: the model does not follow the errors.
        let line: Vec<f64> = points.iter().enumerate().map(|(i, p)| p[0] + 0.02 * sign(i)).collect();
        let model = Model::new(&points, &line, 1);
        for point in &points {
            let [mean, _] = model.predict(point);
            assert!((mean - point[0]).abs() < 0.015, "{mean} at {point:?}");
        }
    }

    #[test]
    fn equal_points_and_equal_values_make_a_model() {
        let points = vec![vec![0.5, 0.5], vec![0.5, 0.5], vec![0.1, 0.9]];
        let [mean, _] = Model::new(&points, &[2.0, 2.0, 2.0], 1).predict(&[0.2, 0.2]);
        assert!((mean - 2.0).abs() < 1e-9, "{mean}");
        let [mean, _] = Model::new(&points, &[1.0, 3.0, 2.0], 1).predict(&[0.5, 0.5]);
        assert!((1.5..2.5).contains(&mean), "{mean}");
    }
}
