//! The boundary conditions of a case, resolved; the sides of a box must each have one.

use std::collections::BTreeMap;

use crate::input::{AXES, Problem, Scope};
use crate::mesh::{BoxMesh, MeshSource};
use crate::physics::{Boundary, BoundaryKeys, Matching, Surroundings};

/// The sides of a box by direction, lower and upper.
pub(super) const SIDES: [[&str; 2]; 3] = [["x-", "x+"], ["y-", "y+"], ["z-", "z+"]];

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
    let all = keys
        .iter()
        .map(|(name, keys)| Ok((name.clone(), Boundary::resolve(keys, scope, name, around)?)))
        .collect::<Result<_, Problem>>()?;
    if let MeshSource::Box(mesh) = mesh {
        check_matching(&all, mesh)?;
    }
    Ok(all)
}

/// The matching points of modelled walls lie in the box.
fn check_matching(all: &BTreeMap<String, Boundary>, mesh: &BoxMesh) -> Result<(), Problem> {
    for (d, name) in SIDES
        .iter()
        .enumerate()
        .flat_map(|(d, sides)| sides.map(|name| (d, name)))
    {
        let size = mesh.upper[d] - mesh.lower[d];
        let matching = all.get(name).and_then(Boundary::matching);
        if let Some((Matching::Distance(distance), _)) = matching
            && distance >= size
        {
            let problem = format!(
                "the box is {size} wide in {}, and the wall matches {distance} off it",
                AXES[d]
            );
            return Err(Problem::new(problem)
                .key(format!("boundaries.{name}.exchange"))
                .help("the law holds in the lowest fifth of a channel's half; `cell-top` takes the cell at the wall"));
        }
    }
    Ok(())
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
