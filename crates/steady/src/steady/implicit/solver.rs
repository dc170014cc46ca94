//! The implicit solver: steps of backward Euler, of which all methods are collective.
//!
//! A step solves (D/CFL + dR/dU) dU = -R for the mean flow, and a system of the same kind for the model of turbulence
//! with half the CFL number. D/CFL is the inverse of the local step of an explicit one.

use std::rc::Rc;

use super::elimination::Elimination;
use super::hierarchy::Hierarchy;
use super::krylov::{Goal, Krylov, Solved, most_iterations};
use super::lines::Lines;
use super::matrix::{Matrix, Rows, Unknowns};
use super::preconditioner::Method;
use super::settings::{Implicit, Preconditioner, Refresh};
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::physics::Gas;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::grid::Grid;
use crate::steady::machine::Machine;
use crate::steady::multigrid::Meshes;
use crate::steady::scheme::Scheme;
use crate::steady::solver::Solver;

/// CFL number of the model of turbulence over that of the mean flow.
const EDDY_CFL: f64 = 0.5;

/// A linear system of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum System {
    /// That of the mean flow.
    MeanFlow,
    /// That of the model of turbulence.
    Turbulence,
}

/// The implicit solver on one rank.
pub struct ImplicitSolver<M: Machine> {
    /// What computes residuals and holds the state.
    pub solver: Solver<M>,
    pub(super) systems: Systems<M>,
    pub(super) krylov: Krylov<M>,
    settings: Implicit,
    /// Whether the factors of the mean flow are to be computed anew.
    refresh: bool,
    /// Number of steps that have had the present factors.
    kept: u64,
}

/// The matrices of both systems, and their preconditioners.
pub(super) struct Systems<M: Machine> {
    flow: Matrix<M>,
    /// None in a laminar flow.
    eddy: Option<Matrix<M>>,
    elimination: Option<Elimination<M>>,
    pub(super) hierarchy: Option<Hierarchy<M>>,
    sweeps: usize,
}

impl<M: Machine> Systems<M> {
    /// The matrix of a system.
    ///
    /// # Panics
    /// A laminar flow has no system of the model.
    pub(super) fn matrix(&self, system: System) -> &Matrix<M> {
        match system {
            System::MeanFlow => &self.flow,
            System::Turbulence => self.eddy.as_ref().expect("a model of turbulence"),
        }
    }

    /// The preconditioner of a system.
    pub(super) fn method(&self, system: System) -> Method<'_, M> {
        match (&self.elimination, &self.hierarchy) {
            (Some(elimination), _) if system == System::MeanFlow => Method::Elimination(elimination),
            (_, Some(hierarchy)) => Method::Cycles(hierarchy),
            _ => Method::Sweeps(self.sweeps),
        }
    }

    /// Computes the factors of the preconditioner of a system. `flow` are parameters that lead to the flow.
    pub(super) fn factor(&self, system: System, flow: &SteadyParams) -> Result<(), DeviceError> {
        self.method(system).factor(self.matrix(system), flow)
    }

    fn bytes(&self) -> usize {
        let eddy = self.eddy.as_ref().map_or(0, Matrix::bytes);
        let elimination = self.elimination.as_ref().map_or(0, Elimination::bytes);
        let levels = self.hierarchy.as_ref().map_or(0, Hierarchy::bytes);
        self.flow.bytes() + eddy + elimination + levels
    }
}

/// The end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// The state has advanced.
    Taken(Solutions),
    /// A linear system was not finite, and its unknowns are as they were.
    Refused(Solutions),
}

impl Step {
    /// The linear solutions of the step.
    pub fn solutions(&self) -> &Solutions {
        match self {
            Step::Taken(solutions) | Step::Refused(solutions) => solutions,
        }
    }
}

/// The linear solutions of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solutions {
    /// That of the mean flow.
    pub flow: Solved,
    /// That of the model of turbulence.
    pub eddy: Option<Solved>,
    /// Whether the factors of the mean flow were computed anew.
    pub refreshed: bool,
}

