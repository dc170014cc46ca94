//! The mixing planes of a solver: their boundaries get new data from the present state before each step.

use super::{FLOW, Solver};
use crate::device::DeviceError;
use crate::physics::Gas;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::machine::Machine;
use crate::steady::mixing::{Agreement, MixingPlane, OnMachine};

impl<M: Machine> Solver<M> {
    /// Couples boundaries of the solver, which are `lists`, by mixing planes.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn set_planes(
        &mut self,
        planes: &[MixingPlane],
        dual: &DualMesh,
        lists: &[BoundaryList],
        gas: &Gas,
    ) -> Result<(), DeviceError> {
        if planes.is_empty() {
            return Ok(());
        }
        let store = &*self.grid.store;
        for boundary in planes.iter().flat_map(|plane| plane.boundaries) {
            let boundary = &mut self.boundaries[boundary];
            let values = boundary.count * (self.variables - FLOW);
            boundary.arrays.inflow = store.zeros(values * size_of::<f64>())?;
        }
        self.mixing = Some(OnMachine::new(planes, &self.grid, dual, lists, self.variables, gas)?);
        self.recording = None;
        Ok(())
    }

    /// Balances the mixing planes for the present state. Collective.
    pub(in crate::steady) fn balance_planes(&mut self) -> Result<(), DeviceError> {
        let Some(mixing) = &mut self.mixing else { return Ok(()) };
        let store = &*self.grid.store;
        let boundaries = &mut self.boundaries;
        mixing.balance(&self.grid, &self.params, self.variables, |boundary, data, inflow| {
            let arrays = &mut boundaries[boundary].arrays;
            store.write(&mut arrays.data, data.as_flattened())?;
            store.write(&mut arrays.inflow, inflow)
        })
    }

    /// Returns how far the fluxes of each mixing plane agree for the state of the last residuals or step.
    pub fn agreements(&self) -> &[Agreement] {
        self.mixing.as_ref().map_or(&[], OnMachine::agreements)
    }
}
