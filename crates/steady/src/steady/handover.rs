//! The hand-over of a steady solution to a large-eddy simulation: a checkpoint on the points of the vertices' degree.
//!
//! Every point of a cell takes the value at its vertex, so that a run of the same order begins with the steady solution
//! to the bit. `restart` reads the file as it reads other checkpoints, at step 0 and t = 0, and so does `initial.file`.
//! Beside the state it holds the values from which the steady solver itself continues, and the Reynolds stresses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mpi::topology::SimpleCommunicator;
use rayon::prelude::*;

use super::dual::DualMesh;
use super::turbulence::{
    BETA_STAR, eddy_viscosity, kinetic_energy, reynolds_stresses, sst_viscosity, wilcox_viscosity,
};
use crate::geometry::by_cells;
use crate::io::{self, CellField, Checkpoint, CheckpointSection, Layout, Precision, Provenance, StoredCheckpoint};
use crate::mesh::Mesh;
use crate::physics::Gas;
use crate::physics::Turbulence;
use crate::ranks::Ranks;
use crate::run::section_of_beginning;
use crate::solver::{REYNOLDS_STRESSES, STATE, STRESSES, VARIABLES};
use crate::vector::Vector;

/// Name of the steady solution's entry among the parts of a checkpoint.
pub const STEADY: &str = "steady";
/// Name of the model of turbulence in this entry.
pub const MODEL: &str = "turbulence";
/// Name of the field of the values at the vertices.
pub const VALUES: &str = "steady-values";

/// The values of a steady solution at a vertex: density, velocity, temperature, and those of the model of turbulence,
/// nu~ or k and omega; 0 of what the model does not have.
pub type Values = [f64; 7];

/// Number of values that a checkpoint of a solution with this model has.
fn variables(model: Turbulence) -> usize {
    VARIABLES + model.equations()
}

/// A steady solution on a rank's vertices.
#[derive(Debug, Clone, Copy)]
pub struct Solution<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Degree of the points.
    pub order: usize,
    /// The dual of these points.
    pub dual: &'a DualMesh,
    /// The gas.
    pub gas: &'a Gas,
    /// The model of turbulence.
    pub model: Turbulence,
    /// Values, `[vertex]`, owned ones and the halo.
    pub values: &'a [Values],
    /// Gradients of the three velocity components, `[vertex][component]`, owned ones and the halo.
    pub gradient: &'a [[Vector; 3]],
}

