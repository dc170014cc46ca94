//! Interpolation from solution points to the nodes of Lagrange cells in files.
//!
//! The solution is a polynomial on Gauss-Lobatto points. Viewers expect equispaced nodes, so state and geometry are
//! evaluated there, which is exact.

use crate::element::{ElementKind, Elements, PerKind, lagrange_matrix};
use crate::geometry::{interpolate, multiply};
use crate::io;
use crate::solver::Solver;

/// Returns the bytes of a solution file with so many numbers of `real` bytes at each node, besides the coordinates.
/// Collective.
pub fn solution_bytes(solver: &Solver, values: usize, real: usize) -> f64 {
    // The index of a node in the connectivity; type, offset and number of a cell.
    let per_node = ((3 + values) * real + 8) as f64;
    let of_cell = |kind: &ElementKind| io::node_count(*kind, solver.elements.order) as f64 * per_node + 17.0;
    let mut bytes = [solver.mesh.kinds.iter().map(of_cell).sum::<f64>()];
    solver.ranks.allreduce_sum(&mut bytes);
    bytes[0]
}

/// Interpolation from solution points to the nodes of the file, for each kind of cell.
pub struct Nodes {
    /// Number of solution points of a line.
    n: usize,
    /// Matrix from the points of a line to its nodes.
    line: Vec<f64>,
    /// Matrices from the points of a cell to its nodes, for kinds other than hexahedra.
    others: PerKind<Vec<f64>>,
}

impl Nodes {
    /// Computes the matrices of the kinds of cells that the mesh has.
    pub fn new(elements: &Elements, kinds: &[ElementKind]) -> Self {
        let n = elements.line.len();
        let equispaced: Vec<f64> = (0..n).map(|i| -1.0 + 2.0 * i as f64 / (n - 1) as f64).collect();
        let mut others = PerKind::<Vec<f64>>::default();
        for &kind in kinds.iter().filter(|&&kind| kind != ElementKind::Hex) {
            others[kind] = elements.dense(kind).interpolation(&io::nodes(kind, elements.order));
        }
        Nodes {
            n,
            line: lagrange_matrix(&elements.line.points, &equispaced),
            others,
        }
    }

    /// Returns the values at the nodes of a cell from those at its solution points.
    pub fn values<const M: usize>(&self, kind: ElementKind, at_points: &[[f64; M]]) -> Vec<[f64; M]> {
        match kind {
            ElementKind::Hex => interpolate(at_points, self.n, &self.line, self.n),
            _ => multiply(&self.others[kind], at_points),
        }
    }
}
