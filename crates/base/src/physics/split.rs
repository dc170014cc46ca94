//! Forms of the convective derivative inside a cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Form of the convective derivative inside a cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(i32)]
pub enum Split {
    /// Divergence form.
    None,
    /// Kennedy-Gruber-Pirozzoli split form.
    #[default]
    KennedyGruber,
}