impl Solution<'_> {
    /// Returns the kinematic eddy viscosity at a vertex.
    pub fn eddy_viscosity(&self, vertex: usize) -> f64 {
        let [rho, _, _, _, temperature, first, omega] = self.values[vertex];
        let nu = self.gas.mu(temperature) / rho;
        let gradient = &self.gradient[vertex];
        match self.model {
            Turbulence::SaNeg | Turbulence::None => eddy_viscosity(first, nu),
            Turbulence::KOmega => wilcox_viscosity(first, omega, gradient),
            Turbulence::Sst => sst_viscosity(first, omega, nu, self.dual.wall_distance[vertex], gradient),
        }
    }

    /// Returns the kinetic energy of turbulence at a vertex.
    pub fn kinetic_energy(&self, vertex: usize) -> f64 {
        if self.model.has_two_equations() {
            self.values[vertex][5]
        } else {
            kinetic_energy(self.eddy_viscosity(vertex), &self.gradient[vertex])
        }
    }

    /// Returns the Reynolds stresses uu, vv, ww, uv, uw, vw at a vertex, carried with so many turns; realisable, and 0
    /// on walls.
    pub fn stresses(&self, vertex: usize, turns: i8) -> [f64; STRESSES] {
        let eddy = self.eddy_viscosity(vertex);
        let gradient = self.dual.turned_gradient(turns, &self.gradient[vertex]);
        reynolds_stresses(self.kinetic_energy(vertex), eddy, &gradient)
    }

    /// Returns the rate of dissipation at a vertex: beta* k omega, or beta* k^2/nu_t.
    pub fn dissipation(&self, vertex: usize) -> f64 {
        let k = self.kinetic_energy(vertex);
        let eddy = self.eddy_viscosity(vertex);
        if self.model.has_two_equations() {
            BETA_STAR * k * self.values[vertex][6]
        } else if eddy > 0.0 && k > 0.0 {
            BETA_STAR * k * k / eddy
        } else {
            0.0
        }
    }

    /// Returns the values at a vertex, carried with so many turns.
    pub fn values_turned(&self, vertex: usize, turns: i8) -> Values {
        let [rho, u, v, w, temperature, first, second] = self.values[vertex];
        let [u, v, w] = self.dual.turned(turns, [u, v, w]);
        [rho, u, v, w, temperature, first, second]
    }

    /// Returns the values at a point of this rank's cells.
    pub fn values_at(&self, point: usize) -> Values {
        let vertex = self.dual.point_vertex[point] as usize;
        self.values_turned(vertex, self.dual.turns_of_point(point))
    }

    /// Returns the conserved variables at a vertex, carried with so many turns.
    pub fn conserved(&self, vertex: usize, turns: i8) -> [f64; VARIABLES] {
        let [rho, u, v, w, temperature, ..] = self.values_turned(vertex, turns);
        self.gas
            .conserved(rho, [u, v, w], rho * self.gas.gas_constant * temperature)
    }

    /// Returns a quantity of N values at the points of this rank's cells, `[cell][N][point]`. `value` has those of a
    /// vertex, carried with a number of turns.
    fn at_points<const N: usize>(&self, value: impl Fn(usize, i8) -> [f64; N] + Sync) -> Vec<f64> {
        let at_vertices: Vec<[f64; N]> = (0..self.dual.len())
            .into_par_iter()
            .map(|vertex| value(vertex, 0))
            .collect();
        let ends = self.mesh.kinds.iter().scan(0, |end, kind| {
            *end += kind.points(self.order);
            Some(*end)
        });
        let first: Vec<usize> = [0].into_iter().chain(ends).collect();
        let mut values = vec![0.0; N * self.dual.point_vertex.len()];
        let of_cells = by_cells(&mut values, &first, N)
            .into_par_iter()
            .zip(first.par_windows(2));
        of_cells.for_each(|(values, points)| {
            let count = points[1] - points[0];
            for point in points[0]..points[1] {
                let vertex = self.dual.point_vertex[point] as usize;
                let of_point = match self.dual.turns_of_point(point) {
                    0 => at_vertices[vertex],
                    turns => value(vertex, turns),
                };
                for (values, of_point) in values.chunks_mut(count).zip(of_point) {
                    values[point - points[0]] = of_point;
                }
            }
        });
        values
    }

    /// Writes the checkpoint. `part` is what the steady solver keeps in it to continue. Collective.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_checkpoint(
        &self,
        path: &Path,
        world: &SimpleCommunicator,
        part: serde_json::Value,
        arrays: BTreeMap<String, Vec<f64>>,
        provenance: &Provenance,
    ) -> Result<(), io::Error> {
        let state = self.at_points(|vertex, turns| self.conserved(vertex, turns));
        let values = if self.model.has_two_equations() {
            self.at_points(|vertex, turns| self.values_turned(vertex, turns))
        } else {
            self.at_points(|vertex, turns| {
                let [flow @ .., _] = self.values_turned(vertex, turns);
                flow
            })
        };
        let stresses = self.at_points(|vertex, turns| self.stresses(vertex, turns));
        let field = |name, variables, values| CellField {
            name,
            layout: Layout::Points(variables),
            values,
        };
        let mut section: CheckpointSection = section_of_beginning();
        section.parts.insert(STEADY.to_owned(), part);
        section.arrays.extend(arrays);
        let cells: Vec<u64> = (0..self.mesh.len()).map(|cell| self.mesh.global(cell) as u64).collect();
        let checkpoint = Checkpoint {
            step: 0,
            time: 0.0,
            order: self.order,
            precision: Precision::Double,
            after: 0,
            cells: &cells,
            kinds: &self.mesh.kinds,
            fields: &[
                field(STATE, VARIABLES, &state),
                field(VALUES, variables(self.model), &values),
                field(REYNOLDS_STRESSES, STRESSES, &stresses),
            ],
            section: &section,
            provenance,
        };
        io::write_checkpoint(path, world, &checkpoint).map(|_| ())
    }
}

/// The checkpoint of a steady solution, of this mesh.
#[derive(Debug)]
pub struct StoredSolution {
    path: PathBuf,
    stored: StoredCheckpoint,
    /// What the solver had left in it.
    part: serde_json::Value,
}

