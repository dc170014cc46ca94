//! Riemann solvers: the common convective flux of two states at an interface, in ptx/physics/riemann.h.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Common convective flux at interfaces.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(i32)]
pub enum Riemann {
    /// Roe with an entropy fix on the acoustic waves.
    #[default]
    Roe,
    /// Roe with the least dissipation beside its own that makes it entropy stable.
    RoeEntropyStable,
    /// HLLC.
    Hllc,
    /// Rusanov (local Lax-Friedrichs).
    Rusanov,
    /// The split form's own two-point flux, without upwinding: kinetic-energy preserving, for tests.
    Central,
}

impl Riemann {
    /// Returns whether the flux keeps densities and pressures of a first-order scheme positive, in strong expansions
    /// too (B. Einfeldt et al., J. Comput. Phys. 92 (1991) 273).
    pub fn is_positive(self) -> bool {
        match self {
            Riemann::Hllc | Riemann::Rusanov => true,
            Riemann::Roe | Riemann::RoeEntropyStable | Riemann::Central => false,
        }
    }
}
