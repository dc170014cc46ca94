//! The values of the boundary conditions on the device: written at the start, and at every stage if one changes in
//! time.

use crate::device::Device;
use crate::physics::Boundary;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant};
use crate::solver::{SetupError, StepError};

/// The boundary values of a case.
pub struct BoundaryData {
    /// Whether a condition changes in time.
    varies: bool,
}

impl BoundaryData {
    /// Returns the boundary values of a case; `None` if the mesh has no boundaries.
    pub fn of_case(case: &Case) -> Option<Self> {
        let varies = case.boundaries.iter().any(Boundary::varies);
        (!case.boundaries.is_empty()).then_some(BoundaryData { varies })
    }
}

impl Participant for BoundaryData {
    fn place(&mut self, domain: &Domain, device: &mut dyn Device) -> Result<(), SetupError> {
        self.set_data(domain, device, 0.0)?;
        let values = domain.boundary_values(device.plan());
        values.warn_of_leaning_walls();
        values.warn_of_inlets_below_outlets(&domain.ranks);
        Ok(())
    }

    fn varies(&self) -> bool {
        self.varies
    }

    fn set_data(&mut self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        let data = domain.boundary_values(device.plan()).data(time);
        let set = data
            .map_err(StepError::from)
            .and_then(|data| Ok(device.set_boundary_data(&data)?));
        domain.ranks.agree(set, StepError::OnOtherRank)
    }
}
