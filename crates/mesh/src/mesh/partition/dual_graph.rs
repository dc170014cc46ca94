//! The dual graph that METIS divides: its vertices are cells, and an edge joins two cells that share faces.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::divide_error::{DivideError, METIS_MAX};
use super::weights::Weights;
use crate::element::ElementKind;

/// Largest number of faces of a cell.
const MAX_FACES: usize = 6;

/// The dual graph in METIS's compressed row format.
#[derive(Debug)]
pub struct DualGraph {
    /// Offsets of the cells in `neighbours`, `[cell + 1]`.
    pub first: Vec<i32>,
    /// Neighbours of each cell, ascending, `[cell][edge]`.
    pub neighbours: Vec<i32>,
    /// Weight of each edge, proportional to the number of face points between the two cells, `[cell][edge]`.
    pub points: Vec<i32>,
    /// Cost of each cell, `[cell]`.
    pub costs: Vec<i32>,
}

impl DualGraph {
    /// Builds the graph of cells whose sides follow each other without gaps; `behind` returns the neighbour behind a
    /// side, if there is one.
    ///
    /// # Errors
    /// The graph exceeds METIS's 32-bit numbers, or a side does not lead back.
    pub fn new(
        kinds: &[ElementKind],
        behind: impl Fn(usize) -> Option<usize> + Sync,
        weights: &Weights,
    ) -> Result<Self, DivideError> {
        let mut first_side = Vec::with_capacity(kinds.len());
        let mut sides = 0;
        for kind in kinds {
            first_side.push(sides);
            sides += kind.faces().len();
        }
        let rows = || {
            (0..kinds.len())
                .into_par_iter()
                .map(|cell| row(cell, kinds[cell], first_side[cell], &behind, weights))
        };
        let lengths: Vec<u8> = rows().map(|row| row.iter().flatten().count() as u8).collect();
        let joined = lengths.iter().map(|&n| usize::from(n)).sum();
        let cells = kinds.len();
        if joined > METIS_MAX || cells >= METIS_MAX {
            return Err(DivideError::TooLarge { cells, sides: joined });
        }
        let mut first = Vec::with_capacity(cells + 1);
        first.push(0);
        let mut end = 0;
        first.extend(lengths.iter().map(|&n| {
            end += i32::from(n);
            end
        }));
        // A number that does not fit names no cell, which the check finds.
        let number = |cell: usize| i32::try_from(cell).unwrap_or(i32::MAX);
        let neighbours: Vec<i32> = rows()
            .flat_map_iter(|row| row.into_iter().flatten().map(|(cell, _)| number(cell)))
            .collect();
        let points: Vec<i32> = rows()
            .flat_map_iter(|row| row.into_iter().flatten().map(|(_, points)| points as i32))
            .collect();
        check(&first, &neighbours, &points)?;
        let costs = kinds.iter().map(|&kind| weights.cell(kind) as i32).collect();
        Ok(DualGraph {
            first,
            neighbours,
            points: fitting(points),
            costs: fitting(costs),
        })
    }
}

impl DualGraph {
    /// Returns the graph in which the cells with the same number are one vertex, and the vertex of each cell. The
    /// numbers are all those from 0 on.
    pub fn contracted(&self, vertex: Vec<usize>) -> (DualGraph, Vec<usize>) {
        let count = vertex.iter().max().map_or(0, |last| last + 1);
        let mut rows: Vec<BTreeMap<i32, i32>> = vec![BTreeMap::new(); count];
        let mut costs = vec![0; count];
        for (cell, &from) in vertex.iter().enumerate() {
            costs[from] += self.costs[cell];
            for edge in self.first[cell] as usize..self.first[cell + 1] as usize {
                let to = vertex[self.neighbours[edge] as usize];
                if to != from {
                    *rows[from].entry(to as i32).or_insert(0) += self.points[edge];
                }
            }
        }
        let mut first = vec![0];
        let mut end = 0;
        first.extend(rows.iter().map(|row| {
            end += row.len() as i32;
            end
        }));
        let graph = DualGraph {
            first,
            neighbours: rows.iter().flat_map(BTreeMap::keys).copied().collect(),
            points: rows.iter().flat_map(BTreeMap::values).copied().collect(),
            costs,
        };
        (graph, vertex)
    }
}

