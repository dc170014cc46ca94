//! The case: what the user asked for, read from `run.yaml`, checked, and resolved to plain numbers and fields.
//!
//! The rest of the solver sees only [`Case`]: every expression of `constants` is already a number, every field is an
//! evaluable [`Field`], every default is filled in, and everything that can be refused without building the mesh has
//! been refused, with the file, line, column and key in the message.

use std::path::PathBuf;
use std::sync::Arc;

pub use crate::device::{Arithmetic, DeviceKind, Scheme};
pub use crate::element::Correction;
pub use crate::halo::{DEFAULT_PIECE, ExchangeSettings, PIECES, Transport};
pub use crate::input::{AXES, Every, Field};
pub use crate::io::Precision;
pub use crate::mesh::{BoxElements, BoxMesh, MeshSource, WarpKind};
pub use crate::physics::{
    Boundary, Forcing, Gas, GasState, MassFlow, Riemann, Sgs, SgsModel, Split, Thermal, Viscosity,
};
use crate::{output, run, solver};
pub use error::Error;
use read::Source;
pub use schema::schema;

mod boundaries;
mod de;
mod error;
mod keys;
mod located;
mod read;
mod resolve;
mod schema;
mod tree;

/// One run, fully resolved. Units are SI or any consistent set.
#[derive(Debug, Clone)]
pub struct Case {
    /// Title for logs and files.
    pub title: String,
    /// Path of the case file, as given.
    pub path: PathBuf,
    /// Full text of the case file, with one comment line per `--set` appended; written into every file as provenance.
    pub text: String,
    /// Mesh, scheme, physics and device.
    pub solver: solver::Settings,
    /// What is written, where and when.
    pub output: output::Settings,
    /// End of the run, time step, and what it continues from.
    pub run: run::Settings,
    /// Where the keys stand, for what is found out about them later.
    source: Arc<Source>,
}
