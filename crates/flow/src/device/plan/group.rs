//! Groups of cells: the blocks that one launch of a kernel over cells goes through.

use std::ops::Range;

use super::Classes;
use crate::device::Cells;
use crate::element::ElementKind;

/// Blocks of cells of one kind that are all affine or all curved.
#[derive(Debug, Clone)]
pub struct Group {
    /// Kind of the cells.
    pub kind: ElementKind,
    /// First block.
    pub begin: usize,
    /// First block of frontier cells; `end` if there are none.
    pub frontier: usize,
    /// One past the last block.
    pub end: usize,
    /// First block of each class of the interior cells and of the frontier cells, with the end of the last one.
    pub parts: [Vec<usize>; 2],
    /// Number of points of a cell.
    pub points: usize,
    /// Number of face points of a cell.
    pub face_points: usize,
    /// Number of points of the cells of all earlier groups, padding included.
    pub first_point: usize,
    /// Number of face points of the cells of all earlier groups, padding included.
    pub first_face_point: usize,
    /// Number of faces of the cells of all earlier groups, padding included.
    pub first_slot: usize,
    /// Number of points of a cell with metric terms: 1 if it is affine, else all.
    pub metric_points: usize,
}

impl Group {
    /// Returns the number of faces of a cell.
    pub fn faces(&self) -> usize {
        self.kind.faces().len()
    }

    /// Returns whether metric terms are constant in each cell.
    pub fn affine(&self) -> bool {
        self.metric_points == 1
    }

    /// Returns the number of values of metric terms of a cell.
    pub fn metrics_per_block(&self) -> usize {
        if self.affine() { 12 } else { 10 * self.metric_points }
    }

    /// Returns the blocks with this part of the cells, counted from the first block of the group. Some classes of all
    /// cells are together only if there are no frontier cells.
    pub fn blocks(&self, cells: Cells, classes: Classes) -> Range<usize> {
        let blocks = match cells {
            Cells::All if classes == Classes::ALL => self.begin..self.end,
            Cells::All | Cells::Interior => classes.among(&self.parts[0]),
            Cells::Frontier => classes.among(&self.parts[1]),
        };
        blocks.start - self.begin..blocks.end - self.begin
    }

    /// Returns the number of cells, padding included.
    pub fn cells(&self, lanes: usize) -> usize {
        (self.end - self.begin) * lanes
    }

    /// Returns the number of area vectors of a cell.
    pub fn normals_per_block(&self) -> usize {
        match (self.affine(), self.kind) {
            (true, _) => self.faces(),
            (false, ElementKind::Hex) => 0,
            (false, _) => self.face_points,
        }
    }
}
