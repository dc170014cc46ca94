//! The times of the parts of explicit and implicit steps.

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

/// Seconds of the parts of steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timings {
    /// Gradients, fluxes and the sums of the turbulence model.
    pub residual: f64,
    /// An explicit step.
    pub explicit: f64,
    /// The matrices and right sides of both systems.
    pub assembly: f64,
    /// The factors of the mean flow's preconditioner.
    pub factors: f64,
    /// An iteration of FGMRES for the mean flow: preconditioner, product, dot products and sums.
    pub iteration: f64,
    /// An implicit step.
    pub implicit: f64,
    /// Iterations of the mean flow's system in this step.
    pub iterations: usize,
}

/// Returns the shortest time of some calls of `work`, after one that is not timed. `prepare` comes before each and is
/// not timed either.
fn shortest<M: Machine>(
    of: &mut ImplicitSolver<M>,
    mut prepare: impl FnMut(&mut ImplicitSolver<M>) -> Result<(), DeviceError>,
    mut work: impl FnMut(&mut ImplicitSolver<M>) -> Result<(), DeviceError>,
) -> Result<f64, DeviceError> {
    prepare(of)?;
    work(of)?;
    let (begin, mut best) = (Instant::now(), f64::INFINITY);
    for call in 0.. {
        prepare(of)?;
        of.solver.store.synchronize()?;
        let now = Instant::now();
        work(of)?;
        of.solver.store.synchronize()?;
        best = best.min(now.elapsed().as_secs_f64());
        if call >= 2 && begin.elapsed().as_secs_f64() > 0.3 {
            break;
        }
    }
    Ok(best)
}

impl<M: Machine> ImplicitSolver<M> {
    /// Measures the parts of steps at a state: those of an explicit solver, and implicit ones with this CFL number.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn timings(&mut self, explicit: &mut Solver<M>, state: &[Values], cfl: f64) -> Result<Timings, DeviceError> {
        let nothing = |_: &mut Self| Ok(());
        self.solver.set_state(state)?;
        let residual = shortest(self, nothing, |of| of.residuals(cfl))?;
        let assembly = shortest(self, nothing, |of| {
            of.assemble_eddy()?;
            of.assemble_flow()
        })?;
        let factors = shortest(self, nothing, |of| of.systems.factor(&of.solver, true))?;
        let goal = |iterations| Goal {
            iterations,
            residual: 0.0,
            most: iterations,
        };
        let mut solution = |iterations| {
            shortest(self, nothing, |of| {
                let systems = &of.systems;
                let with = (&systems.flow, &systems.lines, systems.method(true));
                of.krylov.solve(&of.solver, with, &goal(iterations)).map(|_| ())
            })
        };
        let iteration = (solution(ITERATIONS)? - solution(1)?) / (ITERATIONS - 1) as f64;
        let mut iterations = 0;
        let implicit = shortest(
            self,
            |of| of.solver.set_state(state),
            |of| {
                iterations = of.step(cfl)?.flow.iterations;
                Ok(())
            },
        )?;
        explicit.set_state(state)?;
        let explicit = shortest(self, nothing, |_| {
            explicit.step(EXPLICIT_CFL)?;
            explicit.store.synchronize()
        })?;
        Ok(Timings {
            residual,
            explicit,
            assembly,
            factors,
            iteration,
            implicit,
            iterations,
        })
    }
}
