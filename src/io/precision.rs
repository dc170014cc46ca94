//! The precision of numbers: of the state and the kernels, and of what files hold of them.

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
    /// Size of a number in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Precision::Double => 8,
            Precision::Single => 4,
        }
    }
}
