//! What a run writes: one file or folder for each output.
//!
//! A case file asks for outputs; each becomes a [`Request`] with its settings, which makes the [`Output`]s once there is a
//! solver. The run loop knows only these two traits, and [`Settings`] lists the requests.

mod boundaries;
mod boundary_fluxes;
mod checkpoint_data;
mod coefficients;
mod error;
mod fields;
mod file_sequence;
mod forcing;
mod integrals;
mod interface;
mod nodes;
mod probes;
mod request;
mod sampler;
mod schedule;
mod settings;
mod slices;
mod solution;
mod spectra;
pub mod statistics;
mod surface_points;
mod surfaces;

pub use boundaries::BoundariesRequest;
pub use boundary_fluxes::{BoundaryFlux, BoundaryFluxes};
pub use checkpoint_data::CheckpointData;
pub use coefficients::Reference;
pub use error::OutputError;
pub use forcing::ForcingRequest;
pub use integrals::{Integrals, IntegralsRequest};
pub use interface::{Columns, ExtraSamples, Output, SampleContext};
pub use probes::{ProbePoints, ProbesRequest};
pub use request::{Request, Setup};
pub use schedule::Schedule;
pub use settings::{CheckpointSettings, DEFAULT_KEEP, Settings, create, describe};
pub use slices::SliceRequest;
pub use solution::SolutionRequest;
pub use spectra::SpectraRequest;
pub use statistics::StatisticsRequest;
pub use surface_points::{SurfaceFace, SurfacePoint, Surfaces};
pub use surfaces::SurfacesRequest;
