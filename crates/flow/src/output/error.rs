//! Errors of the set-up and the writing of outputs.

use thiserror::Error;

use crate::device::DeviceError;
use crate::io;

/// An error of the set-up or the writing of an output.
#[derive(Debug, Error)]
pub enum OutputError {
    /// The mesh does not have what a key of the case asks for.
    #[error("{what}")]
    Refused {
        /// Path of the key.
        key: String,
        /// What is wrong, and what would be right.
        what: String,
    },
    /// A file could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The device failed.
    #[error("device: {0}")]
    Device(#[from] DeviceError),
    /// Another rank failed and reports the reason.
    #[error("another rank failed")]
    OnOtherRank,
}
