//! Boundary conditions, sub-grid models and forces, and flows with known solutions.

#[allow(dead_code)] // each binary calls a part of the helpers
#[path = "../common"]
mod common {
    pub mod cases;
    pub mod couette;
    pub mod errors;
    pub mod gas;
    pub mod physics;
    pub mod program;
    pub mod random;
}

mod bars;
mod bars_set_up;
mod boundaries;
mod boundary_fluxes;
mod boundary_sound;
mod bulk_viscosity;
mod channel_start;
mod choked;
mod conditions;
mod filter;
mod inflow_outflow;
mod inlet_turbulence;
mod mass_flow;
mod net;
mod oblique_sound;
mod plates;
mod profiles;
mod relaxed;
mod rotating_frame;
mod sgs;
mod shocks;
mod spectrum_start;
mod sponges;
mod swirl;
mod varying_turbulence;
mod viscosity;
mod wall_models;
