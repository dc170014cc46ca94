//! Sub-grid models: which, with which constants. What a model computes is in ptx/physics/subgrid.h.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gas::Gas;
use crate::input::{Number, Problem, Scope, keys, not_negative, positive};

keys! {
/// A sub-grid model: mu_t = rho (constant Delta)^2 D is added to the viscosity, where D is a rate from the velocity
/// gradient and Delta the cube root of the volume of a cell over its number of points. It needs a viscous gas.
SgsKeys as "a mapping with the key `model`" {
    /// Which rate D is taken.
    pub model: SgsModel,
    /// The model's constant, at least 0; each model has a default.
    pub constant: Option<Number>,
    /// Turbulent Prandtl number, above 0: cp mu_t/prandtl is added to the conductivity.
    #[serde(default = "turbulent_prandtl")]
    pub prandtl: Number,
}}

/// The turbulent Prandtl number by default.
pub(super) fn turbulent_prandtl() -> Number {
    0.9.into()
}

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
    /// The strain rate |S| (Smagorinsky 1963), which does not vanish at walls; nothing damps it there. Constant 0.17.
    Smagorinsky = 1,
    /// The wall-adapting local eddy viscosity (Nicoud & Ducros 1999), which vanishes at walls and in pure shear.
    /// Constant 0.5.
    Wale,
    /// A rate from the singular values of the gradient (Nicoud et al. 2011), which vanishes at walls, in pure shear,
    /// solid rotation and isotropic contraction. Constant 1.35.
    Sigma,
    /// A rate from the invariants of the gradient (Vreman 2004), which vanishes in pure shear, but not in solid
    /// rotation. Constant 0.265.
    Vreman,
}

impl SgsModel {
    /// Returns the default constant: that of Lilly (1967) for an inertial range, those that Nicoud & Ducros and Nicoud
    /// et al. found to dissipate as much in isotropic turbulence, and the root of the 0.07 of Vreman.
    pub fn constant(self) -> f64 {
        match self {
            SgsModel::Smagorinsky => 0.17,
            SgsModel::Wale => 0.5,
            SgsModel::Sigma => 1.35,
            SgsModel::Vreman => 0.265,
        }
    }
}

impl Sgs {
    /// Evaluates the keys and checks them.
    pub fn resolve(keys: &SgsKeys, scope: &Scope, gas: &Gas) -> Result<Self, Problem> {
        if gas.viscosity.is_none() {
            return Err(
                Problem::new("a sub-grid model needs a viscous gas, but gas.viscosity is not given")
                    .key("sgs")
                    .help("`gas: {viscosity: {constant: 0}}` is a gas whose only viscosity is that of the model"),
            );
        }
        let constant = |given| scope.number_if("sgs.constant", given, not_negative, "at least 0");
        Ok(Sgs {
            model: keys.model,
            constant: keys.constant.as_ref().map_or(Ok(keys.model.constant()), constant)?,
            prandtl: scope.number_if("sgs.prandtl", &keys.prandtl, positive, "above 0")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_of_a_model_states_its_constant() {
        let schema = schemars::schema_for!(SgsModel).to_value();
        for variant in schema["oneOf"].as_array().expect("models") {
            let model: SgsModel = serde_json::from_value(variant["const"].clone()).expect("a model");
            let text = variant["description"].as_str().expect("documentation");
            let stated = format!("Constant {}.", model.constant());
            assert!(text.contains(&stated), "{stated} is not in: {text}");
        }
    }
}
