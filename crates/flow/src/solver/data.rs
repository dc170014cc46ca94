//! Data that the host writes to the device: the initial state, boundary values and volume sources.

use std::path::Path;

use rayon::prelude::*;

use super::boundary_values::Values;
use super::initial_checkpoint::{from_checkpoint, is_checkpoint};
use super::initial_file::{self, GasOfFile};
use super::inlets::{Inlets, Parts};
use super::{SetupError, Solver, StepError};
use crate::device::DeviceError;
use crate::geometry::Geometry;
use crate::input::{BadValue, Field, InvalidValue, finite};
use crate::io;
use crate::physics::{Forcing, Initial};
use crate::ranks::ExactSum;

/// A volume source (mass, force, heat per unit volume) as a function of position and time. The kernels add the work of
/// the force.
pub struct Source {
    /// The five values: mass, three components of the force, and heat, per volume and time.
    pub value: Box<dyn Fn([f64; 3], f64) -> [f64; 5] + Send + Sync>,
    /// Whether the source changes in time, so that it is evaluated at every stage.
    pub varies: bool,
}

/// Returns the body force of a case as a source. A force that has no finite value at a solution point is an error.
pub(super) fn body_force(forcing: &Forcing, geometry: &Geometry) -> Result<Option<Source>, BadValue> {
    let Some(force) = forcing.force.clone() else {
        return Ok(None);
    };
    for (field, key) in force.iter().zip(["force[0]", "force[1]", "force[2]"]) {
        for &x in &geometry.points {
            finite(key, field, x, 0.0).map_err(|wrong| BadValue::new("forcing", wrong, x, 0.0))?;
        }
    }
    let varies = force.iter().any(Field::depends_on_time);
    Ok(Some(Source {
        value: Box::new(move |x, t| [0.0, force[0].eval(x, t), force[1].eval(x, t), force[2].eval(x, t), 0.0]),
        varies,
    }))
}

/// Returns what is wrong with a density and a pressure from the file that `key` of a group names.
fn unphysical(key: &'static str, rho: f64, p: f64) -> Option<InvalidValue> {
    let good = |value: f64| value > 0.0 && value.is_finite();
    let (what, value) = match (good(rho), good(p)) {
        (true, true) => return None,
        (false, _) => ("gives the density", rho),
        (true, false) => ("gives the pressure", p),
    };
    Some(InvalidValue {
        key,
        what,
        value,
        must: "positive and finite".into(),
    })
}

/// Returns the error that a file has no Reynolds stresses.
fn without_stresses(path: &Path) -> SetupError {
    SetupError::Initial(io::Error::Input {
        path: path.to_path_buf(),
        detail: "`fluctuations` need the Reynolds stresses, which the checkpoint of a steady solution has, and this \
                 file has not: `fr-les run CASE --steady` computes one"
            .to_owned(),
    })
}

/// Returns the error that the Reynolds stresses of a file are zero.
fn without_turbulence(path: &Path) -> SetupError {
    SetupError::Initial(io::Error::Input {
        path: path.to_path_buf(),
        detail: "it is laminar: all its Reynolds stresses are 0, from which no `fluctuations` follow; leave them out, \
                 or compute the steady solution with a model of turbulence"
            .to_owned(),
    })
}

/// Returns the error that a solution of SU2 does not begin a run in time by itself.
fn of_su2(path: &Path) -> SetupError {
    let detail = format!(
        "a solution of SU2 begins a steady solution, from which a run begins: `fr-les run CASE --steady --set \
         restart={} --set steady.iterations=0` writes steady.h5 for `initial.file`",
        path.display()
    );
    let path = path.to_path_buf();
    SetupError::Initial(io::Error::Input { path, detail })
}

