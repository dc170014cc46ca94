//! Dividing a mesh among ranks.
//!
//! Every rank holds some of the cells, in the order that they have in the whole mesh, and knows of the faces behind which
//! another rank's cells lie. Results do not depend on how the cells are divided, only the speed does: METIS balances
//! what the cells cost and keeps few face points between ranks.
//!
//! [`divide`] says which cell goes where, [`extract`] takes a rank's part out of the whole mesh, [`share`] does both on
//! all ranks of a communicator, and [`Report`] says how good the division is. Parts of a native mesh file are read
//! without the whole mesh: [`super::read_part`].

mod distribute;
mod dual_graph;
mod extract;
mod pairing;
mod report;
mod weights;

pub(super) use distribute::divide_on_rank_0;
pub use distribute::{DistributeError, distribute};
pub use extract::extract;
pub(super) use extract::{OtherRank, localise};
pub(super) use pairing::pairing;
pub use report::{Load, Report};
pub use weights::Weights;

use std::sync::{Mutex, PoisonError};

use metis::option;
use thiserror::Error;

use super::{Mesh, Side};
use crate::element::ElementKind;
use dual_graph::DualGraph;

/// METIS counts in 32 bits, and adds up weights in them: sums are kept below this.
const MOST: usize = i32::MAX as usize;

/// Seed of METIS' random numbers: the same mesh is always divided in the same way.
const SEED: i32 = 1;

/// Of so many ways to halve cells METIS takes the best.
const TRIES: i32 = 4;

/// METIS draws from C's `rand`, of which the process has one: divisions at the same time would disturb each other.
static METIS: Mutex<()> = Mutex::new(());

/// Why a mesh cannot be divided.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum DivideError {
    /// There are fewer cells than parts, or no parts are wanted.
    #[error("{cells} cells cannot be divided among {parts} ranks: there must be at least one cell a rank")]
    Parts {
        /// Cells of the mesh.
        cells: usize,
        /// Parts that are wanted.
        parts: usize,
    },
    /// The mesh is beyond the 32-bit numbers of METIS.
    #[error(
        "the mesh is too large to be divided: {cells} cells have {sides} sides to other cells, but at most {MOST} can be counted"
    )]
    TooLarge {
        /// Cells of the mesh.
        cells: usize,
        /// Sides that lead to other cells.
        sides: usize,
    },
    /// A side does not lead back.
    #[error("cell {from} leads to cell {to}, which does not exist or does not lead back")]
    OneWay {
        /// The cell.
        from: usize,
        /// What lies behind a face of it.
        to: usize,
    },
    /// METIS gave up.
    #[error("METIS cannot divide the mesh into {parts} parts: {reason}")]
    Metis {
        /// Parts that are wanted.
        parts: usize,
        /// Its reason.
        reason: String,
    },
}

/// The part, from 0, of each cell of a whole mesh: none is empty, and what their cells cost is about the same.
pub fn divide(mesh: &Mesh, parts: usize, weights: &Weights) -> Result<Vec<u32>, DivideError> {
    let behind = |side: usize| match mesh.sides[side] {
        Side::Cell { cell, .. } | Side::Rotated { cell, .. } => Some(cell),
        Side::Remote { .. } | Side::Boundary(_) => None,
    };
    divide_cells(&mesh.kinds, behind, parts, weights)
}

/// The same for cells of these kinds, whose sides follow each other; `behind` is the cell behind a side, if there is one.
pub(super) fn divide_cells(
    kinds: &[ElementKind],
    behind: impl Fn(usize) -> Option<usize> + Sync,
    parts: usize,
    weights: &Weights,
) -> Result<Vec<u32>, DivideError> {
    let cells = kinds.len();
    if parts == 0 || parts > cells || parts > MOST {
        return Err(DivideError::Parts { cells, parts });
    }
    if parts == 1 {
        return Ok(vec![0; cells]);
    }
    let dual = DualGraph::new(kinds, behind, weights)?;
    let mut part_of = bisect(&dual, parts)?;
    fill_empty_parts(&mut part_of, parts, &dual.costs);
    Ok(part_of.into_iter().map(|part| part as u32).collect())
}

/// What METIS makes of the graph, halving it again and again. On a periodic box of 64^3 hexahedra and 2 to 16 parts this leaves
/// a fifth fewer faces between parts than its direct division, and on mixed cells balances better; it takes four times as
/// long, seconds for a million cells.
fn bisect(dual: &DualGraph, parts: usize) -> Result<Vec<i32>, DivideError> {
    let failed = |reason: String| DivideError::Metis { parts, reason };
    let graph = metis::Graph::new(1, parts as i32, &dual.first, &dual.neighbours).map_err(|e| failed(e.to_string()))?;
    let graph = graph
        .set_vwgt(&dual.costs)
        .set_adjwgt(&dual.points)
        .set_option(option::Seed(SEED))
        .set_option(option::NCuts(TRIES));
    let mut part_of = vec![0; dual.costs.len()];
    let alone = METIS.lock().unwrap_or_else(PoisonError::into_inner);
    graph.part_recursive(&mut part_of).map_err(|e| failed(e.to_string()))?;
    drop(alone);
    Ok(part_of)
}

/// Where there are few cells a part METIS may leave some parts empty: each gets a cell of the part that then costs most.
fn fill_empty_parts(part_of: &mut [i32], parts: usize, costs: &[i32]) {
    let mut load = vec![(0, 0); parts];
    for (&part, &cost) in part_of.iter().zip(costs) {
        let (cells, sum): &mut (usize, i64) = &mut load[part as usize];
        (*cells, *sum) = (*cells + 1, *sum + i64::from(cost));
    }
    while let Some(empty) = load.iter().position(|(cells, _)| *cells == 0) {
        // There are at least as many cells as parts, so some part has two.
        let richest = (0..parts)
            .filter(|&part| load[part].0 > 1)
            .max_by_key(|&part| load[part].1);
        let given = richest.and_then(|richest| part_of.iter().rposition(|&part| part as usize == richest));
        let Some(cell) = given else { return };
        let (from, cost) = (part_of[cell] as usize, i64::from(costs[cell]));
        load[from] = (load[from].0 - 1, load[from].1 - cost);
        load[empty] = (1, cost);
        part_of[cell] = empty as i32;
    }
}

#[cfg(test)]
mod tests;
