//! The reader of native mesh files must read or refuse any bytes.

use super::gmsh;

/// Files that [`super::hdf5_changes`] changes.
const VALID: &[&[u8]] = &[include_bytes!("../seeds/mesh/annulus.h5")];

/// Reads bytes as a mesh file.
pub fn run(bytes: &[u8]) {
    gmsh::run_hdf5(bytes, VALID);
}
