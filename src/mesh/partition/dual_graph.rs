//! The graph that METIS divides: its vertices are cells, and an edge joins two cells that share faces.

use rayon::prelude::*;

use super::{DivideError, MOST, Weights};
use crate::element::ElementKind;

/// Most faces of a cell.
const FACES: usize = 6;

/// The graph in the compressed rows that METIS takes.
#[derive(Debug)]
pub struct DualGraph {
    /// Where each cell's neighbours begin, and the end of the last.
    pub first: Vec<i32>,
    /// The neighbours, cell by cell, ascending.
    pub neighbours: Vec<i32>,
    /// What passes between the cell and each neighbour.
    pub points: Vec<i32>,
    /// What each cell costs.
    pub costs: Vec<i32>,
}

impl DualGraph {
    /// The graph of cells whose sides follow each other without gaps; `behind` is the cell behind a side, if there is one.
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
        if joined > MOST || cells >= MOST {
            return Err(DivideError::TooLarge { cells, sides: joined });
        }
        let mut first = Vec::with_capacity(cells + 1);
        first.push(0);
        let mut end = 0;
        first.extend(lengths.iter().map(|&n| {
            end += i32::from(n);
            end
        }));
        let found: Vec<usize> = rows()
            .flat_map_iter(|row| row.into_iter().flatten().map(|(cell, _)| cell))
            .collect();
        let points: Vec<usize> = rows()
            .flat_map_iter(|row| row.into_iter().flatten().map(|(_, points)| points))
            .collect();
        check(&first, &found, &points)?;
        let costs = kinds.iter().map(|&kind| weights.cell(kind) as usize).collect();
        Ok(DualGraph {
            first,
            neighbours: found.into_iter().map(|cell| cell as i32).collect(),
            points: fitting(points),
            costs: fitting(costs),
        })
    }
}

/// Neighbours of a cell, ascending, each once, and what passes through the faces that they share. A cell that lies behind
/// a face of its own, in a box that is one cell wide, is not a neighbour.
fn row(
    cell: usize,
    kind: ElementKind,
    first_side: usize,
    behind: &impl Fn(usize) -> Option<usize>,
    weights: &Weights,
) -> [Option<(usize, usize)>; FACES] {
    let mut row = [None; FACES];
    for (face, what) in kind.faces().iter().enumerate() {
        let Some(other) = behind(first_side + face).filter(|&other| other != cell) else {
            continue;
        };
        let points = weights.face(what.shape) as usize;
        match row.iter_mut().flatten().find(|(known, _)| *known == other) {
            Some((_, sum)) => *sum += points,
            None => row[face] = Some((other, points)),
        }
    }
    // Empty places go first; nobody looks at them.
    row.sort_unstable();
    row
}

/// That every edge is there in both directions: METIS relies on it blindly.
fn check(first: &[i32], neighbours: &[usize], points: &[usize]) -> Result<(), DivideError> {
    let cells = first.len() - 1;
    let range = |cell: usize| first[cell] as usize..first[cell + 1] as usize;
    let goes_back = |from: usize, edge: usize| {
        let to = neighbours[edge];
        to < cells
            && neighbours[range(to)]
                .binary_search(&from)
                .is_ok_and(|at| points[range(to).start + at] == points[edge])
    };
    let one_way = |from: usize| {
        range(from)
            .find(|&edge| !goes_back(from, edge))
            .map(|edge| (from, neighbours[edge]))
    };
    match (0..cells).into_par_iter().find_map_first(one_way) {
        Some((from, to)) => Err(DivideError::OneWay { from, to }),
        None => Ok(()),
    }
}

/// Weights of which METIS can add up all: on huge meshes they are made coarser, down to 1.
fn fitting(weights: Vec<usize>) -> Vec<i32> {
    let divisor = weights.iter().sum::<usize>().div_ceil(MOST / 2).max(1);
    weights
        .into_iter()
        .map(|weight| (weight / divisor).max(1) as i32)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_made_coarser_before_their_sum_overflows() {
        assert_eq!(fitting(vec![1, 2, 3]), [1, 2, 3]);
        let coarse = fitting(vec![1 << 30, 1 << 29, 1 << 29, 1]);
        assert_eq!(coarse, [(1 << 30) / 3, (1 << 29) / 3, (1 << 29) / 3, 1]);
        assert!(coarse.iter().map(|&w| w as usize).sum::<usize>() < MOST);
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
