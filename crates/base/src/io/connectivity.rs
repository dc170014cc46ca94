//! The connectivity of a piece in VTK's order of nodes.

use std::ops::Range;

use super::lagrange;
use super::{Piece, node_count};
use crate::element::{ElementKind, PerKind};

/// The nodes of each cell of a piece in VTK's order. Each node belongs to one cell, so there are as many entries as
/// nodes, and those of a cell lie where its nodes lie.
pub(super) struct Connectivity<'a> {
    shapes: &'a [ElementKind],
    /// Offsets of the cells in the nodes, `[cell + 1]`.
    pub first: Vec<usize>,
    /// VTK's order of the nodes within a cell, by shape.
    orders: PerKind<Vec<usize>>,
}

impl<'a> Connectivity<'a> {
    pub fn new(piece: &Piece<'a>) -> Self {
        let ends = piece.shapes.iter().scan(0, |end, shape| {
            *end += node_count(*shape, piece.order);
            Some(*end)
        });
        Connectivity {
            shapes: piece.shapes,
            first: std::iter::once(0).chain(ends).collect(),
            orders: PerKind::new(|shape| lagrange::node_order(shape, piece.order)),
        }
    }

    /// Appends the entries of `rows`, which may begin and end inside a cell.
    pub fn entries(&self, rows: Range<usize>, out: &mut Vec<i64>) {
        let mut cell = self.first.partition_point(|&node| node <= rows.start) - 1;
        while cell < self.shapes.len() && self.first[cell] < rows.end {
            let start = self.first[cell];
            let end = self.first[cell + 1];
            let order = &self.orders[self.shapes[cell]];
            let within = rows.start.max(start) - start..rows.end.min(end) - start;
            out.extend(order[within].iter().map(|node| (start + node) as i64));
            cell += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_do_not_depend_on_where_rows_are_split() {
        let piece = Piece {
            order: 1,
            single: false,
            cell_ids: &[0, 1, 2, 3],
            shapes: &[
                ElementKind::Tet,
                ElementKind::Pyramid,
                ElementKind::Prism,
                ElementKind::Hex,
            ],
            points: &[],
            fields: &[],
            note: None,
        };
        let connectivity = Connectivity::new(&piece);
        assert_eq!(connectivity.first, [0, 4, 12, 18, 26]);
        let split = |first, second| {
            let mut out = Vec::new();
            for rows in [0..first, first..second, second..26] {
                connectivity.entries(rows, &mut out);
            }
            out
        };
        let tet = [0, 1, 2, 3];
        let prism = [12, 13, 14, 15, 16, 17];
        let (pyramid, hex) = ([4, 5, 7, 6, 8, 9, 11, 10], [18, 19, 21, 20, 22, 23, 25, 24]);
        let whole = [&tet[..], &pyramid, &prism, &hex].concat();
        for first in 0..=26 {
            for second in first..=26 {
                assert_eq!(split(first, second), whole, "{first}, {second}");
            }
        }
    }

    #[test]
    fn a_piece_may_have_no_cells() {
        let piece = Piece {
            order: 3,
            single: false,
            cell_ids: &[],
            shapes: &[],
            points: &[],
            fields: &[],
            note: None,
        };
        let connectivity = Connectivity::new(&piece);
        let mut out = Vec::new();
        connectivity.entries(0..0, &mut out);
        assert!(out.is_empty() && connectivity.first == [0]);
    }
}
