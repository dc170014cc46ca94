//! Turbulence models of steady solutions, which close the averaged equations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Turbulence model of the steady solver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(i32)]
pub enum Turbulence {
    /// The model of Spalart and Allmaras with its continuation to negative values (2012).
    #[default]
    SaNeg = 1,
    /// Wilcox's equations of k and omega (2006).
    KOmega = 2,
    /// Menter's shear-stress transport (1994) with production by vorticity.
    Sst = 3,
    /// None: a laminar flow.
    None = 0,
}

impl Turbulence {
    /// Its name as the value of `steady.turbulence`.
    pub fn name(self) -> &'static str {
        match self {
            Turbulence::SaNeg => "sa-neg",
            Turbulence::KOmega => "k-omega",
            Turbulence::Sst => "sst",
            Turbulence::None => "none",
        }
    }

    /// Names of its variables in files of fields.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            Turbulence::SaNeg => &["nu_tilde"],
            Turbulence::KOmega | Turbulence::Sst => &["k", "omega"],
            Turbulence::None => &[],
        }
    }

    /// Whether it has equations of k and omega.
    pub fn has_two_equations(self) -> bool {
        matches!(self, Turbulence::KOmega | Turbulence::Sst)
    }

    /// Number of its equations. A laminar flow carries nu~ = 0 along, so that it counts as one.
    pub fn equations(self) -> usize {
        if self.has_two_equations() { 2 } else { 1 }
    }

    /// Omega at a wall over the kinematic viscosity, 10 . 6/(beta d^2), with the distance d of the nearest vertex off
    /// the wall (F. R. Menter, AIAA J. 32 (1994) 1598; beta of the layer next to the wall); 0 of a model without omega.
    pub fn wall_omega(self, distance: f64) -> f64 {
        let beta = match self {
            Turbulence::KOmega => 0.0708,
            Turbulence::Sst => 0.075,
            Turbulence::SaNeg | Turbulence::None => return 0.0,
        };
        60.0 / (beta * distance * distance)
    }
}
