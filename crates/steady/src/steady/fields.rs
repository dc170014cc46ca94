//! The fields of a steady solution as files for ParaView: the flow with what its model of turbulence says, in the
//! volume, and the resolution of the walls.
//!
//! The nodes of the cells are the solution points, so that the values are those of the vertices. Polynomials through
//! the points, which the files of a run in time show, would oscillate where omega falls by orders of magnitude between
//! points at a wall. Pyramids, which such files do not have, are interpolated within the range of their values.

use std::path::Path;

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use super::adequacy::WallFace;
use super::handover::Solution;
use crate::element::{ElementKind, Elements};
use crate::geometry::Geometry;
use crate::io::{self, NamedField, Piece, Provenance, Surface, SurfaceCells, point_fields};
use crate::output::{Nodes, column, primitive_fields};
use crate::physics::Turbulence;
use crate::vector::Vector;

/// Name of the distance from walls among the fields.
pub const WALL_DISTANCE: &str = "wall_distance";

/// Density, velocity, pressure, temperature; nu_t, nu_t/nu, the two variables of the model, distance from walls.
type Row = [f64; 11];

/// Returns the values at a vertex, carried with so many turns.
fn row(solution: &Solution, vertex: usize, turns: i8) -> Row {
    let [rho, u, v, w, temperature, first, omega] = solution.values_turned(vertex, turns);
    let gas = solution.gas;
    let eddy = solution.eddy_viscosity(vertex);
    [
        rho,
        u,
        v,
        w,
        rho * gas.gas_constant * temperature,
        temperature,
        eddy,
        eddy * rho / gas.mu(temperature),
        first,
        omega,
        solution.dual.wall_distance[vertex],
    ]
}

/// Returns values within the range of those of a cell: no negative k between points.
fn within(row: Row, of_cell: &[Row]) -> Row {
    let bound = |i: usize, pick: fn(f64, f64) -> f64| of_cell.iter().map(|row| row[i]).reduce(pick);
    std::array::from_fn(|i| match (bound(i, f64::min), bound(i, f64::max)) {
        (Some(least), Some(most)) => row[i].max(least).min(most),
        _ => row[i],
    })
}

/// Writes the flow, the eddy viscosity, the variables of the model and the distance from walls. `geometry` and
/// `elements` have the degree of the solution's points. Collective.
///
/// # Errors
/// The file cannot be written.
pub fn write_fields(
    solution: &Solution,
    geometry: &Geometry,
    elements: &Elements,
    path: &Path,
    world: &SimpleCommunicator,
    iteration: u64,
    provenance: &Provenance,
) -> Result<(), io::Error> {
    let mesh = solution.mesh;
    let at_vertices: Vec<Row> = (0..solution.dual.len())
        .into_par_iter()
        .map(|v| row(solution, v, 0))
        .collect();
    let pyramids = Nodes::new(elements, &mesh.kinds_present());
    let mut points = Vec::<Vector>::new();
    let mut rows = Vec::<Row>::new();
    for (cell, &kind) in mesh.kinds.iter().enumerate() {
        let of_point = |point: usize| {
            let vertex = solution.dual.point_vertex[point] as usize;
            match solution.dual.turns_of_point(point) {
                0 => at_vertices[vertex],
                turns => row(solution, vertex, turns),
            }
        };
        let points_of_cell = geometry.first_point[cell]..geometry.first_point[cell + 1];
        let of_cell: Vec<Row> = points_of_cell.map(of_point).collect();
        let positions = geometry.cell_positions(cell);
        match kind {
            ElementKind::Pyramid => {
                points.extend(pyramids.values(kind, positions));
                rows.extend(
                    pyramids
                        .values(kind, &of_cell)
                        .into_iter()
                        .map(|row| within(row, &of_cell)),
                );
            }
            _ => {
                points.extend(positions);
                rows.extend(of_cell);
            }
        }
    }
    let mut fields = primitive_fields(&rows);
    if solution.model != Turbulence::None {
        fields.push(NamedField::scalar("nu_t", column(&rows, 6)));
        fields.push(NamedField::scalar("nu_t_over_nu", column(&rows, 7)));
    }
    for (i, name) in solution.model.variables().iter().enumerate() {
        fields.push(NamedField::scalar(*name, column(&rows, 8 + i)));
    }
    // Without walls the distance is infinite everywhere.
    if solution.dual.wall_distance.iter().any(|distance| distance.is_finite()) {
        fields.push(NamedField::scalar(WALL_DISTANCE, column(&rows, 10)));
    }
    let cell_ids: Vec<u64> = (0..mesh.len()).map(|cell| mesh.global(cell) as u64).collect();
    let piece = Piece {
        order: solution.order,
        single: true,
        cell_ids: &cell_ids,
        shapes: &mesh.kinds,
        points: &points,
        fields: &point_fields(&fields),
        note: None,
    };
    io::write_solution(path, world, 0.0, iteration, &piece, provenance)
}

/// Writes the friction velocity and the spacings in wall units on the faces of walls, which are those of all ranks.
/// Collective.
///
/// # Errors
/// The file cannot be written.
pub fn write_walls(
    solution: &Solution,
    geometry: &Geometry,
    faces: &[WallFace],
    path: &Path,
    world: &SimpleCommunicator,
    iteration: u64,
    provenance: &Provenance,
) -> Result<(), io::Error> {
    let mesh = solution.mesh;
    let mut points = Vec::<Vector>::new();
    let mut shapes = Vec::new();
    let mut cell_ids = Vec::new();
    let mut rows = Vec::<[f64; 4]>::new();
    for cell in 0..mesh.len() {
        let kind = mesh.kinds[cell];
        let positions = geometry.cell_positions(cell);
        let corners = kind.lattice_vertices(solution.order);
        let corner = |vertex: usize| positions[kind.index(corners[vertex], solution.order)];
        let begin = faces.partition_point(|face| face.cell < mesh.global(cell));
        for face in faces[begin..].iter().take_while(|face| face.cell == mesh.global(cell)) {
            let of_kind = &kind.faces()[face.face];
            points.extend(of_kind.vertices.iter().map(|&vertex| corner(vertex)));
            let [first, along, across] = face.spacing;
            rows.extend(
                of_kind
                    .vertices
                    .iter()
                    .map(|_| [face.friction_velocity, first, along, across]),
            );
            shapes.push(of_kind.shape);
            cell_ids.push(face.cell as u64);
        }
    }
    let names = ["friction_velocity", "y1_plus", "dx_plus", "dz_plus"];
    let fields: Vec<_> = (0..4).map(|i| NamedField::scalar(names[i], column(&rows, i))).collect();
    let surface = Surface {
        single: true,
        points: &points,
        cells: SurfaceCells::Faces {
            order: 1,
            shapes: &shapes,
        },
        fields: &point_fields(&fields),
        numbers: &[("global_cell_id", &cell_ids)],
        note: None,
    };
    io::write_surface(path, world, 0.0, iteration, &surface, provenance)
}
