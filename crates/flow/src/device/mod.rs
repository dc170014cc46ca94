//! Devices: where the state lives and the kernels run.
//!
//! The solver uses the trait [`Device`] and does not know the machine. A device holds three states (the start of the
//! step and two stage buffers; schemes in 2N form have one stage buffer), the sum over the stages, Kahan's compensation
//! and the viscous traces. The host sees only the fields that it reads, in mesh order and double precision.
//!
//! `contract` has what host and kernels must state in the same way. A [`store`] has memory and queues, of `cpu` or
//! `cuda`, without a solver. `engine` runs the solver's kernels on it. `plan` places cells, faces and halos in arrays.

mod arrays;
mod bounds;
pub mod contract;
pub mod cpu;
pub mod cuda;
mod engine;
mod error;
mod field;
mod interfaces;
mod launch;
mod layout;
mod machine;
mod matching;
mod memory;
mod moment;
mod note;
mod operators;
mod params;
mod plan;
mod rounding;
mod sampling;
pub mod segment;
mod settings;
pub mod statistics;
pub mod store;
pub mod table;
mod traces;
mod transport;
mod turbulence;
mod update;
mod verbs;

pub use arrays::{Later, Sizes, memory_of};
pub use bounds::TimeStepBounds;
pub use contract::{BAR_SUMS, BOUNDARY_VALUES, BULKS, FLUXES, Frames, INTEGRALS, INTERFACE_SHIFTS, LENGTH_ROWS};
pub use contract::{SUMS, SURFACE_VALUES, Slot};
pub use cpu::CpuDevice;
pub use cuda::{CudaDevice, CudaError};
pub use error::DeviceError;
pub use field::Field;
pub use interfaces::{COPIES, Circle, Interfaces, SideFace, Way};
pub use launch::Launch;
pub use machine::{CellTotals, Device, DeviceInfo, Diagnostics, Work};
pub use matching::{CellWeights, Conditions, MatchingPoints, MatchingSource};
pub use memory::{MemoryUse, Plain, Real};
pub use moment::Moment;
pub use note::{Fault, FilterActs};
pub use plan::{BoundaryFace, Classes, Exterior, HaloNeighbour, HaloPlan, Plan};
pub use sampling::{SamplePoint, Sampled};
pub use settings::SchemeKeys;
pub use settings::{Arithmetic, DeviceKind, Physics, Scheme};
pub use traces::{Buffer, Cells, Traces};
pub use transport::{HaloBuffers, HaloTransport, Link, ListPart, Meeting, Network, PeerHandles, Span};
pub use turbulence::{TurbulentInlet, TurbulentPoint, inlet_bytes};
pub use update::StageUpdate;

pub use crate::io::Precision;
