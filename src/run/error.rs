//! Why a run ends early.

use thiserror::Error;

use super::divergence::Extent;
use crate::device::DeviceError;
use crate::format::{location, physical_time};
use crate::io;
use crate::output::OutputError;
use crate::solver::BadValue;

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// The state is not physical any more.
    #[error(
        "diverged at step {step}, t = {}: {what} = {value:.4e} in {cell} at {}\n  {extent}\n  \
         last good output: {last_output}\n  \
         help: a smaller cfl or dt, a finer mesh, split: kennedy-gruber if it is not on", physical_time(*time), location(*at)
    )]
    Diverged {
        /// Step at which it was seen, at most ten after it happened.
        step: u64,
        /// Its time.
        time: f64,
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Cell, by number, and by tag if it has one.
        cell: String,
        /// Coordinates of the point.
        at: [f64; 3],
        /// How far it has spread.
        extent: Box<Extent>,
        /// File or 'none'.
        last_output: String,
    },
    /// The same, but in a cell of another rank, which says where.
    #[error("diverged at step {step}")]
    DivergedOnOtherRank {
        /// Step at which it was seen.
        step: u64,
    },
    /// The run cannot continue from what it was told to.
    #[error("restart: {0}")]
    Restart(io::Error),
    /// Another rank failed, and reports why.
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
    /// The directory of the output cannot be written to.
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
        /// Step at which it was seen.
        step: u64,
        /// Its time.
        time: f64,
        /// What the device says.
        error: Box<DeviceError>,
        /// File or 'none'.
        last_output: String,
    },
    /// A value of a boundary means nothing any more.
    #[error("{value}\n  last good output: {last_output}")]
    Value {
        /// The value.
        value: Box<BadValue>,
        /// File or 'none'.
        last_output: String,
    },
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
