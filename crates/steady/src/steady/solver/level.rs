//! The operations of a solver that multigrid cycles need on their levels.

use super::{FLOW, Solver, VARIABLES};
use crate::device::DeviceError;
use crate::device::contract::SteadyKernel;
use crate::physics::Gas;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::machine::Machine;
use crate::steady::scheme::Scheme;
use crate::steady::slices::Arrangement;

impl<M: Machine> Solver<M> {
    /// Sets up the solver of other vertices on the same machine.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn beside(
        &self,
        vertices: (&DualMesh, &Arrangement),
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let shared = (self.store.clone(), self.kernels.clone(), self.exchange.shared_ranks());
        Solver::on(shared, vertices, boundaries, gas, scheme)
    }

    /// Sets up the solver of a coarser level of explicit cycles.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn coarser(
        &self,
        dual: &DualMesh,
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let arrangement = Arrangement::natural(dual, self.slice);
        let mut solver = self.beside((dual, &arrangement), boundaries, gas, scheme)?;
        solver.is_coarse = true;
        solver.set_second_order(false);
        solver.set_source(&vec![[0.0; VARIABLES]; dual.len()])?;
        Ok(solver)
    }

    /// Computes the residuals of the present state.
    pub fn all_residuals(&self) -> Result<(), DeviceError> {
        self.gradients()?;
        self.closure()?;
        self.fluxes(1.0)?;
        self.turbulence()
    }

    /// Stores the residuals of the mean flow less a vector, if it is not null.
    pub fn residual_less(&self, vector: *const f64, result: *mut f64) -> Result<(), DeviceError> {
        let mut params = self.params;
        (params.vector, params.result) = (vector, result);
        self.over_vertices(SteadyKernel::ResidualLess, params)
    }

    /// Takes a step that can be recorded.
    pub fn recorded_step(&self) -> Result<(), DeviceError> {
        let mut params = self.params;
        (params.vector, params.result) = (params.state, params.start.cast_mut());
        (params.unknowns, params.basis_count, params.scale) = (self.variables as i64, 0, 1.0);
        self.over_vertices(SteadyKernel::Combine, params)?;
        self.stages()
    }

    /// Advances the turbulence model alone by one step, whose CFL number is so many times that of the flow.
    pub fn sweep_turbulence(&self, factor: f64) -> Result<(), DeviceError> {
        self.gradients()?;
        self.turbulence_with(factor * self.params.cfl)?;
        self.update_turbulence()?;
        self.update_halo(&self.state, self.variables)
    }

    /// Adds a correction of the mean flow.
    pub fn add_correction(&self, correction: *const f64) -> Result<(), DeviceError> {
        let mut params = self.params;
        params.vector = correction;
        self.over_vertices(SteadyKernel::AddCorrection, params)?;
        self.update_halo_at(self.params.out, FLOW)
    }
}
