//! Settings of a case that select the device, and the gas and the scheme that its kernels get as constants.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::Frames;
use crate::element::{Correction, ElementKind};
use crate::input::{Number, Problem, Scope, keys, not_negative, positive};
use crate::physics::{EntropyCorrection, Gas, Riemann, ScalarConstants, Sgs, Shock, Split};

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
    /// What bounds the entropy that a cell makes by aliasing.
    #[serde(default)]
    pub entropy_correction: EntropyCorrection,
    /// Filter of the states after each stage of a time step, for shocks and for starts.
    #[serde(default)]
    pub shock: Shock,
    /// Decrease of the specific entropy over cv, ln(p/rho^gamma), that `shock: entropy-filter` allows in a stage, above
    /// 0. In single precision at least 1e-5 is taken.
    #[serde(default = "entropy_tolerance")]
    pub entropy_tolerance: Number,
    /// Constant C of an artificial bulk viscosity for shocks, at least 0; 0 is none, 1.5 is for shocks. Where gas is
    /// compressed, C rho Delta^2 |div v| is added, times the share of div v beside the vorticity; Delta is the distance
    /// of the points along which the velocity changes. It needs a viscous gas.
    #[serde(default = "no_bulk_viscosity")]
    pub artificial_bulk_viscosity: Number,
}}

/// Decrease of ln(p/rho^gamma) that is allowed where the case says nothing.
const ENTROPY_TOLERANCE: f64 = 1e-4;

fn entropy_tolerance() -> Number {
    ENTROPY_TOLERANCE.into()
}

fn no_bulk_viscosity() -> Number {
    0.0.into()
}

impl Default for SchemeKeys {
    fn default() -> Self {
        SchemeKeys {
            split: Split::default(),
            riemann: Riemann::default(),
            correction: Correction::default(),
            entropy_correction: EntropyCorrection::default(),
            shock: Shock::default(),
            entropy_tolerance: entropy_tolerance(),
            artificial_bulk_viscosity: no_bulk_viscosity(),
        }
    }
}

impl SchemeKeys {
    /// Evaluates the keys and checks them.
    pub fn resolve(&self, scope: &Scope, gas: &Gas) -> Result<Scheme, Problem> {
        let key = "scheme.entropy-tolerance";
        let tolerance = scope.number_if(key, &self.entropy_tolerance, positive, "above 0")?;
        if self.shock != Shock::EntropyFilter && tolerance != ENTROPY_TOLERANCE {
            let problem = Problem::new("`entropy-tolerance` belongs to `shock: entropy-filter`").key(key);
            return Err(problem.help("add that key, or remove this one"));
        }
        let key = "scheme.artificial-bulk-viscosity";
        let bulk = scope.number_if(key, &self.artificial_bulk_viscosity, not_negative, "at least 0")?;
        if bulk > 0.0 && gas.viscosity.is_none() {
            let lacking = "an artificial bulk viscosity needs a viscous gas, but gas.viscosity is not given";
            let help = "`gas: {viscosity: {constant: 0}}` is a gas whose only viscosity is the artificial one";
            return Err(Problem::new(lacking).key(key).help(help));
        }
        Ok(Scheme {
            split: self.split,
            riemann: self.riemann,
            correction: self.correction,
            entropy_correction: self.entropy_correction,
            shock: self.shock,
            entropy_tolerance: tolerance,
            artificial_bulk_viscosity: bulk,
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
    /// What bounds the entropy that a cell makes by aliasing.
    pub entropy_correction: EntropyCorrection,
    /// Filter of the states after each stage.
    pub shock: Shock,
    /// Decrease of ln(p/rho^gamma) that the entropy filter allows in a stage.
    pub entropy_tolerance: f64,
    /// Constant of the artificial bulk viscosity, 0 for none.
    pub artificial_bulk_viscosity: f64,
}

impl Scheme {
    /// Returns whether the entropy of cells of a kind is corrected. `corrects_entropy` in ptx/method/corrected_stages.h
    /// says the same to the kernels.
    pub fn corrects_entropy(&self, kind: ElementKind) -> bool {
        match (self.entropy_correction, kind) {
            (EntropyCorrection::None, _) => false,
            (EntropyCorrection::Auto, ElementKind::Hex | ElementKind::Prism) | (EntropyCorrection::Cells, _) => true,
            (EntropyCorrection::Auto, ElementKind::Tet | ElementKind::Pyramid) => false,
        }
    }
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

/// The gas and the scheme, which the kernels get as constants.
#[derive(Debug, Clone, Copy)]
pub struct Physics {
    /// The gas.
    pub gas: Gas,
    /// The scheme.
    pub scheme: Scheme,
    /// Kahan-compensated update.
    pub kahan: bool,
    /// Whether the time scheme is in 2N form.
    pub low_storage: bool,
    /// Whether it is the paired scheme.
    pub paired: bool,
    /// Sub-grid model, of a gas with a viscosity.
    pub sgs: Option<Sgs>,
    /// Passive scalars.
    pub scalars: ScalarConstants,
    /// Whether an inlet is turbulent.
    pub turbulence: bool,
    /// Whether the length of the turbulence of an inlet varies.
    pub turbulence_varies: bool,
    /// Number of interfaces between blocks of cells.
    pub interfaces: usize,
    /// Whether there are faces that meet smaller ones.
    pub mortars: bool,
    /// Whether a wall is modelled.
    pub wall_models: bool,
    /// Whether a wall is modelled by the equilibrium equations.
    pub wall_equilibrium: bool,
    /// Number of rows of bars.
    pub bars: usize,
    /// Whether there are sponges.
    pub sponges: bool,
    /// The frames of the cells.
    pub frames: Frames,
    /// Angular velocity of the rotating frame, or the unit vector along the axis of several.
    pub angular_velocity: [f64; 3],
}

impl Physics {
    /// Returns a gas and a scheme with compensated updates by RK4, without any model, source or turbulent inlet.
    pub fn new(gas: Gas, scheme: Scheme) -> Self {
        Physics {
            gas,
            scheme,
            kahan: true,
            low_storage: false,
            paired: false,
            sgs: None,
            scalars: ScalarConstants::default(),
            turbulence: false,
            turbulence_varies: false,
            interfaces: 0,
            mortars: false,
            wall_models: false,
            wall_equilibrium: false,
            bars: 0,
            sponges: false,
            frames: Frames::None,
            angular_velocity: [0.0; 3],
        }
    }
}
