//! What precedes the look at a case: a machine without a GPU takes its CPU, and a checkpoint to continue from is there.

use mpi::topology::SimpleCommunicator;

use crate::case::Case;
use crate::commands::Failure;
use crate::device::DeviceKind;
use crate::device::cuda::Gpu;
use crate::format::physical_time;
use crate::io::{StoredCheckpoint, list_checkpoints};
use crate::ranks::Ranks;
use crate::run::{Restart, require_checkpoint};
use crate::solver::Clock;

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

/// Returns the clock with which a case begins: that of the newest checkpoint, or of the one that it names. Logs it. A
/// file that cannot be read leaves the clock at zero: the run itself refuses it. To be called behind
/// [`find_checkpoint`].
pub fn first_clock(case: &Case) -> Clock {
    let path = match &case.run.restart {
        None => None,
        Some(Restart::File(path)) => Some(path.clone()),
        Some(Restart::Latest) => list_checkpoints(&case.output.directory)
            .ok()
            .and_then(|checkpoints| checkpoints.into_iter().next())
            .map(|(path, _)| path),
    };
    let header = path.as_deref().and_then(|path| StoredCheckpoint::header_of(path).ok());
    let (Some(path), Some(header)) = (path, header) else {
        return Clock::default();
    };
    tracing::info!(
        "restart {} at step {}, t = {}: the steps and costs below are those that are left, the flow and the limits \
         those of the initial state",
        path.display(),
        header.step,
        physical_time(header.time)
    );
    Clock::resumed(header.time, 0.0, header.step)
}

/// Refuses a case whose checkpoint is missing. Collective.
pub fn find_checkpoint(case: &Case, world: &SimpleCommunicator) -> Result<(), Failure> {
    let found = match &case.run.restart {
        Some(Restart::Latest) => {
            let there = require_checkpoint(&case.output.directory);
            there.map_err(|error| case.refuse("restart", error.to_string()).into())
        }
        Some(Restart::File(path)) if !path.exists() => {
            let text = format!("there is no checkpoint or solution {}", path.display());
            Err(case.refuse("restart", text).into())
        }
        _ => Ok(()),
    };
    Ranks::of(world).agree(found, Failure::OnOtherRank)
}
