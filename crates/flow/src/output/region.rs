//! The file of the cells around the place at which a run diverged: the state there, and that at the last good look.

use std::path::Path;

use mpi::topology::SimpleCommunicator;

use super::fields::{column, primitive_fields, primitives_of, vector};
use super::nodes::Nodes;
use crate::device::DeviceError;
use crate::io::{self, NamedField, Piece, Provenance, point_fields};
use crate::solver::{Clock, Solver};

/// Name of the file in the output directory.
pub const DIVERGED: &str = "diverged.vtkhdf";
/// Its name once another run goes on in the directory.
pub const DIVERGED_EARLIER: &str = "diverged-earlier.vtkhdf";

/// The states of a file of some cells, `[cell][5][point]` of all cells of this rank.
pub struct RegionStates {
    /// The present one.
    pub now: Vec<f64>,
    /// That at the last good look; empty if it was not kept.
    pub before: Vec<f64>,
}

impl RegionStates {
    /// Reads the states from the device.
    ///
    /// # Errors
    /// The device fails.
    pub fn read(solver: &Solver) -> Result<Self, DeviceError> {
        Ok(RegionStates {
            now: solver.device.state()?,
            before: solver.device.kept_state()?,
        })
    }
}

/// Writes the cells of this rank in a list, with density, velocity, pressure and temperature now, and with `_before`
/// at the last good look if that was kept. Collective.
///
/// # Errors
/// The file cannot be written.
pub fn write_region(
    path: &Path,
    world: &SimpleCommunicator,
    provenance: &Provenance,
    solver: &Solver,
    clock: &Clock,
    cells: &[usize],
    states: &RegionStates,
) -> Result<(), io::Error> {
    let (geometry, mesh) = (&solver.geometry, &solver.mesh);
    let nodes = Nodes::new(&solver.elements, &mesh.kinds_present());
    let at_nodes = |state: &[f64]| {
        let of_cell = |&cell: &usize| {
            let u = &state[5 * geometry.first_point[cell]..5 * geometry.first_point[cell + 1]];
            nodes.values(mesh.kinds[cell], &primitives_of(u, &solver.gas))
        };
        cells.iter().flat_map(of_cell).collect::<Vec<_>>()
    };
    let mut fields = primitive_fields(&at_nodes(&states.now));
    if solver.steps_are_taken_back() {
        let before = at_nodes(&states.before);
        fields.extend([
            NamedField::scalar("density_before", column(&before, 0)),
            NamedField::vector("velocity_before", vector(&before, 1)),
            NamedField::scalar("pressure_before", column(&before, 4)),
            NamedField::scalar("temperature_before", column(&before, 5)),
        ]);
    }
    let positions = |&cell: &usize| nodes.values(mesh.kinds[cell], geometry.cell_positions(cell));
    let points: Vec<[f64; 3]> = cells.iter().flat_map(positions).collect();
    let numbers: Vec<u64> = cells.iter().map(|&cell| mesh.global(cell) as u64).collect();
    let shapes: Vec<_> = cells.iter().map(|&cell| mesh.kinds[cell]).collect();
    let piece = Piece {
        order: solver.elements.order,
        single: false,
        cell_ids: &numbers,
        shapes: &shapes,
        points: &points,
        fields: &point_fields(&fields),
        note: None,
    };
    io::write_solution(path, world, clock.time, clock.step, &piece, provenance)
}
