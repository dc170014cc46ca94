//! Requests that end a run early, and the agreement of all ranks to act on them in the same step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use super::error::RunError;

/// What the ranks tell each other after a step; the largest number of any rank counts.
const GO_ON: i32 = 0;
const WALL_CLOCK: i32 = 1;
const SIGNAL: i32 = 2;

/// What asks a run to end after its step: a flag that signals raise, and a time.
pub struct Stop {
    /// Raised by signals.
    pub flag: Arc<AtomicBool>,
    /// When the run is to end.
    pub deadline: Option<Instant>,
}

impl Stop {
    /// Returns the reason to end the run now, if there is one. The answer is the same on all ranks, although a signal
    /// may reach only some of them and their clocks differ. Collective.
    pub fn asked(&self, world: &SimpleCommunicator) -> Option<&'static str> {
        let mine = if self.flag.load(Ordering::Relaxed) {
            SIGNAL
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            WALL_CLOCK
        } else {
            GO_ON
        };
        match largest(world, mine) {
            SIGNAL => Some("a signal came"),
            WALL_CLOCK => Some("time.wall-clock is reached"),
            _ => None,
        }
    }
}

/// Returns `Ok` only if all ranks succeeded. A rank that failed keeps its own error. Collective.
///
/// # Errors
/// The work failed on this rank or on another one.
pub fn together<T>(world: &SimpleCommunicator, result: Result<T, RunError>) -> Result<T, RunError> {
    match largest(world, i32::from(result.is_err())) {
        0 => result,
        _ => result.and(Err(RunError::OnOtherRank)),
    }
}

fn largest(world: &SimpleCommunicator, mine: i32) -> i32 {
    let mut largest = mine;
    if world.size() > 1 {
        world.all_reduce_into(&mine, &mut largest, SystemOperation::max());
    }
    largest
}
