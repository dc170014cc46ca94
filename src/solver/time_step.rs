//! The bounds on the time step from the linear stability of the scheme, over all ranks.

use super::Solver;
use crate::device::{DeviceError, TimeStepBounds};
use crate::element::StabilityLimits;
use crate::runge_kutta::TimeScheme;

impl Solver {
    /// Computes the time-step bounds of the present state and checks that it is physical, over all ranks. Cells are
    /// given by their numbers in the whole mesh. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn time_step_bounds(&mut self) -> Result<TimeStepBounds, DeviceError> {
        let mut bounds = self.device.time_step_bounds()?;
        let mut greatest = [bounds.convective, bounds.viscous].concat();
        self.ranks.allreduce_max(&mut greatest);
        bounds.convective.copy_from_slice(&greatest[..4]);
        bounds.viscous.copy_from_slice(&greatest[4..]);
        let none = u64::MAX;
        let mut first = [bounds.unphysical.map_or(none, |cell| self.mesh.global(cell) as u64)];
        self.ranks.allreduce_min(&mut first);
        bounds.unphysical = (first[0] != none).then_some(first[0] as usize);
        Ok(bounds)
    }

    /// Returns the largest step that convection and sound allow, in units of time.
    pub fn acoustic_step(&self, bounds: &TimeStepBounds) -> f64 {
        acoustic_step(&self.limits, bounds)
    }

    /// Returns the largest step that viscosity and heat conduction allow, in units of time.
    pub fn viscous_step(&self, bounds: &TimeStepBounds) -> f64 {
        viscous_step(&self.limits, bounds)
    }

    /// Returns the largest stable step, in units of time. The reciprocals of both limits add, because upwinding and
    /// diffusion damp the same modes. An analysis of both together allows 1 to 9 % more than this; the lesser of both
    /// limits would be up to twice too large. Bars, once they have begun, and sponges damp in the same way.
    pub fn stable_step(&self, bounds: &TimeStepBounds) -> f64 {
        self.stable_step_of(self.time_scheme, &self.limits, bounds)
    }

    /// Returns the largest stable step of a time scheme with these limits, in units of time.
    pub fn stable_step_of(&self, scheme: TimeScheme, limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
        let most = scheme.damping_limit();
        let damping = self.bars_rate() / most + self.sponges.rate() / most;
        1.0 / (1.0 / acoustic_step(limits, bounds) + 1.0 / viscous_step(limits, bounds) + damping)
    }
}

fn acoustic_step(limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
    let of = |kind: usize| limits[kind].advection / bounds.convective[kind];
    (0..4).map(of).fold(f64::INFINITY, f64::min)
}

fn viscous_step(limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
    let of = |kind: usize| limits[kind].diffusion / bounds.viscous[kind];
    (0..4).map(of).fold(f64::INFINITY, f64::min)
}
