//! Fields of output files from the states at points.

use crate::io::NamedField;
use crate::physics::Gas;

/// Density, velocity, pressure and temperature.
pub type Primitives = [f64; 6];

/// Returns density, velocity, pressure and temperature as fields, from rows that begin with them.
pub fn primitive_fields<const M: usize>(rows: &[[f64; M]]) -> Vec<NamedField> {
    vec![
        NamedField::scalar("density", column(rows, 0)),
        NamedField::vector("velocity", vector(rows, 1)),
        NamedField::scalar("pressure", column(rows, 4)),
        NamedField::scalar("temperature", column(rows, 5)),
    ]
}

/// Returns column `i` of the rows.
pub fn column<const M: usize>(rows: &[[f64; M]], i: usize) -> Vec<f64> {
    rows.iter().map(|q| q[i]).collect()
}

/// Returns columns `i` to `i + 2` of the rows, row by row.
pub fn vector<const M: usize>(rows: &[[f64; M]], i: usize) -> Vec<f64> {
    rows.iter().flat_map(|q| [q[i], q[i + 1], q[i + 2]]).collect()
}

/// Returns density, velocity, pressure and temperature at the points of a cell of state `u`, `[5][point]`.
pub fn primitives_of(u: &[f64], gas: &Gas) -> Vec<Primitives> {
    let np = u.len() / 5;
    let at = |p: usize| gas.primitive(std::array::from_fn(|v| u[v * np + p]));
    (0..np).map(at).collect()
}
