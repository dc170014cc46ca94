//! Settings of a case that select the device and the scheme of its kernels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::element::Correction;
use crate::physics::{Riemann, Split};

/// Spatial scheme.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "a mapping with keys such as `split` and `riemann`"
)]
pub struct Scheme {
    /// Form of the convective derivative inside a cell.
    pub split: Split,
    /// Common convective flux at interfaces.
    pub riemann: Riemann,
    /// Correction function.
    pub correction: Correction,
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
