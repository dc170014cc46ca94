//! A solution while it is computed: from check to check its steps advance, are judged, and are taken back or kept.

use super::growth::Idle;
use super::{Convergence, Progress, Steady, SteadyError};
use crate::device::DeviceError;
use crate::steady::controller::{Controller, Verdict};
use crate::steady::force::Held;
use crate::steady::handover::Values;
use crate::steady::machine::Machine;
use crate::steady::monitor::{Monitor, forces_are_steady, row};
use crate::steady::stepper::{Rhythm, Stepper, Work};

/// The state of a solution that is computed.
pub(super) struct Iteration<'s, 'a, M: Machine> {
    pub(super) steady: &'s Steady<'a>,
    pub(super) stepper: Stepper<M>,
    pub(super) monitor: Monitor,
    /// Number of steps so far.
    pub(super) iteration: u64,
    pub(super) controller: Controller,
    /// The checks that have led nowhere.
    pub(super) idle: Idle,
    held: Held,
    /// The state to which a refusal returns.
    pub kept: Progress,
    /// The last state that was not physical, for the error of a solution that is given up.
    pub(super) unphysical: String,
}

/// What a check finds.
pub(super) struct Check {
    /// The state of all local vertices.
    state: Vec<Values>,
    /// Residuals of the equations.
    pub(super) norms: [f64; 5],
    /// Residuals of the owned vertices.
    pub(super) residuals: Vec<Values>,
    /// Forces of pressure and of friction on the walls.
    forces: [f64; 6],
    /// Whether densities and temperatures are positive.
    physical: bool,
    /// CFL number of the last step.
    pub(super) cfl: f64,
    /// What the linear systems took.
    work: Work,
    /// How often is done what, with the steps that lead here.
    rhythm: Rhythm,
}

impl Check {
    /// The residual that is judged, that of the density; the state must be physical and all equations finite.
    fn judged(&self) -> f64 {
        if self.physical && self.norms.iter().all(|norm| norm.is_finite()) {
            self.norms[0]
        } else {
            f64::NAN
        }
    }

    /// Why the steps that led here are taken back.
    fn reason(&self) -> &'static str {
        if !self.physical {
            "a density or a temperature is not positive"
        } else if self.judged().is_finite() {
            "the residual of the density has grown tenfold"
        } else {
            "a residual is not finite"
        }
    }
}

impl<'s, 'a, M: Machine> Iteration<'s, 'a, M> {
    /// Begins with a state. Collective.
    pub fn begin(steady: &'s Steady<'a>, mut stepper: Stepper<M>, kept: Progress) -> Result<Self, DeviceError> {
        stepper.choose(&kept.rows);
        let mut controller = kept.controller;
        controller.cfl = controller.cfl.min(stepper.control().cfl);
        let mut iteration = Iteration {
            monitor: Monitor::new(&steady.dual, &steady.boundaries),
            steady,
            stepper,
            iteration: kept.iteration,
            controller,
            idle: Idle::default(),
            held: kept.held,
            kept,
            unphysical: String::new(),
        };
        iteration.give_kept()?;
        Ok(iteration)
    }

    /// Whether all steps were taken that the case asks for.
    pub fn is_last(&self) -> bool {
        self.iteration >= self.steady.settings.iterations
    }

    /// Logs why no step is taken, and returns whether the solution is steady.
    pub fn say_why_no_step(&self) -> Convergence {
        self.steady.say_why_no_step(&self.kept, self.stepper.control())
    }

    /// Takes the steps to the next check, and measures what they come to. Collective.
    pub fn advance(&mut self) -> Result<Check, DeviceError> {
        let steady = self.steady;
        let rhythm = self.stepper.rhythm();
        let work = self.stepper.advance(self.iteration, &mut self.controller)?;
        self.iteration += rhythm.check;
        let solver = self.stepper.solver();
        let state = solver.state()?;
        let residuals = solver.residuals()?;
        let owned = &state[..steady.dual.owned];
        let gas = &steady.run.solver.gas;
        let (norms, forces) =
            (self.monitor).measure(&steady.dual, &steady.boundaries, gas, owned, &residuals, steady.ranks);
        Ok(Check {
            physical: steady.is_physical(owned),
            state,
            norms,
            residuals,
            forces,
            cfl: self.controller.cfl,
            work,
            rhythm,
        })
    }

