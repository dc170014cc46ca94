//! Initial and boundary values: fields of the case evaluated at solution points, as conserved variables.

use rayon::prelude::*;

use super::SetupError;
use crate::case::{Boundary, Case, Field, Gas, Initial, Thermal};
use crate::device::{Behind, BoundaryFace};
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

/// The fields of a boundary condition.
fn fields(boundary: &Boundary) -> Vec<&Field> {
    fn thermal(t: &Thermal) -> &Field {
        let (Thermal::Temperature(field) | Thermal::Density(field)) = t;
        field
    }
    match boundary {
        Boundary::Slip | Boundary::SupersonicOutlet => Vec::new(),
        Boundary::NoSlipAdiabatic { velocity } => velocity.iter().collect(),
        Boundary::NoSlipIsothermal { velocity, temperature } => velocity.iter().chain([temperature]).collect(),
        Boundary::FarField(state) | Boundary::SupersonicInlet(state) => {
            let others = [&state.pressure, thermal(&state.thermal)];
            state.velocity.iter().chain(others).collect()
        }
        Boundary::TotalInlet {
            pressure,
            temperature,
            direction,
        } => [pressure, temperature]
            .into_iter()
            .chain(direction.iter().flatten())
            .collect(),
        Boundary::PressureOutlet { pressure, temperature } => [pressure].into_iter().chain(temperature).collect(),
        Boundary::VelocityInlet { velocity, thermal: t } => velocity.iter().chain([thermal(t)]).collect(),
    }
}

/// Whether a boundary's values change in time.
pub fn varies(boundary: &Boundary) -> bool {
    fields(boundary).into_iter().any(Field::depends_on_time)
}

/// What boundary values are made of.
#[derive(Clone, Copy)]
pub struct Values<'a> {
    /// Condition of every named boundary.
    pub boundaries: &'a [Boundary],
    /// The initial state.
    pub initial: &'a Initial,
    /// The gas.
    pub gas: &'a Gas,
}

/// Data of one boundary face point, as ptx/conditions.h takes them.
fn point_data(boundary: &Boundary, x: [f64; 3], time: f64, values: &Values) -> [f64; 5] {
    let gas = values.gas;
    let vector = |fields: &[Field; 3]| [0, 1, 2].map(|d| fields[d].eval(x, time));
    match boundary {
        Boundary::Slip | Boundary::SupersonicOutlet => [0.0; 5],
        Boundary::NoSlipAdiabatic { velocity } => {
            let [u, v, w] = vector(velocity);
            [u, v, w, 0.0, 0.0]
        }
        Boundary::NoSlipIsothermal { velocity, temperature } => {
            let [u, v, w] = vector(velocity);
            [u, v, w, temperature.eval(x, time), 0.0]
        }
        Boundary::FarField(state) | Boundary::SupersonicInlet(state) => {
            let (rho, v, p) = evaluate(state, x, time, gas);
            conserved(rho, v, p, gas)
        }
        Boundary::TotalInlet {
            pressure,
            temperature,
            direction,
        } => {
            // All zero stands for the normal; a direction of length zero becomes not-a-number, and is found out as that.
            let d = direction.as_ref().map_or([0.0; 3], |d| unit(vector(d)));
            [pressure.eval(x, time), temperature.eval(x, time), d[0], d[1], d[2]]
        }
        Boundary::PressureOutlet { pressure, temperature } => {
            let total_temperature = match temperature {
                Some(t) => t.eval(x, time),
                None => {
                    let (rho, _, p) = evaluate(values.initial, x, 0.0, gas);
                    p / (rho * gas.gas_constant)
                }
            };
            [pressure.eval(x, time), total_temperature, 0.0, 0.0, 0.0]
        }
        Boundary::VelocityInlet { velocity, thermal } => {
            let [u, v, w] = vector(velocity);
            match thermal {
                Thermal::Temperature(temperature) => [u, v, w, temperature.eval(x, time), 0.0],
                Thermal::Density(rho) => [u, v, w, 0.0, rho.eval(x, time)],
            }
        }
    }
}