impl Solver {
    /// Writes the initial state and the data of boundaries and sources to the device. `state` is the initial state, or
    /// `None` if a file has it. Collective.
    pub(super) fn set_initial_data(&mut self, state: Result<Option<Vec<f64>>, SetupError>) -> Result<(), SetupError> {
        let state = match (state?, &self.initial) {
            (None, Initial::File { path, fluctuations }) => {
                let (path, fluctuations) = (path.clone(), *fluctuations);
                self.state_of_file(&path, fluctuations)?
            }
            (state, _) => state.unwrap_or_default(),
        };
        self.device.set_state(&state)?;
        if self.right_hand_side.filters {
            self.device.begin_filter()?;
        }
        self.set_boundary_data(0.0)?;
        self.set_frame()?;
        self.begin_relaxed()?;
        self.boundary_values().warn_of_leaning_walls();
        self.boundary_values().warn_of_inlets_below_outlets(&self.ranks);
        self.bars.place(self.device.as_mut(), &self.geometry)?;
        self.warn_of_thin_bars();
        Ok(self.set_source_at(0.0)?)
    }

    /// Returns the initial state of a file, `[cell][5][point]`, with velocity fluctuations if these have a seed, and
    /// keeps what boundaries need of it. Collective.
    fn state_of_file(&mut self, path: &Path, fluctuations: Option<u64>) -> Result<Vec<f64>, SetupError> {
        if io::is_su2_restart(path) {
            return Err(of_su2(path));
        }
        let positions = &self.geometry.points;
        let order = self.elements.order;
        let (mut values, stresses) = if is_checkpoint(path, &self.ranks) {
            from_checkpoint(path, &self.mesh, order, &self.ranks)?
        } else {
            let period = |axis| self.geometry.period(&self.mesh, order, axis, &self.ranks);
            let periods = std::array::from_fn(period);
            (
                initial_file::from_file(path, positions, periods, &self.gas, &self.ranks)?,
                None,
            )
        };
        let gas_at = |u: [f64; 5]| {
            let [rho, _, _, _, p, _] = self.gas.primitive(u);
            [rho, p]
        };
        let mut sums = [(); 3].map(|()| ExactSum::default());
        for [rho, p] in values
            .iter()
            .map(|&u| gas_at(u))
            .filter(|gas| gas.iter().all(|x| x.is_finite()))
        {
            [rho, p, 1.0].into_iter().zip(&mut sums).for_each(|(x, sum)| sum.add(x));
        }
        let [rho, p, count] = ExactSum::allreduce(&self.ranks, sums).map(ExactSum::value);
        let mean = [rho / count, p / count];
        for (&u, &at) in values.iter().zip(positions) {
            let [rho, p] = gas_at(u);
            if let Some(wrong) = unphysical("file", rho, p) {
                return Err(BadValue::new("initial", wrong, at, 0.0).into());
            }
        }
        let mut at_faces = Vec::new();
        for face in &self.device.plan().boundary_faces {
            let first = self.geometry.first_point[face.cell];
            let points = self.geometry.kinds[face.cell].face_indices(face.face, self.elements.order);
            at_faces.extend(points.into_iter().map(|point| {
                let [rho, u, v, w, p, _] = self.gas.primitive(values[first + point]);
                [rho, u, v, w, p]
            }));
        }
        self.gas_of_file = GasOfFile { at_faces, mean };
        if let Some(seed) = fluctuations {
            let stresses = stresses.ok_or_else(|| without_stresses(path))?;
            let turbulent = stresses.as_flattened().iter().any(|stress| *stress != 0.0);
            if self.ranks.first_rank_where(turbulent).is_none() {
                return Err(without_turbulence(path));
            }
            self.add_fluctuations(&mut values, &stresses, seed);
        }
        Ok(self.state_of_values(&values))
    }

    /// Takes the state from a solution file of this mesh in place of the initial state of the case. Collective.
    ///
    /// # Errors
    /// The file cannot be read or is no solution, a state in it is not physical, or the device fails.
    pub fn set_state_of_solution(&mut self, path: &Path) -> Result<(), SetupError> {
        let points = &self.geometry.points;
        let order = self.elements.order;
        let values = initial_file::from_file_of_this_mesh(path, &self.mesh, order, &self.gas, &self.ranks)?;
        let wrong = values.iter().zip(points).find_map(|(&u, &at)| {
            let [rho, _, _, _, p, _] = self.gas.primitive(u);
            Some(BadValue::new("restart", unphysical("", rho, p)?, at, 0.0))
        });
        let physical = wrong.map_or(Ok(()), |wrong| Err(wrong.into()));
        self.ranks.agree(physical, SetupError::OnOtherRank)?;
        self.device.set_state(&self.state_of_values(&values))?;
        if self.right_hand_side.filters {
            self.device.begin_filter()?;
        }
        Ok(())
    }

