//! The solver of steady solutions of the averaged equations, a finite-volume method on the vertices of the mesh.
#![deny(missing_docs)]

use fr_les_base::{element, format, input, io, log, physics, ranks, vector};
use fr_les_flow::{device, halo, output, run, solver};
use fr_les_mesh::{geometry, mesh};

pub mod steady;
