//! What takes the steps of a steady solution: the explicit solver or the implicit one.

use super::conditions::BoundaryList;
use super::controller::Controller;
use super::dual::DualMesh;
use super::implicit::ImplicitSolver;
use super::keys::Settings;
use super::machine::Machine;
use super::solver::Solver;
use crate::device::DeviceError;
use crate::physics::Gas;
use crate::ranks::Ranks;

/// A solver with its own kind of steps.
pub enum Stepper<M: Machine> {
    /// Stages of Runge and Kutta.
    Explicit(Box<Solver<M>>),
    /// Linear systems.
    Implicit(Box<ImplicitSolver<M>>),
}

/// What the linear systems of some steps took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Iterations of the mean flow's systems.
    pub linear: u64,
    /// Factors of the mean flow's preconditioner.
    pub refreshes: u64,
}

/// What a kind of steps needs from check to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rhythm {
    /// Steps between two checks.
    pub check: u64,
    /// Steps between two kept states.
    pub keep: u64,
    /// Steps of first order at the beginning, while the flow forms.
    pub first_order: u64,
    /// Steps between two checkpoints.
    pub checkpoint: u64,
}

/// That of explicit steps.
const EXPLICIT: Rhythm = Rhythm {
    check: 20,
    keep: 100,
    first_order: 60,
    checkpoint: 1000,
};

/// That of implicit steps.
pub const IMPLICIT: Rhythm = Rhythm {
    check: 10,
    keep: 10,
    first_order: 10,
    checkpoint: 100,
};

impl<M: Machine> Stepper<M> {
    /// Sets up the solver that the settings ask for. Collective.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernels cannot be built, or there is not enough memory.
    pub fn new(
        store: M,
        dual: &DualMesh,
        boundaries: &[BoundaryList],
        gas: &Gas,
        settings: &Settings,
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let scheme = &settings.scheme;
        Ok(match &settings.implicit {
            None => Stepper::Explicit(Box::new(Solver::new(store, dual, boundaries, gas, scheme, ranks)?)),
            Some(implicit) => {
                let of = (scheme, implicit);
                Stepper::Implicit(Box::new(ImplicitSolver::new(store, dual, boundaries, gas, of, ranks)?))
            }
        })
    }

    /// The solver that holds the state.
    pub fn solver(&mut self) -> &mut Solver<M> {
        match self {
            Stepper::Explicit(solver) => solver,
            Stepper::Implicit(implicit) => &mut implicit.solver,
        }
    }

    /// How often what is done.
    pub fn rhythm(&self) -> Rhythm {
        match self {
            Stepper::Explicit(_) => EXPLICIT,
            Stepper::Implicit(_) => IMPLICIT,
        }
    }

    /// Takes the steps from an iteration to the next check, and returns what their linear systems took. Collective.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn advance(
        &mut self,
        iteration: u64,
        controller: &mut Controller,
        settings: &Settings,
    ) -> Result<Work, DeviceError> {
        let rhythm = self.rhythm();
        let mut work = Work::default();
        if let Stepper::Implicit(implicit) = self {
            // A continued solution begins here.
            implicit.forget();
        }
        for n in iteration..iteration + rhythm.check {
            self.solver().set_second_order(n >= rhythm.first_order);
            match self {
                Stepper::Explicit(solver) => solver.step(controller.cfl)?,
                Stepper::Implicit(implicit) => {
                    let step = implicit.step(controller.cfl)?;
                    controller.relax(&settings.control, step.flow.right_side);
                    work.linear += step.flow.iterations as u64;
                    work.refreshes += u64::from(step.refreshed);
                }
            }
        }
        Ok(work)
    }
}
