//! Settings of a case that select the device and the scheme of its kernels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::element::Correction;
use crate::input::{Number, Problem, Scope, keys, positive};
use crate::physics::{Riemann, Shock, Split};

keys! {
/// The spatial scheme.
SchemeKeys as "a mapping with keys such as `split` and `riemann`" {
    /// Form of the convective derivative inside a cell.
    #[serde(default)]
    pub split: Split,
    /// Common convective flux at interfaces.
    #[serde(default)]
    pub riemann: Riemann,
    /// Correction function.
    #[serde(default)]
    pub correction: Correction,
    /// Filter of the states after each stage of a time step, for shocks and for starts.
    #[serde(default)]
    pub shock: Shock,
    /// Decrease of the specific entropy over cv, ln(p/rho^gamma), that `shock: entropy-filter` allows in a stage, above
    /// 0. In single precision at least 1e-5 is taken.
    #[serde(default = "entropy_tolerance")]
    pub entropy_tolerance: Number,
}}

fn entropy_tolerance() -> Number {
    1e-4.into()
}

impl Default for SchemeKeys {
    fn default() -> Self {
        SchemeKeys {
            split: Split::default(),
            riemann: Riemann::default(),
            correction: Correction::default(),
            shock: Shock::default(),
            entropy_tolerance: entropy_tolerance(),
        }
    }
}

impl SchemeKeys {
    /// Evaluates the keys and checks them.
    pub(crate) fn resolve(&self, scope: &Scope) -> Result<Scheme, Problem> {
        let tolerance = &self.entropy_tolerance;
        Ok(Scheme {
            split: self.split,
            riemann: self.riemann,
            correction: self.correction,
            shock: self.shock,
            entropy_tolerance: scope.number_if("scheme.entropy-tolerance", tolerance, positive, "above 0")?,
        })
    }
}

/// Spatial scheme.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Scheme {
    /// Form of the convective derivative inside a cell.
    pub split: Split,
    /// Common convective flux at interfaces.
    pub riemann: Riemann,
    /// Correction function.
    pub correction: Correction,
    /// Filter of the states after each stage.
    pub shock: Shock,
    /// Decrease of ln(p/rho^gamma) that the entropy filter allows in a stage.
    pub entropy_tolerance: f64,
}

/// Arithmetic of the kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Arithmetic {
    /// The device's default.
    #[default]
    Auto,
    /// IEEE division and square root: the same bits on CPU and GPU.
    Strict,
    /// Approximate reciprocals where the device has them.
    Fast,
}

/// Kind of device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceKind {
    /// A GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// CPU cores.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
}
