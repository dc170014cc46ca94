//! Settings of a case that select the device and the scheme of its kernels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::element::Correction;
use crate::input::{Number, Problem, Scope, keys, positive};
use crate::physics::{Gas, Riemann, Shock, Split};

keys! {
#[derive(Default)]
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
    /// Decrease of the specific entropy over cv, ln(p/rho^gamma), that `shock: entropy-filter` allows in a stage; above
    /// 0, and taken as 1e-5 at least in single precision. By default 1e-6, or 1e-3 with viscosity: heat conduction
    /// lowers the entropy of the hotter gas.
    pub entropy_tolerance: Option<Number>,
}}

impl SchemeKeys {
    /// Evaluates the keys and checks them.
    pub(crate) fn resolve(&self, scope: &Scope, gas: &Gas) -> Result<Scheme, Problem> {
        const TOLERANCE: &str = "scheme.entropy-tolerance";
        let given = self.entropy_tolerance.as_ref();
        if given.is_some() && self.shock != Shock::EntropyFilter {
            return Err(Problem::new("the tolerance is that of the entropy filter, which the case does not use")
                .key(TOLERANCE)
                .help("set `shock: entropy-filter`, or leave the tolerance out"));
        }
        let default = if gas.viscosity.is_some() { 1e-3 } else { 1e-6 };
        Ok(Scheme {
            split: self.split,
            riemann: self.riemann,
            correction: self.correction,
            shock: self.shock,
            entropy_tolerance: given.map_or(Ok(default), |given| {
                scope.number_if(TOLERANCE, given, positive, "above 0")
            })?,
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
