//! The states of the gas and the boundary conditions of a case, resolved and checked.

use std::collections::BTreeMap;

use super::error::Problem;
use super::keys::{BoundaryKeys, BoundaryType, FieldText};
use super::resolve::one_of;
use super::scope::{Of, Scope};
use super::{Boundary, BoxMesh, Field, Initial, MeshSource, Thermal};

/// The sides of a box by direction, lower and upper.
const SIDES: [[&str; 2]; 3] = [["x-", "x+"], ["y-", "y+"], ["z-", "z+"]];

/// A state from u, v, w, p and temperature or density.
pub(super) fn gas_state(
    scope: &Scope,
    key: &str,
    [u, v, w, p]: [Option<&FieldText>; 4],
    thermal: [&Option<FieldText>; 2],
    of: Of,
) -> Result<Initial, Problem> {
    let given = |name: &str, field| -> Result<(String, &FieldText), Problem> {
        let path = format!("{key}.{name}");
        match field {
            Some(field) => Ok((path, field)),
            None => Err(Problem::new(format!("the key `{name}` is missing")).key(path)),
        }
    };
    let component = |name, field| given(name, field).and_then(|(path, field)| scope.field(&path, field, of));
    let positive = |name, field| given(name, field).and_then(|(path, field)| scope.positive_field(&path, field, of));
    Ok(Initial {
        velocity: [component("u", u)?, component("v", v)?, component("w", w)?],
        pressure: positive("p", p)?,
        thermal: match thermal {
            [Some(temperature), None] => Thermal::Temperature(positive("temperature", Some(temperature))?),
            [None, Some(rho)] => Thermal::Density(positive("rho", Some(rho))?),
            [temperature, _] => return Err(one_of(key, "temperature", "rho", temperature.is_some())),
        },
    })
}

/// Resolves the boundary conditions. Those of a box are complete; what boundaries a mesh file has is known when it is read.
pub(super) fn boundaries(
    scope: &Scope,
    keys: &BTreeMap<String, BoundaryKeys>,
    mesh: &MeshSource,
    viscous: bool,
) -> Result<BTreeMap<String, Boundary>, Problem> {
    if let MeshSource::Box(mesh) = mesh {
        check_sides(keys, mesh)?;
    }
    keys.iter()
        .map(|(name, keys)| Ok((name.clone(), boundary(scope, name, keys, viscous)?)))
        .collect()
}

/// Exactly the sides of a box that are not periodic have conditions.
fn check_sides(keys: &BTreeMap<String, BoundaryKeys>, mesh: &BoxMesh) -> Result<(), Problem> {
    let needed: Vec<&str> = (0..3).filter(|d| !mesh.periodic[*d]).flat_map(|d| SIDES[d]).collect();
    if let Some(name) = keys.keys().find(|name| !needed.contains(&name.as_str())) {
        let problem = match SIDES.iter().position(|sides| sides.contains(&name.as_str())) {
            Some(d) => {
                let axis = ["x", "y", "z"][d];
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

fn boundary(scope: &Scope, name: &str, keys: &BoundaryKeys, viscous: bool) -> Result<Boundary, Problem> {
    let key = format!("boundaries.{name}");
    let (type_name, wall, allowed): (&str, bool, &[&str]) = match keys.r#type {
        BoundaryType::Slip => ("slip", false, &[]),
        BoundaryType::Symmetry => ("symmetry", false, &[]),
        BoundaryType::NoSlipAdiabatic => ("no-slip-adiabatic", true, &["velocity"]),
        BoundaryType::NoSlipIsothermal => ("no-slip-isothermal", true, &["velocity", "temperature"]),
        BoundaryType::FarField => ("far-field", false, &["u", "v", "w", "p", "temperature", "rho"]),
    };
    let given = [
        ("velocity", keys.velocity.is_some()),
        ("temperature", keys.temperature.is_some()),
        ("u", keys.u.is_some()),
        ("v", keys.v.is_some()),
        ("w", keys.w.is_some()),
        ("p", keys.p.is_some()),
        ("rho", keys.rho.is_some()),
    ];
    if let Some((extra, _)) = given.iter().find(|(name, given)| *given && !allowed.contains(name)) {
        let help = match allowed {
            [] => "it takes no further keys".to_string(),
            _ => format!("it takes: {}", allowed.join(", ")),
        };
        return Err(
            Problem::new(format!("`{extra}` does not belong to a boundary of type `{type_name}`"))
                .key(format!("{key}.{extra}"))
                .help(help),
        );
    }
    if wall && !viscous {
        return Err(
            Problem::new("a no-slip wall needs a viscous gas, but gas.viscosity is not given")
                .key(format!("{key}.type"))
                .help("without viscosity a wall is of type `slip`"),
        );
    }
    let of = Of::PositionAndTime;
    let velocity = || match &keys.velocity {
        Some(velocity) => scope.vector(&format!("{key}.velocity"), velocity, of),
        None => Ok([0.0; 3].map(Field::constant)),
    };
    Ok(match keys.r#type {
        BoundaryType::Slip | BoundaryType::Symmetry => Boundary::Slip,
        BoundaryType::NoSlipAdiabatic => Boundary::NoSlipAdiabatic { velocity: velocity()? },
        BoundaryType::NoSlipIsothermal => {
            let path = format!("{key}.temperature");
            let Some(temperature) = &keys.temperature else {
                return Err(Problem::new("the key `temperature` is missing").key(path));
            };
            let temperature = scope.positive_field(&path, temperature, of)?;
            Boundary::NoSlipIsothermal {
                velocity: velocity()?,
                temperature,
            }
        }
        BoundaryType::FarField => {
            let state = [&keys.u, &keys.v, &keys.w, &keys.p].map(Option::as_ref);
            Boundary::FarField(gas_state(scope, &key, state, [&keys.temperature, &keys.rho], of)?)
        }
    })
}
