//! The initial state from a file, or that of a solution with which a run continues.

use std::path::Path;

use super::SetupError;
use super::initial_checkpoint::{from_checkpoint, is_checkpoint};
use super::initial_file::{self, GasOfFile};
use super::initial_fluctuations::add_fluctuations;
use super::initial_points::InitialPoints;
use crate::device::BoundaryFace;
use crate::geometry::Geometry;
use crate::input::{BadValue, InvalidValue};
use crate::io;
use crate::physics::Gas;
use crate::ranks::ExactSum;

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

/// Returns the error that a file is a table.
fn of_table(path: &Path) -> SetupError {
    SetupError::Initial(io::Error::Input {
        path: path.to_path_buf(),
        detail: "this is a table or another text, and no state of a flow: a run begins with a solution (.vtkhdf) or a \
                 checkpoint (.h5)"
            .to_owned(),
    })
}

/// Returns density and pressure of conserved variables.
fn density_and_pressure(gas: &Gas, u: [f64; 5]) -> [f64; 2] {
    let [rho, _, _, _, p, _] = gas.primitive(u);
    [rho, p]
}

impl InitialPoints<'_> {
    /// Returns the initial state of a file, `[cell][5][point]`, with velocity fluctuations if these have a seed, and
    /// what boundaries need of it at these faces. Collective.
    ///
    /// # Errors
    /// The file cannot be read, a state in it is not physical, or it has no turbulence for fluctuations.
    pub fn state_of_file(
        &self,
        path: &Path,
        fluctuations: Option<u64>,
        faces: &[BoundaryFace],
    ) -> Result<(Vec<f64>, GasOfFile), SetupError> {
        if io::looks_like_su2(path) {
            return Err(of_su2(path));
        }
        if io::is_su2_restart(path) && path.exists() {
            return Err(of_table(path));
        }
        let mesh = self.mesh;
        let order = self.order;
        let ranks = self.ranks;
        let (mut values, stresses) = if is_checkpoint(path, ranks) {
            from_checkpoint(path, mesh, order, ranks)?
        } else {
            let periods = std::array::from_fn(|axis| self.geometry.period(mesh, order, axis, ranks));
            let values = initial_file::from_file(path, &self.geometry.points, periods, self.gas, ranks)?;
            (values, None)
        };
        let gas_of_file = GasOfFile {
            mean: self.mean_of(&values),
            at_faces: self.at_faces(&values, faces),
        };
        self.require_physical(&values, "initial", "file")?;
        if let Some(seed) = fluctuations {
            let stresses = stresses.ok_or_else(|| without_stresses(path))?;
            let turbulent = stresses.as_flattened().iter().any(|stress| *stress != 0.0);
            if ranks.first_rank_where(turbulent).is_none() {
                return Err(without_turbulence(path));
            }
            add_fluctuations(self, &mut values, &stresses, seed);
        }
        Ok((state_of_values(self.geometry, &values), gas_of_file))
    }

    /// Returns the state of a solution file of this mesh, `[cell][5][point]`. Collective.
    ///
    /// # Errors
    /// The file cannot be read or is no solution, or a state in it is not physical.
    pub fn state_of_solution(&self, path: &Path) -> Result<Vec<f64>, SetupError> {
        let values = initial_file::from_file_of_this_mesh(path, self.mesh, self.order, self.gas, self.ranks)?;
        self.require_physical(&values, "restart", "")?;
        Ok(state_of_values(self.geometry, &values))
    }

    /// Refuses values of which one is not physical; the error says where. Collective.
    fn require_physical(&self, values: &[[f64; 5]], group: &str, key: &'static str) -> Result<(), SetupError> {
        let wrong = values.iter().zip(&self.geometry.points).find_map(|(&u, &at)| {
            let [rho, p] = density_and_pressure(self.gas, u);
            Some(BadValue::new(group, unphysical(key, rho, p)?, at, 0.0))
        });
        let physical = wrong.map_or(Ok(()), |wrong| Err(wrong.into()));
        self.ranks.agree(physical, SetupError::OnOtherRank)
    }

    /// Returns the means of density and pressure over the points of all ranks where both are finite. Collective.
    fn mean_of(&self, values: &[[f64; 5]]) -> [f64; 2] {
        let mut sums = [(); 3].map(|()| ExactSum::default());
        let all = values.iter().map(|&u| density_and_pressure(self.gas, u));
        for [rho, p] in all.filter(|gas| gas.iter().all(|x| x.is_finite())) {
            [rho, p, 1.0].into_iter().zip(&mut sums).for_each(|(x, sum)| sum.add(x));
        }
        let [rho, p, count] = ExactSum::allreduce(self.ranks, sums).map(ExactSum::value);
        [rho / count, p / count]
    }

    /// Returns density, velocity and pressure at the points of these faces.
    fn at_faces(&self, values: &[[f64; 5]], faces: &[BoundaryFace]) -> Vec<[f64; 5]> {
        let mut at_faces = Vec::new();
        for face in faces {
            let first = self.geometry.first_point[face.cell];
            let points = self.geometry.kinds[face.cell].face_indices(face.face, self.order);
            at_faces.extend(points.into_iter().map(|point| {
                let [rho, u, v, w, p, _] = self.gas.primitive(values[first + point]);
                [rho, u, v, w, p]
            }));
        }
        at_faces
    }
}

/// Returns values at the solution points, `[point][5]`, as a state, `[cell][5][point]`.
fn state_of_values(geometry: &Geometry, values: &[[f64; 5]]) -> Vec<f64> {
    let mut state = vec![0.0; 5 * values.len()];
    for (cell, u) in geometry.cells_of(&mut state, 5).into_iter().enumerate() {
        let (first, points) = (geometry.first_point[cell], geometry.cell_points(cell));
        for (i, value) in u.iter_mut().enumerate() {
            *value = values[first + i % points][i / points];
        }
    }
    state
}
