//! The elements of a mesh at one order: what geometry, kernels and output need to know of each kind of cell.
//!
//! Hexahedra are products of the line and never need a matrix over all their points; the other kinds are dense or partly so.

use super::{ElementKind, FaceShape, LineElement, ReferenceElement, Triangle};
use crate::case::Correction;

/// The line, and the reference elements of those kinds that occur.
#[derive(Debug, Clone)]
pub struct Elements {
    /// Polynomial degree p.
    pub order: usize,
    /// The line of hexahedra and prisms.
    pub line: LineElement,
    /// The triangle of prisms.
    pub triangle: Triangle,
    square_diff: [Vec<f64>; 2],
    others: [Option<ReferenceElement>; 4],
}

impl Elements {
    /// Elements of degree `order` for the kinds of cells in `kinds`.
    pub fn new(order: usize, correction: Correction, kinds: &[ElementKind]) -> Self {
        let others = ElementKind::ALL.map(|kind| {
            (kind != ElementKind::Hex && kinds.contains(&kind)).then(|| ReferenceElement::new(kind, order, correction))
        });
        let line = LineElement::new(order, correction);
        Elements {
            order,
            square_diff: square_diff(&line),
            line,
            triangle: Triangle::new(order),
            others,
        }
    }

    /// The element of a kind that occurs in the mesh.
    ///
    /// # Panics
    /// For hexahedra, which are products of [`Elements::line`], and for kinds that do not occur.
    pub fn dense(&self, kind: ElementKind) -> &ReferenceElement {
        self.others[kind as usize]
            .as_ref()
            .unwrap_or_else(|| panic!("no dense element for {kind} in this mesh"))
    }

    /// Integrals of the Lagrange functions of a cell over the reference element.
    pub fn weights(&self, kind: ElementKind) -> Vec<f64> {
        if kind != ElementKind::Hex {
            return self.dense(kind).weights.clone();
        }
        let (n, w) = (self.line.len(), &self.line.weights);
        (0..n * n * n).map(|p| w[p % n] * w[p / n % n] * w[p / (n * n)]).collect()
    }

    /// Derivative matrices over the points of a face along its two directions.
    pub fn face_diff(&self, shape: FaceShape) -> &[Vec<f64>; 2] {
        match shape {
            FaceShape::Triangle => &self.triangle.diff,
            FaceShape::Quad => &self.square_diff,
        }
    }
}

/// Derivative matrices over the points of a square from those of the line.
fn square_diff(line: &LineElement) -> [Vec<f64>; 2] {
    let n = line.len();
    std::array::from_fn(|d| {
        let mut diff = vec![0.0; n.pow(4)];
        for (a, b) in (0..n * n).map(|i| (i % n, i / n)) {
            for k in 0..n {
                let (at, entry) = match d {
                    0 => (k + n * b, line.diff[a * n + k]),
                    _ => (a + n * k, line.diff[b * n + k]),
                };
                diff[(a + n * b) * n * n + at] = entry;
            }
        }
        diff
    })
}
