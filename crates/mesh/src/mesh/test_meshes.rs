//! Small meshes for the tests of several modules. They are curved, stretched, away from the origin, of all kinds of
//! cells, or periodic by rotation, so that errors in the geometry of cells show up.

use super::Annulus;
use super::types::Mesh;
use crate::mesh::{BoxElements, BoxMesh, WarpKind};

/// All ways to divide the cubes of a box.
pub const ALL: [BoxElements; 5] = [
    BoxElements::Hex,
    BoxElements::Prism,
    BoxElements::Tet,
    BoxElements::Pyramid,
    BoxElements::Mixed,
];

/// A box that is stretched in y and curved.
pub fn a_box(elements: BoxElements, cells: [usize; 3], periodic: [bool; 3]) -> BoxMesh {
    BoxMesh {
        cells,
        lower: [-1.0, 0.25, 0.1],
        upper: [2.0, 1.5, 1.7],
        periodic,
        elements,
        stretch: [None, Some(1.7), None],
        warp: 0.1,
        warp_kind: WarpKind::Curved,
    }
}

/// A sector of an annulus, of hexahedra and prisms, that is periodic by rotation.
pub fn a_sector(cells: [usize; 3]) -> Annulus {
    Annulus {
        inner: 0.5,
        outer: 2.0,
        length: 0.7,
        angle: 1.1,
        cells,
        growth: 1.3,
        hex_layers: 1,
        geometry_order: 3,
        periodic_angle: true,
        periodic_z: false,
    }
}

/// The mesh with tags, as if it had been read from a file.
pub fn tagged(mesh: Mesh) -> Mesh {
    let tags = (0..mesh.len() as u64).map(|t| 1000 + 3 * t).collect();
    Mesh { tags, ..mesh }
}
