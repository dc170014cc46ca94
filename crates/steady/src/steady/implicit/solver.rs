//! The implicit solver on one rank.
//!
//! A step solves (D/CFL + dR/dU) dU = -R for the mean flow, and a system of the same kind for the model of turbulence
//! with half the CFL number. D/CFL is the inverse of the local step of an explicit one.

use super::hierarchy::Hierarchy;
use super::krylov::{Goal, Krylov, Solved, most_iterations};
use super::lines::Lines;
use super::matrix::{Elimination, Matrix, Unknowns};
use super::preconditioner::Method;
use super::settings::{Implicit, Preconditioner, Refresh};
use crate::device::DeviceError;
use crate::device::contract::SteadyKernel;
use crate::device::store::Memory;
use crate::physics::Gas;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::machine::Machine;
use crate::steady::multigrid::Levels;
use crate::steady::scheme::Scheme;
use crate::steady::solver::Solver;

/// CFL number of the model of turbulence over that of the mean flow.
const EDDY_CFL: f64 = 0.5;

/// The implicit solver on one rank.
pub struct ImplicitSolver<M: Machine> {
    /// What computes residuals and holds the state.
    pub solver: Solver<M>,
    pub(super) systems: Systems<M>,
    pub(super) krylov: Krylov<M>,
    /// Whether the factors of the mean flow are to be computed anew.
    refresh: bool,
    /// Number of steps that have had the present factors.
    kept: u64,
}

/// The linear systems of the mean flow and of the model of turbulence, and their preconditioners.
pub(super) struct Systems<M: Machine> {
    pub(super) lines: Lines,
    pub(super) flow: Matrix<M>,
    pub(super) eddy: Option<Matrix<M>>,
    elimination: Option<Elimination<M>>,
    pub(super) hierarchy: Option<Hierarchy<M>>,
    settings: Implicit,
}

impl<M: Machine> Systems<M> {
    /// The matrix of the mean flow, or that of the model.
    pub(super) fn matrix(&self, flow: bool) -> &Matrix<M> {
        self.eddy.as_ref().filter(|_| !flow).unwrap_or(&self.flow)
    }

    /// The preconditioner of the mean flow, or that of the model.
    pub(super) fn method(&self, flow: bool) -> Method<'_, M> {
        match (&self.elimination, &self.hierarchy) {
            (Some(elimination), _) if flow => Method::Elimination(elimination),
            (_, Some(hierarchy)) => Method::Cycles(hierarchy),
            _ => Method::Sweeps(self.settings.sweeps),
        }
    }

    /// Computes the factors of a preconditioner.
    pub(super) fn factor(&self, solver: &Solver<M>, flow: bool) -> Result<(), DeviceError> {
        self.method(flow).factor(solver, self.matrix(flow), &self.lines)
    }
}

/// The linear solutions of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// That of the mean flow.
    pub flow: Solved,
    /// That of the model of turbulence.
    pub eddy: Option<Solved>,
    /// Whether the factors of the mean flow were computed anew.
    pub refreshed: bool,
}

/// A linear system with its solution, by owned vertices.
#[derive(Debug, Clone)]
pub struct System {
    /// Blocks of the rows of each vertex: the own one, and those of its edges in their order; each with the local
    /// number of the vertex that it multiplies, and `[row][column]`.
    pub rows: Vec<Vec<(u32, Vec<f64>)>>,
    /// The right side, `[vertex][row]`.
    pub right_side: Vec<Vec<f64>>,
    /// The solution in the same way.
    pub solution: Vec<Vec<f64>>,
    /// How it was solved.
    pub solved: Solved,
}

