//! The sub-grid model of a case: which, with which constants. What a model does is in ptx/eddy.h.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Gas;
use super::keys::SgsKeys;
use crate::input::{Problem, Scope};

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
pub enum SgsModel {
    /// Strain rate |S| (Smagorinsky 1963); does not vanish at walls, and nothing damps it there.
    Smagorinsky,
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

/// The model of a gas.
pub(super) fn sgs(scope: &Scope, keys: &Option<SgsKeys>, gas: &Gas) -> Result<Option<Sgs>, Problem> {
    let Some(keys) = keys else { return Ok(None) };
    if gas.viscosity.is_none() {
        return Err(
            Problem::new("a sub-grid model needs a viscous gas, but gas.viscosity is not given")
                .key("sgs")
                .help("`gas: {viscosity: {constant: 0}}` is a gas whose only viscosity is that of the model"),
        );
    }
    let constant = |given| scope.number_if("sgs.constant", given, |v| v >= 0.0, "at least 0");
    Ok(Some(Sgs {
        model: keys.model,
        constant: keys.constant.as_ref().map_or(Ok(keys.model.constant()), constant)?,
        prandtl: scope.number_if("sgs.prandtl", &keys.prandtl, |v| v > 0.0, "above 0")?,
    }))
}
