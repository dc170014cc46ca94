//! fr-les: a high-order flux-reconstruction solver for large-eddy simulation of compressible flow.
//!
//! The modules are rooms in a fixed order, from `ranks` up to `commands`. A room imports only rooms below it.
//! ARCHITECTURE.md has a table of the rooms with their contents and crates. A case passes through `case`, `mesh`,
//! `geometry`, `device`, `solver`, `run` and `output`.
#![deny(missing_docs)]

pub mod case;
pub mod commands;
pub mod report;
pub mod study;

pub use fr_les_base::{element, format, input, io, log, physics, ranks, runge_kutta, vector};
pub use fr_les_figures::plot;
pub use fr_les_flow::{device, halo, output, run, solver};
pub use fr_les_mesh::{geometry, mesh};
pub use fr_les_steady::steady;
