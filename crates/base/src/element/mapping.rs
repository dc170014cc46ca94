//! The mapping of a cell as a sum of modes, for searches that evaluate it at many points: positions and slopes come
//! from one evaluation of the modes, where the Lagrange functions would take a product with a matrix for each point.

use nalgebra::DMatrix;

use super::basis::modes;
use super::dense::{rows, vandermonde};
use super::kind::ElementKind;
use super::nodes::nodes;

/// What all mappings of one kind of cell and one degree share.
#[derive(Debug, Clone)]
pub struct MappingBasis {
    kind: ElementKind,
    degree: usize,
    /// Reference coordinates of the nodes, `[node]`.
    pub points: Vec<[f64; 3]>,
    /// Coefficients of the modes for values at the nodes, `[mode][node]`.
    inverse_vandermonde: Vec<f64>,
}

/// The mapping of a cell.
#[derive(Debug, Clone)]
pub struct Mapping {
    kind: ElementKind,
    degree: usize,
    /// The first node: coefficients are those of distances from it, whose rounding does not grow with the distance of
    /// the cell from the origin.
    first: [f64; 3],
    /// Coefficients, `[mode]`.
    coefficients: Vec<[f64; 3]>,
}

impl MappingBasis {
    /// Creates the basis for cells of a kind whose nodes are the points of this degree.
    pub fn new(kind: ElementKind, degree: usize) -> Self {
        let points = nodes(kind, degree);
        let at_points: Vec<_> = points.iter().map(|&x| modes(kind, degree, x)).collect();
        let inverse: DMatrix<f64> = vandermonde(&at_points)
            .try_inverse()
            .expect("points of an element are unisolvent");
        MappingBasis {
            kind,
            degree,
            points,
            inverse_vandermonde: rows(&inverse),
        }
    }

    /// Returns the mapping of a cell with these positions of its nodes.
    pub fn mapping(&self, nodes: &[[f64; 3]]) -> Mapping {
        let first = nodes[0];
        let coefficient = |row: &[f64]| {
            let mut sum = [0.0; 3];
            for (factor, node) in row.iter().zip(nodes) {
                (0..3).for_each(|d| sum[d] += factor * (node[d] - first[d]));
            }
            sum
        };
        Mapping {
            kind: self.kind,
            degree: self.degree,
            first,
            coefficients: self
                .inverse_vandermonde
                .chunks_exact(nodes.len())
                .map(coefficient)
                .collect(),
        }
    }
}

impl Mapping {
    /// Returns the position of a point with these reference coordinates.
    pub fn position(&self, at: [f64; 3]) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for ((value, _), coefficient) in modes(self.kind, self.degree, at).iter().zip(&self.coefficients) {
            (0..3).for_each(|m| sum[m] += value * coefficient[m]);
        }
        std::array::from_fn(|m| self.first[m] + sum[m])
    }

    /// Returns the derivatives of the position along the reference coordinates, `[reference coordinate][component]`.
    pub fn slopes(&self, at: [f64; 3]) -> [[f64; 3]; 3] {
        let mut sums = [[0.0; 3]; 3];
        for ((_, slopes), coefficient) in modes(self.kind, self.degree, at).iter().zip(&self.coefficients) {
            for (sum, slope) in sums.iter_mut().zip(slopes) {
                (0..3).for_each(|m| sum[m] += slope * coefficient[m]);
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::basis::quadrature;
    use crate::element::{Correction, ReferenceElement};

    /// A cell whose nodes lie where a polynomial of its degree takes the points of the reference element.
    #[test]
    fn positions_and_slopes_are_those_of_the_polynomial_of_the_nodes() {
        for kind in ElementKind::ALL {
            for degree in 1..=4 {
                let element = ReferenceElement::new(kind, degree, Correction::Radau);
                let basis = MappingBasis::new(kind, degree);
                assert_eq!(basis.points, element.points);
                let n = degree as i32;
                let there = |[x, y, z]: [f64; 3]| [100.0 + x + 0.1 * y.powi(n), y - 0.2 * z.powi(n), z + 0.3 * x];
                let nodes: Vec<_> = basis.points.iter().map(|&x| there(x)).collect();
                let mapping = basis.mapping(&nodes);
                for (at, _) in quadrature(kind, 2) {
                    let [x, y, z] = at;
                    let (position, exact) = (mapping.position(at), there(at));
                    (0..3).for_each(|m| assert!((position[m] - exact[m]).abs() < 1e-12, "{kind} {degree} {x} {y} {z}"));
                    let exact = [
                        [1.0, 0.0, 0.3],
                        [0.1 * f64::from(n) * y.powi(n - 1), 1.0, 0.0],
                        [0.0, -0.2 * f64::from(n) * z.powi(n - 1), 1.0],
                    ];
                    let slopes = mapping.slopes(at);
                    for (slope, exact) in slopes.as_flattened().iter().zip(exact.as_flattened()) {
                        assert!((slope - exact).abs() < 1e-11, "{kind} {degree} {slope} {exact}");
                    }
                }
            }
        }
    }
}
