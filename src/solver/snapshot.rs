//! A solution file of the present state: primitive variables at the equispaced nodes of Lagrange cells.
//!
//! The solution is a polynomial on Gauss-Lobatto points; viewers expect equispaced nodes, so state and geometry are
//! evaluated there, which loses nothing.

use std::path::Path;

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use super::{Clock, Solver};
use crate::case::Gas;
use crate::element::{ElementKind, Elements, lagrange_matrix};
use crate::geometry::{interpolate, multiply};
use crate::io::{self, Piece, PointField, Provenance};

/// Writes density, velocity, pressure and temperature of `state`, [cell][5][point].
#[allow(clippy::too_many_arguments)]
pub fn write(
    path: &Path,
    solver: &Solver,
    state: &[f64],
    gas: &Gas,
    world: &SimpleCommunicator,
    clock: &Clock,
    single: bool,
    provenance: &Provenance,
) -> Result<(), io::Error> {
    let geometry = &solver.geometry;
    let order = solver.elements.order;
    let nodes = Nodes::new(&solver.elements, &solver.mesh.kinds_present());
    let cells = 0..solver.mesh.len();
    let points: Vec<[f64; 3]> = cells
        .clone()
        .into_par_iter()
        .flat_map_iter(|c| nodes.values(geometry.kinds[c], geometry.cell_positions(c)))
        .collect();
    let primitives: Vec<[f64; 6]> = cells
        .clone()
        .into_par_iter()
        .flat_map_iter(|c| {
            let (first, np) = (geometry.first_point[c], geometry.cell_points(c));
            let u = &state[5 * first..5 * (first + np)];
            nodes.values(geometry.kinds[c], &primitives_of(u, gas))
        })
        .collect();
    let column = |i: usize| primitives.iter().map(|q| q[i]).collect::<Vec<f64>>();
    let velocity: Vec<f64> = primitives.iter().flat_map(|q| [q[1], q[2], q[3]]).collect();
    let (density, pressure, temperature) = (column(0), column(4), column(5));
    let cell_ids: Vec<u64> = cells.map(|cell| solver.mesh.global(cell) as u64).collect();
    let fields = [
        PointField {
            name: "density",
            components: 1,
            values: &density,
        },
        PointField {
            name: "velocity",
            components: 3,
            values: &velocity,
        },
        PointField {
            name: "pressure",
            components: 1,
            values: &pressure,
        },
        PointField {
            name: "temperature",
            components: 1,
            values: &temperature,
        },
    ];
    let piece = Piece {
        order,
        single,
        cell_ids: &cell_ids,
        shapes: &solver.mesh.kinds,
        points: &points,
        fields: &fields,
    };
    io::write_solution(path, world, clock.time, clock.step, &piece, provenance)
}

/// Density, velocity, pressure and temperature at the points of a cell of state `u`, [5][point].
pub(super) fn primitives_of(u: &[f64], gas: &Gas) -> Vec<[f64; 6]> {
    let np = u.len() / 5;
    let at = |p: usize| {
        let rho = u[p];
        let v = [1, 2, 3].map(|i| u[i * np + p] / rho);
        let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        let pressure = (gas.gamma - 1.0) * (u[4 * np + p] - kinetic);
        [rho, v[0], v[1], v[2], pressure, pressure / (rho * gas.gas_constant)]
    };
    (0..np).map(at).collect()
}

/// From solution points to the nodes of the file, for each kind of cell.
pub(super) struct Nodes {
    n: usize,
    line: Vec<f64>,
    others: [Vec<f64>; 4],
}

impl Nodes {
    pub fn new(elements: &Elements, kinds: &[ElementKind]) -> Self {
        let n = elements.line.len();
        let equispaced: Vec<f64> = (0..n).map(|i| -1.0 + 2.0 * i as f64 / (n - 1) as f64).collect();
        let mut others: [Vec<f64>; 4] = Default::default();
        for &kind in kinds.iter().filter(|&&kind| kind != ElementKind::Hex) {
            others[kind as usize] = elements.dense(kind).interpolation(&io::nodes(kind, elements.order));
        }
        Nodes {
            n,
            line: lagrange_matrix(&elements.line.points, &equispaced),
            others,
        }
    }

    pub fn values<const M: usize>(&self, kind: ElementKind, at_points: &[[f64; M]]) -> Vec<[f64; M]> {
        match kind {
            ElementKind::Hex => interpolate(at_points, self.n, &self.line, self.n),
            _ => multiply(&self.others[kind as usize], at_points),
        }
    }
}
