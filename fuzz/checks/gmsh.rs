//! The Gmsh reader must read or refuse any bytes. A mesh that it reads must be consistent: every side leads back. The
//! checks of other formats use the functions of this file.

use std::path::Path;

use fr_les::element::{Correction, Elements};
use fr_les::geometry::Geometry;
use fr_les::mesh::quality::Quality;
use fr_les::mesh::{Extrusion, Mesh, Motion, PeriodicPair, Side, read_extruded, read_gmsh_bytes, read_mesh};

use super::hdf5_changes;

/// Most cells of a mesh that is measured: a fuzz target has to be fast.
const MOST_CELLS: usize = 2000;

/// Asserts that a mesh is consistent, and measures it.
pub fn check(mesh: &Mesh) {
    let cells = mesh.kinds.len();
    assert_eq!((mesh.first_node.len(), mesh.first_side.len()), (cells + 1, cells + 1));
    // A mesh has tags only if a generator numbered its cells.
    assert!([0, cells].contains(&mesh.tags.len()));
    assert_eq!(
        (mesh.first_node[cells], mesh.first_side[cells]),
        (mesh.nodes.len(), mesh.sides.len())
    );
    for cell in 0..cells {
        for face in 0..mesh.kinds[cell].faces().len() {
            let there = match mesh.sides[mesh.first_side[cell] + face] {
                Side::Cell { cell, face, .. } | Side::Rotated { cell, face, .. } => (cell, face),
                Side::Boundary(name) => {
                    assert!(name < mesh.boundary_names.len());
                    continue;
                }
                Side::Mortar(_) | Side::Remote { .. } => panic!("Gmsh has no such side in a whole mesh"),
            };
            let back = match mesh.sides[mesh.first_side[there.0] + there.1] {
                Side::Cell { cell, face, .. } | Side::Rotated { cell, face, .. } => (cell, face),
                Side::Boundary(_) | Side::Mortar(_) | Side::Remote { .. } => panic!("no way back"),
            };
            assert_eq!(back, (cell, face));
        }
    }
    if mesh.check().is_ok() && (1..MOST_CELLS).contains(&cells) {
        let quality = Quality::of(mesh, 1).expect("cells");
        assert!(!quality.to_string().is_empty());
        // A mesh with inverted cells is refused.
        let _ = Geometry::new(mesh, &Elements::new(1, Correction::Radau, &mesh.kinds_present()));
    }
}

/// Reads a mesh file, and the section that is extruded.
pub fn run_file(path: &Path) {
    let by = Extrusion {
        thickness: 0.5,
        layers: 2,
    };
    for read in [
        read_mesh(path, &[]),
        read_extruded(path, &by, &[]),
        read_extruded(path, &by, &[by.ends()]),
    ] {
        match read {
            Ok(mesh) => check(&mesh),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

/// Reads a mesh file that [`hdf5_changes`] makes of bytes and valid files.
pub fn run_hdf5(bytes: &[u8], valid: &[&[u8]]) {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("mesh.h5");
    hdf5_changes::write(&path, bytes, valid);
    run_file(&path);
}

/// Reads bytes as a Gmsh file.
pub fn run(bytes: &[u8]) {
    let path = Path::new("fuzz.msh");
    match read_gmsh_bytes(path, bytes, &[]) {
        Ok(mesh) => check(&mesh),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let pair = |first: &str, second: &str, motion| PeriodicPair {
        first: first.into(),
        second: second.into(),
        motion,
    };
    let turn = Motion::Rotation {
        point: [0.0; 3],
        axis: [0.0, 0.0, 1.0],
        angle: std::f64::consts::FRAC_PI_3,
    };
    for pair in [
        pair("left", "right", Motion::Translation([1.0, 0.0, 0.0])),
        pair("start", "end", turn),
    ] {
        if let Ok(mesh) = read_gmsh_bytes(path, bytes, &[pair]) {
            check(&mesh);
        }
    }
}
