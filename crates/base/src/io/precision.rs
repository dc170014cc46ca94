//! The precision of numbers in the state, the kernels and files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Floating-point format of state and kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// 64 bit.
    #[default]
    Double,
    /// 32 bit.
    Single,
}

impl Precision {
    /// Returns the size of a number in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Precision::Double => 8,
            Precision::Single => 4,
        }
    }
}
