//! The Gmsh reader must read or refuse any bytes. A mesh that it reads must be consistent: every side leads back.

use std::path::Path;

use fr_les::mesh::{Mesh, Motion, PeriodicPair, Side, read_gmsh_bytes};

/// Asserts that a mesh is consistent.
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
                Side::Remote { .. } => panic!("a side of another rank in a whole mesh"),
            };
            let back = match mesh.sides[mesh.first_side[there.0] + there.1] {
                Side::Cell { cell, face, .. } | Side::Rotated { cell, face, .. } => (cell, face),
                Side::Boundary(_) | Side::Remote { .. } => panic!("no way back"),
            };
            assert_eq!(back, (cell, face));
        }
    }
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
