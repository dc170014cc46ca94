//! The correction functions of flux reconstruction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Correction function of the flux reconstruction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Correction {
    /// Radau polynomials: g_DG.
    #[default]
    Radau,
    /// Huynh's g_2, lumped Lobatto: only end points are corrected.
    Lobatto,
}
