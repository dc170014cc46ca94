//! What precedes the look at a case: a machine without a GPU takes its CPU, and a checkpoint to continue from is there.

use mpi::topology::SimpleCommunicator;

use crate::case::Case;
use crate::commands::Failure;
use crate::device::DeviceKind;
use crate::device::cuda::Gpu;
use crate::ranks::Ranks;
use crate::run::{Restart, require_checkpoint};

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
