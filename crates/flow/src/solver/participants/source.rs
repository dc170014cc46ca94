//! Volume sources that the host evaluates and writes to the device: the body force of a case.

use rayon::prelude::*;

use crate::device::{Device, DeviceError, Later};
use crate::geometry::Geometry;
use crate::input::{BadValue, Field, finite};
use crate::physics::Forcing;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant};
use crate::solver::{SetupError, StepError};

/// A volume source (mass, force, heat per unit volume) as a function of position and time. The kernels add the work of
/// the force.
pub struct Source {
    /// The five values: mass, three components of the force, and heat, per volume and time.
    pub value: Box<dyn Fn([f64; 3], f64) -> [f64; 5] + Send + Sync>,
    /// Whether the source changes in time, so that it is evaluated at every stage.
    pub varies: bool,
}

impl Source {
    /// Returns the body force of a case. Collective.
    ///
    /// # Errors
    /// The force has no finite value at a solution point.
    pub fn of_case(case: &Case) -> Result<Option<Self>, SetupError> {
        let source = body_force(case.forcing, case.geometry).map_err(SetupError::from);
        case.ranks.agree(source, SetupError::OnOtherRank)
    }

    /// Writes the values at a time to the device.
    ///
    /// # Errors
    /// The device fails.
    pub fn write(&self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), DeviceError> {
        let geometry = &domain.geometry;
        let mut values = vec![0.0; domain.points() * 5];
        let cells = geometry.cells_of(&mut values, 5);
        cells.into_par_iter().enumerate().for_each(|(c, cell)| {
            let points = geometry.cell_positions(c);
            for (p, &x) in points.iter().enumerate() {
                for (v, s) in (self.value)(x, time).into_iter().enumerate() {
                    cell[v * points.len() + p] = s;
                }
            }
        });
        device.set_source(&values)
    }
}

impl Participant for Source {
    fn reserve(&self, _: &Geometry, later: &mut Later) {
        later.source = true;
    }

    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        Ok(self.write(domain, device, 0.0)?)
    }

    fn varies(&self) -> bool {
        self.varies
    }

    fn set_data(&mut self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        Ok(self.write(domain, device, time)?)
    }
}

/// Returns the body force of a case as a source. A force that has no finite value at a solution point is an error.
fn body_force(forcing: &Forcing, geometry: &Geometry) -> Result<Option<Source>, BadValue> {
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
