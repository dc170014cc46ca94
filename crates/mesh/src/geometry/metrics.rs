//! The metric terms of one cell.

use super::extent::longest_side;
use crate::element::{ElementKind, Elements, LineElement, differentiate};

/// Metric terms of a cell and its Jacobian.
#[derive(Debug, Clone)]
pub enum CellMetrics {
    /// Those of an affine cell: Ja^d_m at 3 d + m, then J.
    Constant([f64; 10]),
    /// The same ten at the solution points, `[10][point]`.
    AtPoints(Vec<f64>),
}

impl CellMetrics {
    /// Computes the metric terms of a cell from its solution points. Where they are constant but for rounding, and the
    /// cell is not inverted, they become their mean over the points.
    pub(super) fn new(points: &[[f64; 3]], elements: &Elements, kind: ElementKind) -> Self {
        let np = points.len();
        let mut values = vec![0.0; 10 * np];
        let (terms, jacobian) = values.split_at_mut(9 * np);
        metric_terms(points, elements, kind, terms, jacobian);
        let valid = jacobian.iter().all(|&j| j > 0.0);
        if !(valid && is_constant(terms, points, elements.order)) {
            return CellMetrics::AtPoints(values);
        }
        let mut constant: [f64; 10] =
            std::array::from_fn(|i| values[i * np..(i + 1) * np].iter().sum::<f64>() / np as f64);
        drop_round_off(&mut constant[..9]);
        CellMetrics::Constant(constant)
    }

    /// Returns the values, `[10][n]`, where n is 1 for an affine cell and else the number of its points.
    pub fn values(&self) -> &[f64] {
        match self {
            CellMetrics::Constant(values) => values,
            CellMetrics::AtPoints(values) => values,
        }
    }

    /// Returns Ja^d_m at a point.
    pub fn term(&self, d: usize, m: usize, point: usize) -> f64 {
        self.value(3 * d + m, point)
    }

    /// Returns the Jacobian at a point.
    pub fn jacobian(&self, point: usize) -> f64 {
        self.value(9, point)
    }

    fn value(&self, number: usize, point: usize) -> f64 {
        match self {
            CellMetrics::Constant(values) => values[number],
            CellMetrics::AtPoints(values) => values[number * (values.len() / 10) + point],
        }
    }
}

/// Derivative along reference direction `d` of a field on the points of a cell. It sums D_ik (f_k - f_i) in place of
/// D_ik f_k. These are equal, because D annihilates constants, but rounding is much smaller at high order: the
/// divergence of a uniform flow takes three derivatives in succession.
pub fn derivative(elements: &Elements, kind: ElementKind, d: usize, f: &[f64]) -> Vec<f64> {
    match kind {
        ElementKind::Hex => along_lines(&elements.line, d, f),
        _ => differentiate(&elements.dense(kind).diff[d], f),
    }
}

/// Derivative along the lines of n^3 points.
fn along_lines(line: &LineElement, d: usize, f: &[f64]) -> Vec<f64> {
    let n = line.len();
    let stride = n.pow(d as u32);
    (0..n * n * n)
        .map(|p| {
            let i = p / stride % n;
            let start = p - i * stride;
            (0..n)
                .map(|k| line.diff[i * n + k] * (f[start + k * stride] - f[p]))
                .sum()
        })
        .collect()
}

/// Computes the metric terms Ja^d_n = -1/2 [curl (X_l grad X_m - X_m grad X_l)]_d with (n, m, l) cyclic, the symmetric
/// curl form, as `[3 d + n][point]`, and the Jacobian.
fn metric_terms(
    points: &[[f64; 3]],
    elements: &Elements,
    kind: ElementKind,
    metrics: &mut [f64],
    jacobian: &mut [f64],
) {
    let np = points.len();
    // A shift of the origin does not change the metric terms; one close to the cell keeps rounding small.
    let center: [f64; 3] = std::array::from_fn(|m| points.iter().map(|x| x[m]).sum::<f64>() / np as f64);
    let x: [Vec<f64>; 3] = std::array::from_fn(|m| points.iter().map(|x| x[m] - center[m]).collect());
    let dx: [[Vec<f64>; 3]; 3] = std::array::from_fn(|m| std::array::from_fn(|d| derivative(elements, kind, d, &x[m])));
    for n in 0..3 {
        let (m, l) = ((n + 1) % 3, (n + 2) % 3);
        let a: [Vec<f64>; 3] =
            std::array::from_fn(|d| (0..np).map(|p| x[l][p] * dx[m][d][p] - x[m][p] * dx[l][d][p]).collect());
        for d in 0..3 {
            let (e, f) = ((d + 1) % 3, (d + 2) % 3);
            let fe = derivative(elements, kind, e, &a[f]);
            let ef = derivative(elements, kind, f, &a[e]);
            for p in 0..np {
                metrics[(3 * d + n) * np + p] = -0.5 * (fe[p] - ef[p]);
            }
        }
    }
    for p in 0..np {
        let g = |m: usize, d: usize| dx[m][d][p];
        jacobian[p] = g(0, 0) * (g(1, 1) * g(2, 2) - g(1, 2) * g(2, 1))
            + g(0, 1) * (g(1, 2) * g(2, 0) - g(1, 0) * g(2, 2))
            + g(0, 2) * (g(1, 0) * g(2, 1) - g(1, 1) * g(2, 0));
    }
}

