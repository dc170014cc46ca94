//! Two meshes in one, side by side: their cells share no face. Interfaces join blocks of such a mesh in a run.

use thiserror::Error;

use super::types::{Mesh, Side};

/// Meshes that cannot be put into one.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("the geometry of the first mesh has degree {first}, and that of the second {second}: make both of one degree")]
pub struct BesideError {
    /// Degree of the first.
    pub first: usize,
    /// Degree of the second.
    pub second: usize,
}

impl Mesh {
    /// Returns a whole mesh with the cells of this one, followed by those of another whole mesh. Boundaries of the same
    /// name become one.
    ///
    /// # Errors
    /// The degrees of the geometries differ.
    pub fn beside(mut self, other: Mesh) -> Result<Mesh, BesideError> {
        if self.geometry_order != other.geometry_order {
            return Err(BesideError {
                first: self.geometry_order,
                second: other.geometry_order,
            });
        }
        let cells = self.len();
        let nodes = self.nodes.len();
        let sides = self.sides.len();
        let rotations = self.rotations.len();
        let mortars = self.mortars.len();
        let boundary: Vec<usize> = other
            .boundary_names
            .iter()
            .map(|name| {
                let known = self.boundary_names.iter().position(|known| known == name);
                known.unwrap_or_else(|| {
                    self.boundary_names.push(name.clone());
                    self.boundary_names.len() - 1
                })
            })
            .collect();
        let moved = |side: Side| match side {
            Side::Cell {
                cell,
                face,
                orientation,
            } => Side::Cell {
                cell: cell + cells,
                face,
                orientation,
            },
            Side::Rotated {
                cell,
                face,
                orientation,
                rotation,
            } => Side::Rotated {
                cell: cell + cells,
                face,
                orientation,
                rotation: rotation + rotations,
            },
            Side::Mortar(number) => Side::Mortar(number + mortars),
            Side::Boundary(name) => Side::Boundary(boundary[name]),
            Side::Remote { .. } => unreachable!("a whole mesh has no cells on other ranks"),
        };
        self.sides.extend(other.sides.into_iter().map(moved));
        self.kinds.extend(other.kinds);
        self.nodes.extend(other.nodes);
        self.first_node
            .extend(other.first_node[1..].iter().map(|first| first + nodes));
        self.first_side
            .extend(other.first_side[1..].iter().map(|first| first + sides));
        self.joined.extend(other.joined);
        self.rotations.extend(other.rotations);
        let parts = other.mortars.into_iter();
        self.mortars
            .extend(parts.map(|part| part.with_cells(|cell| cell + cells)));
        self.tags = if self.tags.len() == cells && !other.tags.is_empty() {
            [self.tags, other.tags].concat()
        } else {
            Vec::new()
        };
        self.structured = None;
        Ok(self)
    }
}
