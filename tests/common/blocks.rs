//! Boxes of cells with names of their own, to be put side by side for an interface.

use fr_les::mesh::{BoxElements, BoxMesh, Mesh, WarpKind, build_box};

/// A straight box between two corners, periodic in y and in z if asked for. Its boundaries are `NAMEx-`, `NAMEx+` and
/// so on.
pub fn block(
    name: &str,
    elements: BoxElements,
    cells: [usize; 3],
    [lower, upper]: [[f64; 3]; 2],
    [in_y, in_z]: [bool; 2],
) -> Mesh {
    let mut mesh = build_box(
        &BoxMesh {
            cells,
            lower,
            upper,
            periodic: [false, in_y, in_z],
            elements,
            stretch: [None; 3],
            warp: 0.0,
            warp_kind: WarpKind::Curved,
        },
        2,
    )
    .expect("a box");
    rename(&mut mesh, name);
    mesh
}

/// Lets the names of the boundaries of a mesh begin with this text.
pub fn rename(mesh: &mut Mesh, name: &str) {
    mesh.boundary_names
        .iter_mut()
        .for_each(|old| *old = format!("{name}{old}"));
}
