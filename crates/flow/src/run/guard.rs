//! The guard: it finds states that are not physical, and sets the time step from the bounds of those that are.

use super::divergence;
use super::error::RunError;
use super::settings::TimeStep;
use super::state::Run;
use super::stop::together;
use crate::device::TimeStepBounds;

/// Share of the largest stable step to which it falls between two guards before a run diverges. In turbulent flows it
/// changes by less than a hundredth.
const ALARMING: f64 = 0.98;

impl Run<'_> {
    /// Adjusts what the case holds. Collective.
    pub(super) fn adjust_controls(&mut self) -> Result<(), RunError> {
        let adjusted = self.solver.adjust_controls(self.clock.time);
        adjusted.map_err(|e| self.ended_by(e))
    }

    /// Checks the state and sets the time step. Where the largest stable step has fallen by much since the last guard,
    /// and during the first steps, each step until the next guard is followed by a check. Unphysical states spread by
    /// several cells a step, so that only this tells where they arose.
    pub(super) fn guard(&mut self) -> Result<(), RunError> {
        let bounds = self.healthy()?;
        self.set_step(&bounds);
        let step = Some(self.clock.step);
        let stable = self.solver.stable_step(&bounds);
        if self.guarded_at != step {
            self.alert = stable < ALARMING * self.guarded_step;
            self.guarded_at = step;
            self.guarded_step = stable;
        }
        self.begin_participants(&bounds);
        Ok(())
    }

    /// Lets bars begin, if they have not, with the step that these bounds allow; they then allow a smaller one.
    pub(super) fn begin_participants(&mut self, bounds: &TimeStepBounds) {
        if self.solver.begin(self.clock.time, self.dt) {
            self.set_step(bounds);
        }
    }

    pub(super) fn set_step(&mut self, bounds: &TimeStepBounds) {
        self.dt = match self.settings.run.step {
            TimeStep::Fixed(dt) => dt,
            TimeStep::Cfl(cfl) => cfl * self.solver.stable_step(bounds),
        };
    }

    /// Verifies that the state is physical in all cells, once a step. Collective.
    pub(super) fn require_physical_state(&mut self) -> Result<(), RunError> {
        if self.physical_at != Some(self.clock.step) {
            // These bounds set no time step: what is written, and when, must not change the steps.
            self.healthy()?;
        }
        Ok(())
    }

    /// Returns the time-step bounds of a state that is physical on all ranks. Collective.
    pub(super) fn healthy(&mut self) -> Result<TimeStepBounds, RunError> {
        let bounds = self.solver.time_step_bounds()?;
        match bounds.unphysical {
            Some(number) => Err(self.diverged(number)?),
            None => {
                self.physical_at = Some(self.clock.step);
                Ok(bounds)
            }
        }
    }

    /// Returns the error that describes the unphysical state in a cell, given by its number in the whole mesh.
    /// Collective.
    pub(super) fn diverged(&self, number: usize) -> Result<RunError, RunError> {
        let mesh = &self.solver.mesh;
        let seen = (0..mesh.len()).find(|&cell| mesh.global(cell) == number);
        let looked = divergence::locate(self.solver, seen).map_err(RunError::from);
        let (found, extent) = together(self.world, looked)?;
        let extent = extent.of_all(&self.solver.ranks);
        let Some(found) = found else {
            return Ok(RunError::DivergedOnOtherRank { step: self.clock.step });
        };
        Ok(RunError::Diverged {
            step: self.clock.step,
            time: self.clock.time,
            what: found.what,
            value: found.value,
            cell: mesh.name_of(found.cell).into(),
            at: found.at,
            extent: Box::new(extent),
            bars: !self.solver.bars().is_empty(),
            last_output: self.last_good(),
        })
    }

    /// Computes the right-hand side of the present state on the device.
    pub(super) fn right_hand_side(&mut self) -> Result<(), RunError> {
        if self.rhs_of == Some(self.clock.step) {
            return Ok(());
        }
        if let Err(error) = self.solver.evaluate_rhs(self.clock.time) {
            return Err(self.ended_by(error));
        }
        self.rhs_of = Some(self.clock.step);
        Ok(())
    }
}
