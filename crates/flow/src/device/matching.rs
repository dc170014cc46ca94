//! Matching points of modelled walls: the cells in which they lie, with the weights of these cells' points, and the
//! ranks between which their states travel.
//!
//! The solver finds them. The plan places their states behind the ghosts in a state, and those that come from other
//! ranks in the halos.

use std::collections::{BTreeMap, HashMap};

use super::contract::MatchingRow;
use super::interfaces::Interfaces;
use crate::physics::BoundaryKind;

/// Where the state at a matching point comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchingSource {
    /// From a row of this rank.
    Here(usize),
    /// From another rank: the state of this number among those that come from there.
    There {
        /// The rank.
        rank: usize,
        /// The number.
        number: usize,
    },
}

/// The state at a point in a cell of this rank.
#[derive(Debug, Clone)]
pub struct CellWeights {
    /// The cell.
    pub cell: usize,
    /// Points of the cell and the values of their Lagrange functions, without those that are 0.
    pub weights: Vec<(usize, f64)>,
}

/// The matching points of a rank.
#[derive(Debug, Clone, Default)]
pub struct MatchingPoints {
    /// Points in cells of this rank, of its own walls and of those of other ranks.
    pub rows: Vec<CellWeights>,
    /// Source and height over the wall of the point of each face point, by cell and local face.
    pub of_face: HashMap<(usize, usize), Vec<(MatchingSource, f64)>>,
    /// Rows whose states go to other ranks, in the order in which they are sent.
    pub sent: BTreeMap<usize, Vec<usize>>,
    /// Number of states that come from other ranks.
    pub received: BTreeMap<usize, usize>,
}

impl MatchingPoints {
    /// Returns the memory on a device, in bytes, of the states of the points, of which there are three, and of the
    /// lists from which they are computed. The lists with an entry for each boundary point are left out.
    pub fn bytes(&self, real: usize) -> usize {
        let weights: usize = self.rows.iter().map(|row| row.weights.len()).sum();
        self.rows.len() * (size_of::<MatchingRow>() + 3 * 5 * real) + weights * (size_of::<i32>() + real)
    }
}

/// What a device is built for at the boundaries, and the classes of its cells.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    /// The condition of every named boundary.
    pub kinds: &'a [BoundaryKind],
    /// The matching points of modelled walls.
    pub matching: &'a MatchingPoints,
    /// The faces of interfaces.
    pub interfaces: &'a Interfaces,
    /// The class of each cell in the paired scheme; empty in others.
    pub classes: &'a [u8],
}
