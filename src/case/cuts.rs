//! Surfaces and slices: which boundaries and planes are written, and the reference state of their coefficients.

use std::collections::BTreeMap;

use super::Boundary;
use super::keys::{ReferenceKeys, SliceKeys, SurfacesKeys};
use crate::input::{Number, Problem, Scope, positive};
use crate::output::{Reference, SliceRequest, SurfacesRequest};
use crate::vector::{cross, dot, length};

/// The vector of length one, if it has a direction.
fn unit(v: [f64; 3]) -> Option<[f64; 3]> {
    // Scaled, because squares of small numbers vanish.
    let most = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let scaled = v.map(|x| x / most);
    let length = length(scaled);
    (most > 0.0).then(|| scaled.map(|x| x / length))
}

fn direction(scope: &Scope, key: &str, v: &[Number; 3]) -> Result<[f64; 3], Problem> {
    let unit = unit(scope.numbers(key, v)?);
    unit.ok_or_else(|| Problem::new("the vector is 0, 0, 0, which has no direction").key(key))
}

pub(super) fn reference(scope: &Scope, keys: &ReferenceKeys) -> Result<Reference, Problem> {
    let above_zero = |name: &str, number| {
        let key = format!("output.reference.{name}");
        scope.number_if(&key, number, positive, "above 0")
    };
    let drag = direction(scope, "output.reference.velocity", &keys.velocity)?;
    let key = "output.reference.lift";
    let lift = direction(scope, key, &keys.lift)?;
    let along = dot(drag, lift);
    let lift = match along.abs() < 0.999 {
        true => unit([0, 1, 2].map(|d| lift[d] - along * drag[d])),
        false => None,
    };
    let Some(lift) = lift else {
        return Err(
            Problem::new("the direction of lift is that of `velocity`, which drag has")
                .key(key)
                .help("what is perpendicular to the velocity in it counts; default 0, 1, 0"),
        );
    };
    Ok(Reference {
        pressure: above_zero("pressure", &keys.pressure)?,
        density: above_zero("density", &keys.density)?,
        velocity: scope.numbers("output.reference.velocity", &keys.velocity)?,
        area: above_zero("area", &keys.area)?,
        directions: [drag, lift, cross(drag, lift)],
    })
}

pub(super) fn surfaces(
    scope: &Scope,
    keys: &SurfacesKeys,
    boundaries: &BTreeMap<String, Boundary>,
    reference: &Option<Reference>,
) -> Result<SurfacesRequest, Problem> {
    let key = "output.surfaces";
    let known: Vec<&str> = boundaries.keys().map(String::as_str).collect();
    let names = match &keys.boundaries {
        Some(names) => names.clone(),
        None => {
            let walls = boundaries.iter().filter(|(_, b)| b.is_no_slip());
            walls.map(|(name, _)| name.clone()).collect()
        }
    };
    for (i, name) in names.iter().enumerate() {
        let at = format!("{key}.boundaries[{i}]");
        if !known.contains(&name.as_str()) {
            return Err(Problem::new(format!("there is no boundary `{name}`"))
                .suggest(name, &known, "boundaries")
                .key(at));
        }
        if names[..i].contains(name) {
            return Err(Problem::new(format!("`{name}` is named twice")).key(at));
        }
    }
    if names.is_empty() {
        let what = match keys.boundaries {
            Some(_) => "the list of boundaries is empty",
            None => "there is no no-slip wall, and no boundary is named",
        };
        return Err(Problem::new(what)
            .key(key)
            .help("name some, as in boundaries: [inlet, outlet]"));
    }
    Ok(SurfacesRequest {
        every: scope.every(key, &keys.every, &keys.every_steps)?,
        boundaries: names,
        reference: reference.clone(),
    })
}

pub(super) fn slices(scope: &Scope, keys: &BTreeMap<String, SliceKeys>) -> Result<Vec<SliceRequest>, Problem> {
    let slice = |(name, keys): (&String, &SliceKeys)| {
        let key = format!("output.slices.{name}");
        let good = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || !name.chars().all(good) {
            return Err(
                Problem::new(format!("`{name}` cannot be the name of a slice, which its files have"))
                    .key(key)
                    .help("a name is made of letters, digits, `-` and `_`"),
            );
        }
        Ok(SliceRequest {
            name: name.clone(),
            every: scope.every(&key, &keys.every, &keys.every_steps)?,
            point: scope.numbers(&format!("{key}.point"), &keys.point)?,
            normal: direction(scope, &format!("{key}.normal"), &keys.normal)?,
        })
    };
    keys.iter().map(slice).collect()
}
