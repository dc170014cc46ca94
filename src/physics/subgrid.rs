//! Sub-grid models: which, with which constants. What a model computes is in ptx/physics/subgrid.h.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A sub-grid model: mu_t = rho (constant Delta)^2 D.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sgs {
    /// What D is.
    pub model: SgsModel,
    /// The constant before Delta.
    pub constant: f64,
    /// Turbulent Prandtl number.
    pub prandtl: f64,
}

/// The rate D that a sub-grid model takes from the velocity gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(i32)]
pub enum SgsModel {
    /// Strain rate |S| (Smagorinsky 1963); does not vanish at walls, and nothing damps it there.
    Smagorinsky = 1,
    /// Wall-adapting local eddy viscosity (Nicoud & Ducros 1999); vanishes at walls and in pure shear.
    Wale,
    /// From the singular values of the gradient (Nicoud et al. 2011); vanishes at walls, in pure shear, solid rotation and isotropic
    /// contraction.
    Sigma,
}

impl SgsModel {
    /// The constant where the case says nothing: Lilly's (1967) for an inertial range; those that Nicoud & Ducros and Nicoud et al.
    /// found to dissipate as much in isotropic turbulence.
    pub fn constant(self) -> f64 {
        match self {
            SgsModel::Smagorinsky => 0.17,
            SgsModel::Wale => 0.5,
            SgsModel::Sigma => 1.35,
        }
    }
}
