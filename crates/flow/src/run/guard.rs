//! The guard: it finds states that are not physical, and sets the time step from the bounds of those that are.

use super::divergence::{Divergence, LAYERS, Place, Region, When};
use super::error::RunError;
use super::net::Unphysical;
use super::sampling::Log;
use super::settings::{StepLimit, TimeStep};
use super::state::Run;
use super::stop::together;
use crate::device::TimeStepBounds;
use crate::output::{DIVERGED, RegionStates, write_region};

impl Run<'_> {
    /// Adjusts what the case holds. Collective.
    pub(super) fn adjust_controls(&mut self) -> Result<(), RunError> {
        let adjusted = self.solver.adjust_controls(self.clock.time);
        adjusted.map_err(|e| self.ended_by(e))
    }

    /// Checks the state and sets the time step.
    pub(super) fn guard(&mut self, log: Log) -> Result<(), RunError> {
        let bounds = self.healthy()?;
        self.take_operator_limit(&bounds, log)?;
        self.set_step(&bounds);
        self.begin_participants(&bounds);
        Ok(())
    }

    /// Takes the limit of the operator at the present state, if it is due. Collective.
    pub(super) fn take_operator_limit(&mut self, bounds: &TimeStepBounds, log: Log) -> Result<(), RunError> {
        let run = self.settings.run;
        let follows = run.limit == StepLimit::Operator && matches!(run.step, TimeStep::Cfl(_));
        if !follows || !self.operator_limit.is_due(self.clock.step) {
            return Ok(());
        }
        let waves = self.solver.stable_step(bounds);
        let precision = self.settings.solver.precision;
        let taken = self.solver.operator_step(self.clock.time, waves, precision);
        let operator = taken.map_err(|e| self.ended_by(e))?;
        // The device holds another right-hand side now.
        self.rhs_of = None;
        self.operator_limit.take(operator / waves, self.clock.step);
        log(format_args!(
            "step {}: the operator allows dt = {operator:.3e}, {:.2} times the limit of the waves",
            self.clock.step, self.operator_limit.over_waves
        ));
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
            TimeStep::Cfl(cfl) => cfl * self.operator_limit.over_waves * self.solver.stable_step(bounds),
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
        if let Some((step, bounds)) = self.net.bounds
            && step == self.clock.step
        {
            return Ok(bounds);
        }
        let bounds = self.solver.time_step_bounds()?;
        match self.look(Some(&bounds))? {
            Some(found) => Err(self.diverged(&found)?),
            None => Ok(bounds),
        }
    }

    /// Returns the error that describes an unphysical state, and writes the cells around it if the run writes files.
    /// Collective.
    pub(super) fn diverged(&mut self, found: &Unphysical) -> Result<RunError, RunError> {
        if let Some(share) = found.limited {
            return Ok(self.limited(found.when, share));
        }
        let place = Place::describe(self.solver, found.cell, self.net.kept_at());
        let place = together(self.world, place.map_err(RunError::from))?;
        let file = self.write_surroundings(found)?;
        if self.solver.ranks.rank() > 0 {
            return Ok(RunError::DivergedOnOtherRank { step: found.when.step });
        }
        Ok(RunError::Diverged(Box::new(Divergence {
            when: found.when,
            place,
            tried: self.tried(),
            filters: self.net.active,
            bars: !self.solver.bars().is_empty(),
            positive_flux: self.settings.solver.scheme.riemann.is_positive(),
            file,
            last_output: self.last_good(),
        })))
    }

    /// Returns the error that describes a state that only the limiter holds.
    fn limited(&self, when: When, share: f64) -> RunError {
        if self.solver.ranks.rank() > 0 {
            return RunError::DivergedOnOtherRank { step: when.step };
        }
        RunError::Limited {
            when,
            share,
            tried: self
                .tried()
                .map_or(String::new(), |tried| format!("\n  tried: {tried}")),
            last_output: self.last_good(),
        }
    }

    /// Writes the cells around an unphysical state. Returns the file, if it could be written. Collective.
    fn write_surroundings(&mut self, found: &Unphysical) -> Result<Option<String>, RunError> {
        if !self.settings.output.writes() {
            return Ok(None);
        }
        let region = Region::around(self.solver, found.cell, LAYERS);
        let cells: Vec<usize> = region.cells.iter().map(|(cell, _)| *cell).collect();
        let states = RegionStates::read(self.solver);
        let states = together(self.world, states.map_err(RunError::from))?;
        let path = self.settings.output.directory.join(DIVERGED);
        // If it cannot be written, the divergence is still the error that is reported.
        let written = write_region(
            &path,
            self.world,
            &self.provenance,
            self.solver,
            &self.clock,
            &cells,
            &states,
        );
        Ok(written.is_ok().then(|| path.display().to_string()))
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
