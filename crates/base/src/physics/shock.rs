//! What keeps states at shocks and in steep gradients admissible; the kernel is ptx/kernels/filter.cu.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The filter of the states after each stage of a time step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[repr(i32)]
pub enum Shock {
    /// No filter.
    None,
    /// The entropy filter of Dzanic & Witherden (2022): the modes of a cell in which density, pressure or specific
    /// entropy is below its bound are damped as far as needed. The bound of the entropy is its least value before the
    /// stage in the cell and in those that share a face with it. For shocks.
    EntropyFilter,
    /// The same with the bounds of density and pressure alone: both stay positive. It leaves flows without shocks
    /// alone, and saves a cell that would end the run.
    #[default]
    Positivity,
}