impl StoredSolution {
    /// Opens a checkpoint. Collective.
    ///
    /// # Errors
    /// The file cannot be read, is no checkpoint of a steady solution, or is one of another mesh.
    pub fn open(path: &Path, world: &SimpleCommunicator, mesh: &Mesh) -> Result<Self, io::Error> {
        let stored = StoredCheckpoint::open(path, world)?;
        let part = stored.section.parts.get(STEADY).cloned();
        let solution = StoredSolution {
            path: path.to_path_buf(),
            stored,
            part: part.unwrap_or_default(),
        };
        if solution.part.is_null() {
            return Err(solution.wrong("it is no checkpoint of a steady solution".to_owned()));
        }
        if solution.stored.header.mesh_hash != mesh.hash() {
            return Err(solution.wrong("it is of another mesh than this one".to_owned()));
        }
        Ok(solution)
    }

    /// Degree of its points.
    pub fn order(&self) -> usize {
        self.stored.header.order
    }

    /// Returns the name of its model of turbulence, which files of early versions do not have.
    pub fn model(&self) -> Option<&str> {
        self.part.get(MODEL).and_then(serde_json::Value::as_str)
    }

    /// Returns a field of so many variables on this rank's cells, `[cell][variable][point]`, if the file has it.
    /// Collective.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn field(
        &self,
        name: &str,
        variables: usize,
        world: &SimpleCommunicator,
        mesh: &Mesh,
    ) -> Result<Option<Vec<f64>>, io::Error> {
        let cells: Vec<u64> = (0..mesh.len()).map(|cell| mesh.global(cell) as u64).collect();
        let fields = self.stored.cells(world, &cells, &mesh.kinds)?;
        let of_name = self.stored.fields().zip(fields).find(|(other, _)| *other == name);
        let of_name = of_name.filter(|_| self.stored.layout_of(name) == Some(Layout::Points(variables)));
        Ok(of_name.map(|(_, values)| values))
    }

    /// Returns the error that the checkpoint cannot be used.
    pub fn wrong(&self, detail: String) -> io::Error {
        let path = self.path.clone();
        io::Error::Checkpoint { path, detail }
    }
}

/// What the steady solver continues from.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Values, `[vertex]`, owned ones and the halo.
    pub values: Vec<Values>,
    /// What the solver had left in the checkpoint.
    pub part: serde_json::Value,
    /// Its arrays, among those of others.
    pub arrays: BTreeMap<String, Vec<f64>>,
}

impl Stored {
    /// Reads the values of a checkpoint of a solution with this model at the vertices of the points of degree `order`.
    /// Collective.
    ///
    /// # Errors
    /// The file cannot be read, is no checkpoint of a steady solution, or is one of another mesh, degree or model.
    pub fn read(
        path: &Path,
        world: &SimpleCommunicator,
        mesh: &Mesh,
        dual: &DualMesh,
        order: usize,
        model: Turbulence,
        ranks: &Ranks,
    ) -> Result<Self, io::Error> {
        let solution = StoredSolution::open(path, world, mesh)?;
        if solution.order() != order {
            return Err(solution.wrong(format!(
                "its points are of degree {}, and those of this case of degree {order}",
                solution.order()
            )));
        }
        if let Some(found) = solution.model()
            && found != model.name()
        {
            return Err(solution.wrong(format!(
                "its model of turbulence is {found}, and that of this case {}; begin anew, without `restart`",
                model.name()
            )));
        }
        let count = variables(model);
        let Some(field) = solution.field(VALUES, count, world, mesh)? else {
            return Err(solution.wrong("it has no values of a steady solution with this model".to_owned()));
        };
        // A rank may own vertices that its own cells do not have. Points to which a turn carries their vertices have
        // turned values, and others have those of the vertices to the bit.
        let mut columns = vec![vec![f64::NAN; dual.len()]; count];
        let mut first = 0;
        let mut rest = &field[..];
        for kind in &mesh.kinds {
            let points = kind.points(order);
            for (column, values) in columns.iter_mut().zip(rest.chunks(points)) {
                for (point, &value) in (first..).zip(values) {
                    if dual.turns_of_point(point) == 0 {
                        column[dual.point_vertex[point] as usize] = value;
                    }
                }
            }
            (first, rest) = (first + points, &rest[count * points..]);
        }
        for column in &mut columns {
            dual.complete_from_halos(ranks, column);
            dual.update_halo(ranks, column);
        }
        Ok(Stored {
            values: (0..dual.len())
                .map(|v| std::array::from_fn(|i| columns.get(i).map_or(0.0, |column| column[v])))
                .collect(),
            part: solution.part,
            arrays: solution.stored.section.arrays,
        })
    }
}
