//! A solution file of the present state: primitive variables at the equispaced nodes of Lagrange cells.
//!
//! The solution is a polynomial on Gauss-Lobatto points; viewers expect equispaced nodes, so state and geometry are
//! evaluated there, which loses nothing.

use std::path::Path;

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use super::{Clock, Solver};
use crate::case::Gas;
use crate::element::lagrange_matrix;
use crate::geometry::interpolate;
use crate::io::{self, CellShape, Piece, PointField, Provenance};

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
    let n = solver.geometry.n;
    let np = n * n * n;
    let nodes: Vec<f64> = (0..n).map(|i| -1.0 + 2.0 * i as f64 / (n - 1) as f64).collect();
    let matrix = lagrange_matrix(&solver.line.points, &nodes);

    let points: Vec<[f64; 3]> = solver
        .geometry
        .points
        .par_chunks(np)
        .flat_map_iter(|cell| interpolate(cell, n, &matrix, n))
        .collect();
    let primitives: Vec<[f64; 6]> = state
        .par_chunks(5 * np)
        .flat_map_iter(|u| {
            let at_points: Vec<[f64; 6]> = (0..np)
                .map(|p| {
                    let rho = u[p];
                    let v = [1, 2, 3].map(|i| u[i * np + p] / rho);
                    let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
                    let pressure = (gas.gamma - 1.0) * (u[4 * np + p] - kinetic);
                    [rho, v[0], v[1], v[2], pressure, pressure / (rho * gas.gas_constant)]
                })
                .collect();
            interpolate(&at_points, n, &matrix, n)
        })
        .collect();
    let column = |i: usize| primitives.iter().map(|q| q[i]).collect::<Vec<f64>>();
    let velocity: Vec<f64> = primitives.iter().flat_map(|q| [q[1], q[2], q[3]]).collect();
    let (density, pressure, temperature) = (column(0), column(4), column(5));
    let cell_ids: Vec<u64> = (0..solver.mesh.len() as u64).collect();
    let shapes = vec![CellShape::Hex; cell_ids.len()];
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
        order: n - 1,
        single,
        cell_ids: &cell_ids,
        shapes: &shapes,
        points: &points,
        fields: &fields,
    };
    io::write_solution(path, world, clock.time, clock.step, &piece, provenance)
}
