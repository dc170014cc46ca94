//! The state with which a steady solution begins, from the solution of another mesh.
//!
//! A vertex takes the values at its position, as the points of a run in time do, and the variables of the model of
//! turbulence, if the file has them. On layers of thin cells on a curved wall the flat cells of another mesh miss the
//! wall by more than the height of a cell. There a vertex takes the values of the place on its normal that the file
//! has at the same distance from the wall.

use std::ops::Range;
use std::path::Path;

use super::dual::DualMesh;
use super::fields::WALL_DISTANCE;
use super::handover::Values;
use super::layers;
use super::scheme::Scheme;
use super::start::of_model;
use crate::input::{BadValue, InvalidValue};
use crate::io::{self, StoredSolution};
use crate::physics::Gas;
use crate::ranks::Ranks;
use crate::solver::{OtherSolution, Outside, SetupError, conserved_of_states};
use crate::vector::Vector;

/// Conserved variables, both variables of the model, and the distance from walls.
const COLUMNS: usize = 8;
/// Place of the distance from walls among them.
const DISTANCE: usize = 7;
/// Number of times that the place in a layer is improved.
const ROUNDS: usize = 3;
/// Distance from walls of the nearest point of the mesh, over its distance from a place outside, below which the place
/// lies behind a wall.
const BEHIND: f64 = 0.1;

/// The file of another mesh, and the gas and the periods of this one.
#[derive(Clone, Copy)]
pub struct OtherMesh<'a> {
    /// The file.
    pub path: &'a Path,
    /// The gas.
    pub gas: &'a Gas,
    /// Periods in x, y and z.
    pub periods: [Option<f64>; 3],
}

/// Density, velocity and pressure.
pub type Flow = (f64, Vector, f64);

