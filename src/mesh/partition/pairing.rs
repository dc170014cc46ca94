//! Whether sides between ranks lead back: no rank sees both ends of such a side, so that all of them add up what they
//! see of their ends, and the two ends of a side cancel.

use xxhash_rust::xxh3::xxh3_64;

use super::super::check::{inverse_orientations, is_inverse, transposed};
use super::super::{Mesh, Side};
use crate::element::FaceShape;

/// The sum, wrapping, over the sides of a checked part that lead to other ranks. The sum of all ranks' sums is zero if
/// every such side is that of its own side, seen in the same way; otherwise it is not, but for a chance of 2^-64.
pub fn pairing(mesh: &Mesh) -> u64 {
    let inverse = [FaceShape::Triangle, FaceShape::Quad].map(inverse_orientations);
    let first = |wanted: &dyn Fn(&[[f64; 3]; 3]) -> bool| mesh.rotations.iter().position(wanted);
    // Equal rotations are one, and the inverse of each is the first that undoes it.
    let same: Vec<_> = mesh
        .rotations
        .iter()
        .map(|r| first(&|q| is_inverse(q, &transposed(r))))
        .collect();
    let undone: Vec<_> = mesh.rotations.iter().map(|r| first(&|q| is_inverse(q, r))).collect();
    let mut sum = 0u64;
    for cell in 0..mesh.len() {
        for (face, side) in mesh.cell_sides(cell).iter().enumerate() {
            let Side::Remote {
                cell: there,
                face: their,
                orientation,
                rotation,
                ..
            } = *side
            else {
                continue;
            };
            let (ours, theirs) = ((mesh.global(cell), face), (there, their));
            let shape = mesh.kinds[cell].faces()[face].shape;
            let code = |rotation: Option<usize>| rotation.map_or(0, |r| r + 1);
            // Both ranks describe the pair as it is seen from the lower cell.
            let seen = if ours < theirs {
                [
                    ours.0,
                    ours.1,
                    theirs.0,
                    theirs.1,
                    orientation,
                    code(rotation.and_then(|r| same[r])),
                ]
            } else {
                let back = inverse[usize::from(shape == FaceShape::Quad)][orientation];
                // A rotation without an inverse in the list is none that the other side can have named.
                let undone = rotation.map_or(0, |r| undone[r].map_or(usize::MAX, |r| r + 1));
                [theirs.0, theirs.1, ours.0, ours.1, back, undone]
            };
            let hash = xxh3_64(seen.map(|word| (word as u64).to_le_bytes()).as_flattened());
            sum = match ours < theirs {
                true => sum.wrapping_add(hash),
                false => sum.wrapping_sub(hash),
            };
        }
    }
    sum
}
