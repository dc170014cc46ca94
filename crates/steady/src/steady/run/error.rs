//! The errors of a steady solution, from its case to its files.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::device::DeviceError;
use crate::io;
use crate::output::OutputError;
use crate::solver::SetupError;
use crate::steady::conditions::ConditionError;
use crate::steady::error::DualError;

/// An error of a steady solution.
#[derive(Debug, Error)]
pub enum SteadyError {
    /// The case cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The mesh has no dual.
    #[error("mesh: {0}")]
    Dual(#[from] DualError),
    /// A boundary condition has no valid value, or the solver has no conditions of its kind.
    #[error(transparent)]
    Condition(#[from] ConditionError),
    /// The checkpoint from which the solution was to continue cannot be used.
    #[error("restart: {0}")]
    Restart(io::Error),
    /// The case asks for what the mesh or the solution does not have.
    #[error("{what}")]
    Refused {
        /// Path of the key.
        key: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The solution does not fit into the free memory.
    #[error("steady: {0}")]
    Memory(String),
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The output directory cannot be used, for instance because another run holds its lock.
    #[error(transparent)]
    Directory(io::Error),
    /// A file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The solution diverges.
    #[error("the steady solution diverges at iteration {0}")]
    Diverged(Box<Found>),
    /// The solution stands still.
    #[error("the steady solution stands still at iteration {0}")]
    StandsStill(Box<Found>),
    /// The outputs cannot sample the solution.
    #[error("the outputs cannot sample the steady solution {}: {detail}", path.display())]
    Solution {
        /// Its checkpoint.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Another rank failed and reports the reason.
    #[error("another rank has failed")]
    OtherRank,
    /// The rank of this number failed and reports the reason.
    #[error("rank {0} has failed")]
    OnOtherRank(usize),
}

/// What is known of a solution that is given up.
#[derive(Debug)]
pub struct Found {
    /// The iteration.
    pub iteration: u64,
    /// What a check has found.
    pub reason: String,
    /// Where the state is not physical or the residual is largest, as the end of the sentence.
    pub place: String,
    /// Path of the last checkpoint, or 'none'.
    pub last_checkpoint: String,
    /// Keys that may help.
    pub help: String,
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Found {
            iteration,
            reason,
            place,
            last_checkpoint,
            help,
        } = self;
        write!(
            f,
            "{iteration}: {reason}{place}\n  last checkpoint: {last_checkpoint}\n"
        )?;
        write!(
            f,
            "  help: look at the mesh and the boundaries there; {help}; the last checkpoint may be on the way to this \
             end: begin without `restart`"
        )
    }
}

impl From<OutputError> for SteadyError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Refused { key, what } => SteadyError::Refused { key, what },
            OutputError::Io(error) => SteadyError::Io(error),
            OutputError::Device(error) => SteadyError::Device(error),
            OutputError::OnOtherRank => SteadyError::OtherRank,
        }
    }
}
