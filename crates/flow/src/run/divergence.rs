//! The search for the place at which a run diverged.
//!
//! When unphysical states are found, they have spread from the cell where they arose to the neighbours, a few cells a
//! step. The cell that is furthest from any physical cell is the best guess of the origin, unless the states have
//! reached the boundary of the mesh: then the furthest cell lies there, wherever they arose.

use std::collections::VecDeque;
use std::fmt;

use rayon::prelude::*;

use crate::device::DeviceError;
use crate::format::location;
use crate::mesh::Mesh;
use crate::ranks::Ranks;
use crate::solver::Solver;

/// The region of unphysical states.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    /// Number of ranks.
    pub ranks: usize,
    /// Number of cells with such states.
    pub count: usize,
    /// Number of all cells.
    pub cells: usize,
    /// Corners of the box that holds the points of these cells.
    pub corners: [[f64; 3]; 2],
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (count, cells) = (self.count, self.cells);
        match count {
            1 => write!(f, "the other cells are sound"),
            _ if count == cells => write!(
                f,
                "all {cells} cells are unphysical by now: where it began cannot be told"
            ),
            _ => {
                let named = match self.ranks {
                    _ if 2 * count > cells => "too many to tell where the divergence began",
                    1 => "of these the named one is furthest from sound cells: it probably began there",
                    // Distances are measured within a rank, so that those of two ranks cannot be compared.
                    _ => "the named one is one of those on its rank that are furthest from sound cells there",
                };
                write!(
                    f,
                    "{count} of {cells} cells are unphysical by now, from {} to {}; {named}",
                    location(self.corners[0]),
                    location(self.corners[1])
                )
            }
        }
    }
}

impl Extent {
    /// Returns the extent over all ranks, from those of each rank. Collective.
    pub fn of_all(mut self, ranks: &Ranks) -> Self {
        let mut counts = [self.count as u64, self.cells as u64];
        ranks.allreduce_sum(&mut counts);
        ranks.allreduce_min(&mut self.corners[0]);
        ranks.allreduce_max(&mut self.corners[1]);
        Extent {
            ranks: ranks.size(),
            count: counts[0] as usize,
            cells: counts[1] as usize,
            ..self
        }
    }
}

/// The unphysical quantity and its place.
pub struct Finding {
    /// Name of the quantity.
    pub what: &'static str,
    /// Its value.
    pub value: f64,
    /// The cell.
    pub cell: usize,
    /// The point.
    pub at: [f64; 3],
}

/// Checks all cells of this rank. `seen` is the cell that the device found, if it belongs to this rank.
pub fn locate(solver: &Solver, seen: Option<usize>) -> Result<(Option<Finding>, Extent), DeviceError> {
    let geometry = &solver.geometry;
    let gamma = solver.gas.gamma;
    let state = solver.device.state()?;
    let fault = |cell: usize| {
        let first = geometry.first_point[cell];
        let values = &state[5 * first..5 * geometry.first_point[cell + 1]];
        let fault = fault_of(values, gamma)?;
        Some(Finding {
            what: fault.what,
            value: fault.value,
            cell,
            at: geometry.points[first + fault.point],
        })
    };
    let mut bad: Vec<bool> = (0..solver.mesh.len())
        .into_par_iter()
        .map(|cell| fault(cell).is_some())
        .collect();
    // The device may reject a state that is just physical in double precision.
    if let Some(seen) = seen {
        bad[seen] = true;
    }
    let finding = seen.map(|seen| {
        let cell = innermost(&solver.mesh, &bad).unwrap_or(seen);
        fault(cell).unwrap_or(Finding {
            what: "wave speed",
            value: f64::NAN,
            cell,
            at: geometry.points[geometry.first_point[cell]],
        })
    });

    let mut corners = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    for cell in (0..bad.len()).filter(|&cell| bad[cell]) {
        for x in geometry.cell_positions(cell) {
            for d in 0..3 {
                corners[0][d] = corners[0][d].min(x[d]);
                corners[1][d] = corners[1][d].max(x[d]);
            }
        }
    }
    let extent = Extent {
        ranks: 1,
        count: bad.iter().filter(|bad| **bad).count(),
        cells: bad.len(),
        corners,
    };
    Ok((finding, extent))
}

/// A quantity that is not physical at a point of a cell.
struct Fault {
    /// Number of the point in the cell.
    point: usize,
    what: &'static str,
    value: f64,
}

/// Returns the fault at the first point of a cell with an unphysical state.
fn fault_of(u: &[f64], gamma: f64) -> Option<Fault> {
    let np = u.len() / 5;
    let bad = |x: f64| x.is_nan() || x <= 0.0 || x.is_infinite();
    (0..np).find_map(|point| {
        let rho = u[point];
        if bad(rho) {
            return Some(Fault {
                point,
                what: "density",
                value: rho,
            });
        }
        let momentum2 = (1..4).map(|v| u[v * np + point].powi(2)).sum::<f64>();
        let pressure = (gamma - 1.0) * (u[4 * np + point] - 0.5 * momentum2 / rho);
        bad(pressure).then_some(Fault {
            point,
            what: "pressure",
            value: pressure,
        })
    })
}

/// Returns the unphysical cell with the most neighbours between it and the nearest physical one; `None` if no cell is
/// physical.
fn innermost(mesh: &Mesh, bad: &[bool]) -> Option<usize> {
    let mut reached: Vec<bool> = bad.iter().map(|bad| !bad).collect();
    let mut queue: VecDeque<usize> = (0..bad.len()).filter(|&cell| !bad[cell]).collect();
    let mut last = None;
    while let Some(cell) = queue.pop_front() {
        last = Some(cell);
        for side in mesh.cell_sides(cell) {
            let Some(other) = side.neighbour() else { continue };
            if !std::mem::replace(&mut reached[other.cell], true) {
                queue.push_back(other.cell);
            }
        }
    }
    last
}
