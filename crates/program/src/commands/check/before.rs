//! What precedes the look at a case: a machine without a GPU takes its CPU, and what it continues from is there and can
//! be used.

use mpi::topology::SimpleCommunicator;

use crate::case::Case;
use crate::commands::Failure;
use crate::device::DeviceKind;
use crate::device::cuda::Gpu;
use crate::format::physical_time;
use crate::ranks::Ranks;
use crate::run::{AllSettings, Beginning, Restart, require_checkpoint, try_restart};
use crate::solver::Solver;

/// Takes the CPU in place of a GPU if there is none: cases are checked on login nodes of clusters.
pub fn use_cpu_without_driver(case: &mut Case) {
    if case.solver.device == DeviceKind::Cuda && !Gpu::has_driver() {
        tracing::warn!(
            "device: cuda, but there is no NVIDIA driver here: a run needs one; memory and time below are \
             those of the CPU"
        );
        case.solver.device = DeviceKind::Cpu;
    }
}

/// Returns where the run of a case begins, after its checkpoint or solution was restored as in a run. Logs it. The
/// solver keeps the initial state. Collective.
///
/// # Errors
/// A run would refuse what it was to continue from.
pub fn beginning(case: &Case, solver: &mut Solver, world: &SimpleCommunicator) -> Result<Beginning, Failure> {
    let settings = AllSettings {
        solver: &case.solver,
        output: &case.output,
        run: &case.run,
    };
    let begin = try_restart(settings, solver, world);
    let begin = begin.map_err(|e| case.locate_run(e).map_or_else(Failure::from, Failure::from))?;
    let clock = &begin.clock;
    if clock.step > 0 {
        tracing::info!(
            "restart at step {}, t = {}: the steps and costs below are those that are left, the flow and the limits \
             those of the initial state",
            clock.step,
            physical_time(clock.time)
        );
    }
    Ok(begin)
}

/// Refuses `restart: latest` where there is nothing to continue from, before anything large is built. Collective.
pub fn find_checkpoint(case: &Case, world: &SimpleCommunicator) -> Result<(), Failure> {
    let found = match &case.run.restart {
        Some(Restart::Latest) => {
            let there = require_checkpoint(&case.output.directory);
            there.map_err(|error| case.refuse("restart", error.to_string()).into())
        }
        _ => Ok(()),
    };
    Ranks::of(world).agree(found, Failure::OnOtherRank)
}
