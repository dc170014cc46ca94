//! Requests that end a run early, and the agreement of all ranks to act on them in the same step.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use signal_hook::low_level::signal_name;

use super::error::RunError;

/// The requests that the ranks compare after a step: none, the clock, or `SIGNAL` plus the number of a signal. The
/// largest one of any rank counts.
const CONTINUE: i32 = 0;
const WALL_CLOCK: i32 = 1;
const SIGNAL: i32 = 2;

/// The requests to end a run after its present step: a signal, and a time.
pub struct Stop {
    /// The number of the signal that came last; 0 before any.
    pub signal: Arc<AtomicUsize>,
    /// The time at which the run is to end.
    pub deadline: Option<Instant>,
}

impl Stop {
    /// Returns the reason to end the run now, if there is one. The answer is the same on all ranks, although a signal
    /// may reach only some of them and their clocks differ. Collective.
    pub fn asked(&self, world: &SimpleCommunicator) -> Option<String> {
        let mine = match self.signal.load(Ordering::Relaxed) {
            0 if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) => WALL_CLOCK,
            0 => CONTINUE,
            signal => SIGNAL + signal as i32,
        };
        match largest(world, mine) {
            CONTINUE => None,
            WALL_CLOCK => Some("time.wall-clock is reached".to_owned()),
            signal => Some(match signal_name(signal - SIGNAL) {
                Some(name) => format!("the signal {name} was received"),
                None => format!("signal {} was received", signal - SIGNAL),
            }),
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

/// Returns whether a condition holds on any rank. Collective.
pub fn anywhere(world: &SimpleCommunicator, condition: bool) -> bool {
    largest(world, i32::from(condition)) > 0
}

fn largest(world: &SimpleCommunicator, mine: i32) -> i32 {
    let mut largest = mine;
    if world.size() > 1 {
        world.all_reduce_into(&mine, &mut largest, SystemOperation::max());
    }
    largest
}
