//! The correction that keeps the entropy inequality of each cell; what it does is in ptx/method/entropy_correction.h.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What bounds the entropy that a cell makes out of nothing, by aliasing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(i32)]
pub enum EntropyCorrection {
    /// Nothing.
    None,
    /// That of `cells` in hexahedra and prisms. In tetrahedra and pyramids, whose face points do not resolve the
    /// entropy that flows through them, it costs more accuracy than it should.
    #[default]
    Auto,
    /// Each cell dissipates once in a step as much as it makes too much, mostly from its highest modes.
    Cells,
}
