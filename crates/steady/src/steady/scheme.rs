//! What the kernels of the steady solver compute: the reconstruction, the flux, the turbulence model and the stages.

use crate::device::contract::SteadyParams;
use crate::physics::{Gas, Riemann, Split, Turbulence};

/// Number of stages of a step.
pub const STAGES: usize = 5;
/// Coefficients of the stages (L. Martinelli, Ph.D. thesis, Princeton University 1987).
pub const ALPHA: [f64; STAGES] = [1.0 / 4.0, 1.0 / 6.0, 3.0 / 8.0, 1.0 / 2.0, 1.0];
/// Part of the present dissipation in that of each stage; the rest is that of the stage before.
pub const BLEND: [f64; STAGES] = [1.0, 0.0, 0.56, 0.0, 0.44];
/// Turbulent Prandtl number.
const EDDY_PRANDTL: f64 = 0.9;

/// The scale of the turbulence that enters, beside its intensity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EddyScale {
    /// Eddy viscosity over the viscosity.
    Ratio(f64),
    /// Length sqrt(k)/(beta*^(1/4) omega).
    Length(f64),
}

/// The scheme of the steady solver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scheme {
    /// Interface flux.
    pub riemann: Riemann,
    /// Weight of the central slope in the reconstruction: 1/3 is of third order in one dimension.
    pub kappa: f64,
    /// Turbulence model.
    pub turbulence: Turbulence,
    /// Whether the convection of the model is of second order.
    pub second_order_turbulence: bool,
    /// nu~/nu of gas that enters.
    pub ratio: f64,
    /// Intensity of the turbulence of gas that enters, sqrt(2k/3) over its speed.
    pub intensity: f64,
    /// Scale of this turbulence.
    pub scale: EddyScale,
    /// Whether kernels may use approximate reciprocals and roots.
    pub fast: bool,
}

impl Default for Scheme {
    fn default() -> Self {
        Scheme {
            riemann: Riemann::Roe,
            kappa: 1.0 / 3.0,
            turbulence: Turbulence::SaNeg,
            second_order_turbulence: false,
            ratio: 3.0,
            intensity: 0.01,
            scale: EddyScale::Ratio(10.0),
            fast: false,
        }
    }
}

impl Scheme {
    /// Returns parameters with the constants of a run and what enters; all others are zero.
    pub fn constants(&self, gas: &Gas) -> SteadyParams {
        // SAFETY: SteadyParams holds numbers and raw pointers only, for which all-zero bytes are valid (null).
        let mut p: SteadyParams = unsafe { std::mem::zeroed() };
        let cv = gas.gas_constant / (gas.gamma - 1.0);
        let viscosity = gas.viscosity_constants();
        p.gamma = gas.gamma;
        p.gas_constant = gas.gas_constant;
        p.cv = cv;
        p.cp = gas.gamma * cv;
        p.conductivity_factor = p.cp / gas.prandtl;
        p.eddy_conductivity_factor = p.cp / EDDY_PRANDTL;
        p.mu = viscosity.mu;
        p.sutherland_factor = viscosity.factor;
        p.sutherland_s = viscosity.s;
        p.viscosity = viscosity.law as i32;
        p.kappa = self.kappa;
        p.split = Split::None as i32;
        p.riemann = self.riemann as i32;
        p.turbulence = self.turbulence as i32;
        p.second_order_turbulence = i32::from(self.second_order_turbulence);
        p.second_order = 1;
        p.boundary_intensity = self.intensity;
        match self.scale {
            EddyScale::Ratio(ratio) => p.boundary_ratio = ratio,
            EddyScale::Length(length) => p.boundary_length = length,
        }
        p
    }
}
