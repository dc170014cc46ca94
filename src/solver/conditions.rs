//! Initial values: fields of the case evaluated at solution points, as conserved variables; and which boundary has which
//! condition.

use rayon::prelude::*;

use super::SetupError;
use super::value::{BadValue, Wrong, finite, positive};
use crate::case::{Boundary, Case, Gas, Initial, Thermal};
use crate::geometry::Geometry;
use crate::mesh::{Mesh, Side};
use crate::monitor::Primitives;
use crate::ranks::Ranks;

/// [rho, rho u, rho v, rho w, rho E] from density, velocity and pressure.
pub fn conserved(rho: f64, v: [f64; 3], p: f64, gas: &Gas) -> [f64; 5] {
    let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    [rho, rho * v[0], rho * v[1], rho * v[2], p / (gas.gamma - 1.0) + kinetic]
}

/// Density, velocity, pressure and temperature from [rho, rho u, rho v, rho w, rho E].
pub(super) fn primitives(u: [f64; 5], gas: &Gas) -> Primitives {
    let rho = u[0];
    let v = [1, 2, 3].map(|i| u[i] / rho);
    let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    let p = (gas.gamma - 1.0) * (u[4] - kinetic);
    [rho, v[0], v[1], v[2], p, p / (rho * gas.gas_constant)]
}

/// Density, velocity and pressure of a prescribed state.
pub(super) fn evaluate(state: &Initial, x: [f64; 3], t: f64, gas: &Gas) -> Result<(f64, [f64; 3], f64), Wrong> {
    let [u, v, w] = &state.velocity;
    let velocity = [finite("u", u, x, t)?, finite("v", v, x, t)?, finite("w", w, x, t)?];
    let p = positive("p", &state.pressure, x, t)?;
    let rho = match &state.thermal {
        Thermal::Density(rho) => positive("rho", rho, x, t)?,
        Thermal::Temperature(temperature) => p / (gas.gas_constant * positive("temperature", temperature, x, t)?),
    };
    Ok((rho, velocity, p))
}

/// The conserved variables of a prescribed state; they are finite.
pub(super) fn evaluate_conserved(state: &Initial, x: [f64; 3], t: f64, gas: &Gas) -> Result<[f64; 5], Wrong> {
    let (rho, v, p) = evaluate(state, x, t, gas)?;
    let values = conserved(rho, v, p, gas);
    match values.iter().find(|value| !value.is_finite()) {
        None => Ok(values),
        Some(&value) => Err(Wrong {
            key: "",
            what: "has a density, momentum or energy of",
            value,
            must: "finite",
        }),
    }
}

/// The initial state at all solution points, [cell][5][point].
pub fn initial_state(initial: &Initial, geometry: &Geometry, gas: &Gas) -> Result<Vec<f64>, SetupError> {
    let mut state = vec![0.0; geometry.points.len() * 5];
    geometry
        .cells_of(&mut state, 5)
        .into_par_iter()
        .enumerate()
        .try_for_each(|(c, cell)| {
            let points = geometry.cell_positions(c);
            for (p, &at) in points.iter().enumerate() {
                let values = evaluate_conserved(initial, at, 0.0, gas);
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
pub fn of_mesh(case: &Case, mesh: &Mesh, ranks: &Ranks) -> Result<Vec<Boundary>, SetupError> {
    let there = || match mesh.boundary_names.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    if let Some(name) = case.boundaries.keys().find(|name| !mesh.boundary_names.contains(name)) {
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
        ranks.sums(&mut faces);
        faces[0] as usize
    };
    let condition = |(i, name): (usize, &String)| {
        case.boundaries.get(name).cloned().ok_or_else(|| SetupError::Unnamed {
            name: name.clone(),
            faces: faces_of_all(i),
            there: there(),
        })
    };
    mesh.boundary_names.iter().enumerate().map(condition).collect()
}
