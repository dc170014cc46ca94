//! The hash of a mesh, which does not depend on how the mesh is divided.

use xxhash_rust::xxh3::Xxh3;

use super::types::{Mesh, MortarPart, Side};
use crate::element::ElementKind;

/// The hash of a whole mesh as it is computed: it takes the kinds of all cells, then their sides, their nodes, the
/// rotations and the parts of divided faces.
#[derive(Default)]
pub(super) struct MeshHash {
    hash: Xxh3,
    bytes: Vec<u8>,
}

impl MeshHash {
    /// Adds kinds of cells.
    pub fn add_kinds(&mut self, kinds: impl Iterator<Item = ElementKind>) {
        self.add(kinds.map(|kind| kind as u64));
    }

    /// Adds sides of a whole mesh.
    pub fn add_sides(&mut self, sides: impl Iterator<Item = Side>) {
        self.add(sides.flat_map(|side| {
            let words = match side {
                Side::Cell {
                    cell,
                    face,
                    orientation,
                } => [cell, face, orientation],
                Side::Rotated {
                    cell,
                    face,
                    orientation,
                    rotation,
                } => [cell, face, orientation + 8 * (1 + rotation)],
                Side::Boundary(name) => [usize::MAX, name, 0],
                Side::Mortar(number) => [usize::MAX, number, 1],
                Side::Remote { .. } => unreachable!("a whole mesh has no other ranks"),
            };
            words.map(|word| word as u64)
        }));
    }

    /// Adds the parts of divided faces.
    fn add_mortars(&mut self, parts: &[MortarPart]) {
        self.add(parts.iter().flat_map(|part| part.words()));
    }

    /// Adds coordinates of nodes, or rotations.
    pub fn add_numbers(&mut self, numbers: impl Iterator<Item = f64>) {
        self.add(numbers.map(f64::to_bits));
    }

    /// Returns the hash of what has been added.
    pub fn digest(&self) -> u64 {
        self.hash.digest()
    }

    fn add(&mut self, words: impl Iterator<Item = u64>) {
        for word in words {
            self.bytes.extend(word.to_le_bytes());
            if self.bytes.len() == 1 << 13 {
                self.flush();
            }
        }
        self.flush();
    }

    fn flush(&mut self) {
        self.hash.update(&self.bytes);
        self.bytes.clear();
    }
}

impl Mesh {
    /// Hash of the geometry and connectivity of the whole mesh, for provenance.
    pub fn hash(&self) -> u64 {
        if let Some(part) = &self.part {
            return part.hash;
        }
        let mut hash = MeshHash::default();
        hash.add_kinds(self.kinds.iter().copied());
        hash.add_sides(self.sides.iter().copied());
        hash.add_numbers(self.nodes.iter().flatten().copied());
        hash.add_numbers(self.rotations.iter().flatten().flatten().copied());
        hash.add_mortars(&self.mortars);
        hash.digest()
    }
}