/// The vector scaled to length 1.
fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|c| c / length)
}

/// What is wrong with the values of a boundary at a point: the quantity and its value.
fn fault(boundary: &Boundary, x: [f64; 3], time: f64, values: &Values) -> Option<(&'static str, f64)> {
    let thermal = |t: &Thermal| match t {
        Thermal::Temperature(field) => ("temperature", field.eval(x, time)),
        Thermal::Density(field) => ("density", field.eval(x, time)),
    };
    let positive = match boundary {
        Boundary::Slip | Boundary::SupersonicOutlet | Boundary::NoSlipAdiabatic { .. } => Vec::new(),
        Boundary::NoSlipIsothermal { temperature, .. } => vec![("temperature", temperature.eval(x, time))],
        Boundary::FarField(state) | Boundary::SupersonicInlet(state) => {
            vec![("pressure", state.pressure.eval(x, time)), thermal(&state.thermal)]
        }
        Boundary::TotalInlet {
            pressure, temperature, ..
        } => vec![
            ("total pressure", pressure.eval(x, time)),
            ("total temperature", temperature.eval(x, time)),
        ],
        Boundary::PressureOutlet { pressure, temperature } => {
            let total_temperature = temperature.as_ref().map(|t| ("total temperature", t.eval(x, time)));
            [("pressure", pressure.eval(x, time))]
                .into_iter()
                .chain(total_temperature)
                .collect()
        }
        Boundary::VelocityInlet { thermal: t, .. } => vec![thermal(t)],
    };
    if let Some(wrong) = positive
        .into_iter()
        .find(|(_, value)| !(*value > 0.0 && value.is_finite()))
    {
        return Some(wrong);
    }
    let data = point_data(boundary, x, time, values);
    let wrong = data.into_iter().find(|value| !value.is_finite())?;
    match boundary {
        Boundary::TotalInlet { .. } => Some(("the length of the direction", 0.0)),
        _ => Some(("a component of the velocity", wrong)),
    }
}

/// Calls `f` with every face that has a boundary condition, which one, its face point and where that lies.
fn each_point(
    faces: &[BoundaryFace],
    geometry: &Geometry,
    order: usize,
    mut f: impl FnMut(&BoundaryFace, usize, usize, [f64; 3]),
) {
    for b in faces {
        let Behind::Condition(name) = b.behind else { continue };
        let positions = geometry.cell_positions(b.cell);
        let points = geometry.kinds[b.cell].face_indices(b.face, order);
        points
            .into_iter()
            .enumerate()
            .for_each(|(l, p)| f(b, name, l, positions[p]));
    }
}

/// Refuses boundary values that mean nothing; those of later times are seen by what they do to the flow.
pub fn check_boundaries(
    faces: &[BoundaryFace],
    names: &[String],
    geometry: &Geometry,
    order: usize,
    values: &Values,
) -> Result<(), SetupError> {
    let mut first = Ok(());
    each_point(faces, geometry, order, |_, name, _, at| {
        if first.is_ok()
            && let Some((what, value)) = fault(&values.boundaries[name], at, 0.0, values)
        {
            let name = names[name].clone();
            first = Err(SetupError::Boundary { name, what, value, at });
        }
    });
    first
}

/// Data of all boundary face points, [boundary face][5][face point].
pub fn boundary_data(
    faces: &[BoundaryFace],
    geometry: &Geometry,
    order: usize,
    values: &Values,
    time: f64,
) -> Vec<f64> {
    let points = faces.last().map_or(0, |b| b.first_point + b.points);
    let mut data = vec![0.0; 5 * points];
    each_point(faces, geometry, order, |b, name, l, x| {
        let point = point_data(&values.boundaries[name], x, time, values);
        for (v, value) in point.into_iter().enumerate() {
            data[5 * b.first_point + v * b.points + l] = value;
        }
    });
    data
}
