//! The readers of SU2's meshes and restart files must read or refuse any bytes.

use fr_les::io::Su2Restart;

use super::gmsh;

/// Reads bytes as a mesh, as a section that is extruded, and as both forms of restart files.
pub fn run(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("temporary directory");
    let path = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path
    };
    gmsh::run_file(&path("mesh.su2"));
    for name in ["flow.dat", "flow.csv"] {
        match Su2Restart::read(&path(name)) {
            Ok(restart) => assert_eq!(restart.values.len(), restart.points() * restart.names.len()),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
