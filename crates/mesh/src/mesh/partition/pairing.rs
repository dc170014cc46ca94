//! The check that sides between ranks lead back. No rank sees both ends of such a side, so every rank sums hashes of
//! its own ends, signed such that the two ends of a side cancel.

use xxhash_rust::xxh3::xxh3_64;

use super::super::check::{inverse_orientations, is_inverse, transposed};
use super::super::types::{Mesh, Side};
use crate::element::FaceShape;

/// Returns the wrapping sum over the sides of a checked part that lead to other ranks. Its total over all ranks is zero
/// if every such side leads back consistently. Otherwise it is not zero, except with a probability of 2^-64.
pub fn pairing(mesh: &Mesh) -> u64 {
    let inverse = [FaceShape::Triangle, FaceShape::Quad].map(inverse_orientations);
    let first = |wanted: &dyn Fn(&[[f64; 3]; 3]) -> bool| mesh.rotations.iter().position(wanted);
    // Equal rotations count as one, and the inverse of each is the first that undoes it.
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
            let ours = (mesh.global(cell), face);
            let theirs = (there, their);
            let shape = mesh.kinds[cell].faces()[face].shape;
            let code = |rotation: Option<usize>| rotation.map_or(0, |r| r + 1);
            // Both ranks describe the pair as seen from the lower cell.
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
                // The other side cannot have named a rotation that has no inverse in the list.
                let undone = rotation.map_or(0, |r| undone[r].map_or(usize::MAX, |r| r + 1));
                [theirs.0, theirs.1, ours.0, ours.1, back, undone]
            };
            let hash = xxh3_64(seen.map(|word| (word as u64).to_le_bytes()).as_flattened());
            sum = if ours < theirs {
                sum.wrapping_add(hash)
            } else {
                sum.wrapping_sub(hash)
            };
        }
    }
    sum
}