impl<M: Machine> ImplicitSolver<M> {
    /// Sets up the arrays of a rank. The state is zero until it is given. `levels` are those of
    /// [`Implicit::coarsening`]. Collective.
    ///
    /// # Errors
    /// The kernels cannot be built, or there is not enough memory.
    pub fn new(
        store: M,
        (dual, levels): (&DualMesh, Option<&Levels>),
        boundaries: &[BoundaryList],
        gas: &Gas,
        (scheme, settings): (&Scheme, &Implicit),
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let slice = store.slice()?;
        let lines = match settings.preconditioner {
            Preconditioner::Lines => Lines::along_strong_edges(dual, slice, &ranks),
            _ => Lines::of_points(dual, slice, &ranks),
        };
        let held = held(dual, boundaries, &ranks);
        let solver = Solver::arranged(store, (dual, &lines.arrangement), boundaries, gas, scheme, ranks)?;
        let elimination = match settings.preconditioner {
            Preconditioner::Ilu => Some(Elimination::new(&solver, &lines, &held)?),
            _ => None,
        };
        let unknowns = Unknowns::of(solver.turbulence);
        let flow = Matrix::new(&solver, &lines, Unknowns::Flow)?;
        let of_model = unknowns.get(1);
        let eddy = of_model
            .map(|&unknowns| Matrix::new(&solver, &lines, unknowns))
            .transpose()?;
        let below = levels.filter(|_| settings.coarsening().is_some());
        let of = (unknowns, settings.sweeps);
        let hierarchy = below.map(|levels| Hierarchy::new((&solver, dual, levels), of, gas, scheme));
        Ok(ImplicitSolver {
            krylov: Krylov::new(&solver, flow.unknowns.count(), most_iterations(settings.krylov))?,
            solver,
            systems: Systems {
                lines,
                flow,
                eddy,
                elimination,
                hierarchy: hierarchy.transpose()?,
                settings: *settings,
            },
            refresh: true,
            kept: 0,
        })
    }

    /// Returns the bytes of all arrays, without those of the exchange.
    pub fn bytes(&self) -> usize {
        let systems = &self.systems;
        let matrices = systems.flow.bytes() + systems.eddy.as_ref().map_or(0, Matrix::bytes);
        let levels = systems.hierarchy.as_ref().map_or(0, Hierarchy::bytes);
        self.solver.bytes() + matrices + levels + self.krylov.bytes()
    }

    /// Advances the state by one step with this CFL number. A step whose linear systems are not finite leaves the state
    /// as it is. Collective.
    ///
    /// # Errors
    /// The machine fails.
    pub fn step(&mut self, cfl: f64) -> Result<Step, DeviceError> {
        self.residuals(cfl)?;
        self.assemble_flow()?;
        let refreshed = self.refresh;
        if refreshed {
            self.systems.factor(&self.solver, true)?;
            self.kept = 0;
        }
        self.kept += 1;
        let mut step = Step {
            flow: self.solve(true)?,
            eddy: None,
            refreshed,
        };
        self.refresh = match self.systems.settings.refresh {
            None => true,
            Some(Refresh::OnDemand { a, b }) => step.flow.iterations as f64 > a + b * cfl,
            Some(Refresh::Every(steps)) => self.kept >= steps,
        };
        if !step.flow.right_side.is_finite() {
            return Ok(step);
        }
        // Before the mean flow changes: both systems are those of one state.
        self.assemble_eddy()?;
        self.add_increment(true)?;
        if self.systems.eddy.is_some() {
            self.systems.factor(&self.solver, false)?;
            let solved = self.solve(false)?;
            step.eddy = Some(solved);
            if !solved.right_side.is_finite() {
                step.flow.right_side = f64::NAN;
                return Ok(step);
            }
            self.add_increment(false)?;
        }
        self.solver
            .update_halo_at(self.solver.state.pointer(), self.solver.variables)?;
        Ok(step)
    }

    /// Computes the residuals of the present state, and the own coefficients of the model.
    pub(super) fn residuals(&mut self, cfl: f64) -> Result<(), DeviceError> {
        let solver = &mut self.solver;
        solver.gradients()?;
        solver.closure()?;
        solver.fluxes(1.0)?;
        solver.params.cfl = EDDY_CFL * cfl;
        solver.turbulence()?;
        solver.params.cfl = cfl;
        Ok(())
    }

