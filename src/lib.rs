//! fr-les: a high-order flux-reconstruction solver for large-eddy simulation of compressible flow.
//!
//! The modules are rooms in a fixed order, from `ranks` up to `commands`; each imports only rooms below it, and
//! ARCHITECTURE.md says what each is for. A case passes through `case`, `mesh`, `geometry`, `device`, `solver`, `run`
//! and `output`.
#![deny(missing_docs)]

pub mod case;
pub mod commands;
pub mod device;
pub mod element;
pub mod format;
pub mod geometry;
pub mod halo;
pub mod input;
pub mod io;
pub mod log;
pub mod loops;
pub mod mesh;
pub mod output;
pub mod physics;
pub mod plot;
pub mod ranks;
pub mod report;
pub mod run;
pub mod runge_kutta;
pub mod solver;
pub mod steady;
pub mod study;
pub mod vector;
