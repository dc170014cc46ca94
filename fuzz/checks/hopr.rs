//! The reader of HOPR's meshes must read or refuse any bytes.

use super::gmsh;

/// Files that [`super::hdf5_changes`] changes.
const VALID: &[&[u8]] = &[include_bytes!("../../tests/data/hopr_box3.h5")];

/// Reads bytes as a mesh of HOPR.
pub fn run(bytes: &[u8]) {
    gmsh::run_hdf5(bytes, VALID);
}
