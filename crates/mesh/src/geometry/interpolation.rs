//! Interpolation of polynomials from their nodes to other points.

use crate::element::{Correction, ElementKind, Elements, PerKind, ReferenceElement, gauss_lobatto, lagrange_matrix};
use crate::mesh::Mesh;

/// The interpolation from geometry nodes to solution points.
pub struct Interpolation {
    /// Number of geometry nodes on a line.
    nodes: usize,
    /// Their Lagrange polynomials at the solution points, `[point][node]`.
    line: Vec<f64>,
    /// Number of solution points on a line.
    n: usize,
    /// Matrices of the kinds other than hexahedra, `[point][node]`.
    dense: PerKind<Vec<f64>>,
}

impl Interpolation {
    /// Returns the interpolation of the cells of a mesh.
    pub fn new(mesh: &Mesh, elements: &Elements) -> Self {
        let g = mesh.geometry_order;
        let mut dense: PerKind<Vec<f64>> = PerKind::default();
        for kind in mesh.kinds_present() {
            if kind != ElementKind::Hex {
                dense[kind] =
                    ReferenceElement::new(kind, g, Correction::Radau).interpolation(&elements.dense(kind).points);
            }
        }
        Interpolation {
            nodes: g + 1,
            line: lagrange_matrix(&gauss_lobatto(g).0, &elements.line.points),
            n: elements.line.len(),
            dense,
        }
    }

    /// Returns the positions of the solution points of a cell with these geometry nodes.
    pub fn apply(&self, kind: ElementKind, nodes: &[[f64; 3]]) -> Vec<[f64; 3]> {
        match kind {
            ElementKind::Hex => interpolate(nodes, self.nodes, &self.line, self.n),
            _ => multiply(&self.dense[kind], nodes),
        }
    }
}

/// Product of a row-major matrix and a list of values, for M quantities at once.
pub fn multiply<const M: usize>(matrix: &[f64], values: &[[f64; M]]) -> Vec<[f64; M]> {
    matrix
        .chunks(values.len())
        .map(|row| std::array::from_fn(|d| row.iter().zip(values).map(|(a, x)| a * x[d]).sum()))
        .collect()
}

/// Values of a tensor-product polynomial on another set of points, for M quantities at once; `matrix` is `[to][from]`.
pub fn interpolate<const M: usize>(values: &[[f64; M]], from: usize, matrix: &[f64], to: usize) -> Vec<[f64; M]> {
    // input[outer][from][inner] -> [outer][to][inner], one direction at a time
    let along = |input: &[[f64; M]], outer: usize, inner: usize| {
        let mut out = vec![[0.0; M]; outer * to * inner];
        for o in 0..outer {
            for t in 0..to {
                for i in 0..inner {
                    out[(o * to + t) * inner + i] = std::array::from_fn(|d| {
                        (0..from)
                            .map(|k| matrix[t * from + k] * input[(o * from + k) * inner + i][d])
                            .sum()
                    });
                }
            }
        }
        out
    };
    along(&along(&along(values, from * from, 1), from, to), 1, to * to)
}
