//! Arrays that come and go while a run has the others: the state that is kept to begin again from, and what an output
//! or a source asks for.

use super::Arrays;
use crate::device::DeviceError;
use crate::device::contract::SURFACE_VALUES;
use crate::device::plan::Plan;
use crate::device::store::{Memory, Store};

impl<S: Store> Arrays<S> {
    /// Keeps the state at the start of the step with what belongs to it, to begin again from there.
    ///
    /// # Errors
    /// The device fails.
    pub fn keep(&mut self, store: &S) -> Result<(), DeviceError> {
        store.copy(&self.start, &mut self.kept_state)?;
        store.copy(&self.kahan_term, &mut self.kept_compensation)?;
        store.copy(&self.scalars_start, &mut self.kept_scalars)?;
        store.copy(&self.scalars_kahan, &mut self.kept_scalars_kahan)?;
        store.copy(&self.relaxed_start, &mut self.kept_relaxed)?;
        store.copy(&self.filter_strength, &mut self.kept_strength)
    }

    /// Begins again from what was kept.
    ///
    /// # Errors
    /// The device fails.
    pub fn take_back(&mut self, store: &S) -> Result<(), DeviceError> {
        store.copy(&self.kept_state, &mut self.start)?;
        store.copy(&self.kept_compensation, &mut self.kahan_term)?;
        store.copy(&self.kept_scalars, &mut self.scalars_start)?;
        store.copy(&self.kept_scalars_kahan, &mut self.scalars_kahan)?;
        store.copy(&self.kept_relaxed, &mut self.relaxed_start)?;
        store.copy(&self.kept_strength, &mut self.filter_strength)
    }

    /// Allocates the volume source, if it is not there yet; returns whether it was not.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn add_source(&mut self, store: &S) -> Result<bool, DeviceError> {
        let new = self.source.bytes() == 0;
        if new {
            self.source = store.zeros(self.acc.bytes())?;
        }
        Ok(new)
    }

    /// Frees the volume source, if it is there; returns whether it was.
    ///
    /// # Errors
    /// The device fails.
    pub fn remove_source(&mut self, store: &S) -> Result<bool, DeviceError> {
        let there = self.source.bytes() > 0;
        self.source = store.zeros(0)?;
        Ok(there)
    }

    /// Allocates the eddy viscosity, if it is not there yet.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn add_eddy(&mut self, store: &S) -> Result<(), DeviceError> {
        if self.eddy.bytes() == 0 {
            self.eddy = store.zeros(self.acc.bytes() / 5)?;
        }
        Ok(())
    }

    /// Allocates the values at the points of the boundary faces, if they are not there yet.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn add_surface_values(&mut self, store: &S, plan: &Plan) -> Result<(), DeviceError> {
        if self.surface_values.bytes() == 0 {
            self.surface_values = store.zeros(SURFACE_VALUES * plan.boundary_points() * size_of::<f64>())?;
        }
        Ok(())
    }
}
