//! The elements of a mesh at one order, as geometry, kernels and output use them.
//!
//! Hexahedra are products of the line and never need a matrix over all their points. The operators of the other kinds
//! are dense or partly so.

use super::operators::outer;
use super::{
    ElementKind, FaceDerivatives, FaceShape, LineElement, PerKind, ReferenceElement, Triangle, lagrange_matrix,
};
use crate::element::Correction;

/// The line, and the reference elements of the kinds that occur in a mesh.
#[derive(Debug, Clone)]
pub struct Elements {
    /// Polynomial degree p.
    pub order: usize,
    /// Line of hexahedra and prisms.
    pub line: LineElement,
    /// Triangle of prisms.
    pub triangle: Triangle,
    faces: [FaceDerivatives; 2],
    face_weights: [Vec<f64>; 2],
    dense: PerKind<Option<ReferenceElement>>,
}

impl Elements {
    /// Creates the elements of degree `order` for the kinds of cells in `kinds`.
    pub fn new(order: usize, correction: Correction, kinds: &[ElementKind]) -> Self {
        let dense = PerKind::new(|kind| {
            (kind != ElementKind::Hex && kinds.contains(&kind)).then(|| ReferenceElement::new(kind, order, correction))
        });
        let line = LineElement::new(order, correction);
        let triangle = Triangle::new(order);
        Elements {
            order,
            face_weights: [triangle.weights.clone(), outer(&line.weights, &line.weights)],
            faces: [FaceShape::Triangle, FaceShape::Quad].map(|shape| FaceDerivatives::new(shape, order)),
            line,
            triangle,
            dense,
        }
    }

    /// Returns the element of a kind that occurs in the mesh.
    ///
    /// # Panics
    ///
    /// Panics for hexahedra, which are products of [`Elements::line`], and for kinds that do not occur.
    pub fn dense(&self, kind: ElementKind) -> &ReferenceElement {
        self.dense[kind]
            .as_ref()
            .unwrap_or_else(|| panic!("no dense element for {kind} in this mesh"))
    }

    /// Integrals of the Lagrange functions of a cell over the reference element, `[point]`.
    pub fn weights(&self, kind: ElementKind) -> Vec<f64> {
        if kind != ElementKind::Hex {
            return self.dense(kind).weights.clone();
        }
        let n = self.line.len();
        let w = &self.line.weights;
        (0..n * n * n)
            .map(|p| w[p % n] * w[p / n % n] * w[p / (n * n)])
            .collect()
    }

    /// Values of a cell's Lagrange functions at reference coordinates, `[target][point]`.
    pub fn interpolation(&self, kind: ElementKind, targets: &[[f64; 3]]) -> Vec<f64> {
        if kind != ElementKind::Hex {
            return self.dense(kind).interpolation(targets);
        }
        let row = |target: &[f64; 3]| {
            let [x, y, z] = target.map(|x| lagrange_matrix(&self.line.points, &[x]));
            outer(&z, &outer(&y, &x))
        };
        targets.iter().flat_map(row).collect()
    }

    /// Values of a face's Lagrange functions at coordinates of its standard shape, `[target][point]`.
    pub fn face_interpolation(&self, shape: FaceShape, targets: &[[f64; 2]]) -> Vec<f64> {
        if shape == FaceShape::Triangle {
            return self.triangle.interpolation(targets);
        }
        let row = |target: &[f64; 2]| {
            let [x, y] = target.map(|x| lagrange_matrix(&self.line.points, &[x]));
            outer(&y, &x)
        };
        targets.iter().flat_map(row).collect()
    }

    /// Integrals of a face's Lagrange functions over its standard shape, `[face point]`.
    pub fn face_weights(&self, shape: FaceShape) -> &[f64] {
        match shape {
            FaceShape::Triangle => &self.face_weights[0],
            FaceShape::Quad => &self.face_weights[1],
        }
    }

    /// Derivatives along the two directions of a face.
    pub fn face(&self, shape: FaceShape) -> &FaceDerivatives {
        match shape {
            FaceShape::Triangle => &self.faces[0],
            FaceShape::Quad => &self.faces[1],
        }
    }
}