/// Largest variation of constant metric terms over a cell, relative to the largest term.
const TOLERANCE: f64 = 1e-12;

/// Returns true if all nine metric terms of a cell are constant but for rounding. The bound is `TOLERANCE` plus the
/// effect of rounding of the positions. That is relative to the distance from the origin, not to the size of the cell,
/// and grows with the square of the order, like the norm of the derivative.
fn is_constant(metrics: &[f64], points: &[[f64; 3]], order: usize) -> bool {
    let largest = metrics.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let far = points.as_flattened().iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let rounding = 8.0 * (order * order) as f64 * f64::EPSILON * far * longest_side(points);
    metrics.chunks(points.len()).all(|term| {
        term.iter()
            .all(|x| (x - term[0]).abs() <= TOLERANCE * largest + rounding)
    })
}

/// Sets terms to zero that are round-off relative to the cell's largest term. Otherwise their products would be
/// subnormal numbers in single precision, with which many processors compute ten times more slowly.
fn drop_round_off(metrics: &mut [f64]) {
    let largest = metrics.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for x in metrics.iter_mut().filter(|x| x.abs() < 64.0 * f64::EPSILON * largest) {
        *x = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Correction;

    /// Relative variation of the metric terms of a cube with this corner and side, bent by a fraction of the side, and
    /// true if they count as constant.
    fn of_cube(order: usize, corner: [f64; 3], side: f64, bent: f64) -> (f64, bool) {
        let elements = Elements::new(order, Correction::Radau, &[ElementKind::Hex]);
        let nodes = &elements.line.points;
        let at = |i: usize| 0.5 * side * (nodes[i] + 1.0);
        let n = order + 1;
        let points: Vec<[f64; 3]> = (0..n * n * n)
            .map(|p| {
                let [i, j, k] = [p % n, p / n % n, p / (n * n)];
                let bend = bent * side * (nodes[i] * nodes[j]);
                [corner[0] + at(i), corner[1] + at(j), corner[2] + (at(k) + bend)]
            })
            .collect();
        let mut metrics = vec![0.0; 9 * points.len()];
        let mut jacobian = vec![0.0; points.len()];
        metric_terms(&points, &elements, ElementKind::Hex, &mut metrics, &mut jacobian);
        let largest = metrics.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let varied = metrics
            .chunks(points.len())
            .flat_map(|term| term.iter().map(|x| (x - term[0]).abs()))
            .fold(0.0, f64::max);
        (varied / largest, is_constant(&metrics, &points, order))
    }

    #[test]
    fn a_cube_is_one_however_small_and_far_away_and_a_bent_one_is_not() {
        for order in 1..=8 {
            for (corner, side) in [
                ([0.0; 3], 1.0),
                ([3.1, -2.9, 0.7], 0.049),
                ([1000.3, -500.7, 300.1], 0.0123),
            ] {
                let (varied, constant) = of_cube(order, corner, side, 0.0);
                println!("p = {order}, side {side}: {varied:.1e}");
                assert!(constant, "p = {order}, {corner:?}, side {side}: {varied:e}");
                // With p = 1 the products in this bend's curl form alias to constants: its metric terms are the cube's.
                let (varied, constant) = of_cube(order, corner, side, 1e-7);
                assert!(
                    order == 1 || !constant,
                    "p = {order}, {corner:?}, side {side}: {varied:e}"
                );
            }
        }
    }
}
