//! Cycles of the full approximation scheme (FAS) with explicit steps as smoother (A. Brandt, Math. Comput. 31 (1977)
//! 333; A. Jameson, Appl. Math. Comput. 13 (1983) 327).
//!
//! A cycle takes a step on a level, and then a cycle on the next coarser one, whose change of the state corrects that
//! of the level. With the residual R and the forcing f of a level, the coarser one is driven by the residual of the
//! finer:
//!     U' = mean of U,    f' = R'(U') - sum (R(U) - f),    U = U + smoothed (U'_end - U')
//! The turbulence model is solved on the finest level alone, where it takes several sweeps in a cycle.

use super::levels::{Level, Levels};
use super::lists::Lists;
use crate::device::DeviceError;
use crate::device::contract::{SteadyKernel, SteadyParams};
use crate::device::store::Memory;
use crate::physics::Gas;
use crate::physics::Turbulence;
use crate::ranks::Ranks;
use crate::steady::conditions::BoundaryList;
use crate::steady::dual::DualMesh;
use crate::steady::machine::Machine;
use crate::steady::scheme::Scheme;
use crate::steady::solver::{FLOW, Solver};

/// Sweeps of the turbulence model in a cycle, beside that of the step.
const EDDY_SWEEPS: usize = 10;
/// CFL number of these sweeps over that of the step, once the fluxes have second order. The step of nu~ is that of
/// sound, which nu~ does not feel: it would take thousands of sweeps through each of the thin cells before a plate.
/// While the flow forms, its production would be too large for more.
const EDDY_CFL: f64 = 20.0;
/// Smoothings of a correction.
const SMOOTHINGS: usize = 2;

/// The multigrid solver on one rank.
pub struct Multigrid<M: Machine> {
    /// The solver of the finest level, which holds the state.
    pub solver: Solver<M>,
    coarse: Vec<Coarse<M>>,
    recording: Option<M::Recording>,
    /// CFL number, order and source of the recording.
    recorded: (f64, i64, *const f64),
}

/// A coarse level on the machine.
struct Coarse<M: Machine> {
    solver: Solver<M>,
    /// Room for three corrections of the finer level; empty where that has the room of its gradients.
    scratch: M::Array,
    members: Lists<M::Array>,
    parent: Lists<M::Array>,
}

impl<M: Machine> Coarse<M> {
    fn new(
        level: &Level,
        finer: &Solver<M>,
        of_gradients: bool,
        gas: &Gas,
        scheme: &Scheme,
    ) -> Result<Self, DeviceError> {
        let solver = finer.coarser(&level.dual, &level.boundaries, gas, scheme)?;
        Ok(Coarse {
            members: Lists::of_members(level, &solver, finer)?,
            parent: Lists::of_parents(level, &solver, finer)?,
            scratch: solver.store.zeros(if of_gradients {
                0
            } else {
                3 * FLOW * finer.slices.slots * size_of::<f64>()
            })?,
            solver,
        })
    }

    /// Room for three corrections of the finer level. Its gradients are not needed between its steps, but those of
    /// coarse levels stay zero.
    fn scratch(&self, finer: &Solver<M>) -> *mut f64 {
        match self.scratch.bytes() {
            0 => finer.params.gradient,
            _ => self.scratch.pointer(),
        }
    }

    /// Begins with the state and the residual of the finer level, whose forcing this one takes on.
    fn begin(&self, finer: &Solver<M>) -> Result<(), DeviceError> {
        finer.all_residuals()?;
        let scratch = self.scratch(finer);
        finer.residual_less(finer.params.source, scratch)?;
        finer.update_halo_at(scratch, FLOW)?;
        let (solver, source) = (&self.solver, self.solver.params.source.cast_mut());
        let mut params = self.members.params(solver, finer);
        (params.vector, params.result, params.unknowns) = (scratch, source, FLOW as i64);
        solver.over_vertices(SteadyKernel::Restriction, params)?;
        (params.vector, params.result) = (finer.params.state, solver.params.out);
        (params.unknowns, params.other_volume) = (solver.variables as i64, finer.params.volume);
        solver.over_vertices(SteadyKernel::Restriction, params)?;
        solver.update_halo_at(solver.params.out, solver.variables)?;
        solver.all_residuals()?;
        solver.residual_less(source, source)
    }

