//! Requests that end a run early, and the agreement of all ranks to act on them in the same step.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use signal_hook::low_level::signal_name;

use super::error::RunError;

/// The requests that the ranks compare after a step: none, a checkpoint, the end that the clock asks for, or `SIGNAL`
/// plus the number of a signal. The largest one of any rank counts.
const CONTINUE: i32 = 0;
const CHECKPOINT: i32 = 1;
const WALL_CLOCK: i32 = 2;
const SIGNAL: i32 = 3;

/// What is asked of a run after a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Asked {
    /// Nothing.
    Nothing,
    /// A checkpoint, since the last one was written long ago.
    Checkpoint,
    /// The end of the run, for this reason.
    End(String),
}

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The run reached its end.
    Finished,
    /// A signal or `time.wall-clock` stopped the run after a complete step. A checkpoint was written.
    Interrupted,
}

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
        match self.asked_at(world, None, 0).0 {
            Asked::End(reason) => Some(reason),
            Asked::Nothing | Asked::Checkpoint => None,
        }
    }

    /// Returns what is asked of the run now, if a checkpoint is due at an instant, and the largest number of any rank
    /// of files that are yet to be written, given this rank's. Collective, as [`Stop::asked`] is.
    pub(super) fn asked_at(
        &self,
        world: &SimpleCommunicator,
        checkpoint: Option<Instant>,
        unfinished: usize,
    ) -> (Asked, usize) {
        let is_past = |instant: Option<Instant>| instant.is_some_and(|instant| Instant::now() >= instant);
        let mine = match self.signal.load(Ordering::Relaxed) {
            0 if is_past(self.deadline) => WALL_CLOCK,
            0 if is_past(checkpoint) => CHECKPOINT,
            0 => CONTINUE,
            signal => SIGNAL + signal as i32,
        };
        let [asked, unfinished] = largest(world, [mine, unfinished as i32]);
        let asked = match asked {
            CONTINUE => Asked::Nothing,
            CHECKPOINT => Asked::Checkpoint,
            WALL_CLOCK => Asked::End("time.wall-clock is reached".to_owned()),
            signal => Asked::End(match signal_name(signal - SIGNAL) {
                Some(name) => format!("the signal {name} was received"),
                None => format!("signal {} was received", signal - SIGNAL),
            }),
        };
        (asked, unfinished as usize)
    }
}

/// Returns `Ok` only if all ranks succeeded. A rank that failed keeps its own error. Collective.
///
/// # Errors
/// The work failed on this rank or on another one.
pub fn together<T>(world: &SimpleCommunicator, result: Result<T, RunError>) -> Result<T, RunError> {
    match largest(world, [i32::from(result.is_err())]) {
        [0] => result,
        _ => result.and(Err(RunError::OnOtherRank)),
    }
}

/// Returns whether a condition holds on any rank. Collective.
pub fn anywhere(world: &SimpleCommunicator, condition: bool) -> bool {
    largest(world, [i32::from(condition)]) != [0]
}

fn largest<const N: usize>(world: &SimpleCommunicator, mine: [i32; N]) -> [i32; N] {
    let mut largest = mine;
    if world.size() > 1 {
        world.all_reduce_into(&mine[..], &mut largest[..], SystemOperation::max());
    }
    largest
}
