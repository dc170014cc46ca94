//! Interpolation from solution points to the nodes of Lagrange cells and of straight sub-cells in files.
//!
//! The solution is a polynomial on Gauss-Lobatto points. Viewers expect equispaced nodes, so state and geometry are
//! evaluated there, which is exact. Between the points of sub-cells viewers interpolate linearly.

use crate::element::{ElementKind, Elements, PerKind, lagrange_matrix};
use crate::geometry::{interpolate, multiply};
use crate::io::{self, Division};
use crate::solver::Solver;

/// Returns the bytes of the nodes and cells of a solution file of these cells. Collective.
pub fn cells_bytes(solver: &Solver, kinds: &[ElementKind], real: usize) -> f64 {
    // The coordinates of a node and its index in the connectivity; type, offset and number of a cell.
    let per_node = (3 * real + 8) as f64;
    let of_cell = |kind: &ElementKind| io::node_count(*kind, solver.elements.order) as f64 * per_node + 17.0;
    total(solver, kinds.iter().map(of_cell).sum())
}

/// Returns the bytes of the fields of a solution file of these cells, with so many numbers of `real` bytes at each
/// node. Collective.
pub fn fields_bytes(solver: &Solver, kinds: &[ElementKind], values: usize, real: usize) -> f64 {
    let nodes = kinds.iter().map(|kind| io::node_count(*kind, solver.elements.order));
    total(solver, (nodes.sum::<usize>() * values * real) as f64)
}

/// Returns the sum over the ranks. Collective.
fn total(solver: &Solver, bytes: f64) -> f64 {
    let mut bytes = [bytes];
    solver.ranks.allreduce_sum(&mut bytes);
    bytes[0]
}

/// Returns the bytes of a file of straight sub-cells of these cells, with so many numbers at each point. Collective.
pub fn divided_bytes(
    solver: &Solver,
    kinds: &[ElementKind],
    divisions: &PerKind<Division>,
    values: usize,
    real: usize,
) -> f64 {
    let of_cell = |kind: &ElementKind| {
        let division = &divisions[*kind];
        let points = (division.points.len() * (3 + values) * real) as f64;
        points + 8.0 * division.entries() as f64 + 17.0 * division.len() as f64
    };
    total(solver, kinds.iter().map(of_cell).sum())
}

/// Returns the divisions of the kinds of cells that the mesh has.
pub fn divisions(solver: &Solver, parts: usize) -> PerKind<Division> {
    let mut divisions = PerKind::<Division>::default();
    for kind in solver.mesh.kinds_present() {
        divisions[kind] = Division::new(kind, parts);
    }
    divisions
}

/// Interpolation from solution points to the nodes of the file, for each kind of cell.
pub struct Nodes {
    /// Number of solution points of a line.
    n: usize,
    /// Number of nodes of a line.
    to: usize,
    /// Matrix from the points of a line to its nodes.
    line: Vec<f64>,
    /// Matrices from the points of a cell to its nodes, for kinds other than hexahedra.
    others: PerKind<Vec<f64>>,
}

impl Nodes {
    /// Computes the matrices to Lagrange cells of the kinds of cells that the mesh has.
    pub fn new(elements: &Elements, kinds: &[ElementKind]) -> Self {
        Self::at(elements, kinds, elements.order, |kind| io::nodes(kind, elements.order))
    }

    /// Computes the matrices to the points of sub-cells, so many parts along each edge.
    pub fn divided(elements: &Elements, kinds: &[ElementKind], parts: usize, divisions: &PerKind<Division>) -> Self {
        Self::at(elements, kinds, parts, |kind| divisions[kind].points.clone())
    }

    /// Computes the matrices to nodes that divide the lines of hexahedra into equal parts, and lie at these places in
    /// other kinds.
    fn at(
        elements: &Elements,
        kinds: &[ElementKind],
        parts: usize,
        places: impl Fn(ElementKind) -> Vec<[f64; 3]>,
    ) -> Self {
        let equispaced: Vec<f64> = (0..=parts).map(|i| -1.0 + 2.0 * i as f64 / parts as f64).collect();
        let mut others = PerKind::<Vec<f64>>::default();
        for &kind in kinds.iter().filter(|&&kind| kind != ElementKind::Hex) {
            others[kind] = elements.dense(kind).interpolation(&places(kind));
        }
        Nodes {
            n: elements.line.len(),
            to: equispaced.len(),
            line: lagrange_matrix(&elements.line.points, &equispaced),
            others,
        }
    }

    /// Returns the values at the nodes of a cell from those at its solution points.
    pub fn values<const M: usize>(&self, kind: ElementKind, at_points: &[[f64; M]]) -> Vec<[f64; M]> {
        match kind {
            ElementKind::Hex => interpolate(at_points, self.n, &self.line, self.to),
            _ => multiply(&self.others[kind], at_points),
        }
    }
}
