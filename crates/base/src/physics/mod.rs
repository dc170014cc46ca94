//! The physics: the gas, its viscosity, boundary conditions, Riemann solvers, sub-grid models and sources.
//!
//! Each model is declared here once: its keys, its constants and its values on the host. What it computes at a point of
//! the mesh is in ptx/physics, one function a model; enumerations that are marked `#[repr(i32)]` have a twin there.

mod bars;
mod boundary;
mod channel;
mod closure;
mod entropy_correction;
mod frame;
mod gas;
mod isotropic;
mod riemann;
mod scalar;
mod shock;
mod source;
mod split;
mod sponge;
mod state;
mod subgrid;
pub mod turbulence;
mod wall_law;

pub use bars::BarKeys;
pub use bars::{BarRow, FEWEST_POINTS, Spacing};
pub use boundary::BoundaryKeys;
pub use boundary::{
    Boundary, BoundaryKind, Course, FacePoint, Hold, Inflow, InitialGas, InletSlot, InterfaceSide, Matching, PointData,
    Relaxation, RelaxedSlot, TotalSlot, Transverse, Wall, WallLaw, WallSlot, outlet_pressure, outlet_temperature,
};
pub use channel::Domain;
pub use closure::Turbulence;
pub use entropy_correction::EntropyCorrection;
pub use frame::{FrameForces, GivenIn, RotatingFrame};
pub use frame::{RotatingFrameKeys, Surroundings};
pub use gas::GasKeys;
pub use gas::{Gas, Viscosity, ViscosityConstants, ViscosityLaw};
pub use isotropic::{Shells, ShortWaves};
pub use riemann::Riemann;
pub use scalar::ScalarKeys;
pub use scalar::{MOST_SCALARS, Scalar, ScalarConstants};
pub use shock::Shock;
pub use source::ForcingKeys;
pub use source::{Forcing, MassFlow};
pub use split::Split;
pub use sponge::SpongeKeys;
pub use sponge::{Sponge, SpongeRegion, SpongeSide, SpongeTarget};
pub use state::InitialKeys;
pub use state::{GasState, Initial, Thermal};
pub use subgrid::SgsKeys;
pub use subgrid::{Sgs, SgsModel};
pub use wall_law::{WALL_PRANDTL, law_of_the_wall, reichardt};