/// Neighbours of a cell, ascending, each once, with the weight of the faces that they share. A cell that lies behind
/// one of its own faces, in a periodic box that is one cell wide, is not its own neighbour.
fn row(
    cell: usize,
    kind: ElementKind,
    first_side: usize,
    behind: &impl Fn(usize) -> Option<usize>,
    weights: &Weights,
) -> [Option<(usize, usize)>; MAX_FACES] {
    let mut row = [None; MAX_FACES];
    for (face, of_kind) in kind.faces().iter().enumerate() {
        let Some(other) = behind(first_side + face).filter(|&other| other != cell) else {
            continue;
        };
        let points = weights.face(of_kind.shape) as usize;
        match row.iter_mut().flatten().find(|(known, _)| *known == other) {
            Some((_, sum)) => *sum += points,
            None => row[face] = Some((other, points)),
        }
    }
    // Empty entries come first; callers skip them.
    row.sort_unstable();
    row
}

/// Checks that every edge exists in both directions, which METIS assumes without checking.
fn check(first: &[i32], neighbours: &[i32], points: &[i32]) -> Result<(), DivideError> {
    let cells = first.len() - 1;
    let range = |cell: usize| first[cell] as usize..first[cell + 1] as usize;
    let goes_back = |from: usize, edge: usize| {
        let to = neighbours[edge] as usize;
        to < cells
            && neighbours[range(to)]
                .binary_search(&(from as i32))
                .is_ok_and(|at| points[range(to).start + at] == points[edge])
    };
    let one_way = |from: usize| {
        range(from)
            .find(|&edge| !goes_back(from, edge))
            .map(|edge| (from, neighbours[edge] as usize))
    };
    match (0..cells).into_par_iter().find_map_first(one_way) {
        Some((from, to)) => Err(DivideError::OneWay { from, to }),
        None => Ok(()),
    }
}

/// Scales weights so that their sum fits METIS's 32 bits: on huge meshes they become coarser, down to 1.
fn fitting(mut weights: Vec<i32>) -> Vec<i32> {
    let sum: usize = weights.iter().map(|&weight| weight as usize).sum();
    let divisor = sum.div_ceil(METIS_MAX / 2).max(1) as i32;
    weights
        .iter_mut()
        .for_each(|weight| *weight = (*weight / divisor).max(1));
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_made_coarser_before_their_sum_overflows() {
        assert_eq!(fitting(vec![1, 2, 3]), [1, 2, 3]);
        let coarse = fitting(vec![1 << 30, 1 << 29, 1 << 29, 1]);
        assert_eq!(coarse, [(1 << 30) / 3, (1 << 29) / 3, (1 << 29) / 3, 1]);
        assert!(coarse.iter().map(|&w| w as usize).sum::<usize>() < METIS_MAX);
    }

    #[test]
    fn sides_that_do_not_lead_back_are_refused() {
        let weights = Weights::of(2);
        let kinds = [ElementKind::Tet; 3];
        let graph = |sides: [Option<usize>; 12]| DualGraph::new(&kinds, |side| sides[side], &weights);
        let mut sides = [None; 12];
        // Cells 0 and 1 share two faces, 2 is behind a face of its own.
        (sides[0], sides[1], sides[4], sides[7], sides[8]) = (Some(1), Some(1), Some(0), Some(0), Some(2));
        let dual = graph(sides).unwrap();
        assert_eq!(
            (dual.first, dual.neighbours, dual.points),
            (vec![0, 1, 2, 2], vec![1, 0], vec![8, 8])
        );
        let mut once = sides;
        once[7] = None;
        assert_eq!(graph(once).unwrap_err(), DivideError::OneWay { from: 0, to: 1 });
        let mut outside = sides;
        outside[9] = Some(3);
        assert_eq!(graph(outside).unwrap_err(), DivideError::OneWay { from: 2, to: 3 });
    }
}
