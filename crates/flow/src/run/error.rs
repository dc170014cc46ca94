//! Errors that end a run early.

use thiserror::Error;

use super::divergence::{Divergence, When};
use crate::device::DeviceError;
use crate::format::physical_time;
use crate::io;
use crate::output::OutputError;
use crate::solver::BadValue;

/// An error that ends a run early.
#[derive(Debug, Error)]
pub enum RunError {
    /// The state is not physical any more.
    #[error("{0}")]
    Diverged(Box<Divergence>),
    /// The state is not physical in a cell of another rank, which reports the details.
    #[error("diverged at step {step}")]
    DivergedOnOtherRank {
        /// The step that left it so.
        step: u64,
    },
    /// The limiter of positive states has taken the place of the flow.
    #[error(
        "diverged at {when}: `scheme.shock: positivity` changed {:.0} % of the cells in each stage since the last \
         look, so that the state is that of the limiter and not of the flow: the time step is too long, the start too \
         abrupt, or the mesh much too coarse{tried}\n  last good output: {last_output}",
        100.0 * share
    )]
    Limited {
        /// The step of the look, and its time.
        when: When,
        /// Share of the cells that a stage changed.
        share: f64,
        /// A line with the time steps that were tried in vain, or nothing.
        tried: String,
        /// Path of the file, or 'none'.
        last_output: String,
    },
    /// The run cannot continue from the given checkpoint.
    #[error("restart: {0}")]
    Restart(io::Error),
    /// Another rank failed and reports the reason.
    #[error("another rank failed")]
    OnOtherRank,
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The mesh does not have what an output asks for.
    #[error("{what}")]
    Refused {
        /// Path of the key of the case.
        key: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// The output directory cannot be written to.
    #[error("{0}")]
    Directory(io::Error),
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The device failed during the run.
    #[error(
        "the device failed at step {step} or up to ten before, t = {}: {error}\n  last good output: {last_output}",
        physical_time(*time)
    )]
    Stopped {
        /// Step at which the failure was found.
        step: u64,
        /// Its time.
        time: f64,
        /// The error of the device.
        error: Box<DeviceError>,
        /// Path of the file, or 'none'.
        last_output: String,
    },
    /// A boundary value is not valid at the present time.
    #[error("{value}\n  last good output: {last_output}")]
    Value {
        /// The value.
        value: Box<BadValue>,
        /// Path of the file, or 'none'.
        last_output: String,
    },
}

impl RunError {
    /// Returns whether this rank failed alone, while the others go on and wait for it.
    pub fn is_of_one_rank(&self) -> bool {
        matches!(self, RunError::Device(_) | RunError::Stopped { .. })
    }

    /// States the last good output in the message, if it has one.
    pub(super) fn set_last_output(&mut self, path: String) {
        match self {
            RunError::Diverged(divergence) => divergence.last_output = path,
            RunError::Limited { last_output, .. }
            | RunError::Stopped { last_output, .. }
            | RunError::Value { last_output, .. } => *last_output = path,
            _ => (),
        }
    }

    /// Returns whether the state has left the flow: the run was set up well, and diverged.
    pub fn is_divergence(&self) -> bool {
        matches!(
            self,
            RunError::Diverged { .. } | RunError::DivergedOnOtherRank { .. } | RunError::Limited { .. }
        )
    }
}

impl From<OutputError> for RunError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Refused { key, what } => RunError::Refused { key, what },
            OutputError::Io(error) => RunError::Io(error),
            OutputError::Device(error) => RunError::Device(error),
            OutputError::OnOtherRank => RunError::OnOtherRank,
        }
    }
}
