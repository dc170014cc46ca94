//! Meshes for the tests of several modules: small ones on which a mistake in whatever lies about cells shows up, so curved,
//! stretched, off the origin, of all kinds of cells, or joined by a rotation.

use super::{Annulus, Mesh};
use crate::mesh::{BoxElements, BoxMesh, WarpKind};

/// All that the cubes of a box can be divided into.
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

/// A sector of an annulus, of hexahedra and prisms, whose sides are joined by a rotation.
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

/// The mesh with tags, as if read from a file.
pub fn tagged(mesh: Mesh) -> Mesh {
    let tags = (0..mesh.len() as u64).map(|t| 1000 + 3 * t).collect();
    Mesh { tags, ..mesh }
}