    /// Computes the matrix of the mean flow and its right side.
    pub(super) fn assemble_flow(&self) -> Result<(), DeviceError> {
        let right_side = self.krylov.right_side.pointer();
        let params = self.systems.flow.params(&self.solver, std::ptr::null(), right_side);
        self.solver.over_vertices(SteadyKernel::Jacobian, params)?;
        self.solver.over_boundaries(SteadyKernel::BoundaryJacobian, params)?;
        self.solver.over_vertices(SteadyKernel::RightSide, params)
    }

    /// Computes the matrix of the model and its right side.
    pub(super) fn assemble_eddy(&self) -> Result<(), DeviceError> {
        let Some(eddy) = &self.systems.eddy else { return Ok(()) };
        let params = eddy.params(&self.solver, std::ptr::null(), self.krylov.right_side.pointer());
        let kernel = match eddy.unknowns {
            Unknowns::Pair => SteadyKernel::TwoEquationsSystem,
            _ => SteadyKernel::EddySystem,
        };
        self.solver.over_vertices(kernel, params)
    }

    /// Solves the system of the mean flow, or that of the model.
    fn solve(&mut self, flow: bool) -> Result<Solved, DeviceError> {
        let goal = Goal {
            iterations: self.systems.settings.krylov,
            residual: self.systems.settings.linear_stop,
            most: most_iterations(self.systems.settings.krylov),
        };
        let systems = &self.systems;
        let with = (systems.matrix(flow), &systems.lines, systems.method(flow));
        self.krylov.solve(&self.solver, with, &goal)
    }

    /// Makes the next step compute its factors anew, so that what follows does not depend on earlier steps.
    pub fn forget(&mut self) {
        self.refresh = true;
    }

    /// Adds the solution of a system to the state.
    fn add_increment(&self, flow: bool) -> Result<(), DeviceError> {
        let matrix = self.systems.matrix(flow);
        let kernel = match matrix.unknowns {
            Unknowns::Flow => SteadyKernel::AddIncrement,
            Unknowns::Eddy => SteadyKernel::AddEddyIncrement,
            Unknowns::Pair => SteadyKernel::AddTwoEquationsIncrement,
        };
        let params = matrix.params(&self.solver, self.krylov.solution.pointer(), std::ptr::null_mut());
        self.solver.over_vertices(kernel, params)
    }

    /// Assembles the system of the mean flow with this CFL number, or that of the model, solves it, and returns it with
    /// its solution. The state stays as it is. Collective.
    ///
    /// # Errors
    /// The machine fails.
    pub fn system(&mut self, dual: &DualMesh, cfl: f64, flow: bool) -> Result<System, DeviceError> {
        self.residuals(cfl)?;
        if flow {
            self.assemble_flow()?
        } else {
            self.assemble_eddy()?
        }
        let matrix = self.systems.matrix(flow);
        self.systems.factor(&self.solver, flow)?;
        let rows = matrix.rows(&self.solver, dual)?;
        let right_side = matrix.values(&self.solver, dual, &self.krylov.right_side)?;
        let solved = self.solve(flow)?;
        let matrix = self.systems.matrix(flow);
        let solution = matrix.values(&self.solver, dual, &self.krylov.solution)?;
        Ok(System {
            rows,
            right_side,
            solution,
            solved,
        })
    }
}

/// What walls hold at all local vertices: nothing (0), velocity (1), or temperature too (2). Collective.
fn held(dual: &DualMesh, boundaries: &[BoundaryList], ranks: &Ranks) -> Vec<f64> {
    let mut held = vec![0.0f64; dual.len()];
    for boundary in boundaries.iter().filter(|boundary| boundary.is_no_slip()) {
        let level = if boundary.kind.is_isothermal() { 2.0 } else { 1.0 };
        for &vertex in &boundary.vertex {
            held[vertex as usize] = held[vertex as usize].max(level);
        }
    }
    dual.update_halo(ranks, &mut held);
    held
}
