//! The interpolation within cells of a solution in a file: from the nodes of a cell in the file to the points of its
//! element, and its volume.

use nalgebra::DMatrix;

use crate::element::{Correction, ElementKind, ReferenceElement};
use crate::geometry::multiply;
use crate::io;
use crate::vector::{cross, dot};

/// The interpolation within cells of a kind.
pub struct Matrices {
    /// The element of the solution's order.
    pub element: ReferenceElement,
    /// That of order 1.
    pub linear: ReferenceElement,
    /// Matrix from the nodes in the file to the solution points.
    pub to_points: Vec<f64>,
    /// The nodes in the file that are the points of the element of order 1.
    pub corners: Vec<usize>,
    /// Matrix from these to all nodes in the file.
    pub from_corners: Vec<f64>,
}

impl Matrices {
    /// Computes those of a kind of cell in a solution of this order.
    pub fn new(kind: ElementKind, order: usize) -> Self {
        let [element, first] = [order, 1].map(|order| ReferenceElement::new(kind, order, Correction::Radau));
        let nodes = io::nodes(kind, order);
        let to_nodes = DMatrix::from_row_slice(nodes.len(), element.len(), &element.interpolation(&nodes));
        // A pyramid has more nodes than points; the values at its nodes are those of functions of its space.
        let (q, r) = to_nodes.qr().unpack();
        let inverse = r.solve_upper_triangular(&q.transpose()).expect("independent points");
        let same = |a: &[f64; 3], b: &[f64; 3]| (0..3).all(|d| (a[d] - b[d]).abs() < 1e-9);
        let corner = |point: &[f64; 3]| nodes.iter().position(|node| same(node, point));
        Matrices {
            to_points: inverse.transpose().as_slice().to_vec(),
            corners: first.points.iter().filter_map(corner).collect(),
            from_corners: first.interpolation(&nodes),
            element,
            linear: first,
        }
    }

    /// Returns whether the nodes of a cell are where its corners put them, up to rounding over the largest coordinate.
    pub fn is_straight(&self, nodes: &[[f64; 3]], rounding: f64) -> bool {
        let corners: Vec<[f64; 3]> = self.corners.iter().map(|&corner| nodes[corner]).collect();
        let largest = nodes.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        let there = multiply(&self.from_corners, &corners);
        let near = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).all(|d| (a[d] - b[d]).abs() <= rounding * largest);
        there.iter().zip(nodes).all(near)
    }
}

/// Returns the volume of a cell with these positions of the points of its element.
pub fn volume(element: &ReferenceElement, points: &[[f64; 3]]) -> f64 {
    let [r, s, t] = element.diff.each_ref().map(|slopes| multiply(slopes, points));
    let jacobians = (0..points.len()).map(|i| dot(r[i], cross(s[i], t[i])));
    element
        .weights
        .iter()
        .zip(jacobians)
        .map(|(weight, jacobian)| weight * jacobian)
        .sum()
}
