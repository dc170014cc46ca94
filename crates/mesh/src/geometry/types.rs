//! The geometry of all cells as it is kept: points, metric terms and areas, with their offsets.

use super::metrics::CellMetrics;
use crate::element::ElementKind;

/// The geometry of all cells. Lengths are in the unit of length of the mesh.
#[derive(Debug)]
pub struct Geometry {
    /// Polynomial degree of the solution points.
    pub(super) order: usize,
    /// Kind of each cell, `[cell]`.
    pub kinds: Vec<ElementKind>,
    /// Offsets of the cells in `points`, `[cell + 1]`.
    pub first_point: Vec<usize>,
    /// Positions of the solution points, `[cell][point]`.
    pub points: Vec<[f64; 3]>,
    /// Contravariant metric terms and Jacobian, `[cell]`.
    pub metrics: Vec<CellMetrics>,
    /// Offsets of the cells in `areas`, `[cell + 1]`.
    pub(super) first_area: Vec<usize>,
    /// Outward area vectors, per unit of the standard face's measure: of affine cells `[cell][face]`, of curved prisms,
    /// tetrahedra and pyramids `[cell][face][face point]`. Those of curved hexahedra are in their metric terms.
    pub(super) areas: Vec<[f64; 3]>,
    /// Volume of all cells of all ranks.
    pub volume: f64,
}

impl Geometry {
    /// Number of solution points of a cell.
    pub fn cell_points(&self, cell: usize) -> usize {
        self.first_point[cell + 1] - self.first_point[cell]
    }

    /// Positions of the solution points of a cell, `[point]`.
    pub fn cell_positions(&self, cell: usize) -> &[[f64; 3]] {
        &self.points[self.first_point[cell]..self.first_point[cell + 1]]
    }

    /// Splits a field of `size` values a point into one slice a cell.
    pub fn cells_of<'a, T: Send>(&self, field: &'a mut [T], size: usize) -> Vec<&'a mut [T]> {
        by_cells(field, &self.first_point, size)
    }

    /// Returns the cell to which a solution point belongs.
    pub fn cell_of_point(&self, point: usize) -> usize {
        self.first_point.partition_point(|&first| first <= point) - 1
    }

    /// Returns whether the metric terms of a cell are constant.
    pub fn is_affine(&self, cell: usize) -> bool {
        matches!(self.metrics[cell], CellMetrics::Constant(_))
    }

    /// Volume of a cell; `weights` are those of [`crate::element::Elements::weights`] for its kind.
    pub fn cell_volume(&self, cell: usize, weights: &[f64]) -> f64 {
        let metrics = &self.metrics[cell];
        weights.iter().enumerate().map(|(p, w)| w * metrics.jacobian(p)).sum()
    }
}

/// Splits an array of `size` values a point into one slice a cell; `first_point` are the offsets of the cells.
pub fn by_cells<'a, T: Send>(array: &'a mut [T], first_point: &[usize], size: usize) -> Vec<&'a mut [T]> {
    let mut rest = array;
    first_point
        .windows(2)
        .map(|w| {
            let (cell, others) = std::mem::take(&mut rest).split_at_mut((w[1] - w[0]) * size);
            rest = others;
            cell
        })
        .collect()
}
