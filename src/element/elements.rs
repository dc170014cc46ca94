//! The elements of a mesh at one order: what geometry, kernels and output need to know of each kind of cell.
//!
//! Hexahedra are products of the line and never need a matrix over all their points; the other kinds are dense or partly so.

use super::operators::outer;
use super::{ElementKind, FaceDerivatives, FaceShape, LineElement, ReferenceElement, Triangle, lagrange_matrix};
use crate::element::Correction;

/// The line, and the reference elements of those kinds that occur.
#[derive(Debug, Clone)]
pub struct Elements {
    /// Polynomial degree p.
    pub order: usize,
    /// The line of hexahedra and prisms.
    pub line: LineElement,
    /// The triangle of prisms.
    pub triangle: Triangle,
    faces: [FaceDerivatives; 2],
    face_weights: [Vec<f64>; 2],
    others: [Option<ReferenceElement>; 4],
}

impl Elements {
    /// Elements of degree `order` for the kinds of cells in `kinds`.
    pub fn new(order: usize, correction: Correction, kinds: &[ElementKind]) -> Self {
        let others = ElementKind::ALL.map(|kind| {
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
        (0..n * n * n)
            .map(|p| w[p % n] * w[p / n % n] * w[p / (n * n)])
            .collect()
    }

    /// Values of a cell's Lagrange functions at places of its reference element, a row for each.
    pub fn interpolation(&self, kind: ElementKind, places: &[[f64; 3]]) -> Vec<f64> {
        if kind != ElementKind::Hex {
            return self.dense(kind).interpolation(places);
        }
        let row = |place: &[f64; 3]| {
            let [x, y, z] = place.map(|x| lagrange_matrix(&self.line.points, &[x]));
            outer(&z, &outer(&y, &x))
        };
        places.iter().flat_map(row).collect()
    }

    /// The same of a face and places on its standard shape.
    pub fn face_interpolation(&self, shape: FaceShape, places: &[[f64; 2]]) -> Vec<f64> {
        if shape == FaceShape::Triangle {
            return self.triangle.interpolation(places);
        }
        let row = |place: &[f64; 2]| {
            let [x, y] = place.map(|x| lagrange_matrix(&self.line.points, &[x]));
            outer(&y, &x)
        };
        places.iter().flat_map(row).collect()
    }

    /// Integrals of a face's Lagrange functions over its standard shape.
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
