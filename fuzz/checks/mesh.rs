//! The reader of native mesh files must read or refuse any bytes.

use fr_les::mesh::read_mesh;

use super::gmsh;

/// Reads bytes as a mesh file.
pub fn run(bytes: &[u8]) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("mesh.h5");
    std::fs::write(&path, bytes).expect("written");
    match read_mesh(&path, &[]) {
        Ok(mesh) => gmsh::check(&mesh),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