/// A linear system with its solution, by owned vertices.
#[derive(Debug, Clone)]
pub struct LinearSystem {
    /// Blocks of the rows of each vertex: the own one, and those of its edges in their order; each with the local
    /// number of the vertex that it multiplies, and `[row][column]`.
    pub rows: Vec<Rows>,
    /// The right side, `[vertex][row]`.
    pub right_side: Vec<Vec<f64>>,
    /// The solution in the same way.
    pub solution: Vec<Vec<f64>>,
    /// How it was solved.
    pub solved: Solved,
}

impl<M: Machine> ImplicitSolver<M> {
    /// Sets up the arrays of a rank. The state is zero until it is given. The levels are those of
    /// [`Implicit::coarsening`].
    ///
    /// # Errors
    /// The kernels cannot be built, or there is not enough memory.
    pub fn new(
        store: M,
        meshes: Meshes,
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
        settings: &Implicit,
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let dual = meshes.dual;
        let slice = store.slice()?;
        let lines = Rc::new(match settings.preconditioner {
            Preconditioner::Lines => Lines::along_strong_edges(dual, slice, &ranks),
            _ => Lines::of_points(dual, slice, &ranks),
        });
        let grid = Rc::new(Grid::new(store, dual, &lines.arrangement, gas, scheme, ranks)?);
        let elimination = match settings.preconditioner {
            Preconditioner::Ilu => Some(Elimination::new(&grid, dual, &lines, boundaries)?),
            _ => None,
        };
        let hierarchy = match meshes.levels {
            Some(levels) if settings.coarsening().is_some() => {
                let unknowns = Unknowns::of_step(scheme.turbulence);
                Some(Hierarchy::new(&grid, dual, levels, &unknowns, settings.sweeps)?)
            }
            _ => None,
        };
        let of_model = Unknowns::of_model(scheme.turbulence);
        let eddy = of_model.map(|unknowns| Matrix::new(&grid, &lines, unknowns));
        let iterations = most_iterations(settings.krylov);
        Ok(ImplicitSolver {
            solver: Solver::on(grid.clone(), dual, boundaries, scheme.turbulence)?,
            krylov: Krylov::new(&grid, Unknowns::Flow.count(), iterations)?,
            systems: Systems {
                flow: Matrix::new(&grid, &lines, Unknowns::Flow)?,
                eddy: eddy.transpose()?,
                elimination,
                hierarchy,
                sweeps: settings.sweeps,
            },
            settings: *settings,
            refresh: true,
            kept: 0,
        })
    }

    /// Returns the bytes of all arrays, without those of the exchange.
    pub fn bytes(&self) -> usize {
        self.solver.bytes() + self.systems.bytes() + self.krylov.bytes()
    }

    /// Advances the state by one step with this CFL number, unless a linear system is not finite.
    pub fn step(&mut self, cfl: f64) -> Result<Step, DeviceError> {
        self.residuals(cfl)?;
        self.assemble_flow()?;
        let refreshed = self.refresh_factors()?;
        let flow = self.solve(System::MeanFlow)?;
        self.plan_refresh(cfl, &flow);
        let mut solutions = Solutions {
            flow,
            eddy: None,
            refreshed,
        };
        if !flow.finite {
            return Ok(Step::Refused(solutions));
        }
        // Before the mean flow changes: both systems are those of one state.
        self.assemble_eddy()?;
        self.add_increment(System::MeanFlow)?;
        if self.systems.eddy.is_some() {
            solutions.eddy = Some(self.step_of_model()?);
        }
        self.solver.share_state()?;
        Ok(match solutions.eddy {
            Some(eddy) if !eddy.finite => Step::Refused(solutions),
            _ => Step::Taken(solutions),
        })
    }

    /// Advances the model of turbulence, whose system is assembled, unless it is not finite.
    fn step_of_model(&mut self) -> Result<Solved, DeviceError> {
        self.systems.factor(System::Turbulence, &self.solver.params)?;
        let solved = self.solve(System::Turbulence)?;
        if solved.finite {
            self.add_increment(System::Turbulence)?;
        }
        Ok(solved)
    }

    /// Computes the factors of the mean flow anew, if that is due, and returns whether it was.
    fn refresh_factors(&mut self) -> Result<bool, DeviceError> {
        let due = self.refresh;
        if due {
            self.systems.factor(System::MeanFlow, &self.solver.params)?;
            self.kept = 0;
        }
        self.kept += 1;
        Ok(due)
    }