impl OtherMesh<'_> {
    /// Returns density, velocity and pressure at the vertices of all boundaries, `[boundary][vertex]`. Collective.
    ///
    /// # Errors
    /// The file cannot be read, or has no valid value at a vertex.
    pub fn at_boundaries(&self, dual: &DualMesh, ranks: &Ranks) -> Result<Vec<Vec<Flow>>, SetupError> {
        let conserved = |stored: &StoredSolution, cells: Range<usize>| {
            let states = stored.states(cells)?;
            Ok(conserved_of_states(self.gas, &states))
        };
        let other = OtherSolution::open(self.path, self.periods, conserved, ranks)?;
        let vertices = dual.boundary.iter().flat_map(|boundary| &boundary.vertex);
        let positions: Vec<Vector> = vertices.map(|&vertex| dual.position[vertex as usize]).collect();
        let (values, _) = other.values(&positions, ranks)?;
        let flows = values.iter().zip(&positions).map(|(&u, &x)| self.flow(u, x));
        let flows: Result<Vec<Flow>, SetupError> = flows.collect();
        let mut rest = &ranks.agree(flows, SetupError::OnOtherRank)?[..];
        let lists = dual.boundary.iter().map(|boundary| {
            let (own, others) = rest.split_at(boundary.vertex.len());
            rest = others;
            own.to_vec()
        });
        Ok(lists.collect())
    }

    /// Returns the values at the vertices, owned ones and the halo. What the file does not have of the model begins as
    /// in a uniform state. Collective.
    ///
    /// # Errors
    /// The file cannot be read, has no valid value at a vertex, or its mesh has none of the vertices.
    pub fn values(&self, dual: &DualMesh, scheme: &Scheme, ranks: &Ranks) -> Result<Vec<Values>, SetupError> {
        let names = scheme.turbulence.variables();
        let read = |stored: &StoredSolution, cells: Range<usize>| self.columns(stored, cells, names);
        let other = OtherSolution::open(self.path, self.periods, read, ranks)?;
        let has_model = names.iter().all(|name| other.stored.has(name));
        if !has_model && ranks.rank() == 0 {
            tracing::warn!(
                "{} has no {}: the model {} begins with the turbulence of a uniform state",
                self.path.display(),
                names.join(" and "),
                scheme.turbulence.name()
            );
        }
        let (mut values, outside) = other.values(&dual.position, ranks)?;
        other.judge(dual.len(), &outside, ranks)?;
        if other.stored.has(WALL_DISTANCE) {
            let normals = layers::normals(dual, ranks);
            let layered: Vec<usize> = (0..dual.len())
                .filter(|&vertex| normals.iter().any(|component| component[vertex] != 0.0))
                .collect();
            let mut places: Vec<Vector> = layered.iter().map(|&vertex| dual.position[vertex]).collect();
            let all = from_walls(&values, &outside);
            let mut distances: Vec<f64> = layered.iter().map(|&vertex| all[vertex]).collect();
            for _ in 0..ROUNDS {
                for (i, &vertex) in layered.iter().enumerate() {
                    let missing = dual.wall_distance[vertex] - distances[i];
                    places[i] = std::array::from_fn(|d| places[i][d] + missing * normals[d][vertex]);
                }
                let (there, outside) = other.values(&places, ranks)?;
                distances = from_walls(&there, &outside);
                layered
                    .iter()
                    .zip(there)
                    .for_each(|(&vertex, there)| values[vertex] = there);
            }
        }
        let at_vertex = |(vertex, &[rho, mx, my, mz, energy, first, second, _]): (usize, &[f64; COLUMNS])| {
            let (rho, velocity, p) = self.flow([rho, mx, my, mz, energy], dual.position[vertex])?;
            let temperature = p / (rho * self.gas.gas_constant);
            let uniform = of_model(scheme, self.gas, rho, velocity, temperature);
            let [first, second] = if has_model { [first, second] } else { uniform };
            let [u, v, w] = velocity;
            Ok([rho, u, v, w, temperature, first, second])
        };
        let values: Result<Vec<Values>, SetupError> = values.iter().enumerate().map(at_vertex).collect();
        ranks.agree(values, SetupError::OnOtherRank)
    }

    /// Reads the columns at the nodes of a range of cells; zero of what the file does not have.
    fn columns(
        &self,
        stored: &StoredSolution,
        cells: Range<usize>,
        names: &[&str],
    ) -> Result<Vec<[f64; COLUMNS]>, io::Error> {
        let conserved = conserved_of_states(self.gas, &stored.states(cells.clone())?);
        let mut columns: Vec<[f64; COLUMNS]> = conserved
            .iter()
            .map(|&[a, b, c, d, e]| [a, b, c, d, e, 0.0, 0.0, 0.0])
            .collect();
        let fields = names.iter().zip(5..).chain([(&WALL_DISTANCE, DISTANCE)]);
        for (name, column) in fields.filter(|(name, _)| stored.has(name)) {
            let values = stored.field(name, cells.clone())?;
            columns
                .iter_mut()
                .zip(values)
                .for_each(|(row, value)| row[column] = value);
        }
        Ok(columns)
    }

    /// Returns density, velocity and pressure at a position.
    fn flow(&self, conserved: [f64; 5], x: Vector) -> Result<Flow, SetupError> {
        let [rho, u, v, w, p, _] = self.gas.primitive(conserved);
        let valid = |value: f64| value > 0.0 && value.is_finite();
        for (what, value) in [("gives the density", rho), ("gives the pressure", p)] {
            if !valid(value) {
                let wrong = InvalidValue {
                    key: "file",
                    what,
                    value,
                    must: "positive and finite".into(),
                };
                return Err(BadValue::new("initial", wrong, x, 0.0).into());
            }
        }
        Ok((rho, [u, v, w], p))
    }
}

/// Returns the distances from walls in the file at places with these values, negative behind a wall. A place outside of
/// the mesh has the values of the nearest point of it.
fn from_walls(values: &[[f64; COLUMNS]], outside: &[Outside]) -> Vec<f64> {
    let mut distances: Vec<f64> = values.iter().map(|values| values[DISTANCE]).collect();
    for &(place, away) in outside {
        let nearest = distances[place];
        distances[place] = if nearest < BEHIND * away { -away } else { nearest + away };
    }
    distances
}
