//! The form in which a solution file is stored: with its mesh or without, compressed or not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parallel::Arrays;

/// Lossless compression of the arrays of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// None.
    #[default]
    None,
    /// HDF5's shuffle and deflate, which every reader of HDF5 has.
    Deflate,
}

impl Compression {
    /// Returns when arrays are written that are completed beside the run, if they can be. The place of compressed rows
    /// is known only when they are written.
    pub(super) fn arrays(self) -> Arrays {
        match self {
            Compression::None => Arrays::Later,
            Compression::Deflate => Arrays::Packed,
        }
    }
}

/// The form of a solution file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Form<'a> {
    /// Name of the file of the same folder that has the nodes and cells ([`super::begin_cells`]); `None` if the file
    /// has them itself.
    pub cells_in: Option<&'a str>,
    /// Compression of the arrays.
    pub compression: Compression,
}
