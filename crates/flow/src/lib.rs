//! The time-accurate solver: devices with their kernels, the exchange between ranks, time steps, outputs and runs.
#![deny(missing_docs)]

use fr_les_base::{element, format, input, io, log, physics, ranks, runge_kutta, vector};
use fr_les_mesh::{geometry, mesh};

pub mod device;
pub mod halo;
pub mod output;
pub mod run;
pub mod solver;
