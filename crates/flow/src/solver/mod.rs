//! The solver: a case on a mesh on a device, advanced in time.
//!
//! The floors, each of which names only those below it:
//!
//! - `domain` is what does not change: mesh, geometry, gas, boundaries.
//! - `rhs` with `stages` and `exchange` computes right-hand sides of the state on the device.
//! - `participant` is the trait of what moves or is held, and `participants` has a file for each of these.
//! - `step` and `time_step` advance the state.
//! - `whole` is the [`Solver`], which hands its work to them.
//! - `setup` builds it.
//!
//! It writes no files: the run loop and the outputs are in the rooms `run` and `output`.

mod available_memory;
mod boundary_fluxes;
mod boundary_lengths;
mod boundary_values;
mod bulk;
mod clock;
mod conditions;
mod device_choice;
mod domain;
mod error;
mod exchange;
mod filter;
mod fingerprint;
mod gpus;
mod hanging_nodes;
mod initial_checkpoint;
mod initial_data;
mod initial_file;
mod initial_fluctuations;
mod initial_points;
mod interface_rows;
mod interface_sectors;
mod interface_sides;
mod interfaces;
mod levels;
mod matching;
mod memory;
mod motions;
mod notes;
mod operator_limit;
mod other_solution;
mod participant;
pub(crate) mod participants;
mod rhs;
mod scalar_stages;
mod scalars_and_hashes;
mod settings;
mod setup;
mod stages;
mod step;
mod stored_boxes;
mod stored_interpolation;
mod time_step;
mod walls;
mod whole;

pub use crate::input::BadValue;
pub use available_memory::available_memory;
pub use boundary_fluxes::{Area, BoundaryFlux, BoundaryFluxes};
pub use boundary_values::OtherUnits;
pub use bulk::Bulk;
pub use clock::Clock;
pub use conditions::{initial_state, of_mesh as conditions_of_mesh};
pub use device_choice::choose as choose_device_kind;
pub use domain::Domain;
pub use error::{SetupError, StepError};
pub use filter::{FilterRecord, Filtered};
pub use fingerprint::same_settings;
pub use gpus::{Gpus, used_since};
pub use hanging_nodes::HangingNodes;
pub use initial_checkpoint::{REYNOLDS_STRESSES, STATE, STRESSES, VARIABLES, at_order};
pub use initial_file::conserved as conserved_of_states;
pub use interfaces::Parts as InterfaceParts;
pub use levels::LevelShares;
pub use motions::{Motion, Motions};
pub use notes::Notes;
pub use other_solution::{OtherSolution, Outside};
pub use participant::{Participant, RestartState};
pub use participants::bars::{BarLoads, Bars};
pub use participants::inlets::Inlet;
pub use participants::rotation::{check_blocks, check_frame};
pub use participants::scalars::PassiveScalars;
pub use participants::source::Source;
pub use participants::sponge_size::{SpongeLayer, SpongeSize};
pub use settings::{InterfaceUse, Settings};
pub use setup::{mesh_on_ranks, stability_limits};
pub use whole::Solver;
