//! Errors that end a run early.

use thiserror::Error;

use super::divergence::Extent;
use crate::device::DeviceError;
use crate::format::{location, physical_time};
use crate::io;
use crate::output::OutputError;
use crate::solver::BadValue;

/// An error that ends a run early.
#[derive(Debug, Error)]
pub enum RunError {
    /// The state is not physical any more.
    #[error(
        "diverged at step {step}, t = {}: {what} = {value:.4e} in {cell} at {}\n  {extent}\n  \
         last good output: {last_output}\n  \
         help: a smaller cfl or dt, a finer mesh, split: kennedy-gruber if it is not on{}",
        physical_time(*time), location(*at), if *bars {
            "; bars need cells that resolve their wakes, or a longer `ramp`"
        } else {
            ""
        }
    )]
    Diverged {
        /// Step at which the divergence was found, at most ten after it occurred.
        step: u64,
        /// Its time.
        time: f64,
        /// The unphysical quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The cell, by its number, and by its tag if it has one.
        cell: Box<str>,
        /// Coordinates of the point.
        at: [f64; 3],
        /// The region of unphysical states.
        extent: Box<Extent>,
        /// Path of the file, or 'none'.
        last_output: String,
        /// Whether the case has bars.
        bars: bool,
    },
    /// The state is not physical in a cell of another rank, which reports the details.
    #[error("diverged at step {step}")]
    DivergedOnOtherRank {
        /// Step at which the divergence was found.
        step: u64,
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
