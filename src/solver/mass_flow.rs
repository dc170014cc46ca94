//! Holding the mass flow: a body force, the same everywhere, that keeps the momentum of the domain where the case wants it.
//!
//! Every look at the state, at the step numbers at which the run loop asks for one, shows exactly how much drag there was
//! since the last one: what the force gave less what the momentum m (per volume) gained, f - dm/dt. The next force is that drag and what
//! closes the gap to the wanted momentum in a relaxation time. As the drag of a channel changes little between two looks,
//! the gap stays at relaxation time x interval x d(drag)/dt, which is far below 1e-5 of the momentum in a turbulent
//! channel; a steady drag leaves none.
//!
//! The relaxation time is a tenth of what the flow takes to pass the domain's size (the cube root of its volume), so that a
//! state that begins with another mass flow is brought there gently, whatever the time step; never below the interval itself, with which the gap
//! would be closed at once (a shorter one would overshoot). It also keeps rounding out of the force: the momentum of
//! N points in single precision is uncertain by 1e-8/sqrt(N) of itself or so, and only the drag's part of the force
//! divides that by the interval.
//!
//! All of this is a function of the state at these steps, so that neither ranks, nor outputs, nor a restart change a bit.

use super::Solver;
use crate::device::DeviceError;
use crate::io::CheckpointSection;
use crate::physics;

/// Name under which it is remembered: direction, force, and momentum and time of the last look.
const REMEMBERED: &str = "forcing.mass-flow";
/// Share of the time to pass the domain's size in which a gap is closed.
const RELAXATION: f64 = 0.1;

/// The force and what it follows from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MassFlow {
    held: physics::MassFlow,
    /// Time in which a gap is closed.
    relaxation: f64,
    /// Force per volume.
    force: f64,
    /// Momentum per volume at the last look, and its time.
    seen: Option<(f64, f64)>,
}

impl MassFlow {
    /// Of a domain of this volume, which nothing has moved so far.
    pub(super) fn new(held: physics::MassFlow, volume: f64) -> Self {
        MassFlow {
            relaxation: RELAXATION * volume.cbrt() / held.bulk_velocity.abs(),
            held,
            force: 0.0,
            seen: None,
        }
    }

    /// The force from now on, of a domain of this momentum and density.
    fn adjust(&mut self, time: f64, momentum: f64, density: f64) {
        let interval = self.seen.map_or(0.0, |(_, last)| time - last);
        // Without a look before, the force is taken for the drag.
        let drag = match self.seen {
            Some((last, _)) if interval > 0.0 => self.force - (momentum - last) / interval,
            _ => self.force,
        };
        let gap = density * self.held.bulk_velocity - momentum;
        self.force = drag + gap / self.relaxation.max(interval);
        self.seen = Some((momentum, time));
    }

    fn vector(&self) -> [f64; 3] {
        let mut force = [0.0; 3];
        force[self.held.direction] = self.force;
        force
    }
}

impl Solver {
    /// The force per volume that holds the mass flow at present, and its direction (0, 1, 2); `None` where the case holds none.
    pub fn mass_flow_force(&self) -> Option<(f64, usize)> {
        self.mass_flow.map(|flow| (flow.force, flow.held.direction))
    }

    /// Adjusts the force that holds the mass flow, if the case has one, unless that was done at this very time. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn hold_mass_flow(&mut self, time: f64) -> Result<(), DeviceError> {
        let Some(mut flow) = self.mass_flow.filter(|f| f.seen.is_none_or(|(_, last)| last != time)) else {
            return Ok(());
        };
        let bulk = self.bulk()?;
        flow.adjust(time, bulk.momentum[flow.held.direction], bulk.density);
        self.mass_flow = Some(flow);
        self.device.set_force(flow.vector())
    }

    /// The entry of a checkpoint: name, and direction, force, momentum and time of the last look.
    pub fn save_mass_flow(&self) -> Option<(String, Vec<f64>)> {
        let flow = self.mass_flow?;
        let (momentum, last) = flow.seen?;
        let numbers = vec![flow.held.direction as f64, flow.force, momentum, last];
        Some((REMEMBERED.to_owned(), numbers))
    }

    /// Goes on with what a checkpoint kept. Without anything of this direction the force begins anew; where the state is
    /// not the `same`, but converted to another order or precision, only the force is taken over. Collective.
    ///
    /// # Errors
    /// The device fails.
    pub fn restore_mass_flow(&mut self, section: &CheckpointSection, same: bool, time: f64) -> Result<(), DeviceError> {
        let Some(flow) = &mut self.mass_flow else { return Ok(()) };
        match section.arrays.get(REMEMBERED).map(Vec::as_slice) {
            Some(&[direction, force, momentum, last]) if direction == flow.held.direction as f64 => {
                flow.force = force;
                flow.seen = same.then_some((momentum, last));
            }
            _ => tracing::info!("forcing.mass-flow begins here: the checkpoint has nothing of it"),
        }
        if flow.seen.is_none() {
            return self.hold_mass_flow(time);
        }
        let force = flow.vector();
        self.device.set_force(force)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Follows the momentum of a flow with this drag (a function of time and momentum); the gap and the force at the end, and the
    /// largest force on the way.
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
            flow.adjust(time, momentum, 1.0);
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
        // A drag of the momentum itself, as of a flow that is always developed: stiff or not.
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
