//! Why a command that runs on ranks failed, and the exit code that this gives.

use thiserror::Error;

use crate::case;
use crate::device::DeviceError;
use crate::geometry::GeometryError;
use crate::io;
use crate::run::RunError;
use crate::solver::{SetupError, StepError};

/// Why a command failed; each kind has its own exit code.
#[derive(Debug, Error)]
pub enum Failure {
    /// The case file is wrong.
    #[error(transparent)]
    Case(#[from] case::Error),
    /// The case cannot be set up.
    #[error("error: {0}")]
    Setup(#[from] SetupError),
    /// The run ended early.
    #[error("error: {0}")]
    Run(#[from] RunError),
    /// A step failed.
    #[error("error: {0}")]
    Step(#[from] StepError),
    /// The device failed.
    #[error("error: device: {0}")]
    Device(#[from] DeviceError),
    /// A file could not be read or written.
    #[error("error: {0}")]
    Io(#[from] io::Error),
    /// Signals cannot be caught.
    #[error("error: cannot install signal handlers: {0}")]
    Signals(std::io::Error),
    /// Another rank failed, and says why.
    #[error("error: rank {0} cannot read the case")]
    OnOtherRank(usize),
    /// Arguments that do not go together.
    #[error("error: {0}")]
    Argument(String),
}

impl Failure {
    /// Exit code: 2 bad input, 3 diverged, 1 anything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Case(_) | Failure::Setup(_) | Failure::OnOtherRank(_) | Failure::Argument(_) => 2,
            // A state that is unphysical before the first step was asked for.
            Failure::Run(RunError::Diverged { step: 0, .. } | RunError::DivergedOnOtherRank { step: 0 }) => 2,
            Failure::Run(RunError::Diverged { .. } | RunError::DivergedOnOtherRank { .. }) => 3,
            Failure::Run(RunError::Restart(_)) => 2,
            _ => 1,
        }
    }

    /// Whether another rank failed and says why.
    pub fn elsewhere(&self) -> bool {
        matches!(
            self,
            Failure::OnOtherRank(_)
                | Failure::Setup(SetupError::OnOtherRank(_) | SetupError::Geometry(GeometryError::OnOtherRank(_)))
                | Failure::Run(RunError::OnOtherRank | RunError::DivergedOnOtherRank { .. })
                | Failure::Run(
                    RunError::Io(io::Error::OnOtherRank { .. }) | RunError::Restart(io::Error::OnOtherRank { .. })
                )
        )
    }

    /// Whether this rank failed on its own, while the others go on and wait for it.
    pub fn alone(&self) -> bool {
        matches!(
            self,
            Failure::Device(_) | Failure::Run(RunError::Device(_) | RunError::Stopped { .. })
        )
    }
}
