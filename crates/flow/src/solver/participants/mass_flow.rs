//! The mass-flow forcing: a uniform body force that holds the momentum of the domain at the value that the case
//! prescribes.
//!
//! The run loop asks for an adjustment at fixed step numbers. Let f be the force per volume and m the momentum per
//! volume. The mean drag since the last adjustment is known exactly:
//!
//! ```text
//! drag = f - dm/dt
//! ```
//!
//! The next force is this drag plus the force that closes the gap to the prescribed momentum within a relaxation time.
//! The drag of a channel changes little between two adjustments. The gap therefore stays at
//!
//! ```text
//! relaxation time x interval x d(drag)/dt
//! ```
//!
//! which is far below 1e-5 of the momentum in a turbulent channel. A steady drag leaves no gap.
//!
//! The relaxation time is a tenth of the time in which the flow passes the size of the domain (the cube root of its
//! volume), so that another initial mass flow changes gently, whatever the time step is. It is at least the interval,
//! with which the gap would be closed at once; a shorter one would overshoot. The relaxation also keeps rounding errors
//! out of the force: the momentum of N points in single precision is uncertain by about 1e-8/sqrt(N) of itself, and
//! only the drag term divides that by the interval.
//!
//! The force is a function of the state at these steps alone, so that ranks, outputs and restarts do not change a bit
//! of it.

use crate::device::{Device, DeviceError};
use crate::io::CheckpointData;
use crate::physics;
use crate::solver::StepError;
use crate::solver::bulk::Bulk;
use crate::solver::domain::Domain;
use crate::solver::participant::{Case, Participant, Restart, RestartState};

/// Name of the entry in a checkpoint: direction, force, and momentum and time of the last adjustment.
const ENTRY: &str = "forcing.mass-flow";
/// Relaxation time as a share of the time in which the flow passes the size of the domain.
const RELAXATION: f64 = 0.1;

/// The force and the data that determine the next one.
#[derive(Debug)]
pub struct MassFlow {
    held: physics::MassFlow,
    /// Relaxation time.
    relaxation: f64,
    /// Force per volume.
    force: f64,
    /// Momentum per volume at the last adjustment, and its time.
    adjusted: Option<(f64, f64)>,
}

impl MassFlow {
    /// Returns the forcing of a case, if it holds a mass flow.
    pub fn of_case(case: &Case) -> Option<Self> {
        let held = case.settings.forcing.mass_flow?;
        Some(MassFlow::new(held, case.geometry.volume))
    }

    /// Returns the forcing of a domain of this volume, with no force yet.
    fn new(held: physics::MassFlow, volume: f64) -> Self {
        MassFlow {
            relaxation: RELAXATION * volume.cbrt() / held.bulk_velocity.abs(),
            held,
            force: 0.0,
            adjusted: None,
        }
    }

    /// Returns the force per volume at present, and its direction (0, 1, 2).
    pub fn force(&self) -> (f64, usize) {
        (self.force, self.held.direction)
    }

    /// Sets the force.
    ///
    /// # Errors
    /// The device fails.
    pub fn set_force(&mut self, device: &mut dyn Device, force: f64) -> Result<(), DeviceError> {
        self.force = force;
        device.set_force(self.vector())
    }

    /// Computes the next force from the momentum and the density of the domain, per volume.
    fn follow(&mut self, time: f64, momentum: f64, density: f64) {
        let interval = self.adjusted.map_or(0.0, |(_, last)| time - last);
        // At the first adjustment the present force stands for the drag.
        let drag = match self.adjusted {
            Some((last, _)) if interval > 0.0 => self.force - (momentum - last) / interval,
            _ => self.force,
        };
        let gap = density * self.held.bulk_velocity - momentum;
        self.force = drag + gap / self.relaxation.max(interval);
        self.adjusted = Some((momentum, time));
    }

    fn vector(&self) -> [f64; 3] {
        let mut force = [0.0; 3];
        force[self.held.direction] = self.force;
        force
    }
}

