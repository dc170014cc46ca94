//! Small meshes with their median duals.

use fr_les::case::{BoxElements, BoxMesh, WarpKind};
use fr_les::element::{Correction, Elements};
use fr_les::geometry::Geometry;
use fr_les::mesh::{Mesh, build_box};
use fr_les::ranks::Ranks;
use fr_les::steady::{DualError, DualMesh};

/// All ways to divide the cubes of a box.
pub const ALL: [BoxElements; 5] = [
    BoxElements::Hex,
    BoxElements::Prism,
    BoxElements::Tet,
    BoxElements::Pyramid,
    BoxElements::Mixed,
];

/// A curved box that is stretched in y, with flat sides and the widths 3, 1.25 and 1.6.
pub fn a_box(elements: BoxElements, cells: [usize; 3], periodic: [bool; 3]) -> BoxMesh {
    BoxMesh {
        cells,
        lower: [-1.0, 0.25, 0.1],
        upper: [2.0, 1.5, 1.7],
        periodic,
        elements,
        stretch: [None, Some(1.7), None],
        warp: 0.2,
        warp_kind: WarpKind::Curved,
    }
}

/// Widths of the box.
pub const WIDTH: [f64; 3] = [3.0, 1.25, 1.6];

/// Returns whether a boundary is one of the walls of the box, y- and z+.
pub fn is_wall(mesh: &Mesh) -> impl Fn(usize) -> bool {
    |boundary| ["y-", "z+"].contains(&mesh.boundary_names[boundary].as_str())
}

/// A mesh with its geometry and its dual at the points of degree `q`.
pub fn with_dual(mesh: Mesh, q: usize, ranks: &Ranks) -> Result<(Mesh, Geometry, DualMesh), DualError> {
    let elements = Elements::new(q, Correction::Radau, &mesh.kinds_present());
    let geometry = Geometry::on_ranks(&mesh, &elements, ranks).expect("good cells");
    let dual = DualMesh::new(&mesh, &geometry, q, is_wall(&mesh), ranks)?;
    Ok((mesh, geometry, dual))
}

/// The box at the points of degree `q`.
pub fn box_with_dual(b: &BoxMesh, q: usize) -> (Mesh, Geometry, DualMesh) {
    let mesh = build_box(b, 2).expect("a box");
    with_dual(mesh, q, &Ranks::alone()).expect("a dual")
}
