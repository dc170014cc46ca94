//! Meshes whose cells are rotated against each other.

use fr_les::element::{ElementKind, FaceShape};
use fr_les::mesh::{Mesh, Side};

const FACES: usize = 6;

/// The 24 rotations of a cube as (axes, reversed): new direction d runs along old direction axes[d].
fn rotations() -> Vec<([usize; 3], [bool; 3])> {
    let mut all = Vec::new();
    for (axes, odd) in [
        ([0, 1, 2], false),
        ([1, 2, 0], false),
        ([2, 0, 1], false),
        ([1, 0, 2], true),
        ([0, 2, 1], true),
        ([2, 1, 0], true),
    ] {
        for bits in 0..8u32 {
            if (bits.count_ones() % 2 == 1) == odd {
                all.push((axes, [0, 1, 2].map(|d| bits >> d & 1 == 1)));
            }
        }
    }
    assert_eq!(all.len(), 24);
    all
}

/// Rotates the local directions of every cell by one of the 24 rotations. On a mesh of at least 24 cells all of them
/// occur.
pub fn turned(mesh: &Mesh) -> Mesh {
    let n = mesh.geometry_order + 1;
    let rotations = rotations();
    let rotation = |cell: usize| rotations[cell * 7 % 24];
    let mut out = mesh.clone();
    out.structured = None;
    for cell in 0..mesh.len() {
        let (axes, reversed) = rotation(cell);
        for i in 0..n * n * n {
            let new = [i % n, i / n % n, i / (n * n)];
            let mut old = [0; 3];
            for d in 0..3 {
                old[axes[d]] = if reversed[d] { n - 1 - new[d] } else { new[d] };
            }
            out.nodes[mesh.first_node[cell] + i] = mesh.cell_nodes(cell)[old[0] + n * (old[1] + n * old[2])];
        }
    }
    let new_face = |cell: usize, face: usize| {
        let (axes, reversed) = rotation(cell);
        let d = (0..3).find(|&d| axes[d] == face / 2).expect("axes are a permutation");
        2 * d + usize::from((face % 2 == 1) != reversed[d])
    };
    for cell in 0..mesh.len() {
        for face in 0..FACES {
            out.sides[mesh.first_side[cell] + new_face(cell, face)] = match mesh.cell_sides(cell)[face] {
                Side::Boundary(name) => Side::Boundary(name),
                Side::Mortar(_) | Side::Rotated { .. } | Side::Remote { .. } => {
                    panic!("a box is whole, not rotated and not refined")
                }
                Side::Cell { cell: c, face: f, .. } => {
                    let corners = |cell: usize, face: usize| -> [[f64; 3]; 4] {
                        let indices = ElementKind::Hex.face_indices(face, n - 1);
                        [0, n - 1, n * (n - 1), n * n - 1].map(|l| out.cell_nodes(cell)[indices[l]])
                    };
                    let (mut ours, theirs) = (corners(cell, new_face(cell, face)), corners(c, new_face(c, f)));
                    for d in 0..3 {
                        let mean = |x: &[[f64; 3]; 4]| x.iter().map(|x| x[d]).sum::<f64>() / 4.0;
                        let shift = mean(&theirs) - mean(&ours);
                        ours.iter_mut().for_each(|x| x[d] += shift);
                    }
                    let orientation = FaceShape::Quad
                        .find_orientation(&ours, &theirs, 1e-9)
                        .expect("faces meet");
                    Side::Cell {
                        cell: c,
                        face: new_face(c, f),
                        orientation,
                    }
                }
            };
        }
    }
    out
}
