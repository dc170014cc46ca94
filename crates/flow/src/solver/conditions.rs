//! The initial state at the solution points, and the assignment of boundary conditions to the boundaries of the mesh.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::SetupError;
use super::motions::Motions;
use crate::geometry::{Geometry, extent};
use crate::input::BadValue;
use crate::mesh::{Mesh, Side};
use crate::physics::{Boundary, Gas, GasState};
use crate::ranks::Ranks;
use crate::vector::{Vector, dot};

/// Returns the initial state at all solution points in conserved variables, `[cell][5][point]`. Cells that move behind
/// an interface have the velocities that they see.
///
/// # Errors
/// The initial state has no valid value at a point.
pub fn initial_state(
    initial: &GasState,
    geometry: &Geometry,
    gas: &Gas,
    motions: &Motions,
) -> Result<Vec<f64>, SetupError> {
    let mut state = vec![0.0; geometry.points.len() * 5];
    geometry
        .cells_of(&mut state, 5)
        .into_par_iter()
        .enumerate()
        .try_for_each(|(c, cell)| {
            let points = geometry.cell_positions(c);
            let [low, high] = extent(points);
            let within = std::array::from_fn(|d| 0.5 * (low[d] + high[d]));
            for (p, &at) in points.iter().enumerate() {
                let frame = motions.velocity(within, at);
                let values = initial.conserved(at, 0.0, gas);
                let values = values.map_err(|wrong| BadValue::new("initial", wrong, at, 0.0))?;
                for (i, value) in seen_from(frame, values).into_iter().enumerate() {
                    cell[i * points.len() + p] = value;
                }
            }
            Ok::<_, BadValue>(())
        })?;
    Ok(state)
}

/// Returns a state in conserved variables as it is seen from a frame that moves at this velocity.
fn seen_from(frame: Vector, [rho, x, y, z, energy]: [f64; 5]) -> [f64; 5] {
    if frame == [0.0; 3] {
        return [rho, x, y, z, energy];
    }
    let momentum = [x, y, z];
    let moved: Vector = std::array::from_fn(|d| momentum[d] - rho * frame[d]);
    let work = dot(frame, momentum) - 0.5 * rho * dot(frame, frame);
    [rho, moved[0], moved[1], moved[2], energy - work]
}

/// Returns the condition of every boundary of the mesh, in the order of `mesh.boundary_names`. Collective.
///
/// # Errors
/// A boundary of the mesh has no condition, or the case names a boundary that the mesh does not have.
pub fn of_mesh(wanted: &BTreeMap<String, Boundary>, mesh: &Mesh, ranks: &Ranks) -> Result<Vec<Boundary>, SetupError> {
    let there = || match mesh.boundary_names.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    if let Some(name) = wanted.keys().find(|name| !mesh.boundary_names.contains(name)) {
        let (name, there) = (name.clone(), there());
        let joined = mesh.joined.iter().find(|pair| pair.contains(&name));
        let Some([first, second]) = joined.cloned() else {
            return Err(SetupError::UnknownBoundary { name, there });
        };
        let other = if first == name { second } else { first };
        return Err(SetupError::JoinedBoundary { name, other, there });
    }
    // All ranks have the same list of names, so that they reach this collective call together.
    let faces_of_all = |i| {
        let mine = mesh.sides.iter().filter(|side| **side == Side::Boundary(i)).count();
        let mut faces = [mine as u64];
        ranks.allreduce_sum(&mut faces);
        faces[0] as usize
    };
    let condition = |(i, name): (usize, &String)| {
        wanted.get(name).cloned().ok_or_else(|| SetupError::NoCondition {
            name: name.clone(),
            faces: faces_of_all(i),
            there: there(),
        })
    };
    mesh.boundary_names.iter().enumerate().map(condition).collect()
}
