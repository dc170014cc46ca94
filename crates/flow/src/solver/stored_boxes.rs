//! Boxes around the cells of a solution in a file, by which a search leaves out the cells that are far away.

use crate::geometry::extent;
use crate::io::StoredCells;
use crate::vector::length;

/// Relative difference of two distances that may be equal but for rounding.
pub const TIE: f64 = 1e-9;
/// Part of its longest side by which a curved cell may extend beyond its nodes.
const MARGIN: f64 = 0.25;

/// Boxes around the cells of a block, and the box around all of them.
pub struct Boxes {
    cells: Vec<[[f64; 3]; 2]>,
    all: [[f64; 3]; 2],
}

impl Boxes {
    /// Returns those of the cells of a block, whose mapping is straight or that of all nodes.
    pub fn new(block: &StoredCells, straight: bool) -> Self {
        let of_cell = |cell: usize| {
            let nodes = cell_nodes(block, cell);
            if straight { extent(nodes) } else { reach(nodes) }
        };
        let cells: Vec<[[f64; 3]; 2]> = (0..block.kinds.len()).map(of_cell).collect();
        let all = extent(cells.as_flattened());
        Boxes { cells, all }
    }

    /// Returns the cells whose boxes are at most this far away from a point, up to ties, with the distances of these.
    pub fn nearer(&self, x: [f64; 3], distance: f64) -> Vec<(f64, usize)> {
        let most = (1.0 + TIE) * distance;
        if gap(&self.all, x) > most {
            return Vec::new();
        }
        let gaps = self.cells.iter().map(|cell| gap(cell, x)).zip(0..);
        gaps.filter(|(gap, _)| *gap <= most).collect()
    }
}

/// Returns the distance of a point from a box.
fn gap([low, high]: &[[f64; 3]; 2], x: [f64; 3]) -> f64 {
    length(std::array::from_fn(|d| (low[d] - x[d]).max(x[d] - high[d]).max(0.0)))
}

/// Returns the positions of the nodes of a cell in a block.
pub fn cell_nodes(block: &StoredCells, cell: usize) -> &[[f64; 3]] {
    &block.nodes[block.first[cell]..block.first[cell + 1]]
}

/// Corners of a box that contains a cell with these nodes.
pub fn reach(nodes: &[[f64; 3]]) -> [[f64; 3]; 2] {
    let [low, high] = extent(nodes);
    let margin = MARGIN * (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
    [low.map(|x| x - margin), high.map(|x| x + margin)]
}
