//! What a steady solution would take: memory, and the time of a step.

use std::time::Instant;

use mpi::topology::SimpleCommunicator;

use super::{Steady, SteadyError, outputs};
use crate::device::DeviceError;
use crate::device::cuda::GpuStore;
use crate::io::Provenance;
use crate::output::Output;
use crate::ranks::Ranks;
use crate::run::AllSettings;
use crate::solver::Solver;
use crate::steady::keys::{Driver, Settings};
use crate::steady::machine::Machine;
use crate::steady::memory::Needs;
use crate::steady::mixing::MixingPlane;
use crate::steady::stepper::IMPLICIT;

/// Seconds for which steps are timed, and the largest number of timed steps.
const TIMED: f64 = 0.5;
const MOST_STEPS: u64 = 50;

/// What a steady solution would take.
pub struct Examination {
    /// The outputs of the case, which sample the solution once.
    pub outputs: Vec<Box<dyn Output>>,
    /// Vertices, points and model in words.
    pub description: String,
    /// The mixing planes in words.
    pub planes: Vec<String>,
    /// Number of vertices of all ranks.
    pub vertices: u64,
    /// Number of edges of the dual over that of vertices; each counts at both of its ends.
    pub edges_of_a_vertex: f64,
    /// Bytes of the arrays of all ranks.
    pub bytes: u64,
    /// Seconds of a step on the slowest rank.
    pub seconds: f64,
    /// Distances from no-slip walls of the vertices nearest to them, off the walls: the smallest; infinite without
    /// walls.
    pub nearest: f64,
}

/// Builds all that a steady solution does, and times some steps. Outputs are created for `solver`, which
/// [`super::solver_at_start`] makes. Writes nothing. Collective.
///
/// # Errors
/// Those of [`super::run`] before the first step.
pub fn examine(
    run: AllSettings,
    settings: &Settings,
    world: &SimpleCommunicator,
    solver: Solver,
) -> Result<Examination, SteadyError> {
    let ranks = Ranks::of(world);
    let outputs = outputs::created(run, solver)?;
    let provenance = Provenance::of_this_program();
    let mut steady = Steady::set_up(run, settings, world, &ranks, provenance)?;
    match steady.gpu.take() {
        Some(gpu) => {
            let store = GpuStore::new(gpu, run.solver.graph).map_err(DeviceError::from)?;
            steady.examined(store, outputs)
        }
        None => steady.examined(steady.host()?, outputs),
    }
}

impl Steady<'_> {
    /// Refuses a solution that does not fit into the free memory of a device. Collective.
    pub(super) fn check_memory<M: Machine>(&self, store: &M) -> Result<(), SteadyError> {
        let free = store.free(self.of_node);
        let needs = Needs::new(self.meshes(), &self.boundaries, &self.settings);
        let checked = free
            .map_err(SteadyError::from)
            .and_then(|free| match needs.excess(free) {
                None => Ok(()),
                Some(what) => Err(SteadyError::Memory(what)),
            });
        self.ranks.agree(checked, SteadyError::OnOtherRank)
    }

    fn examined<M: Machine>(&self, store: M, outputs: Vec<Box<dyn Output>>) -> Result<Examination, SteadyError> {
        self.check_memory(&store)?;
        let progress = self.begin()?;
        let mut stepper = self.stepper(store)?;
        stepper.solver().set_state(&progress.values)?;
        let mut controller = progress.controller;
        let implicit = self.settings.driver == Driver::Implicit;
        let mut steps = |number: u64| -> Result<f64, SteadyError> {
            let begin = Instant::now();
            if implicit {
                // As many as lie between two checks.
                stepper.advance(0, &mut controller).map(|_| ())?
            } else {
                (0..number).try_for_each(|_| stepper.solver().step(controller.cfl))?
            }
            // Waits for the device.
            stepper.solver().state()?;
            let mut seconds = [begin.elapsed().as_secs_f64()];
            self.ranks.allreduce_max(&mut seconds);
            Ok(seconds[0])
        };
        // The first step records graphs and fills caches. If it takes long, it is the answer.
        let first = steps(1)?;
        let seconds = if implicit {
            first / IMPLICIT.check as f64
        } else {
            match ((TIMED / first) as u64).min(MOST_STEPS) {
                0 => first,
                count => steps(count)? / count as f64,
            }
        };
        let bytes = stepper.bytes();
        let edges = self.dual.first_edge.last().copied().unwrap_or(0);
        let mut sums = [u64::from(edges), bytes as u64];
        self.ranks.allreduce_sum(&mut sums);
        let off_walls = self.dual.wall_distance.iter().filter(|distance| **distance > 0.0);
        let mut nearest = [off_walls.fold(f64::INFINITY, |least, d| least.min(*d))];
        self.ranks.allreduce_min(&mut nearest);
        let vertices = self.dual.vertices_of_all_ranks;
        Ok(Examination {
            outputs,
            description: self.describe(),
            planes: self.planes.iter().map(MixingPlane::words).collect(),
            vertices,
            edges_of_a_vertex: sums[0] as f64 / vertices as f64,
            bytes: sums[1],
            seconds,
            nearest: nearest[0],
        })
    }
}
