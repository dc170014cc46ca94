//! Initial and boundary values: fields of the case evaluated at solution points, as conserved variables.

use rayon::prelude::*;

use super::SetupError;
use crate::case::{Boundary, Case, Field, Gas, Initial, Thermal};
use crate::device::BoundaryFace;
use crate::geometry::Geometry;
use crate::mesh::{Mesh, Side};

/// [rho, rho u, rho v, rho w, rho E] from density, velocity and pressure.
pub fn conserved(rho: f64, v: [f64; 3], p: f64, gas: &Gas) -> [f64; 5] {
    let kinetic = 0.5 * rho * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    [rho, rho * v[0], rho * v[1], rho * v[2], p / (gas.gamma - 1.0) + kinetic]
}

/// Density, velocity and pressure of a prescribed state.
fn evaluate(state: &Initial, x: [f64; 3], t: f64, gas: &Gas) -> (f64, [f64; 3], f64) {
    let v = [0, 1, 2].map(|d| state.velocity[d].eval(x, t));
    let p = state.pressure.eval(x, t);
    let rho = match &state.thermal {
        Thermal::Density(rho) => rho.eval(x, t),
        Thermal::Temperature(temperature) => p / (gas.gas_constant * temperature.eval(x, t)),
    };
    (rho, v, p)
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
            let np = points.len();
            for (p, &at) in points.iter().enumerate() {
                let (rho, v, pressure) = evaluate(initial, at, 0.0, gas);
                for (what, value) in [("pressure", pressure), ("density", rho)] {
                    if !(value > 0.0 && value.is_finite()) {
                        return Err(SetupError::Initial { what, value, at });
                    }
                }
                if let Some(&value) = v.iter().find(|v| !v.is_finite()) {
                    return Err(SetupError::Initial {
                        what: "velocity",
                        value,
                        at,
                    });
                }
                for (i, value) in conserved(rho, v, pressure, gas).into_iter().enumerate() {
                    if !value.is_finite() {
                        let what = "a conserved variable";
                        return Err(SetupError::Initial { what, value, at });
                    }
                    cell[i * np + p] = value;
                }
            }
            Ok(())
        })?;
    Ok(state)
}

/// The condition of every boundary of the mesh; each needs one, and each that the case names must be there.
pub fn of_mesh(case: &Case, mesh: &Mesh) -> Result<Vec<Boundary>, SetupError> {
    let there = || match mesh.boundary_names.as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    if let Some(name) = case.boundaries.keys().find(|name| !mesh.boundary_names.contains(name)) {
        let (name, there) = (name.clone(), there());
        return Err(SetupError::Unknown { name, there });
    }
    let condition = |(i, name): (usize, &String)| {
        case.boundaries.get(name).cloned().ok_or_else(|| SetupError::Unnamed {
            name: name.clone(),
            faces: mesh.sides.iter().filter(|side| **side == Side::Boundary(i)).count(),
            there: there(),
        })
    };
    mesh.boundary_names.iter().enumerate().map(condition).collect()
}

/// Whether a boundary's values change in time.
pub fn varies(boundary: &Boundary) -> bool {
    let any = |fields: &[&Field]| fields.iter().any(|f| f.depends_on_time());
    match boundary {
        Boundary::Slip => false,
        Boundary::NoSlipAdiabatic { velocity: [u, v, w] } => any(&[u, v, w]),
        Boundary::NoSlipIsothermal {
            velocity: [u, v, w],
            temperature,
        } => any(&[u, v, w, temperature]),
        Boundary::FarField(state) => {
            let [u, v, w] = &state.velocity;
            let (Thermal::Temperature(thermal) | Thermal::Density(thermal)) = &state.thermal;
            any(&[u, v, w, &state.pressure, thermal])
        }
    }
}

/// Wall velocity and temperature or the outer state at all boundary face points, [boundary face][5][face point].
pub fn boundary_data(
    faces: &[BoundaryFace],
    boundaries: &[Boundary],
    geometry: &Geometry,
    order: usize,
    gas: &Gas,
    time: f64,
) -> Vec<f64> {
    let points = faces.last().map_or(0, |b| b.first_point + b.points);
    let mut data = vec![0.0; 5 * points];
    for b in faces {
        let (positions, nl) = (geometry.cell_positions(b.cell), b.points);
        let values = &mut data[5 * b.first_point..5 * (b.first_point + nl)];
        for (l, p) in geometry.kinds[b.cell].face_indices(b.face, order).into_iter().enumerate() {
            let x = positions[p];
            let wall = |velocity: &[Field; 3], temperature: f64| {
                [
                    velocity[0].eval(x, time),
                    velocity[1].eval(x, time),
                    velocity[2].eval(x, time),
                    temperature,
                    0.0,
                ]
            };
            let row = match &boundaries[b.name] {
                Boundary::Slip => [0.0; 5],
                Boundary::NoSlipAdiabatic { velocity } => wall(velocity, 0.0),
                Boundary::NoSlipIsothermal { velocity, temperature } => wall(velocity, temperature.eval(x, time)),
                Boundary::FarField(state) => {
                    let (rho, v, p) = evaluate(state, x, time, gas);
                    conserved(rho, v, p, gas)
                }
            };
            for (i, value) in row.into_iter().enumerate() {
                values[i * nl + l] = value;
            }
        }
    }
    data
}