impl Participant for MassFlow {
    fn adjust(&mut self, domain: &Domain, device: &mut dyn Device, time: f64) -> Result<(), StepError> {
        if self.adjusted.is_some_and(|(_, last)| last == time) {
            return Ok(());
        }
        let bulk = Bulk::take(device, domain.geometry.volume, &domain.ranks)?;
        self.follow(time, bulk.momentum[self.held.direction], bulk.density);
        Ok(device.set_force(self.vector())?)
    }

    /// Adds direction, force, momentum and time of the last adjustment.
    fn save(&self, _: &Domain, _: &dyn Device, data: &mut CheckpointData) -> Result<(), StepError> {
        if let Some((momentum, last)) = self.adjusted {
            let numbers = vec![self.held.direction as f64, self.force, momentum, last];
            data.section.arrays.insert(ENTRY.to_owned(), numbers);
        }
        Ok(())
    }

    /// Continues with the values of a checkpoint. If it has no force in this direction, the force begins anew. If the
    /// state was converted, only the force is kept.
    fn restore(&mut self, domain: &Domain, device: &mut dyn Device, from: &Restart) -> Result<(), StepError> {
        match from.data.section.arrays.get(ENTRY).map(Vec::as_slice) {
            Some(&[direction, force, momentum, last]) if direction == self.held.direction as f64 => {
                self.force = force;
                self.adjusted = (from.state == RestartState::Same).then_some((momentum, last));
            }
            _ => tracing::info!("forcing.mass-flow begins now: the checkpoint has no force in this direction"),
        }
        if self.adjusted.is_none() {
            return self.adjust(domain, device, from.time);
        }
        Ok(device.set_force(self.vector())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the gap and the force at the end, and the largest force on the way, of a flow with this drag (a function
    /// of time and momentum).
    fn held(begin: f64, interval: f64, end: f64, drag: impl Fn(f64, f64) -> f64) -> (f64, f64, f64) {
        let wanted = physics::MassFlow {
            direction: 0,
            bulk_velocity: 1.0,
        };
        let mut flow = MassFlow::new(wanted, 8.0);
        let (mut momentum, mut most) = (begin, 0.0f64);
        let parts = 20;
        for look in 0..(end / interval).round() as usize {
            let time = look as f64 * interval;
            flow.follow(time, momentum, 1.0);
            most = most.max(flow.force.abs());
            let dt = interval / parts as f64;
            for part in 0..parts {
                momentum += dt * (flow.force - drag(time + dt * part as f64, momentum));
            }
        }
        (momentum - 1.0, flow.force, most)
    }

    #[test]
    fn a_steady_drag_is_found_and_leaves_no_gap() {
        for interval in [1e-3, 0.02, 0.3, 2.0] {
            let (gap, force, most) = held(1.0, interval, 40.0, |_, _| 4e-3);
            assert!(gap.abs() < 1e-12, "{interval}: {gap:e}");
            assert!(
                (force - 4e-3).abs() < 1e-10 && most < 1e-2,
                "{interval}: {force} {most}"
            );
        }
    }

    #[test]
    fn a_laminar_drag_and_one_that_changes_as_in_turbulence_are_followed() {
        // A drag proportional to the momentum, as of a flow that is always developed: stiff or not.
        for rate in [0.01, 1.0, 30.0] {
            let (gap, force, _) = held(1.0, 0.01, 40.0, |_, m| rate * m);
            assert!(
                gap.abs() < 1e-10 && (force / rate - 1.0).abs() < 1e-9,
                "{rate}: {gap:e}"
            );
        }
        // Five percent of the drag, in the time of an eddy.
        let (gap, ..) = held(1.0, 0.01, 40.0, |t, _| 4e-3 * (1.0 + 0.05 * (3.0 * t).sin()));
        assert!(gap.abs() < 2e-6, "{gap:e}");
    }

    #[test]
    fn another_mass_flow_at_the_start_is_brought_there_gently() {
        let (gap, _, most) = held(0.98, 0.01, 10.0, |_, _| 4e-3);
        // A gap of 0.02 in a relaxation time of 0.2.
        assert!(gap.abs() < 1e-10 && most < 0.11, "{gap:e} {most}");
    }
}
