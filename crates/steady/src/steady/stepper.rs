//! What takes the steps of a steady solution: the explicit solver or the implicit one.
//!
//! With `driver: auto` the first steps are explicit. From the fall of their residual follows how many the explicit
//! solution would take, and the implicit one is taken if these are more than its usual number times R*, the ratio of
//! the times of both steps (M. H. Aissa, thesis, von Karman Institute 2017, section 6.3).

use super::conditions::BoundaryList;
use super::controller::{Control, Controller};
use super::implicit::{ImplicitSolver, Step};
use super::keys::{Driver, Settings};
use super::machine::Machine;
use super::monitor::Row;
use super::multigrid::Meshes;
use super::solver::Solver;
use crate::device::DeviceError;
use crate::physics::Gas;
use crate::ranks::Ranks;

/// Explicit steps of `driver: auto` before it chooses.
const TRIAL: u64 = 200;
/// Implicit steps that a solution usually takes (the flat plate of validation/steady).
const USUAL: f64 = 200.0;
/// Time of an implicit step over that of an explicit one, the same for all machines so that all choose alike
/// (`fr-les bench --steady` on a GPU with a million vertices).
const RATIO: f64 = 10.0;

/// The solvers.
enum Solvers<M: Machine> {
    Explicit(Box<Solver<M>>),
    /// It takes explicit steps too.
    Implicit(Box<ImplicitSolver<M>>),
}

/// What takes steps, and how it takes the next ones.
pub struct Stepper<M: Machine> {
    solvers: Solvers<M>,
    driver: Driver,
    /// How explicit steps are controlled.
    explicit: Control,
    /// How implicit steps are controlled.
    implicit: Control,
    /// Steps of first order, if not the usual number.
    first_order: Option<u64>,
}

/// What the linear systems of some steps took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Iterations of the mean flow's systems.
    pub linear: u64,
    /// Factors of the mean flow's preconditioner.
    pub refreshes: u64,
    /// Steps that were refused, since a system was not finite.
    pub refused: u64,
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
    /// The kernels cannot be built, or there is not enough memory.
    pub fn new(
        store: M,
        meshes: Meshes,
        boundaries: &[BoundaryList],
        gas: &Gas,
        settings: &Settings,
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let scheme = &settings.scheme;
        let solvers = match settings.driver {
            Driver::Explicit => {
                let solver = Solver::new(store, meshes.dual, boundaries, gas, scheme, ranks)?;
                Solvers::Explicit(Box::new(solver))
            }
            Driver::Implicit | Driver::Auto => {
                let steps = &settings.implicit.steps;
                let solver = ImplicitSolver::new(store, meshes, boundaries, gas, scheme, steps, ranks)?;
                Solvers::Implicit(Box::new(solver))
            }
        };
        Ok(Stepper {
            solvers,
            driver: settings.driver,
            explicit: settings.control,
            implicit: settings.implicit.control,
            first_order: settings.first_order,
        })
    }

    /// How the present steps are controlled.
    pub fn control(&self) -> &Control {
        match self.driver {
            Driver::Implicit => &self.implicit,
            Driver::Explicit | Driver::Auto => &self.explicit,
        }
    }

    /// Chooses between explicit and implicit steps, if that is due, from the rows of the convergence so far. Returns
    /// whether the steps become implicit. A continued solution comes to the same choice.
    pub fn choose(&mut self, rows: &[Row]) -> bool {
        if self.driver != Driver::Auto {
            return false;
        }
        let Some(steps) = explicit_steps(rows, self.explicit.residual) else {
            return false;
        };
        let implicit = steps > RATIO * USUAL;
        self.driver = if implicit { Driver::Implicit } else { Driver::Explicit };
        if self.solver().ranks().rank() == 0 {
            tracing::info!(
                "driver {} from now on: explicit steps would take {}, and implicit ones are faster if these are more \
                 than {}",
                if implicit { "implicit" } else { "explicit" },
                if steps.is_finite() {
                    format!("about {steps:.0}")
                } else {
                    "ever more".to_owned()
                },
                RATIO * USUAL
            );
        }
        implicit
    }

    /// The solver that holds the state.
    pub fn solver(&mut self) -> &mut Solver<M> {
        match &mut self.solvers {
            Solvers::Explicit(solver) => solver,
            Solvers::Implicit(implicit) => &mut implicit.solver,
        }
    }

    /// Returns the bytes of all arrays, without those of the exchange.
    pub fn bytes(&self) -> usize {
        match &self.solvers {
            Solvers::Explicit(solver) => solver.bytes(),
            Solvers::Implicit(implicit) => implicit.bytes(),
        }
    }

    /// How often what is done.
    pub fn rhythm(&self) -> Rhythm {
        let usual = match self.driver {
            Driver::Explicit | Driver::Auto => EXPLICIT,
            Driver::Implicit => IMPLICIT,
        };
        Rhythm {
            first_order: self.first_order.unwrap_or(usual.first_order),
            ..usual
        }
    }

    /// Takes the steps from an iteration to the next check, and returns what their linear systems took. Collective.
    pub fn advance(&mut self, iteration: u64, controller: &mut Controller) -> Result<Work, DeviceError> {
        let rhythm = self.rhythm();
        let control = *self.control();
        let mut work = Work::default();
        if let Solvers::Implicit(implicit) = &mut self.solvers {
            // A continued solution begins here.
            implicit.forget();
        }
        for n in iteration..iteration + rhythm.check {
            self.solver().set_second_order(n >= rhythm.first_order);
            match &mut self.solvers {
                Solvers::Implicit(implicit) if self.driver == Driver::Implicit => {
                    let step = implicit.step(controller.cfl)?;
                    match step {
                        Step::Taken(solutions) => {
                            controller.relax(&control, solutions.flow.right_side, solutions.flow.residual)
                        }
                        Step::Refused(_) => {
                            controller.forget();
                            work.refused += 1;
                        }
                    }
                    work.linear += step.solutions().flow.iterations as u64;
                    work.refreshes += u64::from(step.solutions().refreshed);
                }
                _ => self.solver().step(controller.cfl)?,
            }
        }
        Ok(work)
    }
}

/// Returns how many explicit steps a solution to a residual over the largest would take by the fall of the residual in
/// the second half of the trial; `None` if its rows are not there.
fn explicit_steps(rows: &[Row], residual: f64) -> Option<f64> {
    let norm = |at: u64| rows.iter().find(|row| row[0] == at as f64).map(|row| row[2]);
    let before = norm(TRIAL / 2)?;
    let now = norm(TRIAL)?;
    let trial = rows.iter().filter(|row| row[0] <= TRIAL as f64);
    let largest = trial.map(|row| row[2]).fold(0.0, f64::max);
    let rate = (before / now).ln() / (TRIAL / 2) as f64;
    let left = (now / (residual * largest)).ln().max(0.0);
    Some(if rate > 0.0 {
        TRIAL as f64 + left / rate
    } else {
        f64::INFINITY
    })
}
