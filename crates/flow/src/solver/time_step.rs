//! The bounds on the time step from the linear stability of the scheme, over all ranks.

use super::domain::Domain;
use crate::device::{Device, DeviceError, TimeStepBounds};
use crate::element::StabilityLimits;
use crate::runge_kutta::TimeScheme;

/// Computes the time-step bounds of the present state and checks that it is physical, over all ranks, with these
/// classes of the cells in the paired scheme; `None` are those of the plan. Cells are given by their numbers in the
/// whole mesh. Collective.
///
/// # Errors
/// The device fails.
pub fn bounds(domain: &Domain, device: &mut dyn Device, classes: Option<&[u8]>) -> Result<TimeStepBounds, DeviceError> {
    let mut bounds = device.time_step_bounds_of(classes)?;
    let rates = [
        &mut bounds.convective,
        &mut bounds.viscous,
        &mut bounds.paired_convective,
        &mut bounds.paired_viscous,
    ];
    rates.into_iter().for_each(|rates| domain.ranks.allreduce_max(rates));
    let none = u64::MAX;
    let mut first = [bounds.unphysical.map_or(none, |cell| domain.mesh.global(cell) as u64)];
    domain.ranks.allreduce_min(&mut first);
    bounds.unphysical = (first[0] != none).then_some(first[0] as usize);
    Ok(bounds)
}

/// Returns the largest stable step of a time scheme with these limits, in units of time. The reciprocals of both limits
/// add, because upwinding and diffusion damp the same modes. An analysis of both together allows 1 to 9 % more than
/// this; the lesser of both limits would be up to twice too large. What damps the state adds `damping` (1/time) in the
/// same way.
pub fn stable_step(scheme: TimeScheme, limits: &[StabilityLimits; 4], bounds: &TimeStepBounds, damping: f64) -> f64 {
    1.0 / (1.0 / acoustic_step(scheme, limits, bounds) + 1.0 / viscous_step(scheme, limits, bounds) + damping)
}

/// Returns the largest step that convection and sound allow, in units of time.
pub fn acoustic_step(scheme: TimeScheme, limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
    let rates = match scheme {
        TimeScheme::Paired => &bounds.paired_convective,
        _ => &bounds.convective,
    };
    let of = |kind: usize| limits[kind].advection / rates[kind];
    (0..4).map(of).fold(f64::INFINITY, f64::min)
}

/// Returns the largest step that viscosity and heat conduction allow, in units of time.
pub fn viscous_step(scheme: TimeScheme, limits: &[StabilityLimits; 4], bounds: &TimeStepBounds) -> f64 {
    let rates = match scheme {
        TimeScheme::Paired => &bounds.paired_viscous,
        _ => &bounds.viscous,
    };
    let of = |kind: usize| limits[kind].diffusion / rates[kind];
    (0..4).map(of).fold(f64::INFINITY, f64::min)
}