    /// Decides whether the next step computes its factors anew.
    fn plan_refresh(&mut self, cfl: f64, flow: &Solved) {
        self.refresh = match self.settings.refresh {
            None => true,
            Some(Refresh::OnDemand { a, b }) => flow.iterations as f64 > a + b * cfl,
            Some(Refresh::Every(steps)) => self.kept >= steps,
        };
    }

    /// Makes the next step compute its factors anew, so that what follows does not depend on earlier steps.
    pub fn forget(&mut self) {
        self.refresh = true;
    }

    /// Computes the residuals of the present state, and the own coefficients of the model.
    pub(super) fn residuals(&mut self, cfl: f64) -> Result<(), DeviceError> {
        let solver = &mut self.solver;
        solver.balance_planes()?;
        solver.gradients()?;
        solver.closure()?;
        solver.fluxes(1.0)?;
        solver.params.cfl = EDDY_CFL * cfl;
        solver.turbulence()?;
        solver.params.cfl = cfl;
        Ok(())
    }

    /// Parameters of launches over the flow that write the matrix of a system and its right side.
    fn assembling(&self, matrix: &Matrix<M>) -> SteadyParams {
        let mut params = self.solver.params;
        matrix.connect(&mut params);
        params.result = self.krylov.arrays.right_side.pointer();
        params
    }

    /// Computes the matrix of the mean flow and its right side.
    pub(super) fn assemble_flow(&self) -> Result<(), DeviceError> {
        let params = self.assembling(&self.systems.flow);
        self.solver.over_vertices(SteadyKernel::Jacobian, params)?;
        self.solver.over_boundaries(SteadyKernel::BoundaryJacobian, params)?;
        self.solver.over_vertices(SteadyKernel::RightSide, params)
    }

    /// Computes the matrix of the model and its right side.
    pub(super) fn assemble_eddy(&self) -> Result<(), DeviceError> {
        let Some(eddy) = &self.systems.eddy else { return Ok(()) };
        let kernel = match eddy.unknowns {
            Unknowns::Pair => SteadyKernel::TwoEquationsSystem,
            _ => SteadyKernel::EddySystem,
        };
        self.solver.over_vertices(kernel, self.assembling(eddy))
    }

    /// Solves a system.
    fn solve(&mut self, system: System) -> Result<Solved, DeviceError> {
        let goal = Goal {
            iterations: self.settings.krylov,
            residual: self.settings.linear_stop,
            most: most_iterations(self.settings.krylov),
        };
        self.solve_to(system, &goal)
    }

    /// Solves a system to a goal.
    pub(super) fn solve_to(&mut self, system: System, goal: &Goal) -> Result<Solved, DeviceError> {
        let matrix = self.systems.matrix(system);
        self.krylov.solve(matrix, self.systems.method(system), goal)
    }

    /// Adds the solution of a system to the state.
    fn add_increment(&self, system: System) -> Result<(), DeviceError> {
        let matrix = self.systems.matrix(system);
        let kernel = match matrix.unknowns {
            Unknowns::Flow => SteadyKernel::AddIncrement,
            Unknowns::Eddy => SteadyKernel::AddEddyIncrement,
            Unknowns::Pair => SteadyKernel::AddTwoEquationsIncrement,
        };
        let mut params = self.solver.params;
        matrix.connect(&mut params);
        params.vector = self.krylov.arrays.solution.pointer();
        self.solver.over_vertices(kernel, params)
    }

    /// Assembles a system with this CFL number, solves it, and returns it with its solution. The state stays as it is.
    pub fn system(&mut self, dual: &DualMesh, cfl: f64, system: System) -> Result<LinearSystem, DeviceError> {
        self.residuals(cfl)?;
        match system {
            System::MeanFlow => self.assemble_flow()?,
            System::Turbulence => self.assemble_eddy()?,
        }
        self.systems.factor(system, &self.solver.params)?;
        let matrix = self.systems.matrix(system);
        let rows = matrix.rows(dual)?;
        let right_side = matrix.values(dual, &self.krylov.arrays.right_side)?;
        let solved = self.solve(system)?;
        let solution = self.systems.matrix(system).values(dual, &self.krylov.arrays.solution)?;
        Ok(LinearSystem {
            rows,
            right_side,
            solution,
            solved,
        })
    }
}
