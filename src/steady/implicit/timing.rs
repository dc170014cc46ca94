//! The times of the parts of explicit and implicit steps.

use std::time::Instant;

use super::krylov::Goal;
use super::solver::ImplicitSolver;
use crate::device::DeviceError;
use crate::steady::machine::Machine;
use crate::steady::solver::Solver;

/// Iterations of the linear solution that is timed.
const ITERATIONS: usize = 10;

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
    pub iterations: f64,
}

/// Returns the shortest time of some calls of `work`, after one that is not timed.
fn shortest<M: Machine>(
    of: &mut ImplicitSolver<M>,
    mut work: impl FnMut(&mut ImplicitSolver<M>) -> Result<(), DeviceError>,
) -> Result<f64, DeviceError> {
    work(of)?;
    let (begin, mut best) = (Instant::now(), f64::INFINITY);
    for call in 0.. {
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
    /// Measures the parts of steps at the present state, and with steps of these CFL numbers, explicit and implicit,
    /// that change it. `explicit` has the state in the order of an explicit solution.
    ///
    /// # Errors
    ///
    /// Returns an error if the machine fails.
    pub fn timings(&mut self, explicit: &mut Solver<M>, [cfl, cfl_implicit]: [f64; 2]) -> Result<Timings, DeviceError> {
        let residual = shortest(self, |of| of.residuals(cfl_implicit))?;
        let assembly = shortest(self, |of| {
            of.assemble_eddy()?;
            of.assemble_flow()
        })?;
        let factors = shortest(self, |of| of.systems.factor(&of.solver, true))?;
        let goal = |iterations| Goal {
            iterations,
            residual: 0.0,
        };
        let mut solution = |iterations| {
            shortest(self, |of| {
                let systems = &of.systems;
                let with = (&systems.flow, &systems.lines, systems.method(true));
                of.krylov.solve(&of.solver, with, &goal(iterations)).map(|_| ())
            })
        };
        let iteration = (solution(ITERATIONS)? - solution(1)?) / (ITERATIONS - 1) as f64;
        let explicit = shortest(self, |_| {
            explicit.step(cfl)?;
            explicit.store.synchronize()
        })?;
        let (mut steps, mut iterations) = (0, 0);
        let implicit = shortest(self, |of| {
            let step = of.step(cfl_implicit)?;
            (steps, iterations) = (steps + 1, iterations + step.flow.iterations);
            Ok(())
        })?;
        Ok(Timings {
            residual,
            explicit,
            assembly,
            factors,
            iteration,
            implicit,
            iterations: iterations as f64 / f64::from(steps),
        })
    }
}
