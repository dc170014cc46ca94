//! A solution file of the present state: primitive variables at the equispaced nodes of Lagrange cells.
//!
//! The solution is a polynomial on Gauss-Lobatto points; viewers expect equispaced nodes, so state and geometry are
//! evaluated there, which loses nothing.

use std::path::Path;

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use super::{Clock, Solver};
use crate::element::{ElementKind, Elements, lagrange_matrix};
use crate::geometry::{interpolate, multiply};
use crate::io::{self, NamedField, Piece, Provenance, point_fields};
use crate::monitor::Primitives;
use crate::physics::Gas;

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
    let at_nodes: Vec<Primitives> = cells
        .clone()
        .into_par_iter()
        .flat_map_iter(|c| {
            let (first, np) = (geometry.first_point[c], geometry.cell_points(c));
            let u = &state[5 * first..5 * (first + np)];
            nodes.values(geometry.kinds[c], &primitives_of(u, gas))
        })
        .collect();
    let cell_ids: Vec<u64> = cells.map(|cell| solver.mesh.global(cell) as u64).collect();
    let fields = primitive_fields(&at_nodes);
    let piece = Piece {
        order,
        single,
        cell_ids: &cell_ids,
        shapes: &solver.mesh.kinds,
        points: &points,
        fields: &point_fields(&fields),
        note: None,
    };
    io::write_solution(path, world, clock.time, clock.step, &piece, provenance)
}

/// Density, velocity, pressure and temperature as fields, from rows that begin with them.
pub(super) fn primitive_fields<const M: usize>(rows: &[[f64; M]]) -> Vec<NamedField> {
    vec![
        ("density", 1, column(rows, 0)),
        ("velocity", 3, vector(rows, 1)),
        ("pressure", 1, column(rows, 4)),
        ("temperature", 1, column(rows, 5)),
    ]
}

/// One number of each row.
pub(super) fn column<const M: usize>(rows: &[[f64; M]], i: usize) -> Vec<f64> {
    rows.iter().map(|q| q[i]).collect()
}

/// Three numbers of each row, from the first.
pub(super) fn vector<const M: usize>(rows: &[[f64; M]], i: usize) -> Vec<f64> {
    rows.iter().flat_map(|q| [q[i], q[i + 1], q[i + 2]]).collect()
}

/// Density, velocity, pressure and temperature at the points of a cell of state `u`, [5][point].
pub(super) fn primitives_of(u: &[f64], gas: &Gas) -> Vec<Primitives> {
    let np = u.len() / 5;
    let at = |p: usize| gas.primitive(std::array::from_fn(|v| u[v * np + p]));
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