    /// Returns values at the solution points, `[point][5]`, as a state, `[cell][5][point]`.
    fn state_of_values(&self, values: &[[f64; 5]]) -> Vec<f64> {
        let mut state = vec![0.0; 5 * values.len()];
        for (cell, u) in self.geometry.cells_of(&mut state, 5).into_iter().enumerate() {
            let (first, points) = (self.geometry.first_point[cell], self.geometry.cell_points(cell));
            for (i, value) in u.iter_mut().enumerate() {
                *value = values[first + i % points][i / points];
            }
        }
        state
    }

    /// Warns of boundaries whose pressure or temperature is far from that of the initial state, as it is in other
    /// units.
    pub fn warn_of_other_units(&self) {
        self.boundary_values().warn_of_other_units();
    }

    /// Sets a volume source, which replaces the one of the case.
    ///
    /// # Errors
    /// The device fails.
    pub fn set_source(&mut self, source: Source) -> Result<(), DeviceError> {
        self.source = Some(source);
        self.set_source_at(0.0)
    }

    /// Returns whether boundary values or sources change in time, so that the host prepares data for every stage.
    pub(super) fn data_vary(&self) -> bool {
        self.boundaries_vary || self.source_varies()
    }

    /// Writes the boundary values and sources that change in time to the device. Collective.
    pub(super) fn set_data_at(&mut self, time: f64) -> Result<(), StepError> {
        if self.boundaries_vary {
            let set = self.set_boundary_data(time);
            self.ranks.agree(set, StepError::OnOtherRank)?;
        }
        if self.source_varies() {
            self.set_source_at(time)?;
        }
        Ok(())
    }

    fn source_varies(&self) -> bool {
        self.source.as_ref().is_some_and(|s| s.varies)
    }

    fn set_boundary_data(&mut self, time: f64) -> Result<(), StepError> {
        let data = self.boundary_values().data(time)?;
        Ok(self.device.set_boundary_data(&data)?)
    }

    /// Places the modes of turbulent inlets on the mesh and the device. Collective.
    pub(super) fn set_inlets(&mut self) -> Result<(), SetupError> {
        let parts = Parts {
            values: self.boundary_values(),
            mesh: &self.mesh,
            elements: &self.elements,
            walls: self.walls.as_deref(),
            ranks: &self.ranks,
        };
        let (inlets, planned) = Inlets::new(&parts)?;
        self.right_hand_side.turbulent = !inlets.list.is_empty();
        self.inlets = inlets;
        for inlet in planned {
            self.device.plan_turbulence(&inlet)?;
        }
        Ok(())
    }

    pub(super) fn boundary_values(&self) -> Values<'_> {
        Values {
            faces: &self.device.plan().boundary_faces,
            names: &self.mesh.boundary_names,
            boundaries: &self.boundaries,
            initial: &self.initial,
            gas_of_file: &self.gas_of_file,
            gas: &self.gas,
            geometry: &self.geometry,
            order: self.elements.order,
            lengths: &self.lengths,
        }
    }

    fn set_source_at(&mut self, time: f64) -> Result<(), DeviceError> {
        let Some(source) = &self.source else { return Ok(()) };
        let mut values = vec![0.0; self.points() * 5];
        let cells = self.geometry.cells_of(&mut values, 5);
        cells.into_par_iter().enumerate().for_each(|(c, cell)| {
            let points = self.geometry.cell_positions(c);
            for (p, &x) in points.iter().enumerate() {
                for (v, s) in (source.value)(x, time).into_iter().enumerate() {
                    cell[v * points.len() + p] = s;
                }
            }
        });
        self.device.set_source(&values)
    }
}
