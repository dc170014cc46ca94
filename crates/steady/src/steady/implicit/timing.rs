//! The times of explicit steps, and of the parts of implicit steps.

use std::rc::Rc;
use std::time::Instant;

use super::krylov::Goal;
use super::solver::ImplicitSolver;
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
    (of, store): (&mut T, Rc<M>),
    mut prepare: impl FnMut(&mut T) -> Result<(), DeviceError>,
    mut work: impl FnMut(&mut T) -> Result<(), DeviceError>,
) -> Result<f64, DeviceError> {
    prepare(of)?;
    work(of)?;
    let (begin, mut best) = (Instant::now(), f64::INFINITY);
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
///
/// # Errors
/// The machine fails.
pub fn seconds_of_explicit_step<M: Machine>(solver: &mut Solver<M>, state: &[Values]) -> Result<f64, DeviceError> {
    let store = solver.store.clone();
    solver.set_state(state)?;
    shortest((solver, store), |_| Ok(()), |solver| solver.step(EXPLICIT_CFL))
}

impl<M: Machine> ImplicitSolver<M> {
    /// Measures the parts of steps with this CFL number at a state.
    ///
    /// # Errors
    /// The machine fails.
    pub fn timings(&mut self, state: &[Values], cfl: f64) -> Result<Timings, DeviceError> {
        let nothing = |_: &mut Self| Ok(());
        let store = self.solver.store.clone();
        self.solver.set_state(state)?;
        let residual = shortest((&mut *self, store.clone()), nothing, |of| of.residuals(cfl))?;
        let assembly = shortest((&mut *self, store.clone()), nothing, |of| {
            of.assemble_eddy()?;
            of.assemble_flow()
        })?;
        let factors = shortest((&mut *self, store.clone()), nothing, |of| {
            of.systems.factor(&of.solver, true)
        })?;
        let goal = |iterations| Goal {
            iterations,
            residual: 0.0,
            most: iterations,
        };
        let mut solution = |iterations| {
            shortest((&mut *self, store.clone()), nothing, |of| {
                let systems = &of.systems;
                let with = (&systems.flow, &systems.lines, systems.method(true));
                of.krylov.solve(&of.solver, with, &goal(iterations)).map(|_| ())
            })
        };
        let iteration = (solution(ITERATIONS)? - solution(1)?) / (ITERATIONS - 1) as f64;
        let mut iterations = 0;
        let step = shortest(
            (&mut *self, store),
            |of| of.solver.set_state(state),
            |of| {
                iterations = of.step(cfl)?.flow.iterations;
                Ok(())
            },
        )?;
        Ok(Timings {
            residual,
            assembly,
            factors,
            iteration,
            step,
            iterations,
        })
    }
}
