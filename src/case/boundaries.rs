//! The boundary conditions of a case, resolved; the sides of a box must each have one.

use std::collections::BTreeMap;

use crate::input::{AXES, Problem, Scope};
use crate::mesh::{BoxMesh, MeshSource};
use crate::physics::{Boundary, BoundaryKeys, Surroundings};

/// The sides of a box by direction, lower and upper.
const SIDES: [[&str; 2]; 3] = [["x-", "x+"], ["y-", "y+"], ["z-", "z+"]];

/// Resolves the boundary conditions. Those of a box are complete; what boundaries a mesh file has is known when it is
/// read.
pub(super) fn boundaries(
    scope: &Scope,
    keys: &BTreeMap<String, BoundaryKeys>,
    mesh: &MeshSource,
    around: &Surroundings,
) -> Result<BTreeMap<String, Boundary>, Problem> {
    if let MeshSource::Box(mesh) = mesh {
        check_sides(keys, mesh)?;
    }
    keys.iter()
        .map(|(name, keys)| Ok((name.clone(), Boundary::resolve(keys, scope, name, around)?)))
        .collect()
}

/// Exactly the sides of a box that are not periodic have conditions.
fn check_sides(keys: &BTreeMap<String, BoundaryKeys>, mesh: &BoxMesh) -> Result<(), Problem> {
    let needed: Vec<&str> = (0..3).filter(|d| !mesh.periodic[*d]).flat_map(|d| SIDES[d]).collect();
    if let Some(name) = keys.keys().find(|name| !needed.contains(&name.as_str())) {
        let problem = match SIDES.iter().position(|sides| sides.contains(&name.as_str())) {
            Some(d) => {
                let axis = AXES[d];
                Problem::new(format!(
                    "`{name}` is no boundary: {axis} is periodic (see mesh.box.periodic)"
                ))
            }
            None => Problem::new(format!("the box has no boundary `{name}`")),
        };
        return Err(problem
            .suggest(name, &needed, "boundaries")
            .key(format!("boundaries.{name}")));
    }
    if let Some(name) = needed.iter().find(|name| !keys.contains_key(**name)) {
        return Err(Problem::new(format!("the side `{name}` has no boundary condition"))
            .key(format!("boundaries.{name}"))
            .help(format!(
                "name it in `boundaries`, or name {} in mesh.box.periodic",
                &name[..1]
            )));
    }
    Ok(())
}
