//! The case: what the user asked for, read from `run.yaml`, checked, and resolved to plain numbers and fields.
//!
//! The rest of the solver sees only [`Case`]: every expression of `constants` is already a number, every field is an
//! evaluable [`Field`], every default is filled in, and everything that can be refused without building the mesh has
//! been refused, with the file, line, column and key in the message.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use crate::device::{Arithmetic, DeviceKind, Scheme};
pub use crate::element::Correction;
pub use crate::halo::{DEFAULT_PIECE, ExchangeSettings, PIECES, Transport};
pub use crate::input::{AXES, Every, Field};
pub use crate::io::Precision;
pub use crate::mesh::{BoxElements, BoxMesh, MeshSource, WarpKind};
use crate::output;
pub use crate::physics::{
    Boundary, Forcing, Gas, GasState, MassFlow, Riemann, Sgs, SgsModel, Split, Thermal, Viscosity,
};
pub use error::Error;
use read::Source;
pub use restart::Restart;
pub use schema::schema;

mod boundaries;
mod cuts;
mod de;
mod error;
mod keys;
mod read;
mod resolve;
mod restart;
mod sampling;
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
    /// The mesh.
    pub mesh: MeshSource,
    /// Polynomial degree p, 1..=8.
    pub order: usize,
    /// Spatial scheme.
    pub scheme: Scheme,
    /// Precision of the state and of all kernels.
    pub precision: Precision,
    /// Strict (IEEE) or fast arithmetic.
    pub arithmetic: Arithmetic,
    /// Which kind of device runs the kernels.
    pub device: DeviceKind,
    /// Number of CPU threads; `None` takes all cores.
    pub threads: Option<usize>,
    /// How ranks exchange traces.
    pub exchange: ExchangeSettings,
    /// Whether a GPU replays recorded time steps; set by the command line, not by a key.
    pub graph: bool,
    /// The gas.
    pub gas: Gas,
    /// Sub-grid model.
    pub sgs: Option<Sgs>,
    /// The initial state.
    pub initial: GasState,
    /// What to continue from instead of the initial state.
    pub restart: Option<Restart>,
    /// Boundary conditions by boundary name.
    pub boundaries: BTreeMap<String, Boundary>,
    /// Volume sources.
    pub forcing: Forcing,
    /// Time integration.
    pub time: Time,
    /// What is written, where and when.
    pub output: output::Settings,
    /// Where the keys stand, for what is found out about them later.
    source: Arc<Source>,
}

/// Time integration (classical RK4).
#[derive(Debug, Clone, PartialEq)]
pub struct Time {
    /// End time; at least one of `end` and `steps` is given.
    pub end: Option<f64>,
    /// Largest number of steps.
    pub steps: Option<u64>,
    /// Size of the step.
    pub step: TimeStep,
    /// Kahan-compensated update.
    pub kahan: bool,
    /// Time on the clock after which the run ends with a checkpoint.
    pub wall_clock: Option<Duration>,
}

/// How the time step is chosen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeStep {
    /// Fixed.
    Fixed(f64),
    /// Fraction of the linear stability limit.
    Cfl(f64),
}
