//! The initial state from the solution of another mesh or order (`other_solution`).
//!
//! Each solution point of this mesh takes the value of the other solution's polynomial in the cell that contains it, in
//! conserved variables.

use std::ops::Range;
use std::path::Path;

use super::SetupError;
use super::other_solution::OtherSolution;
use crate::io::StoredSolution;
use crate::mesh::Mesh;
use crate::physics::Gas;
use crate::ranks::Ranks;

/// What boundaries need to know of an initial state from a file.
#[derive(Debug, Clone, Default)]
pub struct GasOfFile {
    /// Density, velocity and pressure at each boundary face point.
    pub at_faces: Vec<[f64; 5]>,
    /// Mean density and pressure over all solution points of all ranks.
    pub mean: [f64; 2],
}

/// Returns the conserved variables of the solution in a file at positions, `[position]`, in a domain with these periods
/// in x, y and z. The log says how many of them lay outside of its mesh. Collective.
///
/// # Errors
/// The file cannot be read or is no solution, or none of the positions of all ranks lies in its mesh.
pub(super) fn from_file(
    path: &Path,
    positions: &[[f64; 3]],
    periods: [Option<f64>; 3],
    gas: &Gas,
    ranks: &Ranks,
) -> Result<Vec<[f64; 5]>, SetupError> {
    let conserved = |stored: &StoredSolution, cells: Range<usize>| Ok(conserved(gas, &stored.states(cells)?));
    let other = OtherSolution::open(path, periods, conserved, ranks)?;
    let (values, outside) = other.values(positions, ranks)?;
    other.judge(positions.len(), &outside, ranks)?;
    Ok(values)
}

/// Returns the conserved variables of a solution of this mesh at the points of degree `order`, `[cell][point]`. Each
/// cell takes the values of its own polynomial in the file, also at points on faces, where neighbours have others.
/// Density, velocity and pressure are interpolated, as they were when the file was written, so that at the order of the
/// file each point gets its own state back, but for rounding. Collective.
///
/// # Errors
/// The file cannot be read, is no solution, or lacks a cell of the mesh.
pub(super) fn from_file_of_this_mesh(
    path: &Path,
    mesh: &Mesh,
    order: usize,
    gas: &Gas,
    ranks: &Ranks,
) -> Result<Vec<[f64; 5]>, SetupError> {
    let primitive = |stored: &StoredSolution, cells: Range<usize>| stored.states(cells);
    let other = OtherSolution::open(path, [None; 3], primitive, ranks)?;
    let values = other.values_of_cells(mesh, order).map_err(SetupError::Initial);
    Ok(conserved(gas, &ranks.agree(values, SetupError::OnOtherRank)?))
}

/// Returns the conserved variables of gas with these densities, velocities and pressures.
pub fn conserved(gas: &Gas, states: &[[f64; 5]]) -> Vec<[f64; 5]> {
    let conserved = |&[rho, u, v, w, p]: &[f64; 5]| gas.conserved(rho, [u, v, w], p);
    states.iter().map(conserved).collect()
}
