//! The quality of a partition: the work of each rank, and the data that it exchanges.

use std::fmt::{self, Display, Formatter};

use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::super::types::{Mesh, Side};
use super::weights::Weights;
use crate::element::ElementKind;
use crate::format::size;
use crate::io::Precision;

/// Number of values a face point when ranks exchange states.
const STATE: usize = 5;

/// Number of values a face point when ranks exchange viscous fluxes.
const VISCOUS: usize = 4;

/// The work and the communication of one rank.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load {
    /// Number of cells.
    pub cells: usize,
    /// Cost of the cells in the unit of [`Weights::cell`].
    pub weight: u64,
    /// Number of faces whose neighbours are on other ranks.
    pub faces: usize,
    /// Number of solution points on these faces.
    pub points: usize,
    /// Number of ranks behind these faces.
    pub neighbours: usize,
}

/// The loads of all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// Load of each rank, `[rank]`.
    pub loads: Vec<Load>,
    /// Order of the solution to which costs and points refer.
    pub order: usize,
}

/// Adds a cell to a load. `other` returns the other rank behind a side, if there is one; `ranks` are those found so
/// far.
fn add(
    load: &mut Load,
    ranks: &mut Vec<usize>,
    mesh: &Mesh,
    cell: usize,
    weights: &Weights,
    other: impl Fn(Side) -> Option<usize>,
) {
    load.cells += 1;
    load.weight += u64::from(weights.cell(mesh.kinds[cell]));
    for (face, &side) in mesh.cell_sides(cell).iter().enumerate() {
        let Some(rank) = other(side) else { continue };
        load.faces += 1;
        load.points += mesh.kinds[cell].face_points(face, weights.order());
        if let Err(at) = ranks.binary_search(&rank) {
            ranks.insert(at, rank);
            load.neighbours += 1;
        }
    }
}

impl Report {
    /// Measures the partition `part_of` of a whole mesh.
    pub fn of(mesh: &Mesh, part_of: &[u32], parts: usize, weights: &Weights) -> Self {
        let mut loads = vec![(Load::default(), vec![]); parts];
        for (cell, &part) in part_of.iter().enumerate() {
            let (load, ranks) = &mut loads[part as usize];
            let part_behind = |side: Side| side.neighbour().map(|neighbour| part_of[neighbour.cell]);
            let other = |side| part_behind(side).filter(|&p| p != part).map(|p| p as usize);
            add(load, ranks, mesh, cell, weights, other);
        }
        Report {
            loads: loads.into_iter().map(|(load, _)| load).collect(),
            order: weights.order(),
        }
    }

    /// Measures the parts that the ranks hold. Collective.
    pub fn of_ranks(mesh: &Mesh, comm: &SimpleCommunicator, order: usize) -> Self {
        let mut load = Load::default();
        let mut ranks = vec![];
        let weights = Weights::of(order);
        for cell in 0..mesh.len() {
            add(&mut load, &mut ranks, mesh, cell, &weights, |side| match side {
                Side::Remote { rank, .. } => Some(rank),
                _ => None,
            });
        }
        let Load {
            cells,
            weight,
            faces,
            points,
            neighbours,
        } = load;
        let mine = [cells as u64, weight, faces as u64, points as u64, neighbours as u64];
        let mut all = vec![0u64; mine.len() * comm.size() as usize];
        comm.all_gather_into(&mine[..], &mut all[..]);
        let load = |&[cells, weight, faces, points, neighbours]: &[u64; 5]| Load {
            cells: cells as usize,
            weight,
            faces: faces as usize,
            points: points as usize,
            neighbours: neighbours as usize,
        };
        Report {
            loads: all.as_chunks().0.iter().map(load).collect(),
            order,
        }
    }

    /// Ratio of the largest cost to the mean.
    pub fn imbalance(&self) -> f64 {
        let most = self.loads.iter().map(|load| load.weight).max().unwrap_or(0);
        let sum: u64 = self.loads.iter().map(|load| load.weight).sum();
        most as f64 * self.loads.len() as f64 / (sum as f64).max(1.0)
    }

    /// One line for the log; sizes are those of a solution in this precision.
    pub fn summary(&self, precision: Precision) -> String {
        let of = |what: fn(&Load) -> usize| self.loads.iter().map(what);
        let (least, most) = (of(|l| l.cells).min().unwrap_or(0), of(|l| l.cells).max().unwrap_or(0));
        let points = of(|load| load.points).max().unwrap_or(0);
        format!(
            "{} ranks of {least} to {most} cells, the largest load {:.3} times the mean; each exchanges up to {} of \
             states and {} of viscous fluxes with up to {} others",
            self.loads.len(),
            self.imbalance(),
            sent(points, STATE, precision),
            sent(points, VISCOUS, precision),
            of(|load| load.neighbours).max().unwrap_or(0),
        )
    }
}

/// Formats the size of `values` numbers at each point.
fn sent(points: usize, values: usize, precision: Precision) -> String {
    size((points * values * precision.bytes()) as f64)
}

/// Writes a table of all loads, and below it mean and imbalance. Sizes are in double precision.
impl Display for Report {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        writeln!(
            f,
            "{:<6} {:>12} {:>12} {:>10} {:>12} {:>10} {:>14} {:>14}",
            "rank", "cells", "cost", "faces", "face points", "neighbours", "states", "viscous"
        )?;
        let hexahedra = |weight: f64| weight / f64::from(Weights::of(self.order).cell(ElementKind::Hex));
        for (rank, load) in self.loads.iter().enumerate() {
            writeln!(
                f,
                "{rank:<6} {:>12} {:>12.1} {:>10} {:>12} {:>10} {:>14} {:>14}",
                load.cells,
                hexahedra(load.weight as f64),
                load.faces,
                load.points,
                load.neighbours,
                sent(load.points, STATE, Precision::Double),
                sent(load.points, VISCOUS, Precision::Double),
            )?;
        }
        let sum: u64 = self.loads.iter().map(|load| load.weight).sum();
        let faces: usize = self.loads.iter().map(|load| load.faces).sum();
        write!(
            f,
            "cost in hexahedra: {:.1} in the mean, the largest is {:.3} times that; {} faces between ranks; \
             order {}, double precision",
            hexahedra(sum as f64 / self.loads.len().max(1) as f64),
            self.imbalance(),
            faces / 2,
            self.order
        )
    }
}