    /// Logs how far the fluxes of mixing planes agree at the end, and warns of those that do not.
    pub fn say_planes(&mut self) {
        let agreements = self.stepper.solver().agreements();
        self.steady.say_planes(agreements);
    }

    /// Judges the steps that led to a check. Collective.
    pub fn judge(&mut self, check: &Check) -> Verdict {
        if self.iteration <= check.rhythm.first_order + check.rhythm.check {
            // The flow forms, and then changes from first to second order: residuals may grow.
            self.controller.last = 0.0;
        }
        if !check.physical {
            let owned = &check.state[..self.steady.dual.owned];
            self.unphysical = self.steady.first_unphysical(self.iteration, owned);
        }
        self.controller.judge(self.stepper.control(), check.judged())
    }

    /// Returns the error of a solution whose steps were refused too often. Collective.
    pub fn given_up(&self, check: &Check) -> SteadyError {
        let reason = format!(
            "its steps were taken back {} times, which divided the CFL number by 4 each time, and {}",
            self.controller.refusals,
            check.reason()
        );
        self.diverged(check, reason)
    }

    /// Returns to the kept state; the control goes on from what it has learned.
    pub fn take_back(&mut self, check: &Check) -> Result<(), DeviceError> {
        let back = self.kept.iteration;
        self.steady
            .say_refused(self.iteration, check.reason(), back, self.controller.cfl);
        self.controller.last = self.kept.controller.last;
        self.controller.before = self.kept.controller.before;
        self.iteration = back;
        self.held = self.kept.held;
        self.kept.rows.retain(|row| row[0] <= back as f64);
        self.give_kept()
    }

    /// Adjusts the force that holds the mass flow, if the case has a volume force. Collective.
    pub fn adjust_force(&mut self, check: &mut Check) -> Result<(), DeviceError> {
        let steady = self.steady;
        let Some(force) = &steady.force else { return Ok(()) };
        let drag = [0, 1, 2].map(|d| check.forces[d] + check.forces[3 + d]);
        self.held = force.adjust(&steady.dual, &mut check.state, drag, self.held, steady.ranks);
        steady.give(self.stepper.solver(), &check.state, self.held)
    }

    /// Adds the row of a check to those of the convergence, and returns whether the solution is steady by its residual
    /// or its forces. If it is not, the steps may become implicit.
    pub fn record(&mut self, check: &Check, verdict: Verdict) -> Verdict {
        let of_linear = [check.work.linear, check.work.refreshes];
        let row = row(self.iteration, check.cfl, &check.norms, &check.forces, of_linear);
        self.kept.rows.push(row);
        let accepted = check.rhythm.check - check.work.refused;
        self.idle.count(self.stepper.control(), check.cfl, accepted);
        if verdict != Verdict::GoOn {
            return verdict;
        }
        if forces_are_steady(&self.kept.rows, self.stepper.control()) {
            return Verdict::Steady;
        }
        if self.stepper.choose(&self.kept.rows) {
            self.controller.begin(self.stepper.control());
        }
        verdict
    }

    /// Keeps the state of a check.
    pub fn keep(&mut self, check: Check) {
        self.kept.iteration = self.iteration;
        self.kept.controller = self.controller;
        self.kept.values = check.state;
        self.kept.held = self.held;
    }

    /// Whether the state of a check is to be kept.
    pub fn is_kept(&self, check: &Check) -> bool {
        self.iteration.is_multiple_of(check.rhythm.keep)
    }

    /// Whether a checkpoint is due after a check.
    pub fn is_checkpoint(&self, check: &Check) -> bool {
        self.iteration.is_multiple_of(check.rhythm.checkpoint)
    }

    /// Gives the solver the kept state.
    fn give_kept(&mut self) -> Result<(), DeviceError> {
        self.steady
            .give(self.stepper.solver(), &self.kept.values, self.kept.held)
    }
}
