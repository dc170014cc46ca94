//! Bounds on the time step from the linear stability of the scheme, over all ranks.

use super::Solver;
use crate::device::{DeviceError, TimeStepBounds};

impl Solver {
    /// Bounds on the time step and health of the state, over all ranks; cells by their numbers in the whole mesh. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn rates(&mut self) -> Result<TimeStepBounds, DeviceError> {
        let mut rates = self.device.time_step_bounds()?;
        let mut greatest = [rates.convective, rates.viscous].concat();
        self.ranks.allreduce_max(&mut greatest);
        rates.convective.copy_from_slice(&greatest[..4]);
        rates.viscous.copy_from_slice(&greatest[4..]);
        let none = u64::MAX;
        let mut first = [rates.unphysical.map_or(none, |cell| self.mesh.global(cell) as u64)];
        self.ranks.allreduce_min(&mut first);
        rates.unphysical = (first[0] != none).then_some(first[0] as usize);
        Ok(rates)
    }

    /// The largest step that sound and flow allow, in units of time.
    pub fn acoustic_step(&self, rates: &TimeStepBounds) -> f64 {
        let of = |kind: usize| self.limits[kind].advection / rates.convective[kind];
        (0..4).map(of).fold(f64::INFINITY, f64::min)
    }

    /// The largest step that viscosity and conduction allow, in units of time.
    pub fn viscous_step(&self, rates: &TimeStepBounds) -> f64 {
        let of = |kind: usize| self.limits[kind].diffusion / rates.viscous[kind];
        (0..4).map(of).fold(f64::INFINITY, f64::min)
    }

    /// The largest stable step, in units of time. The reciprocals of both limits add, as upwinding and diffusion damp the same
    /// modes: the analysis of both at once allows 1 to 9 % more than this, and the lesser of both would be up to twice too large.
    pub fn stable_step(&self, rates: &TimeStepBounds) -> f64 {
        1.0 / (1.0 / self.acoustic_step(rates) + 1.0 / self.viscous_step(rates))
    }
}
