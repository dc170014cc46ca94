//! The reader of CGNS files must read or refuse any bytes.

use super::gmsh;

/// Files that [`super::hdf5_changes`] changes.
const VALID: &[&[u8]] = &[
    include_bytes!("../../tests/data/mixed1.cgns"),
    include_bytes!("../../tests/data/mixed2.cgns"),
    include_bytes!("../../tests/data/plane4.cgns"),
    include_bytes!("../../tests/data/cylinder_hex3.cgns"),
];

/// Reads bytes as a CGNS file, and as a section that is extruded.
pub fn run(bytes: &[u8]) {
    gmsh::run_hdf5(bytes, VALID);
}
