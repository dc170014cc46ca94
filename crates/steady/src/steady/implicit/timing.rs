//! The times of explicit steps, and of the parts of implicit steps.

use std::time::Instant;

use super::krylov::Goal;
use super::solver::{ImplicitSolver, System};
use crate::device::DeviceError;
use crate::steady::handover::Values;
use crate::steady::machine::Machine;
use crate::steady::solver::Solver;

/// Iterations of the linear solution that is timed.
const ITERATIONS: usize = 10;
/// CFL number of explicit steps.
const EXPLICIT_CFL: f64 = 1.0;

/// Seconds of the parts of implicit steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timings {
    /// Gradients, fluxes and the sums of the turbulence model.
    pub residual: f64,
    /// The matrices and right sides of both systems.
    pub assembly: f64,
    /// The factors of the mean flow's preconditioner.
    pub factors: f64,
    /// An iteration of FGMRES for the mean flow: preconditioner, product, dot products and sums.
    pub iteration: f64,
    /// A step.
    pub step: f64,
    /// Iterations of the mean flow's system in this step.
    pub iterations: usize,
}

/// Returns the shortest time of some calls of `work`, after one that is not timed. `prepare` comes before each and is
/// not timed either.
fn shortest<T, M: Machine>(
    of: &mut T,
    store: &M,
    mut prepare: impl FnMut(&mut T) -> Result<(), DeviceError>,
    mut work: impl FnMut(&mut T) -> Result<(), DeviceError>,
) -> Result<f64, DeviceError> {
    prepare(of)?;
    work(of)?;
    let begin = Instant::now();
    let mut best = f64::INFINITY;
    for call in 0.. {
        prepare(of)?;
        store.synchronize()?;
        let now = Instant::now();
        work(of)?;
        store.synchronize()?;
        best = best.min(now.elapsed().as_secs_f64());
        if call >= 2 && begin.elapsed().as_secs_f64() > 0.3 {
            break;
        }
    }
    Ok(best)
}

/// Measures the seconds of an explicit step at a state.
pub fn seconds_of_explicit_step<M: Machine>(solver: &mut Solver<M>, state: &[Values]) -> Result<f64, DeviceError> {
    let store = solver.grid.store.clone();
    solver.set_state(state)?;
    shortest(solver, &*store, |_| Ok(()), |solver| solver.step(EXPLICIT_CFL))
}

impl<M: Machine> ImplicitSolver<M> {
    /// Measures the parts of steps with this CFL number at a state.
    pub fn timings(&mut self, state: &[Values], cfl: f64) -> Result<Timings, DeviceError> {
        self.solver.set_state(state)?;
        let residual = self.seconds_of(|of| of.residuals(cfl))?;
        let assembly = self.seconds_of(|of| {
            of.assemble_eddy()?;
            of.assemble_flow()
        })?;
        let factors = self.seconds_of(|of| of.systems.factor(System::MeanFlow, &of.solver.params))?;
        let iteration =
            (self.seconds_of_iterations(ITERATIONS)? - self.seconds_of_iterations(1)?) / (ITERATIONS - 1) as f64;
        let mut iterations = 0;
        let store = self.solver.grid.store.clone();
        let prepare = |of: &mut Self| of.solver.set_state(state);
        let step = shortest(self, &*store, prepare, |of| {
            iterations = of.step(cfl)?.solutions().flow.iterations;
            Ok(())
        })?;
        Ok(Timings {
            residual,
            assembly,
            factors,
            iteration,
            step,
            iterations,
        })
    }

    /// Measures the seconds of a part of a step.
    fn seconds_of(&mut self, work: impl FnMut(&mut Self) -> Result<(), DeviceError>) -> Result<f64, DeviceError> {
        let store = self.solver.grid.store.clone();
        shortest(self, &*store, |_| Ok(()), work)
    }

    /// Measures the seconds of a linear solution of so many iterations.
    fn seconds_of_iterations(&mut self, iterations: usize) -> Result<f64, DeviceError> {
        let goal = Goal {
            iterations,
            residual: 0.0,
            most: iterations,
        };
        self.seconds_of(|of| of.solve_to(System::MeanFlow, &goal).map(|_| ()))
    }
}
