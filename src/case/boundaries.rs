//! The states of the gas and the boundary conditions of a case, resolved and checked.

use std::collections::BTreeMap;

use super::keys::{BoundaryKeys, BoundaryType};
use super::{Boundary, BoxMesh, GasState, MeshSource, Thermal};
use crate::input::{AXES, Field, FieldText, Of, Problem, Scope, one_of};

/// The sides of a box by direction, lower and upper.
const SIDES: [[&str; 2]; 3] = [["x-", "x+"], ["y-", "y+"], ["z-", "z+"]];

/// The fields of one group of keys, by the names of the keys.
struct Fields<'a> {
    scope: &'a Scope,
    key: &'a str,
    of: Of,
}

impl Fields<'_> {
    /// The field of a key that must be there.
    fn given<'f>(&self, name: &str, field: Option<&'f FieldText>) -> Result<(String, &'f FieldText), Problem> {
        let path = format!("{}.{name}", self.key);
        match field {
            Some(field) => Ok((path, field)),
            None => Err(Problem::new(format!("the key `{name}` is missing")).key(path)),
        }
    }

    fn any(&self, name: &str, field: Option<&FieldText>) -> Result<Field, Problem> {
        let (path, field) = self.given(name, field)?;
        self.scope.field(&path, field, self.of)
    }

    fn positive(&self, name: &str, field: Option<&FieldText>) -> Result<Field, Problem> {
        let (path, field) = self.given(name, field)?;
        self.scope.positive_field(&path, field, self.of)
    }

    fn vector(&self, name: &str, fields: &[FieldText; 3]) -> Result<[Field; 3], Problem> {
        self.scope.vector(&format!("{}.{name}", self.key), fields, self.of)
    }

    fn velocity(&self, [u, v, w]: [Option<&FieldText>; 3]) -> Result<[Field; 3], Problem> {
        Ok([self.any("u", u)?, self.any("v", v)?, self.any("w", w)?])
    }

    /// Exactly one of temperature and density.
    fn thermal(&self, [temperature, rho]: [&Option<FieldText>; 2]) -> Result<Thermal, Problem> {
        match (temperature, rho) {
            (Some(t), None) => Ok(Thermal::Temperature(self.positive("temperature", Some(t))?)),
            (None, Some(rho)) => Ok(Thermal::Density(self.positive("rho", Some(rho))?)),
            (temperature, _) => Err(one_of(self.key, "temperature", "rho", temperature.is_some())),
        }
    }
}