    /// Corrects the state of the finer level with the change of this one since the restriction, at which its step
    /// began.
    fn end(&self, finer: &Solver<M>) -> Result<(), DeviceError> {
        let (solver, correction) = (&self.solver, self.scratch(finer));
        solver.update_halo_at(solver.params.start.cast_mut(), FLOW)?;
        let mut params = self.parent.params(finer, solver);
        (params.vector, params.other_vector) = (solver.params.state, solver.params.start);
        params.result = correction;
        finer.over_vertices(SteadyKernel::Prolongation, params)?;
        let mut from = correction;
        for n in 1..=SMOOTHINGS {
            finer.update_halo_at(from, FLOW)?;
            let mut params = finer.params;
            (params.other_vector, params.vector) = (correction, from);
            params.result = correction.wrapping_add(n * FLOW * finer.slices.slots);
            finer.over_vertices(SteadyKernel::SmoothCorrection, params)?;
            from = params.result;
        }
        finer.add_correction(from)
    }
}

impl<M: Machine> Multigrid<M> {
    /// Sets up the arrays of a rank on all levels. The state is zero until it is given.
    ///
    /// # Errors
    /// The kernels cannot be built, or there is not enough memory.
    pub fn new(
        store: M,
        (dual, levels): (&DualMesh, &Levels),
        boundaries: &[BoundaryList],
        gas: &Gas,
        scheme: &Scheme,
        ranks: Ranks,
    ) -> Result<Self, DeviceError> {
        let solver = Solver::new(store, dual, boundaries, gas, scheme, ranks)?;
        let mut coarse: Vec<Coarse<M>> = Vec::new();
        for level in &levels.coarse {
            let finer = coarse.last().map_or(&solver, |finer| &finer.solver);
            coarse.push(Coarse::new(level, finer, coarse.is_empty(), gas, scheme)?);
        }
        Ok(Multigrid {
            solver,
            coarse,
            recording: None,
            recorded: (0.0, 0, std::ptr::null()),
        })
    }

    /// Returns the bytes of all arrays, without those of the exchange.
    pub fn bytes(&self) -> usize {
        let of_level = |level: &Coarse<M>| {
            level.solver.bytes() + level.scratch.bytes() + level.members.bytes() + level.parent.bytes()
        };
        self.solver.bytes() + self.coarse.iter().map(of_level).sum::<usize>()
    }

    /// Advances the state by one cycle with this CFL number.
    ///
    /// # Errors
    /// The machine fails.
    pub fn step(&mut self, cfl: f64) -> Result<(), DeviceError> {
        self.solver.params.cfl = cfl;
        self.coarse.iter_mut().for_each(|coarse| coarse.solver.params.cfl = cfl);
        let SteadyParams {
            second_order, source, ..
        } = self.solver.params;
        let given = (cfl, second_order, source);
        let mut recording = self.recording.take().filter(|_| self.recorded == given);
        self.recorded = given;
        let done = match self.solver.ranks().size() {
            // The launches have the same parameters every time, so that a GPU can replay them.
            1 => self.solver.store.repeat(&mut recording, &mut || self.cycle(0)),
            _ => self.cycle(0),
        };
        self.recording = recording;
        done
    }

    /// Takes a cycle on a level.
    fn cycle(&self, level: usize) -> Result<(), DeviceError> {
        let solver = match level {
            0 => &self.solver,
            _ => &self.coarse[level - 1].solver,
        };
        solver.recorded_step()?;
        if level == 0 && solver.turbulence != Turbulence::None {
            let factor = if solver.params.second_order != 0 { EDDY_CFL } else { 1.0 };
            for _ in 0..EDDY_SWEEPS {
                solver.sweep_turbulence(factor)?;
            }
        }
        let Some(coarse) = self.coarse.get(level) else {
            return Ok(());
        };
        coarse.begin(solver)?;
        self.cycle(level + 1)?;
        coarse.end(solver)
    }
}
