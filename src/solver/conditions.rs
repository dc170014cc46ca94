//! Initial values: fields of the case evaluated at solution points, as conserved variables; and which boundary has which
//! condition.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::SetupError;
use crate::geometry::Geometry;
use crate::input::BadValue;
use crate::mesh::{Mesh, Side};
use crate::physics::{Boundary, Gas, GasState};
use crate::ranks::Ranks;

/// The initial state at all solution points, `[cell][5][point]`.
pub fn initial_state(initial: &GasState, geometry: &Geometry, gas: &Gas) -> Result<Vec<f64>, SetupError> {
    let mut state = vec![0.0; geometry.points.len() * 5];
    geometry
        .cells_of(&mut state, 5)
        .into_par_iter()
        .enumerate()
        .try_for_each(|(c, cell)| {
            let points = geometry.cell_positions(c);
            for (p, &at) in points.iter().enumerate() {
                let values = initial.conserved(at, 0.0, gas);
                let values = values.map_err(|wrong| BadValue::new("initial", wrong, at, 0.0))?;
                for (i, value) in values.into_iter().enumerate() {
                    cell[i * points.len() + p] = value;
                }
            }
            Ok::<_, BadValue>(())
        })?;
    Ok(state)
}

/// The condition of every boundary of the mesh; each needs one, and each that the case names must be there. Collective.
pub fn of_mesh(wanted: &BTreeMap<String, Boundary>, mesh: &Mesh, ranks: &Ranks) -> Result<Vec<Boundary>, SetupError> {
    let there = || match mesh.boundary_names.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    if let Some(name) = wanted.keys().find(|name| !mesh.boundary_names.contains(name)) {
        let (name, there) = (name.clone(), there());
        let joined = mesh.joined.iter().find(|pair| pair.contains(&name));
        let Some([first, second]) = joined.cloned() else {
            return Err(SetupError::Unknown { name, there });
        };
        let other = if first == name { second } else { first };
        return Err(SetupError::Joined { name, other, there });
    }
    // All ranks know the same names, so they get here together.
    let faces_of_all = |i| {
        let mine = mesh.sides.iter().filter(|side| **side == Side::Boundary(i)).count();
        let mut faces = [mine as u64];
        ranks.allreduce_sum(&mut faces);
        faces[0] as usize
    };
    let condition = |(i, name): (usize, &String)| {
        wanted.get(name).cloned().ok_or_else(|| SetupError::Unnamed {
            name: name.clone(),
            faces: faces_of_all(i),
            there: there(),
        })
    };
    mesh.boundary_names.iter().enumerate().map(condition).collect()
}