/// A state from u, v, w, p and temperature or density.
pub(super) fn gas_state(
    scope: &Scope,
    key: &str,
    [u, v, w, p]: [Option<&FieldText>; 4],
    thermal: [&Option<FieldText>; 2],
    of: Of,
) -> Result<GasState, Problem> {
    let fields = Fields { scope, key, of };
    Ok(GasState {
        velocity: fields.velocity([u, v, w])?,
        pressure: fields.positive("p", p)?,
        thermal: fields.thermal(thermal)?,
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

/// Name of a type in the case file, and the keys that it takes beside `type`.
fn vocabulary(r#type: BoundaryType) -> (&'static str, &'static [&'static str]) {
    const STATE: &[&str] = &["u", "v", "w", "p", "temperature", "rho"];
    match r#type {
        BoundaryType::Slip => ("slip", &[]),
        BoundaryType::Symmetry => ("symmetry", &[]),
        BoundaryType::NoSlipAdiabatic => ("no-slip-adiabatic", &["velocity"]),
        BoundaryType::NoSlipIsothermal => ("no-slip-isothermal", &["velocity", "temperature"]),
        BoundaryType::FarField => ("far-field", STATE),
        BoundaryType::SupersonicInlet => ("supersonic-inlet", STATE),
        BoundaryType::SupersonicOutlet => ("supersonic-outlet", &[]),
        BoundaryType::TotalInlet => ("total-inlet", &["total-pressure", "total-temperature", "direction"]),
        BoundaryType::VelocityInlet => ("velocity-inlet", &["u", "v", "w", "temperature", "rho"]),
        BoundaryType::PressureOutlet => ("pressure-outlet", &["p", "total-temperature"]),
    }
}

/// Refuses keys that do not go with the type.
fn only_its_keys(key: &str, keys: &BoundaryKeys) -> Result<(), Problem> {
    let (type_name, allowed) = vocabulary(keys.r#type);
    let given = [
        ("velocity", keys.velocity.is_some()),
        ("temperature", keys.temperature.is_some()),
        ("u", keys.u.is_some()),
        ("v", keys.v.is_some()),
        ("w", keys.w.is_some()),
        ("p", keys.p.is_some()),
        ("rho", keys.rho.is_some()),
        ("total-pressure", keys.total_pressure.is_some()),
        ("total-temperature", keys.total_temperature.is_some()),
        ("direction", keys.direction.is_some()),
    ];
    let Some((extra, _)) = given.iter().find(|(name, given)| *given && !allowed.contains(name)) else {
        return Ok(());
    };
    let help = match allowed {
        [] => "it takes no further keys".to_string(),
        _ => format!("it takes: {}", allowed.join(", ")),
    };
    Err(
        Problem::new(format!("`{extra}` does not belong to a boundary of type `{type_name}`"))
            .key(format!("{key}.{extra}"))
            .help(help),
    )
}

/// A direction that is not zero wherever it can be known without the mesh.
fn direction(fields: &Fields, texts: &[FieldText; 3]) -> Result<[Field; 3], Problem> {
    let direction = fields.vector("direction", texts)?;
    if direction.iter().all(|d| d.as_constant() == Some(0.0)) {
        return Err(Problem::new("the direction is 0, 0, 0, which is none").key(format!("{}.direction", fields.key)));
    }
    Ok(direction)
}

fn boundary(scope: &Scope, name: &str, keys: &BoundaryKeys, viscous: bool) -> Result<Boundary, Problem> {
    let key = &format!("boundaries.{name}");
    only_its_keys(key, keys)?;
    let wall = matches!(
        keys.r#type,
        BoundaryType::NoSlipAdiabatic | BoundaryType::NoSlipIsothermal
    );
    if wall && !viscous {
        return Err(
            Problem::new("a no-slip wall needs a viscous gas, but gas.viscosity is not given")
                .key(format!("{key}.type"))
                .help("without viscosity a wall is of type `slip`"),
        );
    }
    let of = Of::PositionAndTime;
    let fields = Fields { scope, key, of };
    let wall_velocity = || match &keys.velocity {
        Some(velocity) => fields.vector("velocity", velocity),
        None => Ok([0.0; 3].map(Field::constant)),
    };
    let thermal = [&keys.temperature, &keys.rho];
    let [u, v, w, p] = [&keys.u, &keys.v, &keys.w, &keys.p].map(Option::as_ref);
    let state = || gas_state(scope, key, [u, v, w, p], thermal, of);
    let total_temperature = |field| fields.positive("total-temperature", field);
    Ok(match keys.r#type {
        BoundaryType::Slip | BoundaryType::Symmetry => Boundary::Slip,
        BoundaryType::NoSlipAdiabatic => Boundary::NoSlipAdiabatic {
            velocity: wall_velocity()?,
        },
        BoundaryType::NoSlipIsothermal => Boundary::NoSlipIsothermal {
            temperature: fields.positive("temperature", keys.temperature.as_ref())?,
            velocity: wall_velocity()?,
        },
        BoundaryType::FarField => Boundary::FarField(state()?),
        BoundaryType::SupersonicInlet => Boundary::SupersonicInlet(state()?),
        BoundaryType::SupersonicOutlet => Boundary::SupersonicOutlet,
        BoundaryType::TotalInlet => Boundary::TotalInlet {
            pressure: fields.positive("total-pressure", keys.total_pressure.as_ref())?,
            temperature: total_temperature(keys.total_temperature.as_ref())?,
            direction: keys.direction.as_ref().map(|d| direction(&fields, d)).transpose()?,
        },
        BoundaryType::VelocityInlet => Boundary::VelocityInlet {
            velocity: fields.velocity([u, v, w])?,
            thermal: fields.thermal(thermal)?,
        },
        BoundaryType::PressureOutlet => Boundary::PressureOutlet {
            pressure: fields.positive("p", p)?,
            temperature: keys
                .total_temperature
                .as_ref()
                .map(|t| total_temperature(Some(t)))
                .transpose()?,
        },
    })
}
