//! The case: what the user asked for, read from `run.yaml`, checked, and resolved to plain numbers and fields.
//!
//! The rest of the solver sees only [`Case`]: every expression of `constants` is already a number, every field is an
//! evaluable [`Field`], every default is filled in, and everything that can be refused without building the mesh has
//! been refused, with the file, line, column and key in the message.

pub use crate::device::{Arithmetic, DeviceKind, Scheme};
pub use crate::element::Correction;
pub use crate::halo::{DEFAULT_PIECE, ExchangeSettings, PIECES, Transport};
pub use crate::input::{AXES, Every, Field};
pub use crate::io::Precision;
pub use crate::mesh::{BoxElements, BoxMesh, MeshSource, WarpKind};
pub use crate::physics::{
    Boundary, EntropyCorrection, Forcing, Gas, GasState, Initial, MassFlow, Riemann, Sgs, SgsModel, Shock, Split,
    Thermal, Viscosity,
};
pub use error::Error;
pub use file_kind::FileKind;
pub(crate) use paths::warn_of_results_elsewhere;
pub use resolved::Case;
pub use schema::schema;
pub(crate) use schema::schema_of;
pub(crate) use schema_keys::{Key, all as keys_of};
pub(crate) use settings_file::SettingsFile;

mod boundaries;
mod de;
mod error;
mod file_kind;
mod inputs;
mod key_path;
mod keys;
mod located;
mod overrides;
mod paths;
mod read;
mod resolve;
mod resolved;
mod schema;
mod schema_keys;
mod settings_file;
mod tree;
mod written;
