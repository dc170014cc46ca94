//! The gradient in physical space of a polynomial on the points of a cell.

use super::metrics::derivative;
use super::types::Geometry;
use crate::element::Elements;

/// Returns the gradient of a cell's own polynomial at its points, without corrections from its neighbours; `f` holds
/// the values at the points.
pub fn gradient(elements: &Elements, geometry: &Geometry, cell: usize, f: &[f64]) -> Vec<[f64; 3]> {
    let slopes = [0, 1, 2].map(|d| derivative(elements, geometry.kinds[cell], d, f));
    let metrics = &geometry.metrics[cell];
    let at = |p: usize| [0, 1, 2].map(|m| (0..3).map(|d| metrics.term(d, m, p) * slopes[d][p]).sum::<f64>());
    (0..f.len()).map(|p| at(p).map(|g| g / metrics.jacobian(p))).collect()
}
