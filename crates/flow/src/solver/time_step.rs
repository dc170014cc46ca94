//! The bounds on the time step from the linear stability of the scheme, over all ranks.

use super::{Solver, levels};
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
        self.bounds_with(None)
    }

    /// Computes the same with the classes that the cells would have in the paired scheme, and returns these.
    /// Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn bounds_if_paired(
        &mut self,
        limits: &[StabilityLimits; 4],
    ) -> Result<(TimeStepBounds, Vec<u8>), DeviceError> {
        let classes = levels::classes(&self.mesh, &self.geometry, limits, &self.ranks);
        Ok((self.bounds_with(Some(&classes))?, classes))
    }

    fn bounds_with(&mut self, classes: Option<&[u8]>) -> Result<TimeStepBounds, DeviceError> {
        let mut bounds = self.device.time_step_bounds_of(classes)?;
        let rates = [
            &mut bounds.convective,
            &mut bounds.viscous,
            &mut bounds.paired_convective,
            &mut bounds.paired_viscous,
        ];
        rates.into_iter().for_each(|rates| self.ranks.allreduce_max(rates));
        let none = u64::MAX;
        let mut first = [bounds.unphysical.map_or(none, |cell| self.mesh.global(cell) as u64)];
        self.ranks.allreduce_min(&mut first);
        bounds.unphysical = (first[0] != none).then_some(first[0] as usize);
        Ok(bounds)
    }

    /// Returns the largest step that convection and sound allow, in units of time.
    pub fn acoustic_step(&self, bounds: &TimeStepBounds) -> f64 {
        acoustic_step(self.time_scheme, &self.limits, bounds)
    }

    /// Returns the largest step that viscosity and heat conduction allow, in units of time.
    pub fn viscous_step(&self, bounds: &TimeStepBounds) -> f64 {
        viscous_step(self.time_scheme, &self.limits, bounds)
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
        1.0 / (1.0 / acoustic_step(scheme, limits, bounds) + 1.0 / viscous_step(scheme, limits, bounds) + damping)
    }
}

fn acoustic_step(scheme: TimeScheme, limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
    let rates = match scheme {
        TimeScheme::Paired => &bounds.paired_convective,
        _ => &bounds.convective,
    };
    let of = |kind: usize| limits[kind].advection / rates[kind];
    (0..4).map(of).fold(f64::INFINITY, f64::min)
}

fn viscous_step(scheme: TimeScheme, limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
    let rates = match scheme {
        TimeScheme::Paired => &bounds.paired_viscous,
        _ => &bounds.viscous,
    };
    let of = |kind: usize| limits[kind].diffusion / rates[kind];
    (0..4).map(of).fold(f64::INFINITY, f64::min)
}
