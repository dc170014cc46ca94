//! Why a run can end early.

use thiserror::Error;

use crate::device::DeviceError;
use crate::io;

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// The state is not physical any more.
    #[error(
        "diverged at step {step}, t = {time:.6}: {what} = {value:.4e} in cell {cell} at ({:.5}, {:.5}, {:.5})\n  \
         last good output: {last_output}\n  \
         help: a smaller cfl or dt, a finer mesh, split: kennedy-gruber if it is not on", at[0], at[1], at[2]
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
        /// Cell.
        cell: usize,
        /// Coordinates of the point.
        at: [f64; 3],
        /// File or 'none'.
        last_output: String,
    },
    /// The run cannot continue from what it was told to.
    #[error("restart: {0}")]
    Restart(io::Error),
    /// Another rank failed, and says why.
    #[error("another rank failed")]
    Elsewhere,
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// The device failed during the run.
    #[error(
        "the device failed at step {step} or up to ten before, t = {time:.6}: {error}\n  last good output: {last_output}"
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
}
