//! The failures of a command that runs on ranks, and their exit codes.

use std::io::ErrorKind;

use rustix::io::Errno;
use thiserror::Error;

use crate::case;
use crate::device::DeviceError;
use crate::device::cuda::CudaError;
use crate::geometry::GeometryError;
use crate::io;
use crate::report;
use crate::run::RunError;
use crate::solver::{SetupError, StepError};
use crate::steady::SteadyError;
use crate::study::StudyError;

/// Returns the exit code of a command that only reads and writes files: 1 if the machine failed, as a full disk does,
/// and 2 for bad input.
pub fn exit_code_of(error: &(dyn std::error::Error + 'static)) -> u8 {
    let mut reasons = std::iter::successors(Some(error), |error| error.source());
    let of_system = reasons.find_map(|error| error.downcast_ref::<std::io::Error>());
    if of_system.is_some_and(is_of_machine) { 1 } else { 2 }
}

/// Returns whether an error of the system has its cause in the state of the machine, and not in what the user has
/// named.
fn is_of_machine(error: &std::io::Error) -> bool {
    let kinds = [
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::FileTooLarge,
        ErrorKind::OutOfMemory,
        ErrorKind::StaleNetworkFileHandle,
    ];
    kinds.contains(&error.kind()) || Errno::from_io_error(error) == Some(Errno::IO)
}

/// A failure of a command. Each kind has its own exit code.
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
    /// A steady solution ended early.
    #[error("error: {0}")]
    Steady(#[from] SteadyError),
    /// A study cannot go on.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// A report cannot be written.
    #[error("error: {0}")]
    Report(#[from] report::Error),
    /// Signals cannot be caught.
    #[error("error: cannot install signal handlers: {0}")]
    Signals(std::io::Error),
    /// Another rank failed and reports the reason.
    #[error("error: rank {0} cannot read the case")]
    OnOtherRank(usize),
    /// Arguments that cannot be combined.
    #[error("error: {0}")]
    Argument(String),
}

impl Failure {
    /// Returns the exit code: 2 bad input, 3 diverged, 1 anything else.
    pub fn exit_code(&self) -> u8 {
        match self {
            // The input is right, but for a larger machine.
            Failure::Setup(error) | Failure::Steady(SteadyError::Setup(error)) if error.lacks_memory() => 1,
            Failure::Case(_) | Failure::Setup(_) | Failure::OnOtherRank(_) | Failure::Argument(_) => 2,
            // A state that is unphysical before the first step is bad input.
            Failure::Run(RunError::Diverged(divergence)) if divergence.when.step == 0 => 2,
            Failure::Run(RunError::DivergedOnOtherRank { step: 0 }) => 2,
            Failure::Run(error) if error.is_divergence() => 3,
            Failure::Run(RunError::Restart(_)) => 2,
            Failure::Steady(SteadyError::Diverged { .. } | SteadyError::StandsStill { .. }) => 3,
            Failure::Steady(
                SteadyError::Setup(_)
                | SteadyError::Dual(_)
                | SteadyError::Condition(_)
                | SteadyError::Refused { .. }
                | SteadyError::Restart(_),
            ) => 2,
            Failure::Study(
                StudyError::Case(_)
                | StudyError::Changed { .. }
                | StudyError::Variables { .. }
                | StudyError::Refused(_)
                | StudyError::Mesh(_),
            ) => 2,
            _ => 1,
        }
    }

    /// Returns whether another rank failed and reports the reason.
    pub fn elsewhere(&self) -> bool {
        matches!(
            self,
            Failure::OnOtherRank(_)
                | Failure::Setup(SetupError::OnOtherRank(_) | SetupError::Geometry(GeometryError::OnOtherRank(_)))
                | Failure::Steady(
                    SteadyError::OtherRank
                        | SteadyError::OnOtherRank(_)
                        | SteadyError::Setup(SetupError::OnOtherRank(_))
                )
                | Failure::Run(RunError::OnOtherRank | RunError::DivergedOnOtherRank { .. })
                | Failure::Run(
                    RunError::Io(io::Error::OnOtherRank { .. }) | RunError::Restart(io::Error::OnOtherRank { .. })
                )
        )
    }

    /// Returns whether this rank failed alone, while the other ranks continue and wait for it, or do not answer.
    pub fn alone(&self) -> bool {
        self.is_cut_off()
            || matches!(self, Failure::Device(_) | Failure::Steady(SteadyError::Device(_)))
            || matches!(self, Failure::Run(error) if error.is_of_one_rank())
    }

    /// Returns whether the network to other ranks failed, whatever this rank was doing then.
    fn is_cut_off(&self) -> bool {
        let mut reasons = std::iter::successors(Some(self as &dyn std::error::Error), |error| error.source());
        reasons.any(|error| matches!(error.downcast_ref(), Some(CudaError::NetworkFailed { .. })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_whose_network_failed_does_not_ask_the_others() {
        let lost = || {
            DeviceError::from(CudaError::NetworkFailed {
                ranks: "1, 3".to_owned(),
                reason: "remote error".to_owned(),
            })
        };
        let setup = Failure::from(SetupError::from(lost()));
        let step = Failure::from(StepError::from(lost()));
        assert!(setup.alone() && step.alone());
        let words = "the exchange with rank(s) 1, 3 by NCCL has broken off: remote error.";
        assert!(step.to_string().contains(words), "{step}");
        let fault = || DeviceError::from(CudaError::Fault("illegal address".to_owned()));
        let fault = Failure::from(StepError::from(fault()));
        assert!(!fault.alone());
    }
}
