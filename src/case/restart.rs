//! What a run continues from.

use std::path::PathBuf;

/// What a run continues from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Restart {
    /// The newest whole checkpoint of the output directory, if there is one.
    Latest,
    /// A checkpoint.
    File(PathBuf),
}
